"""Makes untrusted text safe to print where a line must keep its length: each control becomes one sign."""

from __future__ import annotations

from gittraj.model.unseen import is_unseen


def printable(text: str) -> str:
    """``text`` with a replacement character for each that is not seen: agents' text may contain escape
    sequences."""
    return "".join("\N{REPLACEMENT CHARACTER}" if is_unseen(c) else c for c in text)
