"""Makes excerpts of the parts that a search found: the best passages, with the matches marked.

SQLite finds the passages in memory, with the same tokens and stems with which it found the part. No I/O.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from operator import itemgetter

from gittraj.frozen import dataclass
from gittraj.index.text import WEIGHTS, Part, TextField
from gittraj.index.words import TOKENIZE, cut, names, uncut

_EACH = 2
"""The maximum number of excerpts of one part."""
_WIDE = 24
"""The maximum number of words of one excerpt."""
_BEGIN, _END = "\x02", "\x03"
_WORD = re.compile(r"\w+")
_TABLE = f"""
CREATE VIRTUAL TABLE passages USING fts5 (text, name, part UNINDEXED, n UNINDEXED, tokenize='{TOKENIZE}')
"""
_BEST = (
    f"SELECT part, n, snippet(passages, 0, '{_BEGIN}', '{_END}', '…', {_WIDE}), bm25(passages, 1, 0.5)"  # noqa: S608
    " FROM passages WHERE passages MATCH ?"
)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A passage in a text of this ``kind``, from this ``event`` (None: from the record). ``marked`` is the
    passage in fragments, of which every second one is a match."""

    kind: str
    event: str | None
    marked: tuple[str, ...]
    rejected: bool = False

    @property
    def text(self) -> str:
        return "".join(self.marked)


def find_excerpts(
    parts: Mapping[int, Part], sought: str, kinds: Collection[str] = (), event: str | None = None
) -> dict[int, list[Excerpt]]:
    """The best excerpts of each part, or its beginning if no text matches. ``sought`` is a query that matches
    any of the words; ``kinds`` limits the excerpts to texts of these kinds, ``event`` to texts of events with
    this type."""
    fields = {at: _select(part.fields, kinds, event) for at, part in parts.items()}
    ranked: dict[int, list[tuple[float, Excerpt]]] = {at: [] for at in parts}
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(_TABLE)
        for at, some in fields.items():
            # the text with marked word boundaries (``cut``), and the whole identifiers in it (``names``)
            rows = ((cut(p.text), " ".join(names([cut(p.text)])), at, n) for n, p in _likely(some, sought))
            connection.executemany("INSERT INTO passages VALUES (?, ?, ?, ?)", rows)
        for at, n, text, rank in connection.execute(_BEST, (sought,)):
            field = fields[at][n]
            excerpt = Excerpt(field.kind, field.event, _split(text), field.rejected)
            ranked[at].append((rank * WEIGHTS[field.kind], excerpt))
    return {at: _best_different(some) or _beginning(fields[at]) for at, some in ranked.items()}


def _select(fields: Iterable[TextField], kinds: Collection[str], event: str | None) -> list[TextField]:
    return [each for each in fields if (not kinds or each.kind in kinds) and event in (None, each.type)]


def _best_different(ranked: Iterable[tuple[float, Excerpt]]) -> list[Excerpt]:
    """The first excerpts by rank, without those whose words are all in another one."""
    kept: list[Excerpt] = []
    for _, excerpt in sorted(ranked, key=itemgetter(0)):
        words = _words(excerpt)
        if not any(words in _words(other) for other in kept):
            kept = [*(other for other in kept if _words(other) not in words), excerpt]
        if len(kept) == _EACH:
            break
    return kept


def _words(excerpt: Excerpt) -> str:
    return f" {' '.join(_WORD.findall(excerpt.text.lower()))} "


def _likely(fields: Collection[TextField], sought: str) -> Iterable[tuple[int, TextField]]:
    """The numbered fields that may have a word of the query, or one with its stem; all fields if none has.
    Only these need a closer look, because a part may have megabytes."""
    stems = {word[: max(3, len(word) - 4)].lower() for word in _WORD.findall(uncut(sought))}
    likely = [(n, p) for n, p in enumerate(fields) if any(stem in p.text.lower() for stem in stems)]
    return likely or enumerate(fields)


def _split(text: str) -> tuple[str, ...]:
    """Split ``text`` into fragments, of which every second one is a match."""
    return tuple(uncut(fragment) for fragment in re.split(f"[{_BEGIN}{_END}]", text))


def _beginning(fields: Collection[TextField]) -> list[Excerpt]:
    first = next(iter(fields), None)
    if first is None:
        return []
    return [Excerpt(first.kind, first.event, (" ".join(first.text.split()[:_WIDE]),), first.rejected)]
