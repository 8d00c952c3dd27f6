"""Rates how strongly a word's form alone proves that it is a secret: for words in prose, without syntax."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

from .load import patterns
from .made import is_chosen, is_joined, is_worded
from .named import Style, is_secret
from .names import Grade
from .randomness import looks_random
from .values import is_evident, is_label, is_password, is_placeholder, is_plain

_RE = patterns("values")


class Proof(IntEnum):
    """How certain it is that a word is a secret."""

    NONE = 0
    SLIGHT = 1  # digits, a word that people choose: counts only after an "is"
    FAIR = 2  # letters and digits
    GOOD = 3  # a UUID, hex, groups of a code
    SURE = 4  # a password with symbols among its letters and digits
    CERTAIN = 5  # randomly generated


def proof(value: str) -> Proof:
    """Return what the form of ``value`` proves."""
    return _proof(value[:200]) if len(value) >= 4 else Proof.NONE


@lru_cache(maxsize=8192)
def _proof(value: str) -> Proof:
    for classify in (_by_alphabet, _by_harmless_form, _by_making):
        if (found := classify(value)) is not None:
            return found
    return _by_mixture(value)


_BY_ALPHABET = (
    ("some_digits", Proof.SLIGHT),
    ("digits_or_address", Proof.NONE),  # too short, too long or a year; an address
    ("groups", Proof.GOOD),
    ("uuid", Proof.GOOD),
    ("some_hex", Proof.GOOD),
)


def _by_alphabet(value: str) -> Proof | None:
    """Rate words of only digits, hex, groups or letters."""
    for alphabet, proved in _BY_ALPHABET:
        if _RE.fit(value, (alphabet,)):
            return proved
    if _RE.capitals.fullmatch(value) and looks_random(value):  # a protein; a seed in base32
        return Proof.NONE if len(value) > 24 and value.isalpha() else Proof.SURE
    return Proof.NONE if value.isalpha() and value.isascii() and not is_chosen(value) else None


def _by_harmless_form(value: str) -> Proof | None:
    if (
        len(value) < 6
        or _RE.tool_id.fullmatch(value)
        or _RE.type.fullmatch(value)
        or _RE.harmless.match(value)
    ):
        return Proof.NONE
    if is_placeholder(value) or (
        not value.isascii() and (value.isalpha() or _RE.cjk_sentence.fullmatch(value))
    ):
        return Proof.NONE
    if re.search(r"\s", value):
        return Proof.SLIGHT if _RE.words_alone.fullmatch(value) and not is_label(value) else Proof.NONE
    return None


def _by_making(value: str) -> Proof | None:
    """Rate words of a form that people choose or generators produce."""
    if is_joined(value):
        return Proof.SURE
    if is_worded(value):
        return Proof.SLIGHT
    if _RE.long_base64.fullmatch(value) and re.match(r"(?=(?:.*[A-Z]){3})(?:.*\d){3}", value):
        return Proof.CERTAIN
    return None


def _by_mixture(value: str) -> Proof:
    """Rate words by their mixture of letters, digits and symbols."""
    if re.search(r"[()\[\]{}<>|\\;:=,\"'`]|://|::|\w/\w.*/|\.\w+\.|\w\.[a-z]{1,4}$|->", value.rstrip("=")):
        return Proof.NONE
    if _RE.camel.fullmatch(value):
        return Proof.NONE
    if looks_random(value) and re.search(r"\d", value):
        return Proof.CERTAIN if len(value) >= 20 else Proof.SURE
    if is_password(value):
        return Proof.SURE
    if _RE.term.fullmatch(value) or is_plain(value):
        return Proof.SLIGHT if is_chosen(value) else Proof.NONE
    return _by_words(value)


def _by_words(value: str) -> Proof:
    """Rate words of letters and digits."""
    if is_evident(value) and _RE.uneven.search(value):
        return Proof.FAIR
    if _RE.numbered.fullmatch(value):
        return Proof.SLIGHT
    return Proof.SLIGHT if is_chosen(value) and is_secret(value, Grade.STRONG, Style.NEAR) else Proof.NONE
