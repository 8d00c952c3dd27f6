"""Answers queries from one state of the index, which is up to date with the refs when it is opened.

A listing waits for every import, so modules that fold, render or update are imported only when needed. (To
*fold* is to compute the headers of a commit's trajectories from its records.)
"""

from __future__ import annotations

import sqlite3
import time
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from gittraj.errors import GitError, TrajError
from gittraj.git import Repository
from gittraj.index import file, history, records
from gittraj.index.indexed import IndexedNotes, IndexedReachable, or_failed
from gittraj.model.header import Header
from gittraj.query.notes import Change, IndexLookup, Notes, Reachable, Step
from gittraj.state.changed import TIP, is_quiet, read_watched

if TYPE_CHECKING:
    from gittraj.index.update import Progress

COLUMNS = 80
"""The width of the cached text, which is that of output to a pipe."""
_FILLED = 1_000  # the maximum number of commits to fold in one drain: their trajectories are held in memory


@contextmanager
def open_index(
    repository: Repository, rev: str = "HEAD", *, tell: Progress | None = None, build: bool = True
) -> Iterator[Answers | None]:
    """Open the index, up to date with the notes and with the commits that ``rev`` (one commit) reaches.
    Yields None if no index can be kept and, without ``build``, if the existing one is out of date."""
    answers = None
    try:
        with ExitStack() as stack:
            try:
                answers = _open(stack, repository, rev, tell, build=build)
            except TrajError:
                pass
            yield answers
    except BrokenPipeError:  # a pager, for example, was closed: keep what was folded so far
        if answers is not None:
            answers.remember()
        raise
    if answers is not None:
        answers.remember()


def _open(
    stack: ExitStack, repository: Repository, rev: str, tell: Progress | None, *, build: bool
) -> Answers | None:
    tip, named = repository.find_commits((TIP, rev))
    if not tip:
        return None
    commit = named or repository.head()  # ``rev`` may be a range: its commits are usually reachable from HEAD
    for attempt in (False, True):
        try:
            with ExitStack() as inner:
                connection = inner.enter_context(file.reading(repository.common_dir))
                if _is_current(connection, repository, tip, commit):
                    stack.push(inner.pop_all())
                    return Answers(repository, connection, tip, (rev, named))
        except file.UnusableError:
            if attempt:
                raise
        except sqlite3.Error:
            file.drop(repository.common_dir)
        if not build:
            return None
        if not attempt:
            from gittraj.index.update import refresh

            refresh(repository, commit, tell=tell)
    return None  # the notes changed meanwhile


def _is_current(connection: sqlite3.Connection, repository: Repository, tip: str, commit: str | None) -> bool:
    source = file.read_source(connection)
    if source.get("notes") != tip or source.get("edges") != file.read_edges(repository.common_dir):
        return False
    oid = (bytes.fromhex(commit),) if commit else None
    return not oid or bool(connection.execute("SELECT 1 FROM tips WHERE oid = ?", oid).fetchone())


