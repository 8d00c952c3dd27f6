"""The terminal's views."""
