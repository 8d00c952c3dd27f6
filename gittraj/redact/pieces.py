"""Pieces of patterns that the tables of lines share."""

from __future__ import annotations

UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
MIXED = r"(?=[^\s]{0,60}[\d_!#$%&*+])(?=[^\s]{0,60}[^\W\d_])"
"""Looks ahead: the value is no plain word."""
