"""The full-text index of recorded text: ``text.db`` next to the index.

It has one row per part of a trajectory, and one column per kind of text. Sealed text is never in it. The FTS
table stores no content, so each part's text is stored in another table, compressed: for excerpts, and because
SQLite needs the exact text to delete a row. ``doc`` is the number of a part's row. ``waiting`` lists the
trajectories that are still to be indexed or indexed again. This module knows nothing of git.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count as count_from
from typing import Any

from gittraj.frozen import dataclass
from gittraj.index.file import Database
from gittraj.index.words import TOKENIZE, cut, names

WEIGHTS: dict[str, float] = {
    "title": 6,
    "prompt": 5,
    "decision": 5,
    "retrospective": 4,
    "doubt": 4,
    "message": 2,
    "thinking": 1.5,
    "tool": 1.5,
    "file": 3,
    "output": 0.5,
}
"""The kinds of text, and the weight of a word in each."""
RANKED = 10_000
"""The most parts that are ranked for one query: to rank 50,000 takes as long as everything else."""
_FIRST = 1 << 40
"""The number of the first row. Older parts, which are indexed later, get lower numbers; newer ones higher."""

TEXTS = Database(
    "text.db",
    6,
    f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
CREATE TABLE waiting (n INTEGER PRIMARY KEY, trajectory TEXT NOT NULL UNIQUE);
CREATE TABLE parts (
    doc INTEGER PRIMARY KEY, trajectory TEXT NOT NULL, first TEXT, agent TEXT, began INTEGER, ended INTEGER,
    about TEXT NOT NULL, said BLOB NOT NULL
);
CREATE INDEX told ON parts (trajectory);
CREATE TABLE shown (doc INTEGER, oid BLOB, PRIMARY KEY (doc, oid)) WITHOUT ROWID;
CREATE INDEX showing ON shown (oid);
CREATE TABLE away (month TEXT, doc INTEGER, PRIMARY KEY (month, doc)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 ({", ".join(WEIGHTS)}, content='', tokenize='{TOKENIZE}');
""",
    prefix="text-",
)
_ORDER = "ended DESC, trajectory, first"
"""The order of equal matches, by their content: it must not depend on when they were indexed."""
_RANK = f"bm25(words, {', '.join(map(str, WEIGHTS.values()))})"
_COLUMN_NAMES, _PARAMETERS = ", ".join(("rowid", *WEIGHTS)), ", ".join("?" * (len(WEIGHTS) + 1))
_LEARN = f"INSERT INTO words ({_COLUMN_NAMES}) VALUES ({_PARAMETERS})"  # noqa: S608 - fixed names
_UNLEARN = f"INSERT INTO words (words, {_COLUMN_NAMES}) VALUES ('delete', {_PARAMETERS})"  # noqa: S608


