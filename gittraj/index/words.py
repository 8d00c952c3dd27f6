"""Tokenizes text for the full-text index: identifiers are split into their parts, and also kept whole.

SQLite splits a text at all characters except letters and digits, folds case and accents, and stems English
words (Porter's algorithm). This module marks the boundaries that SQLite does not see: in ``rateLimit``, and
after each Chinese, Japanese or Korean character. An index that was built with other rules must not be read.
No I/O.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

SPLIT = "\u200b"
"""A zero-width space, which is a word boundary for SQLite and invisible."""
TOKENIZE = "porter unicode61 remove_diacritics 2"

_JOINT = re.compile("[a-z0-9](?=[A-Z])|[A-Z](?=[A-Z][a-z])|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_UNSEEN = re.compile("[\0-\x08\x0b-\x1f\u200b\ud800-\udfff]")
_NAME = re.compile(rf"[A-Za-z0-9]+(?:[_{SPLIT}]+[A-Za-z0-9]+)+")
_LONGEST = 60  # characters of a name; longer ones are not identifiers


def cut(text: str) -> str:
    """Mark every boundary in ``text``, and replace the characters that a database cannot store."""
    return _JOINT.sub(rf"\g<0>{SPLIT}", _UNSEEN.sub(" ", text))


def uncut(text: str) -> str:
    """Undo ``cut``, except that replaced characters stay replaced."""
    return text.replace(SPLIT, "")


def sound(text: str) -> str:
    """Return ``text`` as a database can store it, without the lone surrogates that JSON may contain."""
    return text.encode("utf-8", "replace").decode()


def names(texts: Iterable[str]) -> set[str]:
    """The compound identifiers in ``cut`` texts, each as one word: ``ratelimit``."""
    words = {word for text in texts for word in text.split() if "_" in word or SPLIT in word}
    return {whole for word in words for whole in _wholes(word)}


def whole(word: str) -> str | None:
    """Return a compound identifier in the form in which ``names`` returns it; None for any other word."""
    wholes = [*_wholes(cut(word))]
    return wholes[0] if len(wholes) == 1 and _NAME.fullmatch(cut(word).strip(f"_{SPLIT}")) else None


def _wholes(word: str) -> Iterator[str]:
    for name in _NAME.findall(word):
        if len(name) <= _LONGEST:
            yield name.replace(SPLIT, "").replace("_", "").lower()


_ENDINGS = str.split(
    "s es ed ing er ers ly al ation ations ment ments ness able ible ity ive ize ized izing ization "
    "ance ence ant ent ful ional ies ied ion ions or ors ator"
)
_LEAST = 3


def completions(prefix: str) -> list[str]:
    """Return words that begin with ``prefix`` and have a shorter stem: ``configurat`` also means
    ``configuration``, which is indexed as ``configur``."""
    completed: dict[str, None] = {}
    for ending in _ENDINGS:
        for at in range(1, len(ending)):
            if prefix.lower().endswith(ending[:at]) and len(prefix) - at >= _LEAST:
                completed[prefix + ending[at:]] = None
    return [*completed]
