"""Makes untrusted text safe to print where a line must keep its length: each control becomes one sign."""

from __future__ import annotations


def printable(text: str) -> str:
    """``text`` with a replacement character for each control: agents' text may contain escape sequences."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
