"""Chooses which commits and trajectories are exported, with the contents that ``show`` prints: for a commit
the parts on it, for a trajectory all its parts.

``choose`` lists by commit, for documents about commits; ``gather`` collects each trajectory once, with its
subagents, for the formats of other tools. Sealed text is never opened, so that no export can contain it. This
module must not know any format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from itertools import chain

from gittraj.formats.base.carried import plain_event, to_event
from gittraj.formats.base.exported import Exported, is_subagent
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.model.header import Header
from gittraj.model.values import AnyEvent
from gittraj.query.account import complete
from gittraj.query.header import Folded, distinct
from gittraj.query.log.description import BATCH, describe_all, describe_present
from gittraj.query.log.listing import changed_paths, list_commits
from gittraj.query.log.reverted import Reverts
from gittraj.query.records import Recorded
from gittraj.query.show.attributed import attribute
from gittraj.query.show.chapters import Segments, read_chapters
from gittraj.query.show.trajectory import Target, find_target, show_one, show_target

Entry = tuple[Header | None, list[Header]]
"""A commit as in ``log --json``, with its files, and its trajectories as in ``show --json``; without a
commit, a trajectory over all its commits."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The chosen ``commits``, newest first, and ``trajectories``, by id. Once the entries were read,
    ``segments`` lists what was missing."""

    repository: Repository
    recorded: Recorded
    segments: Segments
    commits: Sequence[str]
    trajectories: Sequence[str]

    def __len__(self) -> int:
        return len(self.commits) + len(self.trajectories)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries, read lazily."""
        reverts = Reverts(self.repository)
        for at in range(0, len(self.commits), BATCH):
            some = self.commits[at : at + BATCH]
            changed = changed_paths(self.repository, some)
            described = describe_all(self.repository, some)
            reverts.mark(described.values())
            for commit, entry in described.items():
                files = changed.get(commit, [])
                trajectories = [
                    show_one(folded, commit, self.segments, files=files)
                    for folded in self.recorded.on(commit)
                ]
                yield {**entry, "files": files}, trajectories
        for trajectory in self.trajectories:
            yield (
                None,
                show_target(self.repository, self.recorded, Target(trajectory=trajectory), self.segments),
            )


def choose(
    repository: Repository,
    recorded: Recorded,
    names: Sequence[str] | None,
    segments: Segments,
    *,
    runs: bool = False,
) -> Chosen:
    """Resolve revisions, ranges (``A..B``: the recorded commits in it) and trajectory ids; None means every
    recorded commit that HEAD reaches, and with ``runs`` the trajectories without a commit.

    Raises TrajError for an unknown name.
    """
    if names is None:
        here = _list(repository, recorded, "HEAD")
        return Chosen(repository, recorded, segments, here, _runs(recorded, here) if runs else ())
    commits: dict[str, None] = {}
    trajectories: dict[str, None] = {}
    for name in names:
        if ".." in name:
            commits |= dict.fromkeys(_list(repository, recorded, name))
            continue
        target = find_target(repository, recorded, name)
        if target.commit is not None and target.commit in recorded:
            commits[target.commit] = None
        elif target.trajectory is not None:
            trajectories |= dict.fromkeys((target.trajectory, *target.others))
    return Chosen(repository, recorded, segments, list(commits), list(trajectories))


def _list(repository: Repository, recorded: Recorded, name: str) -> list[str]:
    """Return the commits of a range, or below a revision, that have a trajectory (a note may have only
    deletions), newest first."""
    return [c for c in list_commits(repository, recorded, name)[1] if recorded.on(c)]


def _runs(recorded: Recorded, here: Iterable[str]) -> list[str]:
    """Return the trajectories without a commit, unless some of their work is on a commit of ``here``."""
    shown = {folded.whole["id"] for commit in here for folded in recorded.on(commit)}
    runs = dict.fromkeys(f.whole["id"] for place in recorded.places() for f in recorded.on(place))
    return [identity for identity in runs if identity not in shown]


# ---------------------------------------------------------------- each trajectory once


