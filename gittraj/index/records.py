"""Stores which commits have a note, which trajectories a note names, and the cached listing of a commit.

``headers`` is a cache of folded headers, valid until a note of one of the trajectories changes. ``page`` is
their text as a pipe gets it, without the commit's own line. Both may be missing. A *note of runs* is for runs
without a commit.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from gittraj.frozen import dataclass
from gittraj.index.file import read_source, read_stamp, write_source
from gittraj.index.history import chunks, marks
from gittraj.model.header import Header

_RENDERERS = (
    "limits.py",
    "model/codec.py",
    "model/json_form.py",
    "model/sides.py",
    "model/times.py",
    "model/unseen.py",
    "model/unseen_ranges.py",
    "model/values.py",
    "model/words.py",
    "model/words_of_tests.py",
    "notes/merge.py",
    "query/account.py",
    "query/header.py",
    "query/log/filters.py",
    "query/records.py",
    "query/stats/counts.py",
    "render/properties.py",
    "render/text/log.py",
    "render/text/terminal.py",
    "seal/events.py",
)
"""The files that shape cached text; ``tests/unit/test_imports.py`` finds any that is missing."""


@dataclass(frozen=True, slots=True)
class Noted:
    """One note: the ids of its trajectories; ``explored`` if it may have records that explain no commit;
    ``plain`` if it has no deletions."""

    ids: Collection[str]
    explored: bool
    plain: bool


@dataclass(frozen=True, slots=True)
class FoldedCommit:
    """The folded headers of a commit, and the text that a pipe gets: ``page`` is below the commit's title,
    ``small`` on its line. Both are empty without a trajectory; for a note of runs see ``schema``. ``tallies``
    are the counts that the commit adds to statistics, ``runs`` the rows of a note of runs."""

    headers: Sequence[Header]
    page: str | None
    small: str | None
    tallies: Header
    runs: Sequence[Header] = ()


@cache
def _rendered_by() -> str:
    """The version of the code that folds and renders cached text. Text that other code made is not shown."""
    package = Path(__file__).parents[1]
    return " ".join(read_stamp(package / name) or "" for name in _RENDERERS)


def _is_stale(connection: sqlite3.Connection) -> bool:
    """Whether other code made the cached headers and text."""
    return read_source(connection).get("rendered_by") != _rendered_by()


# ---------------------------------------------------------------- reading


def noted_commits(connection: sqlite3.Connection) -> dict[str, None]:
    """The commits with a note, sorted."""
    return {oid.hex(): None for (oid,) in connection.execute("SELECT oid FROM notes ORDER BY oid")}


def count(connection: sqlite3.Connection) -> int:
    """The number of commits with a note."""
    (number,) = connection.execute("SELECT count(*) FROM notes").fetchone()
    return int(number)


def over(connection: sqlite3.Connection) -> list[str]:
    """The commits whose notes are too large to be read."""
    return [oid.hex() for (oid,) in connection.execute("SELECT oid FROM large ORDER BY oid")]


def with_explored(connection: sqlite3.Connection) -> list[str]:
    """The commits whose notes may have records that explain no commit."""
    return [oid.hex() for (oid,) in connection.execute("SELECT oid FROM notes WHERE explored")]


def with_deletions(connection: sqlite3.Connection) -> list[str]:
    """The commits whose notes have deletions."""
    return [oid.hex() for (oid,) in connection.execute("SELECT oid FROM notes WHERE NOT plain")]


def noted_numbers(connection: sqlite3.Connection) -> Iterator[int]:
    """The numbers of the commits with a note."""
    return (number for (number,) in connection.execute("SELECT n FROM notes JOIN commits USING (oid)"))


def noted_among(connection: sqlite3.Connection, numbers: Iterable[int]) -> set[int]:
    """The ``numbers`` of those commits that have a note."""
    query = "SELECT 1 FROM commits JOIN notes USING (oid) WHERE n = ?"
    return {number for number in numbers if connection.execute(query, (number,)).fetchone()}


def commits_naming(connection: sqlite3.Connection, trajectory: str) -> list[str]:
    """The commits whose notes name ``trajectory``, sorted."""
    rows = connection.execute("SELECT oid FROM carries WHERE trajectory = ? ORDER BY oid", (trajectory,))
    return [oid.hex() for (oid,) in rows]


def named(connection: sqlite3.Connection) -> list[str]:
    """All ids of trajectories that notes name, sorted."""
    rows = connection.execute("SELECT DISTINCT trajectory FROM carries ORDER BY trajectory")
    return [trajectory for (trajectory,) in rows]


def latest(connection: sqlite3.Connection) -> list[str]:
    """All ids of trajectories that notes name, those on the newest commits first."""
    rows = connection.execute(
        "SELECT trajectory FROM carries LEFT JOIN commits USING (oid)"
        " GROUP BY trajectory ORDER BY max(n) DESC"
    )
    return [trajectory for (trajectory,) in rows]


def headers_of(connection: sqlite3.Connection, commits: Sequence[str]) -> dict[str, list[Header]]:
    """The cached headers of ``commits``."""
    return _read_cached(connection, "headers", commits)


def rendered(
    connection: sqlite3.Connection, commits: Iterable[str], *, oneline: bool, limit: int | None
) -> list[tuple[str, str]] | None:
    """The first ``limit`` of ``commits`` that have a trajectory, with their cached text: ``small`` with
    ``oneline``, else ``page``. None if the text of one of them is not cached."""
    if _is_stale(connection):
        return None
    query = f"SELECT {'small' if oneline else 'page'} FROM headers WHERE oid = ?"  # noqa: S608 - two words
    texts: list[tuple[str, str]] = []
    for commit in commits:
        row = connection.execute(query, (bytes.fromhex(commit),)).fetchone()
        if row is None:
            return None
        if row[0]:
            texts.append((commit, row[0]))
            if len(texts) == limit:
                break
    return texts


def notes_of_runs(connection: sqlite3.Connection) -> tuple[dict[str, str | None], list[str]]:
    """The keys of the notes of runs: the cached ones, mapped to None if not all of their runs have rows; and
    the others."""
    from gittraj.notes.run_keys import find_run_keys

    stale = _is_stale(connection)
    cached = connection.execute("SELECT oid, page FROM headers WHERE small IS NULL AND NOT ?", (stale,))
    query = "SELECT oid FROM notes LEFT JOIN headers USING (oid) WHERE explored AND (? OR headers IS NULL)"
    others = (oid.hex() for (oid,) in connection.execute(query, (stale,)))
    return {oid.hex(): page for oid, page in cached}, [*find_run_keys(others)]


def rows_of_runs(connection: sqlite3.Connection, words: Sequence[str], limit: int | None) -> list[Header]:
    """The newest ``limit`` rows of runs in which each of ``words`` is a string of the JSON."""
    has = " AND ".join(["instr(row, ?)"] * len(words)) or "TRUE"
    query = f"SELECT row FROM runs WHERE {has} ORDER BY started DESC, id DESC LIMIT ?"  # noqa: S608 - fixed text
    texts = connection.execute(query, (*map(json.dumps, words), -1 if limit is None else limit))
    rows: list[Header] = json.loads(f"[{','.join(row for (row,) in texts)}]")  # all at once in half the time
    return rows


def tallies_of(connection: sqlite3.Connection, commits: Sequence[str]) -> dict[str, Header]:
    """The cached tallies of ``commits``."""
    return _read_cached(connection, "tallies", commits)


def _read_cached(connection: sqlite3.Connection, column: str, commits: Sequence[str]) -> dict[str, Any]:
    cached: dict[str, Any] = {}
    if _is_stale(connection):
        return cached
    for some in chunks(map(bytes.fromhex, commits)):
        query = f"SELECT oid, {column} FROM headers WHERE oid IN ({marks(some)})"  # noqa: S608 - fixed text
        cached.update((oid.hex(), json.loads(text)) for oid, text in connection.execute(query, some))
    return cached


def cached_commits(connection: sqlite3.Connection) -> set[str]:
    """All commits with cached headers."""
    if _is_stale(connection):
        return set()
    return {oid.hex() for (oid,) in connection.execute("SELECT oid FROM headers")}


def uncached(connection: sqlite3.Connection, limit: int) -> list[str]:
    """At most ``limit`` commits with a note and without cached headers, the newest first."""
    stale = _is_stale(connection)
    rows = connection.execute(
        "SELECT oid FROM notes LEFT JOIN headers USING (oid) LEFT JOIN commits USING (oid)"
        " WHERE ? OR headers IS NULL ORDER BY n DESC LIMIT ?",
        (stale, limit),
    )
    return [oid.hex() for (oid,) in rows]


# ---------------------------------------------------------------- writing


def replace_over(connection: sqlite3.Connection, commits: Iterable[str], large: Iterable[str]) -> None:
    """Store which of ``commits`` have notes that are too large: those in ``large``."""
    connection.executemany("DELETE FROM large WHERE oid = ?", ((bytes.fromhex(c),) for c in commits))
    connection.executemany("INSERT INTO large VALUES (?)", ((bytes.fromhex(c),) for c in large))


def replace_notes(connection: sqlite3.Connection, notes: Iterable[tuple[str, Noted | None]]) -> None:
    """Replace changed notes (None: removed, or too large), and drop the cached headers of their
    trajectories."""
    stale: set[str] = set()
    for commit, now in notes:
        oid = bytes.fromhex(commit)
        before = connection.execute("SELECT trajectory FROM carries WHERE oid = ?", (oid,))
        stale.update(trajectory for (trajectory,) in before)
        connection.execute("DELETE FROM carries WHERE oid = ?", (oid,))
        connection.execute("DELETE FROM headers WHERE oid = ?", (oid,))
        if now is None:
            connection.execute("DELETE FROM notes WHERE oid = ?", (oid,))
            continue
        stale.update(now.ids)
        connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?, ?)", (oid, now.explored, now.plain))
        connection.executemany("INSERT INTO carries VALUES (?, ?)", ((each, oid) for each in now.ids))
    connection.executemany(
        "DELETE FROM headers WHERE oid IN (SELECT oid FROM carries WHERE trajectory = ?)",
        ((each,) for each in stale),
    )


def fill_notes(connection: sqlite3.Connection, notes: Iterable[tuple[str, Noted]]) -> None:
    """Insert all notes into an empty index, in the order of the tables."""
    rows = [(bytes.fromhex(commit), now) for commit, now in notes]
    rows.sort(key=lambda row: row[0])
    values = ((oid, now.explored, now.plain) for oid, now in rows)
    connection.executemany("INSERT INTO notes VALUES (?, ?, ?)", values)
    pairs = sorted((trajectory, oid) for oid, now in rows for trajectory in now.ids)
    connection.executemany("INSERT INTO carries VALUES (?, ?)", pairs)


def remember(connection: sqlite3.Connection, folded: Mapping[str, FoldedCommit]) -> None:
    if _is_stale(connection):
        connection.execute("DELETE FROM headers")
        write_source(connection, rendered_by=_rendered_by())
    rows = (
        (bytes.fromhex(c), json.dumps(t.tallies), json.dumps(t.headers), t.page, t.small)
        for c, t in sorted(folded.items())
    )
    connection.executemany("INSERT OR REPLACE INTO headers VALUES (?, ?, ?, ?, ?)", rows)
    runs = (
        (run["startedAt"] or "", run["id"], bytes.fromhex(commit), json.dumps(run))
        for commit, each in folded.items()
        for run in each.runs
    )
    connection.executemany("INSERT INTO runs VALUES (?, ?, ?, ?)", runs)
