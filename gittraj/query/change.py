"""Defines a change under review, as data: its commits, their records, its files. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field

from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.query.account import STATED
from gittraj.query.diff import Diff
from gittraj.query.log.paths import is_below

_FEW = 3
"""At most so many files without a recorded edit are reported; if there are more, a program made them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A commit. ``trajectories`` are HEADERs of docs/json.md; a merge needs none. ``traces`` are the HEADERs
    of link stubs, which explain nothing and are not counted. ``known``: the files that the commit changed
    could be read; ``reverted`` is the commit that reverts it entirely."""

    commit: str
    subject: str
    trajectories: tuple[Header, ...] = ()
    traces: tuple[Header, ...] = ()
    files: tuple[str, ...] = ()
    known: bool = True
    merge: bool = False
    reverted: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A force push: ``before`` was the head, ``carried`` are the commits to which records of replaced commits
    were carried over."""

    before: str
    carried: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change under review. ``commits`` are its commits, oldest first; ``sessions`` their trajectories, each
    once, with the totals of its parts in the change; ``files`` are the files that the whole change touches.
    ``notes`` is the tip of the records ref (``ref``) that was read, or None. ``merged`` is the commit that
    the change became; ``fork``: the owner of the fork that the records come from; ``unread``: they are in a
    fork that cannot be read; ``more``: how many commits and files the host did not list; ``diff``: the lines
    that the host shows, if any; ``new``: commits since the last push; ``left``: commits whose notes could not
    be read in full; ``begun``: each session's first prompt, even if it is older than the change, or None if
    it is unknown; ``written``: the ``unnamed`` files with a line that a recorded call wrote, with the ids of
    the sessions, or None if that is unknown."""

    head: str
    title: str | None = None
    commits: tuple[Reviewed, ...] = ()
    sessions: tuple[Header, ...] = ()
    files: tuple[str, ...] = ()
    notes: str | None = None
    ref: str = "refs/notes/traj"
    rewritten: Rewritten | None = None
    merged: str | None = None
    fork: str | None = None
    unread: bool = False
    more: tuple[int, int] = (0, 0)
    diff: Diff | None = None
    new: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    written: Mapping[str, Collection[str]] | None = None
    begun: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def own(self) -> tuple[Reviewed, ...]:
        """The commits that need a record, or have one: merges without a record are left out."""
        return tuple(commit for commit in self.commits if commit.trajectories or not commit.merge)

    @property
    def recorded(self) -> tuple[Reviewed, ...]:
        return tuple(commit for commit in self.own if commit.trajectories)

    @property
    def unknown(self) -> tuple[str, ...]:
        """The commits without a readable record whose notes could not be read in full."""
        return tuple(c.commit for c in self.own if c.commit in self.left and not c.trajectories)

    @property
    def edits(self) -> dict[str, list[tuple[Header, Header]]]:
        """The recorded edits of each file, each with its session. An edit counts only if a commit with a
        record of the session changed the file: otherwise it may have been undone before the commit."""
        changed = {(t["id"], path) for c in self.commits for t in c.trajectories for path in c.files}
        edits: dict[str, list[tuple[Header, Header]]] = {}
        for session in self.sessions:
            for file in session["filesChanged"]:
                if (session["id"], file["path"]) in changed:
                    edits.setdefault(file["path"], []).append((session, file))
        return edits


def choose_writers(headers: Sequence[Header], paths: Sequence[str]) -> Sequence[Header]:
    """Return the trajectories of one commit whose recorded edits are in one of ``paths``; all if there are
    none."""
    wrote = [h for h in headers if any(is_below(f["path"], p) for f in h["filesChanged"] for p in paths)]
    return wrote or headers


def find_tested(change: Change, header: Header) -> str | None:
    """Return the commit whose record has the last run of the session's tests, or other checks; None if it is
    unknown."""
    same = ("kind", "outcome", "lastFailed", "lastErrors")
    for commit in reversed(change.own):
        for run in (each["tests"] for each in commit.trajectories if each["id"] == header["id"]):
            if run and all(run[key] == header["tests"][key] for key in same):
                return commit.commit
    return None


def unnamed(change: Change) -> list[str]:
    """Return the files of an agent's commits that no recorded edit names; empty if that is unclear, or if
    there are many."""
    edited = {file["path"] for header in change.sessions for file in header["filesChanged"]}
    bare = (commit.files for commit in change.own if not commit.trajectories)
    named = edited.union(*bare)
    left = [path for path in change.files if path not in named]
    known = all(commit.known for commit in change.own) and edited.intersection(change.files)
    return left if known and len(left) <= _FEW else []


def unexplained(change: Change) -> list[tuple[str, str]]:
    """Return the ``unnamed`` files that no recorded call is known to have written, each with the explanation
    that ``git traj why`` gives for its lines."""
    why = "No recorded edit matches its lines"
    if change.written is None:
        why = "No recorded edit names it; a command may have written it"
    return [(path, why) for path in unnamed(change) if path not in (change.written or ())]


def decisions(change: Change) -> list[Header]:
    """Return each decision once, from the first commit with it that was not reverted, if there is one; stated
    decisions come first."""
    chosen_once: dict[tuple[object, ...], Header] = {}
    for decision in sorted(each_decision(change), key=lambda each: bool(each["revertedBy"])):
        chosen_once.setdefault((decision["question"], decision["chosen"], decision["by"]), decision)
    return sorted(chosen_once.values(), key=lambda decision: decision["by"] not in STATED)


def each_decision(change: Change) -> Iterator[Header]:
    """Yield each record of a decision, with its ``commit``, the commit's ``revertedBy`` and the ``agent``."""
    for commit in change.recorded:
        for header in commit.trajectories:
            for decision in header["decisions"]:
                about = {"commit": commit.commit, "revertedBy": commit.reverted, "agent": header["agent"]}
                yield {**decision, **about}
