"""Combines our records with those that remotes have and we do not.

Each remote is read separately: a trajectory of ours is folded from our records alone, and a remote's
trajectory from that remote's records, with the remote's name. This module must not know where notes come
from, nor which of their texts are shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

from gittraj.model.header import Header
from gittraj.model.values import Record
from gittraj.notes.run_keys import find_run_keys
from gittraj.query.account import complete
from gittraj.query.header import Folded
from gittraj.query.notes import Notes, NotesInMemory
from gittraj.query.records import Recorded
from gittraj.query.stats.counts import Tallies, read_tallies, tally

Vet = Callable[[str, bytes], bytes]
"""Returns what may be shown of a commit's note."""


class RemoteNotesInMemory(NotesInMemory):
    """Notes of a remote; each is vetted when it is read."""

    def __init__(self, notes: Iterable[tuple[str, bytes]], vet: Vet) -> None:
        super().__init__(notes)
        self._vet = vet
        self._vetted: dict[str, bytes] = {}

    def read(self, commit: str) -> bytes:
        if commit not in self._vetted:
            body = super().read(commit)
            self._vetted[commit] = self._vet(commit, body) if body else b""
        return self._vetted[commit]


class RecordedBeside(Recorded):
    """Our records and those of remotes; ``remotes`` has the notes of each that we do not have. If the id of a
    remote's trajectory is already used, by us or by an earlier remote, it is called ``ID.REMOTE``."""

    has_remotes = True

    def __init__(self, ours: Recorded, remotes: Mapping[str, Notes]) -> None:
        self._ours = ours
        self._remotes = {name: Recorded(theirs) for name, theirs in remotes.items()}
        self._labelled: dict[tuple[str, str], Folded] = {}

    @cached_property
    def beside(self) -> Mapping[str, Sequence[str]]:
        """The keys of the notes that remotes have, by remote: ids of commits, and the keys for runs without a
        commit."""
        return {name: [*theirs] for name, theirs in self._remotes.items()}

    def count_commits(self, among: Collection[str] | None = None) -> dict[str, int]:
        """Return for how many commits (of ``among``) each remote has records; records of runs are not on a
        commit."""
        keys = {n: has if among is None else [*{*has}.intersection(among)] for n, has in self.beside.items()}
        return {name: len(has) - len([*find_run_keys(has)]) for name, has in keys.items() if has}

    @cached_property
    def _theirs_on(self) -> frozenset[str]:
        """The keys of all remotes' notes."""
        return frozenset(chain.from_iterable(self.beside.values()))

    @property
    def over(self) -> Sequence[str]:
        return self._ours.over

    def __contains__(self, commit: object) -> bool:
        return commit in self._ours or commit in self._theirs_on

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(chain(self._ours, *self.beside.values())))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def commits(self) -> set[str]:
        theirs = {c for c in self._theirs_on if c not in self._ours and self._theirs(c)}
        return self._ours.commits() | theirs.difference(find_run_keys(theirs))

    def unread(self, commits: Iterable[str]) -> tuple[str, ...]:
        return self._ours.unread(commits)

    def unreadable(self, commits: Sequence[str]) -> list[str]:
        return [] if any(map(self._theirs, commits)) else self._ours.unreadable(commits)

    def with_explored(self) -> Iterator[str]:
        theirs = (each.with_explored() for each in self._remotes.values())
        return iter(dict.fromkeys(chain(self._ours.with_explored(), *theirs)))

    def places(self) -> list[str]:
        return [*find_run_keys(self.with_explored())]

    def ids(self, prefix: str = "") -> Iterator[str]:
        theirs = (folded.whole["id"] for folded in self.of_remotes())
        return iter(sorted({*self._ours.ids(prefix), *(i for i in theirs if i.startswith(prefix))}))

    def on(self, commit: str) -> list[Folded]:
        return [*self._ours.on(commit), *self._theirs(commit)]

    def headers(self, commits: Sequence[str], *, explored: bool = False) -> Iterator[list[Header]]:
        for commit, ours in zip(commits, self._ours.headers(commits, explored=explored), strict=True):
            theirs = [f for f in self._theirs(commit) if f.records(commit, explored=explored)]
            yield [*ours, *(folded.header(commit, explored=explored) for folded in theirs)]

    def tallies(self, commits: Sequence[str]) -> Iterator[Tallies]:
        """Yield the counts that each of ``commits`` adds to statistics; bytes are those of our notes."""
        for commit, ours in zip(commits, self._ours.tallies(commits), strict=True):
            rows = [
                tally(folded, commit, present=complete(folded.header(None))["present"], size=0)
                for folded in self._theirs(commit)
            ]
            theirs = read_tallies({"bytes": 0, "trajectories": rows})
            yield Tallies(ours.bytes, [*ours.trajectories, *theirs.trajectories])

    def folded(self, trajectory: str) -> Folded | None:
        match = self._ours.folded(trajectory)
        identity, _, remote = trajectory.partition(".")
        for name, theirs in self._remotes.items():
            if match is None and remote in ("", _spell(name)) and theirs.folded(identity):
                match = self._label(name, identity)
        return match

    def naming(self, trajectory: str) -> list[str]:
        identity, _, remote = trajectory.partition(".")
        names = self._ours.naming(trajectory)
        for name, theirs in self._remotes.items():
            if remote in ("", _spell(name)):
                names += [self._label(name, each).whole["id"] for each in theirs.naming(identity)]
        return list(dict.fromkeys(names))

    def of_remotes(self) -> Iterator[Folded]:
        """Yield the trajectories that only remotes have."""
        for name, each in self._remotes.items():
            yield from (self._label(name, trajectory) for trajectory in each.ids())

    def parts(self, trajectory: str) -> dict[str, list[Record]]:
        folded = self.folded(trajectory)
        return {commit: [*records] for commit, records in folded.parts.items()} if folded else {}

    def _theirs(self, commit: str) -> list[Folded]:
        if commit not in self._theirs_on:
            return []
        pairs = ((name, folded) for name, each in self._remotes.items() for folded in each.on(commit))
        return [self._label(name, folded.whole["id"]) for name, folded in pairs]

    def _label(self, remote: str, trajectory: str) -> Folded:
        """Return the remote's trajectory, with the remote's name."""
        if (remote, trajectory) not in self._labelled:
            folded = self._remotes[remote].folded(trajectory)
            if folded is None:
                raise KeyError(trajectory)
            before = list(self._remotes)[: list(self._remotes).index(remote)]
            taken = self._ours.folded(trajectory) or any(self._remotes[n].folded(trajectory) for n in before)
            name = f"{trajectory}.{_spell(remote)}" if taken else trajectory
            whole = {**folded.whole, "id": name, "remote": remote}
            self._labelled[remote, trajectory] = replace(folded, whole=whole)
        return self._labelled[remote, trajectory]


def _spell(remote: str) -> str:
    """Return a remote's name for use in an id, which may become a file name; our own ids have no dot."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", remote)
