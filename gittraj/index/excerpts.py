"""What is shown of parts that were found: the places in their texts that answer best, with the words marked.

SQLite itself looks for them, with the same words and the same stems that found the part. Pure.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass

from gittraj.index.text import WEIGHTS, Part, Piece
from gittraj.index.words import TOKENIZE, cut, names, uncut

_EACH = 2
"""Places of one part."""
_WIDE = 24
"""Words of one."""
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
    """A place in a text of this kind and event (None: in the record). ``marked`` are its stretches, every
    second one a word that was sought."""

    kind: str
    event: str | None
    marked: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(self.marked)


def find_excerpts(
    parts: Mapping[int, Part], sought: str, kinds: Collection[str] = ()
) -> dict[int, list[Excerpt]]:
    """The best of each part, or how it begins where its words stand in no one text."""
    pieces = {at: [p for p in part.pieces if not kinds or p.kind in kinds] for at, part in parts.items()}
    found: dict[int, list[tuple[float, Excerpt]]] = {at: [] for at in parts}
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(_TABLE)
        for at, some in pieces.items():
            rows = ((cut(p.text), " ".join(names([cut(p.text)])), at, n) for n, p in _likely(some, sought))
            connection.executemany("INSERT INTO places VALUES (?, ?, ?, ?)", rows)
        for at, n, text, rank in connection.execute(_BEST, (sought,)):
            piece = pieces[at][n]
            excerpt = Excerpt(piece.kind, piece.event, _split(text))
            found[at].append((rank * WEIGHTS[piece.kind], excerpt))
    best = {at: sorted(some, key=lambda each: each[0])[:_EACH] for at, some in found.items()}
    return {at: [e for _, e in some] or _beginning(pieces[at]) for at, some in best.items()}


def _likely(pieces: Collection[Piece], sought: str) -> Iterable[tuple[int, Piece]]:
    """Those in which a word of the question, or one of its stem, may stand: a part may hold megabytes."""
    stems = {word[: max(3, len(word) - 4)].lower() for word in _WORD.findall(uncut(sought))}
    likely = [(n, p) for n, p in enumerate(pieces) if any(stem in p.text.lower() for stem in stems)]
    return likely or enumerate(pieces)


def _split(text: str) -> tuple[str, ...]:
    """Its stretches, every second one between marks."""
    return tuple(uncut(stretch) for stretch in re.split(f"[{_BEGIN}{_END}]", text))


def _beginning(pieces: Collection[Piece]) -> list[Excerpt]:
    told = next(iter(pieces), None)
    return [Excerpt(told.kind, told.event, (" ".join(told.text.split()[:_WIDE]),))] if told else []
