"""Judges whether a value that has a name is a secret, from the name's grade and the syntax. ``proof`` judges
what the form of a value proves by itself; ``values`` and ``made`` recognise the forms.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from .load import patterns
from .made import DESCRIBES, DULL, is_chosen, is_joined
from .names import Grade, grade, parts
from .randomness import likelihood, looks_random
from .values import MOST, is_basic, is_evident, is_label, is_placeholder, is_random, mixed

_RE = patterns("values")


class Style(Enum):
    """The syntax of a value, which shows how likely it is a literal."""

    EXACT = "exact"  # in quotes, in the environment's form, after an option, or the whole value of a JSON key
    LINE = "line"  # the rest of a line of settings: a literal, unless it is a word that describes one
    LOOSE = "loose"  # bare after a colon or an equals sign: may as well be code or prose
    NEAR = "near"  # in a sentence about the name: the value itself must look like a secret


def is_secret(value: str, level: Grade, style: Style) -> bool:
    """Whether ``value`` is a secret, given what its name proves and how it is written."""
    return _judge(value[:MOST], level, style)


@lru_cache(maxsize=4096)
def _judge(short: str, level: Grade, style: Style) -> bool:
    if level is Grade.NONE or _is_other(short) or _may_be_code(short, level, style):
        return False
    if style is Style.NEAR:
        return level >= Grade.TOKEN and _speaks(short, level)
    if level is Grade.WEAK:
        return _is_drawn(short)
    if level is Grade.TOKEN:
        return _is_token(short, style)
    if style is Style.LOOSE:
        return _is_loose_secret(short)
    return _is_exact_secret(short) and (style is Style.EXACT or _is_line_secret(short))


_OTHERS = ("cjk_sentence", "tool_id", "model", "link", "mail", "published", "type")


def _is_other(value: str) -> bool:
    """Whether a value is not a secret, whatever its name is."""
    return len(value) < 3 or is_placeholder(value) or _RE.fit(value, _OTHERS)


def _may_be_code(value: str, level: Grade, style: Style) -> bool:
    unsure = level is Grade.WEAK or style is Style.LOOSE or (level is Grade.TOKEN and style is Style.NEAR)
    return unsure and _RE.tight_code.fullmatch(value) is not None


def _speaks(value: str, level: Grade) -> bool:
    """Whether a word of a sentence looks like a secret."""
    if is_random(value) or (is_evident(value) and (level is Grade.STRONG or len(value) >= 8)):
        return True
    return level is Grade.STRONG and is_chosen(value) and not _RE.two_humps.search(value)


def _is_drawn(value: str) -> bool:
    """Whether the value of a weak name is random."""
    if _RE.hex.fullmatch(re.sub(r"^[a-z]{2,8}_(?=[0-9a-f]{32})", "", value)):
        return True
    return not _RE.cached.fullmatch(value) and is_random(re.sub(r"[0-9a-f]{32,}", "", value))


def _is_token(value: str, style: Style) -> bool:
    if is_random(value) or is_basic(value) or _RE.hex.fullmatch(value) or _RE.uuid.fullmatch(value):
        return True
    if _RE.path.fullmatch(value):
        return False
    return (is_evident(value) and len(value) >= 8) or (style is not Style.LOOSE and _is_long(value))


def _is_long(value: str) -> bool:
    if len(value) >= 16 and is_chosen(value):
        return True
    return len(value) >= 10 and mixed(value) and not _RE.fit(value, ("code", "date", "spaced"))


def _is_exact_secret(value: str) -> bool:
    if _RE.day.fullmatch(value) or (_RE.path.fullmatch(value) and not looks_random(value)):
        return False
    if _RE.whole_call.fullmatch(value) and not _RE.numbered_call.search(value):
        return False
    if _RE.dotted.fullmatch(value) and not mixed(value):
        named = grade(re.split(r"\W+", value.rstrip("?!"))[-1]) is not Grade.NONE
        return not named and not _RE.of_object.match(value)
    if _RE.union.search(value) and not _RE.union_of_drawn.search(value):
        return False
    return not is_label(value)


def _is_line_secret(value: str) -> bool:
    if re.search(r"\s", value):
        words = not re.search(r"[(){}\[\]=|;<>:\d]", value) and len(value.split()) >= 4
        return words and value == value.lower() and not is_label(value)
    if re.match(r"[&*(\[{|!@<]", value) and not mixed(value):
        return False
    if _RE.labelled.fullmatch(value):
        return False
    if value.isalpha() and value.isascii():
        return _is_line_word(value)
    if len(re.sub(r"\W", "", value)) < 3 + value.isdigit():
        return False
    return is_joined(value) or not _RE.fit(value, ("dotted", "call", "date"))


def _is_line_word(value: str) -> bool:
    lower = value.lower()
    return is_chosen(value) or (
        len(value) >= 8
        and lower not in DESCRIBES | DULL
        and not lower.endswith(("tion", "ment", "ness", "able", "ible"))
        and (value.islower() or likelihood(value) < -4.6)
    )


def _is_loose_secret(value: str) -> bool:
    if is_joined(value) or _RE.uuid.fullmatch(value):
        return True
    if looks_random(value):
        return not _RE.call.fullmatch(value)
    if (
        len(value) < 4
        or _RE.path.fullmatch(value)
        or _RE.call.fullmatch(value)
        or re.match(r"[&*(\[{|!@<]", value)
    ):
        return False
    if value.isdigit():
        return len(value) >= 6
    if _RE.labelled.fullmatch(value):
        return False
    return is_chosen(value) or _is_mixture(value)


def _is_mixture(value: str) -> bool:
    if _RE.date.fullmatch(value) or _RE.dotted.fullmatch(value):
        return False
    if value.isalnum() and sum(map(str.isalpha, parts(value))) >= 4 and likelihood(value) > -4.9:
        return False  # camelCase
    return is_evident(value) or mixed(value)
