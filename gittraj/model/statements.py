"""What names one statement that rules or a model drew from a message, the same in every clone. Pure."""

from __future__ import annotations

import hashlib

STRUCK = "struck"
"""The tag of a person's word that a statement is wrong, and the key of its name in ``raw``."""
SUMMARY = "model-summary"
"""The tag of a model's summary, and the key of its decisions and doubts in ``raw``."""


def statement_id(trajectory: str, event: str, quote: str) -> str:
    """Ten hexadecimal digits; a beginning of them is enough for a person."""
    return hashlib.sha256("\0".join((trajectory, event, quote)).encode("utf-8", "replace")).hexdigest()[:10]
