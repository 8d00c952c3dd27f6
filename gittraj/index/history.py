"""Stores which commits touched which paths, and under which names.

Only in its diff to its first parent does a commit touch a path; renames are kept for the diff to each parent,
because names are handed down to all parents. A commit's *height* below a tip is its number in git's list of
what the tip reaches, counted from the end; it is 0 if the tip does not reach the commit. ``Reach`` explains
this and the other fields of a tip.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from gittraj.index.reach import NamesByHeight, Reach, Stored

_TIPS = 8  # the number of tips that are kept
_CHUNK = 400  # the number of parameters of one statement
_ALL = 10_000  # the number of queries that take as long as reading the whole table
_ROWS = 1_000_000  # the number of rows that are collected before they are written


# ---------------------------------------------------------------- reading


def read_tip(connection: sqlite3.Connection, commit: str) -> Reach | None:
    oid = (bytes.fromhex(commit),)
    row = connection.execute("SELECT heights FROM tips WHERE oid = ?", oid).fetchone()
    rest = "SELECT numbers, links, more, joints FROM tips WHERE oid = ?"
    return Stored(row[0], lambda: connection.execute(rest, oid).fetchone()) if row else None


def commits_of(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, str]:
    """Map the numbers of commits to their ids."""
    if len(numbers) > _ALL:
        return {number: oid.hex() for number, oid in connection.execute("SELECT n, oid FROM commits")}
    query = "SELECT oid FROM commits WHERE n = ?"
    return {number: connection.execute(query, (number,)).fetchone()[0].hex() for number in numbers}


def numbers_of(connection: sqlite3.Connection, commits: Iterable[str]) -> dict[str, int]:
    """Map the ids of those commits that are indexed to their numbers."""
    numbers: dict[str, int] = {}
    for some in chunks(map(bytes.fromhex, commits)):
        query = f"SELECT oid, n FROM commits WHERE oid IN ({marks(some)})"  # noqa: S608 - only marks
        numbers.update((oid.hex(), number) for oid, number in connection.execute(query, some))
    return numbers


_RENAMES = (
    "SELECT n, parent, a.path, b.path FROM paths a JOIN renames ON new = a.p JOIN paths b ON old = b.p"
    " WHERE a.path IN (%s)"
)


def touching(connection: sqlite3.Connection, names: Iterable[str]) -> dict[int, list[str]]:
    """Map the commits that touched one of ``names``, or a path below one, to the touched paths; the name
    ``""`` is the top folder."""
    touched: dict[int, list[str]] = {}
    for name in names:
        for number, path in _touched(connection, name, "n, path"):
            touched.setdefault(number, []).append(_text(path))
    return touched


def _touched(connection: sqlite3.Connection, name: str, columns: str) -> Iterable[Any]:
    query = f"SELECT {columns} FROM paths JOIN touched USING (p)"  # noqa: S608 - columns are constants
    if not name:
        return connection.execute(query)
    return connection.execute(f"{query} WHERE path = ? OR path >= ? AND path < ?", _span(name))


def renames(connection: sqlite3.Connection, names: Iterable[str]) -> Iterator[tuple[int, int, str, str]]:
    """Yield the renames to ``names``: the commit, which parent, the new name, and the name in that parent."""
    for some in chunks(map(_bytes, names)):
        yield from (
            (number, parent, _text(new), _text(old))
            for number, parent, new, old in connection.execute(_RENAMES % marks(some), some)
        )


def follow_paths(connection: sqlite3.Connection, tip: Reach, paths: Iterable[str]) -> dict[int, int]:
    """Map heights below ``tip`` to the commits that touched one of ``paths`` (relative to the top folder)
    under any of its names."""
    base = frozenset(paths)
    names, renamed = earlier_names(connection, base, lambda number: tip.height(number) > 0)
    heights, size = tip.heights, len(tip.heights)
    touched = ((n, name) for name in names for (n,) in _touched(connection, name, "n") if n < size)
    reached = ((heights[n], n, name) for n, name in touched if heights[n])
    if not renamed:
        return {height: n for height, n, _ in reached}
    steps: dict[int, list[tuple[int, str, str]]] = {}
    for number, parent, new, old in renamed:
        steps.setdefault(tip.height(number), []).append((parent, new, old))
    names_at = NamesByHeight(tip, base, steps)
    return {height: n for height, n, name in reached if name in names_at.at(height)}


def earlier_names(
    connection: sqlite3.Connection, paths: Iterable[str], reached: Callable[[int], bool]
) -> tuple[set[str], list[tuple[int, int, str, str]]]:
    """All names that ``paths`` had in commits that are ``reached``, and the renames in these commits."""
    names, fresh = set[str](), set(paths)
    renamed: list[tuple[int, int, str, str]] = []
    while fresh:
        names |= fresh
        steps = [step for step in renames(connection, sorted(fresh)) if reached(step[0])]
        renamed += steps
        fresh = {old for *_, old in steps} - names
    return names, renamed


# ---------------------------------------------------------------- writing


def add_commits(connection: sqlite3.Connection, commits: Sequence[tuple[str, int]]) -> dict[str, int]:
    """Add new commits (id and committer's time; parents first), and return their numbers."""
    (last,) = connection.execute("SELECT coalesce(max(n), 0) FROM commits").fetchone()
    numbers = {commit: number for number, (commit, _) in enumerate(commits, last + 1)}
    connection.executemany(
        "INSERT INTO commits VALUES (?, ?, ?)",
        ((numbers[commit], bytes.fromhex(commit), time) for commit, time in commits),
    )
    return numbers


class Writer:
    """Collects what commits changed; ``close`` writes it in the order of the tables."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._paths: dict[str, int] = {}
        (self._last,) = connection.execute("SELECT coalesce(max(p), 0) FROM paths").fetchone()
        self._empty = not self._last
        self._named: list[tuple[int, bytes]] = []
        self._touched: list[tuple[int, int]] = []
        self._renames: list[tuple[int, int, int, int]] = []

    def add(self, number: int, parent: int, changed: Iterable[tuple[str, str, str]]) -> None:
        """Add what the commit ``number`` changed compared to one of its parents: git's letter for the kind of
        change, the path before and the path after it."""
        for letter, old, new in changed:
            after = self._paths.get(new) or self._path(new)
            before = after if old == new else self._path(old)
            if parent == 0:
                self._touched.append((after, number))
                if before != after:
                    self._touched.append((before, number))
            if letter == "R":
                self._renames.append((after, number, parent, before))
        if len(self._touched) > _ROWS:
            self.close()

    def close(self) -> None:
        execute = self._connection.executemany
        execute("INSERT INTO paths VALUES (?, ?)", self._named)
        execute("INSERT OR IGNORE INTO touched VALUES (?, ?)", sorted(self._touched))
        execute("INSERT OR IGNORE INTO renames VALUES (?, ?, ?, ?)", sorted(self._renames))
        self._named, self._touched, self._renames = [], [], []

    def _path(self, path: str) -> int:
        known = self._paths.get(path)
        if known is None:
            raw = _bytes(path)
            row = None
            if not self._empty:
                row = self._connection.execute("SELECT p FROM paths WHERE path = ?", (raw,)).fetchone()
            if row is None:
                self._last += 1
                self._named.append((self._last, raw))
            known = self._paths[path] = row[0] if row else self._last
        return known


def write_tip(connection: sqlite3.Connection, commit: str, tip: Reach) -> None:
    (used,) = connection.execute("SELECT coalesce(max(used), 0) + 1 FROM tips").fetchone()
    values = (bytes.fromhex(commit), *tip.write(), used)
    connection.execute("INSERT OR REPLACE INTO tips VALUES (?, ?, ?, ?, ?, ?, ?)", values)
    connection.execute("DELETE FROM tips WHERE used <= ?", (used - _TIPS,))


def newest_tips(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """The tips that are kept, with their committer's times; the last one used comes first."""
    query = "SELECT oid, time FROM tips JOIN commits USING (oid) ORDER BY used DESC"
    return ((oid.hex(), time) for oid, time in connection.execute(query))


def chunks(items: Iterable[bytes]) -> Iterator[list[bytes]]:
    listed = list(items)
    for at in range(0, len(listed), _CHUNK):
        yield listed[at : at + _CHUNK]


def marks(items: Sequence[object]) -> str:
    return ",".join("?" * len(items))


def _span(name: str) -> tuple[bytes, bytes, bytes]:
    """A path, and the bounds of the paths below it ("0" follows "/")."""
    raw = _bytes(name)
    return raw, raw + b"/", raw + b"0"


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
