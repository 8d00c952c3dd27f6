"""Tokenizes text for the full-text index: identifiers are split into their parts, and kept whole.

SQLite splits at everything but letters and digits, folds case and accents, and stems English words (Porter's
algorithm). We mark the boundaries that it does not see: in ``rateLimit``, and after each Chinese, Japanese or
Korean character. An index built with other rules must not be read. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

SPLIT = "\u200b"
"""Zero-width space: a word boundary for SQLite, and invisible."""
TOKENIZE = "porter unicode61 remove_diacritics 2"

_JOINT = re.compile("[a-z0-9](?=[A-Z])|[A-Z](?=[A-Z][a-z])|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_UNSEEN = re.compile("[\0-\x08\x0b-\x1f\u200b\ud800-\udfff]")
_NAME = re.compile(rf"[A-Za-z0-9]+(?:[_{SPLIT}]+[A-Za-z0-9]+)+")
_LONGEST = 60  # characters of a name: longer ones are not identifiers


def cut(text: str) -> str:
    """``text`` with every boundary marked, without characters that a database cannot store."""
    return _JOINT.sub(rf"\g<0>{SPLIT}", _UNSEEN.sub(" ", text))


def uncut(text: str) -> str:
    """The inverse of ``cut``."""
    return text.replace(SPLIT, "")


def sound(text: str) -> str:
    """``text`` as a database can store it: JSON may have lone surrogates."""
    return text.encode("utf-8", "replace").decode()


def names(texts: Iterable[str]) -> set[str]:
    """The compound identifiers in ``cut`` texts, each as one word: ``ratelimit``."""
    words = {word for text in texts for word in text.split() if "_" in word or SPLIT in word}
    return {whole for word in words for whole in _wholes(word)}


def whole(word: str) -> str | None:
    """A word in the form that ``names`` returns; None if it is not a compound identifier."""
    found = [*_wholes(cut(word))]
    return found[0] if len(found) == 1 and _NAME.fullmatch(cut(word).strip(f"_{SPLIT}")) else None


def _wholes(word: str) -> Iterator[str]:
    for found in _NAME.findall(word):
        if len(found) <= _LONGEST:
            yield found.replace(SPLIT, "").replace("_", "").lower()


_ENDINGS = str.split(
    "s es ed ing er ers ly al ation ations ment ments ness able ible ity ive ize ized izing ization "
    "ance ence ant ent ful ional ies ied ion ions or ors ator"
)
_LEAST = 3


def completions(prefix: str) -> list[str]:
    """Words with this prefix whose stem is shorter: ``configurat`` also means ``configuration``, which is
    indexed as ``configur``."""
    found: dict[str, None] = {}
    for ending in _ENDINGS:
        for at in range(1, len(ending)):
            if prefix.lower().endswith(ending[:at]) and len(prefix) - at >= _LEAST:
                found[prefix + ending[at:]] = None
    return [*found]