@dataclass(slots=True)
class _Selected:
    """A trajectory, and the commits whose parts are exported; ``whole``: all its commits."""

    folded: Folded
    commits: dict[str, None] = field(default_factory=dict)
    whole: bool = False

    def position(self, commit: str) -> int:
        """Return the commit's position in the trajectory: commits of one second have no other order."""
        return self.folded.numbers.get(commit, 0)


def gather(
    repository: Repository,
    recorded: Recorded,
    names: Sequence[str] | None,
    segments: Segments,
    *,
    runs: bool = False,
) -> Exported:
    """Collect each trajectory once. ``names`` are revisions, ranges and trajectory ids; None means all that
    HEAD reaches, and with ``runs`` those without a commit. Raises TrajError for an unknown name."""
    selected = _select(repository, recorded, names, runs=runs)
    exported = [_export(each, segments) for each in selected.values()]
    commits = [c for each in selected.values() for c in each.commits]
    entries = describe_present(repository, list(dict.fromkeys(commits)))
    return Exported(
        trajectories=exported,
        commits={
            identity: [entries[c] for c in sorted(each.commits, key=each.position) if c in entries]
            for identity, each in selected.items()
        },
        runs=lambda commit: attribute(repository, commit, _events(exported)),
    )


def _select(
    repository: Repository, recorded: Recorded, names: Sequence[str] | None, *, runs: bool
) -> dict[str, _Selected]:
    known = list_commits(repository, recorded, "HEAD")[1][::-1] if names is None else names
    named = chain.from_iterable(_find(repository, recorded, name) for name in known)
    alone = ((identity, None) for identity in _runs(recorded, known)) if runs and names is None else ()
    selected: dict[str, _Selected] = {}
    for identity, commits in chain(named, alone):
        folded = recorded.folded(identity)
        if folded is not None:
            each = selected.setdefault(identity, _Selected(folded))
            each.whole |= commits is None
            each.commits |= dict.fromkeys(folded.parts if commits is None else commits)
    return selected


def _find(
    repository: Repository, recorded: Recorded, name: str
) -> Iterator[tuple[str, Sequence[str] | None]]:
    if ".." in name:
        commits = reversed(_list(repository, recorded, name))
        yield from ((f.whole["id"], [c]) for c in commits for f in recorded.on(c) if f.records(c))
        return
    target = find_target(repository, recorded, name)
    if target.commit is not None:
        yield from ((folded.whole["id"], [target.commit]) for folded in recorded.on(target.commit))
    elif target.trajectory is not None:
        for identity in (target.trajectory, *target.others):
            yield from _with_subagents(recorded, identity)


def _with_subagents(
    recorded: Recorded, trajectory: str, seen: frozenset[str] = frozenset()
) -> Iterator[tuple[str, None]]:
    yield trajectory, None
    above, seen = recorded.folded(trajectory), seen | {trajectory}
    for identity in recorded.naming(trajectory) if above else ():
        below = recorded.folded(identity) if identity not in seen else None
        if below is not None and above is not None and is_subagent(below.whole, above.whole):
            yield from _with_subagents(recorded, identity, seen)


def _export(selected: _Selected, segments: Segments) -> Header:
    folded, commits = selected.folded, list(selected.commits)
    if selected.whole:
        header, records = folded.header(None), folded.records(None)
    else:
        # as for one commit: explored work is exported only if the trajectory produced none of the commits
        explored = not any(folded.records(commit) for commit in commits)
        records = distinct(r for commit in commits for r in folded.records(commit, explored=explored))
        header = folded.header(commits[0], explored=explored) if explored else folded.across(commits)
    return {
        **header,
        "completeness": complete(folded.header(None)),
        "chapters": read_chapters(segments, records, header),
    }


def _events(trajectories: Sequence[Header]) -> dict[str, list[AnyEvent]]:
    return {
        trajectory["id"]: [
            e for c in trajectory["chapters"] for v in c["events"] if (e := to_event(plain_event(v, None)))
        ]
        for trajectory in trajectories
    }
