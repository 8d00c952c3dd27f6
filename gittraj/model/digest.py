"""What SHA-256 names, the same in every clone. Python's own is used: OpenSSL takes 3 ms to load. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha256 import sha256
    except ImportError:
        try:
            from _sha2 import sha256  # its name since Python 3.12
        except ImportError:
            from hashlib import sha256

__all__ = ["sha256", "statement_id"]


def statement_id(trajectory: str, event: str, quote: str) -> str:
    """Of one statement that rules or a model drew from a message: ten hexadecimal digits; a beginning of them
    is enough for a person."""
    return sha256("\0".join((trajectory, event, quote)).encode("utf-8", "replace")).hexdigest()[:10]
