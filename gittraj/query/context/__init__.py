"""Collects what the next author of a file should know."""
