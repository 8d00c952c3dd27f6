"""How text becomes words for the full-text index: identifiers are cut into their parts, and kept whole.

SQLite cuts at everything that is no letter and no digit, folds case and accents, and stems English words
(Porter's algorithm). What it does not see is marked for it: the humps of ``rateLimit``, and where one
Chinese, Japanese or Korean sign ends. What was built with other rules must not be read. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

SPLIT = "\u200b"
"""Zero width: SQLite takes it for the end of a word, and nobody sees it."""
TOKENIZE = "porter unicode61 remove_diacritics 2"

_JOINT = re.compile("[a-z0-9](?=[A-Z])|[A-Z](?=[A-Z][a-z])|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_UNSEEN = re.compile("[\0-\x08\x0b-\x1f\u200b\ud800-\udfff]")
_NAME = re.compile(rf"[A-Za-z0-9]+(?:[_{SPLIT}]+[A-Za-z0-9]+)+")
_LONGEST = 60  # characters of a name: longer ones are nobody's identifier


def cut(text: str) -> str:
    """``text`` with every joint marked, and without what a database cannot hold."""
    return _JOINT.sub(rf"\g<0>{SPLIT}", _UNSEEN.sub(" ", text))


def uncut(text: str) -> str:
    """What ``cut`` was given."""
    return text.replace(SPLIT, "")


def sound(text: str) -> str:
    """``text`` as a database can hold it: JSON may have halves of signs in it."""
    return text.encode("utf-8", "replace").decode()


def names(texts: Iterable[str]) -> set[str]:
    """The identifiers of several parts in texts that are cut, each in one word: ``ratelimit``."""
    words = {word for text in texts for word in text.split() if "_" in word or SPLIT in word}
    return {whole for word in words for whole in _wholes(word)}


def whole(word: str) -> str | None:
    """A word as ``names`` has it; None where it is no identifier of several parts."""
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
    """Words that begin so and whose stem does not: ``configurat`` stands for ``configuration`` too, which is
    in the index as ``configur``."""
    found: dict[str, None] = {}
    for ending in _ENDINGS:
        for at in range(1, len(ending)):
            if prefix.lower().endswith(ending[:at]) and len(prefix) - at >= _LEAST:
                found[prefix + ending[at:]] = None
    return [*found]
