"""Finds the trajectories that a name means: the name of a trajectory, a commit, a run or a task, or of an
agent or a model on one task. This module must not compare anything."""

from __future__ import annotations

from collections.abc import Sequence

from gittraj.agents import all_agents
from gittraj.errors import TrajError
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.model.header import Header
from gittraj.query.log.listing import changed_paths
from gittraj.query.records import Recorded
from gittraj.query.show.chapters import Segments
from gittraj.query.show.trajectory import Target, find_by_label, find_target, show_one


@dataclass(frozen=True, slots=True)
class Side:
    """A side of a comparison. ``headers`` cover the parts on the ``commit``, or whole trajectories without
    one."""

    name: str
    commit: str | None
    headers: Sequence[Header]


def find_side(repository: Repository, recorded: Recorded, name: str, *, task: str | None) -> Side:
    """Resolve ``name``. With a ``task`` (or a run or an instance), it is an agent or a part of a model's
    name. Raises TrajError if it matches no trajectory."""
    if task is not None:
        named = (recorded.folded(each) for each in find_by_label(recorded, task))
        matching = [f.header(None) for f in named if f and _is_by(f.whole, name)]
        if not matching:
            raise TrajError(
                f"{task} has no trajectory by {name}", hint=f"git traj show {task} lists its trajectories"
            )
        return Side(name, None, matching)
    try:
        target = find_target(repository, recorded, name)
    except TrajError:
        by = (_is_by(folded.whole, name) for each in recorded.ids() if (folded := recorded.folded(each)))
        if name in all_agents() or any(by):
            what = f"{name} is an agent or a model, which are compared on one task"
            raise TrajError(what, "git traj compare A B --task ID") from None
        raise
    headers = _headers(recorded, target)
    if not headers:
        raise TrajError(f"{name} has no trajectory", hint="git traj log lists the commits that have one")
    return Side(name, target.commit, headers)


def _headers(recorded: Recorded, target: Target) -> list[Header]:
    if target.commit is None:
        names = (target.trajectory, *target.others) if target.trajectory else ()
        return [folded.header(None) for each in names if (folded := recorded.folded(each))]
    here = recorded.on(target.commit)
    explored = not any(folded.records(target.commit) for folded in here)
    on_commit = (f for f in here if f.records(target.commit, explored=explored))
    return [folded.header(target.commit, explored=explored) for folded in on_commit]


def read_steps_of(repository: Repository, recorded: Recorded, side: Side, segments: Segments) -> Header:
    """Return the side's only trajectory, with its chapters."""
    folded = recorded.folded(side.headers[0]["id"])
    if folded is None:
        return {**side.headers[0], "chapters": []}
    files = changed_paths(repository, [side.commit]).get(side.commit, []) if side.commit else ()
    return show_one(folded, side.commit, segments, files=files)


def _is_by(header: Header, name: str) -> bool:
    return header["agent"] == name or any(name.lower() in model.lower() for model in header["models"])
