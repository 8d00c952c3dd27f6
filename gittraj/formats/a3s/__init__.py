"""A3S Code: the sessions in its file store."""
