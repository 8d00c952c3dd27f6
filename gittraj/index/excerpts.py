"""Makes excerpts of the parts that a search found: the best passages, with the matches marked.

SQLite finds them, with the tokens and stems that found the part. Pure.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from contextlib import closing

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
CREATE VIRTUAL TABLE places USING fts5 (text, name, part UNINDEXED, n UNINDEXED, tokenize='{TOKENIZE}')
"""
_BEST = (
    f"SELECT part, n, snippet(places, 0, '{_BEGIN}', '{_END}', '…', {_WIDE}), bm25(places, 1, 0.5)"  # noqa: S608
    " FROM places WHERE places MATCH ?"
)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A passage in a text of this kind and event (None: in the record). ``marked`` is the passage in
    fragments, every second one a match."""

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
    """The best excerpts of each part, or its beginning if no text matches. ``kinds``, ``event``: only from
    texts of these kinds, and of events of that type."""
    fields = {
        at: [p for p in part.fields if (not kinds or p.kind in kinds) and event in (None, p.type)]
        for at, part in parts.items()
    }
    found: dict[int, list[tuple[float, Excerpt]]] = {at: [] for at in parts}
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(_TABLE)
        for at, some in fields.items():
            rows = ((cut(p.text), " ".join(names([cut(p.text)])), at, n) for n, p in _likely(some, sought))
            connection.executemany("INSERT INTO places VALUES (?, ?, ?, ?)", rows)
        for at, n, text, rank in connection.execute(_BEST, (sought,)):
            field = fields[at][n]
            excerpt = Excerpt(field.kind, field.event, _split(text), field.rejected)
            found[at].append((rank * WEIGHTS[field.kind], excerpt))
    best = {at: _apart(e for _, e in sorted(some, key=lambda each: each[0])) for at, some in found.items()}
    return {at: some or _beginning(fields[at]) for at, some in best.items()}


def _apart(ranked: Iterable[Excerpt]) -> list[Excerpt]:
    """The first excerpts, without those whose words are in another one."""
    kept: list[Excerpt] = []
    for excerpt in ranked:
        words = _words(excerpt)
        if not any(words in _words(other) for other in kept):
            kept = [*(other for other in kept if _words(other) not in words), excerpt]
        if len(kept) == _EACH:
            break
    return kept


def _words(excerpt: Excerpt) -> str:
    return f" {' '.join(_WORD.findall(excerpt.text.lower()))} "


def _likely(fields: Collection[TextField], sought: str) -> Iterable[tuple[int, TextField]]:
    """The fields that may have a word of the query, or one with its stem: a part may have megabytes."""
    stems = {word[: max(3, len(word) - 4)].lower() for word in _WORD.findall(uncut(sought))}
    likely = [(n, p) for n, p in enumerate(fields) if any(stem in p.text.lower() for stem in stems)]
    return likely or enumerate(fields)


def _split(text: str) -> tuple[str, ...]:
    """``text`` in fragments, every second one a match."""
    return tuple(uncut(stretch) for stretch in re.split(f"[{_BEGIN}{_END}]", text))


def _beginning(fields: Collection[TextField]) -> list[Excerpt]:
    first = next(iter(fields), None)
    if first is None:
        return []
    return [Excerpt(first.kind, first.event, (" ".join(first.text.split()[:_WIDE]),), first.rejected)]
