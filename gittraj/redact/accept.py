"""What the column ``accept`` of a rule may name: whether a value is a secret whose place the rule's pattern has matched.

A vendor's form is proved by how it was drawn; a line's value by as much as the line leaves open.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

from .base58 import has_checksum
from .decide import Style, is_secret
from .lazy import lazy
from .made import WORDS_ALONE, is_chosen, is_joined, is_phrase, is_worded
from .names import Grade
from .proof import Proof, proof
from .randomness import likelihood, looks_random
from .values import TOOL_ID, UUID, is_basic, is_evident, is_label, is_password, is_placeholder

_HEX_OF_A_DEVICE = lazy(r"[0-9a-fA-F]{12,64}")
_UNEVEN = lazy(r"[a-zA-Z]*(?:[a-z][A-Z]{2}|[A-Z]{2,}[a-z]+[A-Z])[a-zA-Z]*")
_SIGN = lazy(r"[!@#$%^&*~]")


def is_uuid(value: str) -> bool:
    return UUID.fullmatch(value) is not None


def is_named(value: str) -> bool:
    """Anything except a placeholder, reference, label or UUID."""
    return not is_uuid(value) and is_secret(value, Grade.STRONG, Style.EXACT)


def is_clear(value: str) -> bool:
    """A value that looks like a secret by itself: its place is weak evidence."""
    if not is_named(value):
        return False
    if is_evident(value) or looks_random(value):
        return True
    if _HEX_OF_A_DEVICE.fullmatch(value):
        return False
    if WORDS_ALONE.fullmatch(value):
        return not is_label(value)
    digit = re.search(r"\d", value) is not None
    signed = len(value) >= 8 and _SIGN.search(value) is not None
    return digit and (signed or not value.isascii())


def is_given(value: str) -> bool:
    """A value that looks like a secret, or like a password that a person sets on a device: two words, a long
    number, hex."""
    if is_clear(value):
        return True
    if not is_named(value):
        return False
    return (
        is_chosen(value)
        or is_joined(value)
        or _HEX_OF_A_DEVICE.fullmatch(value) is not None
        or (value.isdigit() and len(value) >= 8)
        or (len(value) >= 8 and _UNEVEN.fullmatch(value) is not None)
    )


def is_made(value: str) -> bool:
    """A value that is made of words joined by signs or numbers."""
    return is_named(value) and (is_joined(value) or is_worded(value) or is_password(value))


def is_in_url(value: str) -> bool:
    """``is_named`` for a value that may be percent-encoded."""
    from urllib.parse import unquote  # noqa: PLC0415 - it takes longer to import than all of this package

    return is_secret(unquote(value), Grade.STRONG, Style.EXACT)


def is_opaque(value: str) -> bool:
    """A value with a digit, or a random one."""
    return not is_placeholder(value) and (
        any(map(str.isdigit, value)) or is_secret(value, Grade.WEAK, Style.EXACT)
    )


def is_fed(value: str) -> bool:
    """The input of a command, unless it is plain text, base64 of plain text, or the answer to a question."""
    value = value.strip()
    decoded = _decoded(value)
    if " " in decoded or is_label(decoded) or value in _ANSWERS:
        return False
    return is_secret(value, Grade.STRONG, Style.EXACT)


def is_shown(value: str) -> bool:
    """What a command prints that makes or shows a secret."""
    return is_named(value) and (proof(value) > Proof.NONE or _SHOWN_BASE64.fullmatch(value) is not None)


_SHOWN_BASE64 = lazy(r"[A-Za-z0-9+/]{8,}={1,2}|(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[A-Za-z0-9+/]{12,}")


def _decoded(value: str) -> str:
    """The decoded text, if the value is the base64 of ASCII text; else empty."""
    try:
        return base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("ascii")
    except ValueError:
        return ""


_ANSWERS = frozenset(["hello", "world", "yes", "y", "n", "no", "test", "ok", "done", "data", "foo", "bar"])
_PREFIX = lazy(r"^(?:[A-Za-z]{1,12}[-_.:])(?:[A-Za-z]{1,12}[0-9]{0,2}[-_.])*(?=.{12})")
_SEQUENCE = lazy(r"abcdefgh|12345678(?:9|$)|0123456|987654321|qwertyui|(.)\1{6}|(?:abc|123){3}|xxxxx")
_PUBLIC_ID = lazy(r"(?:^|_)(?:msg|toolu|call|req|resp|run|evt|pk|pub|public|client_id|id)_")


def is_drawn(value: str) -> bool:
    """Whether the part after the prefix was drawn at random, not written: ``sk-your-api-key-goes-here``."""
    body = _PREFIX.sub("", value[:160])
    if (
        is_placeholder(value)
        or is_placeholder(body)
        or len(set(body)) < 7
        or _SEQUENCE.search(body.lstrip("A").lower())
    ):
        return False
    score = likelihood(body)  # 0: too few letters to tell
    return score < -4.4 or (score == 0 and any(map(str.isdigit, body)))


def is_jwt(value: str) -> bool:
    """Any JWT except the example that every documentation shows."""
    body = value.split(".")[1] if "." in value else ""
    try:
        plain = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
    except (binascii.Error, ValueError):
        return True
    return not (b"1234567890" in plain and b"John Doe" in plain)


def is_any_token(value: str) -> bool:
    """The token of an unknown vendor: drawn at random, and not the identifier of a message, a call or a
    session."""
    body = _PREFIX.sub("", value)
    if _PUBLIC_ID.search(value) or TOOL_ID.fullmatch(value):
        return False
    return (
        len(body) >= 16
        and not re.fullmatch(r"[0-9a-f]{17}", body)
        and likelihood(body) < -5.2
        and any(map(str.isdigit, body))
        and is_drawn(value)
    )


def is_unspoken(value: str) -> bool:
    """Groups of letters that are not of any language."""
    return likelihood(value.replace("-", "")) < -4.4


ACCEPT: dict[str, Callable[[str], bool]] = {
    "uuid": is_uuid,
    "named": is_named,
    "evident": is_clear,
    "chosen": is_given,
    "joined": is_made,
    "phrase": is_phrase,
    "password": is_password,
    "in-url": is_in_url,
    "opaque": is_opaque,
    "token": lambda value: is_secret(value, Grade.TOKEN, Style.EXACT),
    "basic": is_basic,
    "fed": is_fed,
    "shown": is_shown,
    "drawn": is_drawn,
    "jwt": is_jwt,
    "any-token": is_any_token,
    "checksum": has_checksum,
    "unspoken": is_unspoken,
    "any": bool,
}


def accepts(how: str, value: str) -> bool:
    """Whether one of the names in ``how`` takes the value: ``uuid | named``."""
    return any(ACCEPT[one](value) for one in how.split(" | "))