@dataclass(frozen=True, slots=True)
class TextField:
    """A text and its ``kind`` (a key of ``WEIGHTS``). ``event`` is the id of its event and ``type`` that
    event's type; both are None if it is from the record. ``rejected``: a decision rejected this alternative.
    """

    kind: str
    event: str | None
    text: str
    type: str | None = None
    rejected: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a trajectory; ``first`` is the id of its first event, which identifies it. ``began`` and
    ``ended`` are in seconds since 1970, ``about`` is for filters, and ``away`` are the months of which some
    events are not in this clone."""

    trajectory: str
    first: str | None
    agent: str | None
    began: int | None
    ended: int | None
    about: Mapping[str, Any]
    commits: Collection[str]
    fields: Sequence[TextField]
    away: Collection[str] = ()


# ---------------------------------------------------------------- reading


def count(connection: sqlite3.Connection) -> tuple[int, int]:
    """The number of indexed parts, and the number of waiting trajectories."""
    (parts,) = connection.execute("SELECT count(*) FROM parts").fetchone()
    (left,) = connection.execute("SELECT count(*) FROM waiting").fetchone()
    return parts, left


def months_away(connection: sqlite3.Connection) -> list[str]:
    """The months of which some events are not in this clone, sorted."""
    return [month for (month,) in connection.execute("SELECT DISTINCT month FROM away ORDER BY month")]


def ranked(
    connection: sqlite3.Connection,
    match: str,
    *,
    kinds: Collection[str] = (),
    agent: str | None = None,
    since: int | None = None,
    until: int | None = None,
    among: int = RANKED,
    limit: int = -1,
) -> Iterator[tuple[int, float]]:
    """Return matching parts, the best first, with their scores (higher is better). ``kinds`` limits the
    search to texts of these kinds. If more than ``among`` parts match, only the newest of them are ranked.
    ``among`` and ``limit`` below 0 mean no limit."""
    conditions = [("agent = ?", agent), ("ended >= ?", since), ("began <= ?", until)]
    given = [(text, value) for text, value in conditions if value is not None]
    where = "".join(f" AND {text}" for text, _ in given)
    table = "words JOIN parts ON doc = words.rowid" if given else "words"
    if kinds:
        match = f"{{{' '.join(kinds)}}} : ({match})"
    rows = connection.execute(
        "SELECT hit, rank FROM ("  # noqa: S608 - fixed names
        f"SELECT words.rowid AS hit, {_RANK} AS rank FROM {table} WHERE words MATCH ?{where}"
        f" ORDER BY words.rowid DESC LIMIT ?) JOIN parts ON doc = hit ORDER BY rank, {_ORDER} LIMIT ?",
        (match, *(value for _, value in given), among, limit),
    )
    return ((doc, -rank) for doc, rank in rows)


def in_order(connection: sqlite3.Connection, scores: Mapping[int, float]) -> list[tuple[int, float]]:
    """Sort parts by score, the best first; equal ones are in the order of ``ranked``."""
    docs = ",".join(map(str, scores))
    rows = connection.execute(f"SELECT doc FROM parts WHERE doc IN ({docs}) ORDER BY {_ORDER}")  # noqa: S608 - numbers
    return sorted(((doc, scores[doc]) for (doc,) in rows), key=lambda pair: -pair[1])


def frequency(connection: sqlite3.Connection, match: str) -> int:
    """The number of parts that match."""
    (number,) = connection.execute("SELECT count(*) FROM words WHERE words MATCH ?", (match,)).fetchone()
    return int(number)


def read_part(connection: sqlite3.Connection, doc: int) -> Part:
    """Read one part, without ``away``."""
    row = connection.execute(
        "SELECT trajectory, first, agent, began, ended, about, said FROM parts WHERE doc = ?", (doc,)
    ).fetchone()
    trajectory, first, agent, began, ended, about, packed = row
    fields = [TextField(*field) for field in _unpack(packed)]
    commits = commits_of(connection, doc)
    return Part(trajectory, first, agent, began, ended, json.loads(about), commits, fields)


def commits_of(connection: sqlite3.Connection, doc: int) -> list[str]:
    """The commits that a part is on, sorted."""
    rows = connection.execute("SELECT oid FROM shown WHERE doc = ? ORDER BY oid", (doc,))
    return [oid.hex() for (oid,) in rows]


def about(connection: sqlite3.Connection, doc: int) -> tuple[str, dict[str, Any]]:
    """A part's trajectory, and its data for filters."""
    query = "SELECT trajectory, about FROM parts WHERE doc = ?"
    trajectory, about = connection.execute(query, (doc,)).fetchone()
    return trajectory, json.loads(about)


def waiting(connection: sqlite3.Connection, limit: int) -> list[str]:
    """The next trajectories to be indexed."""
    rows = connection.execute("SELECT trajectory FROM waiting ORDER BY n LIMIT ?", (limit,))
    return [trajectory for (trajectory,) in rows]


def trajectories_on(connection: sqlite3.Connection, commit: str) -> list[str]:
    """The indexed trajectories with a part on ``commit``."""
    query = "SELECT DISTINCT trajectory FROM parts JOIN shown USING (doc) WHERE oid = ?"
    return [trajectory for (trajectory,) in connection.execute(query, (bytes.fromhex(commit),))]


def indexed(connection: sqlite3.Connection) -> Iterator[str]:
    """All trajectories with an indexed part."""
    return (each for (each,) in connection.execute("SELECT DISTINCT trajectory FROM parts"))


# ---------------------------------------------------------------- writing


def enqueue(connection: sqlite3.Connection, trajectories: Sequence[str]) -> None:
    """Put ``trajectories`` at the head of the queue, in their order."""
    (first,) = connection.execute("SELECT coalesce(min(n), 0) FROM waiting").fetchone()
    start = first - len(trajectories)
    rows = enumerate(trajectories, start)
    connection.executemany("INSERT OR REPLACE INTO waiting VALUES (?, ?)", rows)