class Answers(IndexLookup):
    """Answers queries from an open index. ``tip`` is that of the records ref that the index has; ``named`` is
    a pair: the revision that it was opened for, and the id of that commit."""

    def __init__(
        self,
        repository: Repository,
        connection: sqlite3.Connection,
        tip: str,
        named: tuple[str, str | None],
    ) -> None:
        self._repository = repository
        self._connection = connection
        self._rev, self._commit = named
        self.tip = tip
        # the state of the files that a drain reads, at a time when nothing in them was new
        self._watched = file.read_source(connection).get("quiet", "")
        self._folded: dict[str, tuple[Sequence[Header], Header]] = {}
        self._kept: dict[str, str] = {}
        self._damaged = False

    @cached_property
    def notes(self) -> Notes:
        return IndexedNotes(
            self._repository, self._connection, self.tip, learn=self.learn, give_up=self.give_up
        )

    def latest(self) -> list[str]:
        """All ids of trajectories in notes, those on the newest commits first."""
        return records.latest(self._connection)

    @or_failed
    def below(self, rev: str) -> Reachable | None:
        commit = self._commit if rev == self._rev else self._repository.find_commit(rev)
        tip = history.read_tip(self._connection, commit) if commit else None
        return IndexedReachable(self._repository, self._connection, tip) if tip else None

    @or_failed
    def read_steps(
        self,
        parents: Mapping[str, Sequence[str]],
        paths: Collection[str],
        changed: dict[Step, list[Change]],
        renamed: dict[Step, dict[str, str]],
    ) -> bool:
        numbers = history.numbers_of(self._connection, parents)
        if len(numbers) != len(parents):
            return False
        commits = {number: commit for commit, number in numbers.items()}
        names, steps = history.earlier_names(self._connection, paths, commits.__contains__)
        for number, parent, new, old in steps:
            renamed.setdefault((commits[number], parent), {})[new] = old
        for number, touched in history.touching(self._connection, names).items():
            if number in commits:
                changed[(commits[number], 0)] = [("M", path, path) for path in touched]
        return True

    def rendered(
        self, commits: Sequence[str], *, oneline: bool, limit: int | None
    ) -> list[tuple[str, str]] | None:
        """The first ``limit`` of ``commits`` that have a trajectory, each with the cached text that a pipe
        gets below its title. None if the text of one of them is not cached."""
        try:
            return records.rendered(self._connection, commits, oneline=oneline, limit=limit)
        except (sqlite3.Error, ValueError, TypeError):
            self.give_up()
            return None

    def uncached(self, commits: Sequence[str]) -> list[str]:
        """Those of ``commits`` whose headers are not cached."""
        try:
            cached = records.cached_commits(self._connection)
        except sqlite3.Error:
            self.give_up()
            return []
        return [commit for commit in commits if commit not in cached]

    def fold(self, commits: Sequence[str]) -> None:
        """Fold the records of these commits into the cache."""
        from gittraj.query.records import Recorded

        deque(Recorded(self.notes).headers(commits), maxlen=0)

    def fill(self, seconds: float) -> None:
        """Fold the commits that are not cached yet, the newest first, for about ``seconds``."""
        from gittraj.query.records import Recorded

        end = time.monotonic() + seconds
        recorded = Recorded(self.notes)
        try:
            for commit in records.uncached(self._connection, _FILLED):
                deque(recorded.headers([commit]), maxlen=0)
                if time.monotonic() > end:
                    return
        except (sqlite3.Error, GitError):
            pass  # the next query will report it

    def learn(self, commit: str, headers: Sequence[Header], tallies: Header) -> None:
        self._folded[commit] = headers, tallies

    def give_up(self) -> None:
        self._damaged = True

    def recall(self, name: str, key: str) -> str | None:
        """The value that ``keep`` stored under ``name``, if it was stored with the same ``key``."""
        try:
            known, _, value = file.read_source(self._connection).get(name, "").rpartition(" ")
        except sqlite3.Error:
            self.give_up()
            return None
        return value if known == key else None

    def keep(self, name: str, key: str, value: str) -> None:
        """Store a value, which must not contain a space, until another one is stored under ``name``."""
        self._kept[name] = f"{key} {value}"

    def remember(self) -> None:
        """Save what was folded, unless a note was written meanwhile; drop a damaged index. Never fails."""
        try:
            if self._damaged:
                file.drop(self._repository.common_dir)
                return
        except file.UnusableError:
            return  # another process keeps writing; the next query will find the damage again
        new, common_dir = self._folded or self._kept, str(self._repository.common_dir)
        if not new and is_quiet(self._watched, common_dir):
            return
        quiet = read_watched(self._repository)
        quiet = quiet if is_quiet(quiet, common_dir) else ""
        if not new and quiet == self._watched:
            return
        self._write(quiet)

    def _write(self, quiet: str) -> None:
        rendered = self._render()
        try:
            with file.writing(self._repository.common_dir, wait=0) as connection:
                if file.read_source(connection).get("notes") == self.tip:
                    records.remember(connection, rendered)
                file.write_source(connection, quiet=quiet, **self._kept)
        except file.UnusableError:
            pass

    def _render(self) -> dict[str, records.FoldedCommit]:
        """The folded commits with their text; for a note of runs without a commit, the rows of these runs."""
        if not self._folded:
            return {}
        from gittraj.notes.run_keys import find_run_keys
        from gittraj.render.text.log import render_below_title, render_small
        from gittraj.render.text.terminal import Page

        run_keys, page = {*find_run_keys(self._folded)}, Page(COLUMNS)
        rendered = {}
        for commit, (headers, tallies) in self._folded.items():
            if commit in run_keys:
                runs = _rows(headers)
                text = None if runs is None else ""
                rendered[commit] = records.FoldedCommit(headers, text, None, tallies, runs or ())
            else:
                text, small = (
                    (render_below_title(headers, page), render_small(headers)) if headers else ("", "")
                )
                rendered[commit] = records.FoldedCommit(headers, text, small, tallies)
        return rendered


def _rows(headers: Sequence[Header]) -> Sequence[Header] | None:
    """The rows of a note of runs; None if a run has several parts, because the others may be in other notes
    and change there."""
    from gittraj.render.text.log import row_of

    undivided = all(header["part"]["of"] == 1 for header in headers)
    return [*map(row_of, headers)] if undivided else None
