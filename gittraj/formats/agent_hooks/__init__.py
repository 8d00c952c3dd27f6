"""The payloads that agents pass to their hooks."""