def replace_parts(connection: sqlite3.Connection, parts_of: Mapping[str, Sequence[Part]]) -> bool:
    """Replace all parts of trajectories. Returns whether any text was deleted."""
    numbers = _number(connection, [part for parts in parts_of.values() for part in parts])
    deleted = [_replace(connection, trajectory, parts, numbers) for trajectory, parts in parts_of.items()]
    return any(deleted)


def _number(connection: sqlite3.Connection, parts: Sequence[Part]) -> Iterator[int]:
    """Yield numbers for new rows. They are below all others for older parts, so that newer parts have higher
    numbers, and always ascending, because SQLite flushes to disk whenever they are not."""
    row = connection.execute("SELECT doc, ended FROM parts ORDER BY doc LIMIT 1").fetchone()
    if row is None:
        return count_from(_FIRST)
    newest = max((part.ended or 0 for part in parts), default=0)
    if newest <= (row[1] or 0):
        return count_from(row[0] - len(parts))
    (highest,) = connection.execute("SELECT max(doc) FROM parts").fetchone()
    return count_from(highest + 1)


def _replace(
    connection: sqlite3.Connection, trajectory: str, parts: Iterable[Part], numbers: Iterator[int]
) -> bool:
    query = "SELECT first, doc, said FROM parts WHERE trajectory = ?"
    indexed = {first: (doc, packed) for first, doc, packed in connection.execute(query, (trajectory,))}
    deleted = False
    for part in parts:
        packed = _pack(part.fields)
        doc, before = indexed.pop(part.first, (None, None))
        if doc is not None and before != packed:
            _delete(connection, doc, before)
            deleted, doc = True, None
        if doc is None:
            doc = next(numbers)
            connection.execute(_LEARN, (doc, *_columns(part.fields)))
        _write(connection, doc, part, packed)
    for doc, before in indexed.values():
        _delete(connection, doc, before)
        deleted = True
    connection.execute("DELETE FROM waiting WHERE trajectory = ?", (trajectory,))
    return deleted


def _write(connection: sqlite3.Connection, doc: int, part: Part, packed: bytes) -> None:
    facts = (part.trajectory, part.first, part.agent, part.began, part.ended, json.dumps(part.about))
    connection.execute(
        "INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (doc) DO UPDATE SET"
        " agent = excluded.agent, began = excluded.began, ended = excluded.ended, about = excluded.about",
        (doc, *facts, packed),
    )
    _clear(connection, doc)
    rows = [(doc, bytes.fromhex(commit)) for commit in part.commits]
    connection.executemany("INSERT INTO shown VALUES (?, ?)", rows)
    connection.executemany("INSERT INTO away VALUES (?, ?)", [(month, doc) for month in part.away])


def sweep(connection: sqlite3.Connection) -> None:
    """Erase deleted words from the file; until then SQLite only ignores them. ``went`` in ``meta`` says that
    there are any."""
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    connection.execute("DELETE FROM meta WHERE name = 'went'")


def _delete(connection: sqlite3.Connection, doc: int, packed: bytes) -> None:
    # this must be the exact text that was added, which SQLite does not check
    connection.execute(_UNLEARN, (doc, *_columns([TextField(*field) for field in _unpack(packed)])))
    connection.execute("DELETE FROM parts WHERE doc = ?", (doc,))
    _clear(connection, doc)


def _clear(connection: sqlite3.Connection, doc: int) -> None:
    connection.execute("DELETE FROM shown WHERE doc = ?", (doc,))
    connection.execute("DELETE FROM away WHERE doc = ?", (doc,))


def _columns(fields: Iterable[TextField]) -> list[str]:
    texts: dict[str, list[str]] = {kind: [] for kind in WEIGHTS}
    for field in fields:
        texts[field.kind].append(cut(field.text))
    # whole identifiers are in the same column as their parts, so a query for another kind of text misses them
    return ["\n".join((*some, *sorted(names(some)))) for some in texts.values()]


def _pack(fields: Iterable[TextField]) -> bytes:
    rows = [(field.kind, field.event, field.text, field.type, field.rejected) for field in fields]
    return zlib.compress(json.dumps(rows, ensure_ascii=True).encode(), 1)


def _unpack(packed: bytes) -> list[list[Any]]:
    fields: list[list[Any]] = json.loads(zlib.decompress(packed))
    return fields
