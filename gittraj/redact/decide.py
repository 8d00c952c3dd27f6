"""Decides whether a value that a reader proposes is a secret, from its name's grade and the syntax.

What the form of a value proves by itself, ``proof`` says; whether it is one where a rule's pattern has matched,
``accept``, which asks here, too. What a form is, ``values`` and ``made`` know.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from .lazy import lazy
from .made import DESCRIBES, DULL, is_chosen, is_joined
from .names import Grade, grade, parts
from .randomness import likelihood, looks_random
from .values import (
    CALL,
    CJK_SENTENCE,
    CODE,
    DATE,
    DOTTED,
    HEX,
    LINK,
    MAIL,
    MODEL,
    MOST,
    PATH,
    TOOL_ID,
    TYPE,
    UUID,
    is_basic,
    is_evident,
    is_label,
    is_placeholder,
    is_random,
    mixed,
)


class Style(Enum):
    """The syntax of a value, which shows how likely it is a literal."""

    EXACT = "in quotes, in the environment's form, after an option, or the whole value of a JSON key"
    LINE = "the rest of a line of settings: a literal, unless it is a word that describes one"
    LOOSE = "bare after a colon or an equals sign: may as well be code or prose"
    NEAR = "in a sentence about the name: the value must speak for itself"


# An artifact and its version, a range of versions; a Kubernetes secret that is sealed for its cluster; an age recipient;
# a compound's key; what an audit says instead of a token.
_PUBLISHED = lazy(
    r"[\w.-]+:\d+(?:\.\d+){1,3}[\w.+~-]*|v\d+(?:\.\d+){2}[-+][\w.+-]+|V\d(?:[A-Z][a-z]+){2,6}|[~^<>=]{1,2}\d+(?:\.\d+){0,3}(?:-[\w.]+)?(?: (?:\|\| )?[~^<>=]{0,2}\d+(?:\.[\dx*]+){0,3}(?:-[\w.]+)?){0,12}|Ag[A-D][A-Za-z0-9+/]{150,}.*|age1[02-9ac-hj-np-z]{50,60}|[A-Z]{14}-[A-Z]{10}-[A-Z]|pk_(?:live|test)_\w{10,}|hmac-sha\d{1,3}:[0-9a-f]{40,128}"
)
# Code without spaces, as minified scripts have it. A password may look so, too: only where its name is a weak one
# and the value may as well be code.
_TIGHT_CODE = lazy(r"!?[\w$.]{1,12}(?:[})\]]{1,4}[=;,.:)].*|,[\w$]{1,40}:.*)")
_CACHED = lazy(
    r"v\d{1,3}-.*|.*/.*\.[a-z]{2,8}|[a-z_]{2,20}=[^=].*"
)  # under a weak name: what a cache or a store calls something


def is_secret(value: str, level: Grade, style: Style) -> bool:
    """Whether ``value`` is a secret, given what its name proves and how it is written."""
    return _judge(value[:MOST], level, style)


@lru_cache(maxsize=4096)
def _judge(short: str, level: Grade, style: Style) -> bool:
    if (
        level is Grade.NONE
        or len(short) < 3
        or is_placeholder(short)
        or re.search(r"\w__\w+__\w", short)
        or any(form.fullmatch(short) for form in (CJK_SENTENCE, TOOL_ID, MODEL, LINK, MAIL, _PUBLISHED, TYPE))
        or (
            (level is Grade.WEAK or (level is Grade.TOKEN and style in (Style.LOOSE, Style.NEAR)))
            and _TIGHT_CODE.fullmatch(short)
        )
    ):
        return False
    if style is Style.NEAR:
        return level >= Grade.TOKEN and (
            is_random(short)
            or (is_evident(short) and not (level is Grade.TOKEN and len(short) < 8))
            or (
                level is Grade.STRONG
                and is_chosen(short)
                and not re.search(r"[A-Z][a-z]{2,}[A-Z][a-z]{2,}", short)
            )
        )
    if level is Grade.WEAK and HEX.fullmatch(re.sub(r"^[a-z]{2,8}_(?=[0-9a-f]{32})", "", short)):
        return True
    if level is Grade.WEAK and _CACHED.fullmatch(short):
        return False
    if level is Grade.WEAK:
        return is_random(re.sub(r"[0-9a-f]{32,}", "", short))
    if level is Grade.TOKEN:
        return _is_token(short, style)
    if style is Style.LOOSE:
        return _is_loose_secret(short)
    return _is_exact_secret(short) and (style is Style.EXACT or _is_line_secret(short))


def _is_token(value: str, style: Style) -> bool:
    if is_random(value) or is_basic(value) or HEX.fullmatch(value) or UUID.fullmatch(value):
        return True
    if is_evident(value) and len(value) >= 8 and not PATH.fullmatch(value):
        return True
    if style is Style.LOOSE or re.search(r"\s", value) or PATH.fullmatch(value):
        return False
    if value.isdigit():
        return False
    if len(value) >= 16 and is_chosen(value):
        return True
    return len(value) >= 10 and mixed(value) and not CODE.fullmatch(value) and not DATE.fullmatch(value)


def _is_exact_secret(value: str) -> bool:
    if re.fullmatch(r"(?:19|20)\d\d-[01]\d-[0-3]\d", value):
        return False
    if PATH.fullmatch(value) and not looks_random(value):
        return False
    if re.fullmatch(
        r"(?:await |new )?[A-Za-z_$][\w$.:]*(?:<[^>]*>)?\([\w.\s,\"'*&:=$/{}()\[\]-]*\)[;,]?", value
    ) and not re.search(r"[a-z]\d+\(", value):
        return False
    if DOTTED.fullmatch(value) and not mixed(value):
        return grade(re.split(r"\W+", value.rstrip("?!"))[-1]) is Grade.NONE and not re.match(
            r"(?:self|this|cls|args|opts|options|req|request|res|ctx|user|params?|props|state|cfg|conf|app|data|input|form|body|values|e|t|n|r|i)\b",
            value,
        )
    if re.search(r"__\w+__|^\w+(?:\|\w+(?::\d+)?)+$|^[?+]\w+$", value) and not _UNION_OF_DRAWN.search(value):
        return False
    return not is_label(value)


_UNION_OF_DRAWN = lazy(r"\|[0-9a-f]{32,64}(?:$|\|)")  # a cookie's parts, no type's
_LABELLED = lazy(r"[A-Z]{1,6}\d{1,3}(?:[A-Z]\d?)?")  # a pin of a chip, a cell, a part


def _is_line_secret(value: str) -> bool:
    if re.search(r"\s", value):
        return (
            not is_label(value)
            and value == value.lower()
            and not re.search(r"[(){}\[\]=|;<>:\d]", value)
            and len(value.split()) >= 4
        )
    if re.match(r"[&*(\[{|!@<]", value) and not mixed(value):
        return False
    if value.isalpha() and value.isascii():
        return is_chosen(value) or (
            len(value) >= 8
            and value.lower() not in DESCRIBES
            and not value.lower().endswith(("tion", "ment", "ness", "able", "ible"))
            and (value.islower() or likelihood(value) < -4.6)
            and value.lower() not in DULL
        )
    if value.isdigit():
        return len(value) >= 4
    if len(re.sub(r"\W", "", value)) < 3:
        return False
    if is_joined(value):
        return True
    if DOTTED.fullmatch(value):
        return False
    return not CALL.fullmatch(value) and not DATE.fullmatch(value)


def _is_loose_secret(value: str) -> bool:
    if is_joined(value) or UUID.fullmatch(value):
        return True
    if looks_random(value):
        return not CALL.fullmatch(value)
    if len(value) < 4 or PATH.fullmatch(value) or CALL.fullmatch(value) or re.match(r"[&*(\[{|!@<]", value):
        return False
    if value.isdigit():
        return len(value) >= 6
    if _LABELLED.fullmatch(value):
        return False
    if is_chosen(value):
        return True
    if DATE.fullmatch(value) or DOTTED.fullmatch(value):
        return False
    if value.isalnum() and sum(map(str.isalpha, parts(value))) >= 4 and likelihood(value) > -4.9:
        return False  # camelCase
    return is_evident(value) or mixed(value)
