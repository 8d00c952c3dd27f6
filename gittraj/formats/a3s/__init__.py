"""A3S Code: what a session leaves in its file store."""
