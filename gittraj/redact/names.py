"""Grades names by what they say about their values: ``DB_PASSWORD`` is a secret, ``max_tokens`` and ``key_id`` are not.

The last part of a name decides, ignoring the parts that only say which one it is (``API_KEY_PROD_2``).
So a last part that isn't the noun of a secret (``_id``, ``_path``, ``_count``, ``_url``) makes it harmless.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache, partial

from .load import patterns, tables, words

_RE = patterns("names")


class Grade(IntEnum):
    """How much the name alone proves."""

    NONE = 0
    WEAK = 1  # only a random value is a secret
    TOKEN = 2  # a random or a long value is a secret
    STRONG = 3  # any value that isn't a placeholder


_words = partial(words, "names")
CJK, ALPHABETIC = tuple(_words("cjk")), tuple(_words("alphabetic"))
FOREIGN = (*CJK, *ALPHABETIC)
# Parts of every name that may be a secret's, and whether a letter must not follow.
_STEMS_OF_WORDS = tables("names")["stems_of_words"]
STEMS = (
    *((stem.removesuffix("."), stem.endswith(".")) for stem in _words("stems")),
    *((stem, False) for stem in _STEMS_OF_WORDS if stem.isascii()),
)
ALL_STEMS = STEMS + tuple(
    (stem, False) for stem in (*FOREIGN, *_words("foreign_stems"), *_STEMS_OF_WORDS) if not stem.isascii()
)
_STRONG_ENDS = tuple(_words("strong_ends"))
_STRONG_LAST, _STRONG_PAIRS = frozenset(_words("strong_last")), frozenset(_words("strong_pairs"))
_TOKEN_LAST, _TOKEN_PAIRS = frozenset(_words("token_last")), frozenset(_words("token_pairs"))
_WEAK_LAST, _TAILS = frozenset(_words("weak_last")), frozenset(_words("tails"))
_HARMLESS, _ADJECTIVES = frozenset(_words("harmless_pairs")), frozenset(_words("adjectives"))
_QUALIFIERS, _NEGATIVE = frozenset(_words("qualifiers")), frozenset(_words("negative"))
_STRONG_FIRST, _KEY_FIRST = frozenset(_words("strong_first")), frozenset(_words("key_first"))
_KEY_SECOND = frozenset(_words("key_second"))
_OTHER_PASSES, _OTHER_KEYS = tuple(_words("other_passes")), tuple(_words("other_keys"))


def parts(name: str) -> list[str]:
    """Split a name: ``dbApiKey2`` into ``["db", "api", "key", "2"]``."""
    found = [part.lower() for part in _RE.parts.findall(name[-96:])]
    if not name.isascii():  # Passwörter and пароль are one part each
        found = re.findall(r"[^\W_]+", name[-96:].lower())
    return found


@lru_cache(maxsize=8192)
def grade(name: str) -> Grade:
    """The grade of an identifier, option, key or header name."""
    words = _without_qualifiers(parts(name))
    if not words or _is_harmless(name, words):
        return Grade.NONE
    return next((level for level, proves in _PROVES if proves(name, words)), Grade.NONE)


def _without_qualifiers(words: list[str]) -> list[str]:
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _QUALIFIERS):
        words.pop()
        if words[-1] == "b" and len(words) > 1:  # the rest of B64
            words.pop()
    return words


def _pair(words: list[str]) -> str:
    return ".".join(words[-2:])


def _is_password(name: str, words: list[str]) -> bool:
    last = words[-1]
    return _pair(words) in _STRONG_PAIRS or last in _STRONG_LAST or _ends_strong(last) or _is_foreign(last)


def _is_token(name: str, words: list[str]) -> bool:
    last = words[-1]
    if _pair(words) in _TOKEN_PAIRS or last in _TOKEN_LAST or _RE.keystore.search(name):
        return True
    if last.endswith(("token", "auth", "authtok", "cookie")):
        return True
    return len(words) == 3 and ".".join(words[:2]) in _STRONG_PAIRS and last not in _TAILS  # api_key_weather


def _begins_strong(name: str, words: list[str]) -> bool:
    return words[0] in _STRONG_FIRST or words[:3] == ["mot", "de", "passe"]


def _begins_key(name: str, words: list[str]) -> bool:
    return words[0] in _KEY_FIRST and not _KEY_SECOND.isdisjoint(words[1:2])


def _is_weak(name: str, words: list[str]) -> bool:
    return words[-1] in _WEAK_LAST or words[-1].endswith(("sessid", "key"))


_PROVES: tuple[tuple[Grade, Callable[[str, list[str]], bool]], ...] = (
    (Grade.STRONG, _is_password),
    (Grade.WEAK, lambda name, words: _pair(words) in ("csrf.token", "xsrf.token")),
    (Grade.TOKEN, _is_token),
    (Grade.STRONG, _begins_strong),
    (Grade.TOKEN, _begins_key),
    (Grade.WEAK, _is_weak),
)


def _is_harmless(name: str, words: list[str]) -> bool:
    last, pair = words[-1], ".".join(words[-2:])
    adjective = last in ("key", "keys") and len(words) > 1 and words[-2] in _ADJECTIVES
    return (
        _RE.hashed.search(name) is not None
        or (adjective and pair not in _STRONG_PAIRS)
        or pair in _HARMLESS
        or words[0] in _NEGATIVE
        or _first_of_last(name) in _NEGATIVE
        or "existing" in words
        or "public" in words[-3:-1]
        or last in ("pubkey", "publickey")
    )


def _first_of_last(name: str) -> str:
    """The first part of the last member of a dotted name: ``app.errors.InvalidPassword``."""
    return next(iter(parts(name.rpartition(".")[2])), "") if "." in name else ""


def _ends_strong(word: str) -> bool:
    """Whether a part ends with a secret's noun, joined to another word: ``rootpw``, ``remotepass``."""
    if word.startswith("lib"):  # a library's name
        return False
    if word.endswith(_STRONG_ENDS):
        return True
    return word.endswith(("pass", "pw")) and 4 < len(word) < 16 and not word.endswith(_OTHER_PASSES)


def _is_foreign(word: str) -> bool:
    return (word.startswith(FOREIGN) and len(word) < 16) or (
        _RE.compound.search(word) is not None and not word.startswith(_OTHER_KEYS)
    )


@lru_cache(maxsize=8192)
def kind(name: str) -> str:
    """The kind that the placeholder shows for a value of that name."""
    words = "".join(parts(name))
    for noun, called in (("secret", "secret"), ("token", "token"), ("key", "key"), ("jwt", "token")):
        if noun in words:
            return called
    return "password"
