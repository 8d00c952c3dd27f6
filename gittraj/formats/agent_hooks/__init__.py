"""The payloads that agents hand to their hooks."""
