"""Stores which commits touched which paths, and under which names.

Only a commit's diff to its first parent counts as touching; renames are kept for the diff to each parent,
since names are handed down to all of them. It must import next to nothing: see ``fast_open``.
"""

from __future__ import annotations

from gittraj.index.reach import Reach, Stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

_TIPS = 8  # tips that are kept
_CHUNK = 400  # parameters of one statement
_ALL = 10_000  # queries that take as long as reading the whole table


# ---------------------------------------------------------------- reading


def read_tip(connection: sqlite3.Connection, commit: str) -> Reach | None:
    oid = (bytes.fromhex(commit),)
    row = connection.execute("SELECT heights FROM tips WHERE oid = ?", oid).fetchone()
    rest = "SELECT numbers, links, more, joints FROM tips WHERE oid = ?"
    return Stored(row[0], lambda: connection.execute(rest, oid).fetchone()) if row else None


def commits_of(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, str]:
    """The ids of commits, by their numbers."""
    if len(numbers) > _ALL:
        return {number: oid.hex() for number, oid in connection.execute("SELECT n, oid FROM commits")}
    question = "SELECT oid FROM commits WHERE n = ?"
    return {number: connection.execute(question, (number,)).fetchone()[0].hex() for number in numbers}


def numbers_of(connection: sqlite3.Connection, commits: Iterable[str]) -> dict[str, int]:
    """The numbers of those commits that are indexed."""
    found: dict[str, int] = {}
    for some in _chunks(bytes.fromhex(commit) for commit in commits):
        question = f"SELECT oid, n FROM commits WHERE oid IN ({_marks(some)})"  # noqa: S608 - only marks
        found.update((oid.hex(), number) for oid, number in connection.execute(question, some))
    return found


_RENAMES = (
    "SELECT n, parent, a.path, b.path FROM paths a JOIN renames ON new = a.p JOIN paths b ON old = b.p"
    " WHERE a.path IN (%s)"
)


def touching(connection: sqlite3.Connection, names: Iterable[str]) -> dict[int, list[str]]:
    """The commits that touched one of the names or a path below it, with the paths; ``""`` is the top."""
    found: dict[int, list[str]] = {}
    for name in names:
        for number, path in _touched(connection, name, "n, path"):
            found.setdefault(number, []).append(_text(path))
    return found


def _touched(connection: sqlite3.Connection, name: str, columns: str) -> Iterable[Any]:
    question = f"SELECT {columns} FROM paths JOIN touched USING (p)"  # noqa: S608 - two words of ours
    if not name:
        return connection.execute(question)
    return connection.execute(f"{question} WHERE path = ? OR path >= ? AND path < ?", _span(name))


def renames(connection: sqlite3.Connection, names: Iterable[str]) -> Iterator[tuple[int, int, str, str]]:
    """The renames to ``names``: commit, number of the parent, the name, and the name in that parent."""
    for some in _chunks(map(_bytes, names)):
        yield from (
            (number, parent, _text(new), _text(old))
            for number, parent, new, old in connection.execute(_RENAMES % _marks(some), some)
        )


def following(connection: sqlite3.Connection, tip: Reach, paths: Iterable[str]) -> dict[int, int]:
    """The commits, by height, that touched one of ``paths`` (from the top) under any of its names."""
    base = frozenset(paths)
    names, renamed = earlier_names(connection, base, lambda number: tip.height(number) > 0)
    steps: dict[int, list[tuple[int, str, str]]] = {}
    for number, parent, new, old in renamed:
        steps.setdefault(tip.height(number), []).append((parent, new, old))
    heights, size = tip.heights, len(tip.heights)
    touched = ((name, [n for (n,) in _touched(connection, name, "n") if n < size]) for name in names)
    if not steps:  # a file may have thousands of commits: each call counts
        return {heights[n]: n for _, ns in touched for n in ns if heights[n]}
    held = tip.hand_down(base, steps)
    reached = ((heights[n], n, name) for name, ns in touched for n in ns if heights[n])
    return {height: n for height, n, name in reached if name in held.at(height)}


def earlier_names(
    connection: sqlite3.Connection, paths: Iterable[str], reached: Callable[[int], bool]
) -> tuple[set[str], list[tuple[int, int, str, str]]]:
    """All names that ``paths`` had in commits that are ``reached``, and the renames there."""
    names, fresh = set[str](), set(paths)
    found: list[tuple[int, int, str, str]] = []
    while fresh:
        names |= fresh
        steps = [step for step in renames(connection, sorted(fresh)) if reached(step[0])]
        found += steps
        fresh = {old for *_, old in steps} - names
    return names, found


# ---------------------------------------------------------------- writing


def add_commits(connection: sqlite3.Connection, commits: Sequence[tuple[str, int]]) -> dict[str, int]:
    """Number new commits (id and committer's time; parents first)."""
    (last,) = connection.execute("SELECT coalesce(max(n), 0) FROM commits").fetchone()
    numbers = {commit: number for number, (commit, _) in enumerate(commits, last + 1)}
    connection.executemany(
        "INSERT INTO commits VALUES (?, ?, ?)",
        ((numbers[commit], bytes.fromhex(commit), time) for commit, time in commits),
    )
    return numbers


class Writer:
    """Collects what commits changed; ``close`` writes it, in the order of the table."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._paths: dict[str, int] = {}
        (self._last,) = connection.execute("SELECT coalesce(max(p), 0) FROM paths").fetchone()
        self._empty = not self._last
        self._named: list[tuple[int, bytes]] = []
        self._touched: list[tuple[int, int]] = []
        self._renames: list[tuple[int, int, int, int]] = []

    def take(self, number: int, parent: int, changed: Iterable[tuple[str, str, str]]) -> None:
        """Add what a commit changed against one of its parents: git's letter, the path before and after."""
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


_ROWS = 1_000_000


def write_tip(connection: sqlite3.Connection, commit: str, tip: Reach) -> None:
    (used,) = connection.execute("SELECT coalesce(max(used), 0) + 1 FROM tips").fetchone()
    values = (bytes.fromhex(commit), *tip.write(), used)
    connection.execute("INSERT OR REPLACE INTO tips VALUES (?, ?, ?, ?, ?, ?, ?)", values)
    connection.execute("DELETE FROM tips WHERE used <= ?", (used - _TIPS,))


def newest_tips(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """The tips that are kept, the newest first, with their committer's times."""
    question = "SELECT oid, time FROM tips JOIN commits USING (oid) ORDER BY used DESC"
    return ((oid.hex(), time) for oid, time in connection.execute(question))


def _chunks(items: Iterable[bytes]) -> Iterator[list[bytes]]:
    rest = list(items)
    for at in range(0, len(rest), _CHUNK):
        yield rest[at : at + _CHUNK]


def _marks(items: Sequence[object]) -> str:
    return ",".join("?" * len(items))


def _span(name: str) -> tuple[bytes, bytes, bytes]:
    """A path, and the bounds of the paths below it ("0" follows "/")."""
    raw = _bytes(name)
    return raw, raw + b"/", raw + b"0"


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
