"""Follows the tasks of this worktree in their own systems: takes over a new title, and ends a trajectory that
a person began for a task when the task is closed.

A service is queried only on a person's request; Beads' export, a file, is read by every command that records
new work. A trajectory starts only if the branch is named after a task that is in progress, but not because a
pull changed a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from gittraj.commands.record import author, list_active, name_task, record
from gittraj.config import Environ, read_config
from gittraj.decisions.commands import Call
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.model.times import seconds
from gittraj.query.account import spell
from gittraj.state.active import Header
from gittraj.state.folder import LocalState
from gittraj.tasks import beads
from gittraj.tasks.lookup import Lookup, look_up, survey, survey_exports
from gittraj.tasks.naming import from_branch
from gittraj.tasks.system import Site

_MOST = 20
"""The most tasks that are queried, beginning with the latest: each query may take three seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedOn:
    """The task of an active trajectory. ``found`` is the answer of the task's system. ``ends``: the task is
    closed, and the trajectory, which was begun by hand, has to be ended; a session ends its own trajectory.
    ``change`` is what was done; ``trouble`` is the error if something failed."""

    trajectory: str
    started_at: str | None
    found: Lookup
    ends: bool = False
    change: Literal["started", "renamed", "ended"] | None = None
    trouble: TrajError | None = None

    def to_json(self) -> dict[str, Any]:
        unknown = self.found.trouble is not None
        return {
            "trajectory": self.trajectory,
            "task": spell(self.found.task),
            "status": self.found.status,
            "closed": None if unknown else self.found.closed,
            "startedAt": self.started_at,
            "change": self.change,
            "trouble": self.trouble.message if self.trouble else None,
        }


def follow_tasks(repository: Repository, environ: Mapping[str, str], *, close: bool) -> list[WorkedOn]:
    """Follow the tasks of the trajectories that are active in this worktree, the latest first. With
    ``close``, also end the trajectories of closed tasks. Raises TrajError for a wrong setting."""
    site = survey(repository, environ, preferred=read_config(repository).tasks)
    active = _list_active(repository)
    followed = [_follow(repository, header, site, environ, close=close) for header in active[:_MOST]]
    tasks = followed if active else [_start(repository, site, environ)]
    return [each for each in tasks if each is not None]


def follow_exports(repository: Repository, environ: Mapping[str, str]) -> list[WorkedOn]:
    """Follow tasks of Beads if its export is newer than their trajectories. No trajectory is started."""
    site = survey_exports(repository, environ)
    written = beads.changed_at(site)
    active = [each for each in _list_active(repository) if _is_of_beads(each)]
    before = [each for each in active if (seconds(each.started_at) or 0) <= written]
    followed = [_follow(repository, header, site, environ, close=True) for header in before[:_MOST]]
    return [each for each in followed if each is not None and each.change]


def _is_of_beads(header: Header) -> bool:
    source = header.task.source if header.task else None
    return source is not None and source.system == "beads"


def _list_active(repository: Repository) -> list[Header]:
    headers = [active.header for active in list_active(repository)]
    return sorted(headers, key=lambda header: header.started_at or "", reverse=True)


def _follow(
    repository: Repository, header: Header, site: Site, environ: Mapping[str, str], *, close: bool
) -> WorkedOn | None:
    if header.task is None or header.task.source is None:
        return None
    parsed, name = Environ.of(environ), header.trajectory
    found = look_up(header.task, site)
    ends = found.closed and header.by_hand
    worked_on = WorkedOn(
        trajectory=name, started_at=header.started_at, found=found, ends=ends, trouble=found.trouble
    )
    try:
        if found.task != header.task and name_task(repository, name, found.task, environ=parsed):
            worked_on = replace(worked_on, change="renamed")
        if ends and close:
            why = {"reason": f"{found.status} in {header.task.source.system}"}
            call = Call("abandon", why) if found.dropped else Call("complete", {})
            record(repository, call, environ=parsed, trajectory=name)
            worked_on = replace(worked_on, change="ended")
    except TrajError as error:
        return replace(worked_on, trouble=error)
    return worked_on


def _start(repository: Repository, site: Site, environ: Mapping[str, str]) -> WorkedOn | None:
    """Begin a trajectory for the task that the branch is named after, if the task's system says that the task
    is in progress, a person runs this command, and git-traj is installed."""
    parsed = Environ.of(environ)
    installed = LocalState.of(repository).read("installed.json") is not None
    branch = repository.run("symbolic-ref", "-q", "--short", "HEAD", check=False).out.decode().strip()
    task = from_branch(branch, site) if installed and branch and author(parsed) == "human" else None
    found = look_up(task, site) if task else None
    if found is None or not found.begun:
        return None
    begun = record(repository, Call("start", {"title": found.task.title}), environ=parsed, task=found.task)
    return WorkedOn(trajectory=begun.trajectory, started_at=None, found=found, change="started")
