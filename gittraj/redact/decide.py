"""Whether a value that a rule of ``data`` proposes is a secret: the only place that says so for them.

A rule's column ``accept`` names one of these. Each is given the value alone: what stands around it the
rule's pattern has seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .lazy import lazy
from .made import is_chosen, is_joined, is_phrase, is_shuffled, is_spelled, is_worded
from .names import Grade
from .randomness import looks_random
from .values import Style, is_evident, is_label, is_password, is_secret

_UUID = lazy(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HEX = lazy(r"[0-9a-fA-F]{12,64}")
_WORDS = lazy(r"[a-z]{3,10}(?: [a-z]{3,10}){3,11}")
_SIGN = lazy(r"[!@#$%^&*~]")


def is_identifier(value: str) -> bool:
    """Anything that is no placeholder, a UUID too: the place takes nothing else."""
    return _UUID.fullmatch(value) is not None or is_named(value)


def is_named(value: str) -> bool:
    """Anything that is no placeholder, reference or label, but for a UUID."""
    return _UUID.fullmatch(value) is None and is_secret(value, Grade.STRONG, Style.EXACT)


def is_clear(value: str) -> bool:
    """What looks like a secret by itself: the place alone says little."""
    if not is_named(value):
        return False
    if is_evident(value) or looks_random(value) or is_shuffled(value):
        return True
    if _HEX.fullmatch(value):
        return False
    if _WORDS.fullmatch(value):
        return not is_label(value)
    digit = re.search(r"\d", value) is not None
    signed = len(value) >= 8 and _SIGN.search(value) is not None
    return digit and (signed or not value.isascii())


def is_given(value: str) -> bool:
    """What looks like a secret, or like what a person gives a device: two words, a long number, hex."""
    if is_clear(value):
        return True
    if not is_named(value):
        return False
    return (
        is_chosen(value)
        or is_joined(value)
        or is_spelled(value)
        or _HEX.fullmatch(value) is not None
        or (value.isdigit() and len(value) >= 8)
        or (len(value) >= 8 and value.isalpha() and value.isascii() and _is_uneven(value))
    )


def _is_uneven(word: str) -> bool:
    return is_shuffled(f"{word}0") or re.search(r"[a-z][A-Z]{2}|[A-Z]{2,}[a-z]+[A-Z]", word) is not None


def is_clear_or_uuid(value: str) -> bool:
    return _UUID.fullmatch(value) is not None or is_clear(value)


def is_joined_or_clear(value: str) -> bool:
    """What looks like a secret by itself, or is made of words that are joined by signs or numbers."""
    return is_clear(value) or (
        is_named(value) and (is_joined(value) or is_worded(value) or is_password(value))
    )


def is_spread(value: str) -> bool:
    """Drawn from many letters."""
    return len(set(value)) > 16


ACCEPT: dict[str, Callable[[str], bool]] = {
    "identifier": is_identifier,
    "named": is_named,
    "evident": is_clear,
    "evident-or-uuid": is_clear_or_uuid,
    "chosen": is_given,
    "joined": is_joined_or_clear,
    "phrase": is_phrase,
    "spread": is_spread,
}
