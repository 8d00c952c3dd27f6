"""What became, in their own systems, of the tasks that are worked on in this worktree.

Asked for by a person alone: nothing starts or ends because ``.beads/`` came with a pull, or a service says
so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gittraj.commands.record import record
from gittraj.config import Environ, read_config
from gittraj.decisions.commands import Call
from gittraj.git import Repository
from gittraj.query.account import spell
from gittraj.state.active import Header, load_active, place_of
from gittraj.state.folder import LocalState
from gittraj.tasks import Found, look_up, survey

_MOST = 20
"""Tasks that are asked for, the latest; each may take three seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedOn:
    """``header``: of the active trajectory; ``found``: what the task's system says."""

    header: Header
    found: Found

    @property
    def is_over(self) -> bool:
        """Whether only its trajectory is open still; a session's own ends with the session."""
        return self.found.closed and self.header.by_hand

    def to_json(self) -> dict[str, Any]:
        trouble = self.found.trouble
        return {
            "trajectory": self.header.trajectory,
            "task": spell(self.found.task),
            "status": self.found.status,
            "closed": None if trouble else self.found.closed,
            "startedAt": self.header.started_at,
            "trouble": trouble.message if trouble else None,
        }


def ask_tasks(repository: Repository, environ: Mapping[str, str]) -> Iterator[WorkedOn]:
    """The tasks of the trajectories that are active in this worktree, the latest first. Raises TrajError for
    a wrong setting."""
    place = place_of(repository.git_dir, repository.common_dir)
    headers = [active.header for active in load_active(LocalState.of(repository).folder)]
    here = [each for each in headers if each.worktree == place and not each.ended]
    here.sort(key=lambda header: header.started_at or "", reverse=True)
    site = survey(repository, environ, preferred=read_config(repository).tasks)
    for header in [each for each in here if each.task and each.task.source][:_MOST]:
        if header.task:
            yield WorkedOn(header=header, found=look_up(header.task, site))


def close(repository: Repository, worked: WorkedOn, environ: Mapping[str, str]) -> None:
    """End its trajectory, as ``git traj complete`` does. Raises TrajError."""
    name = worked.header.trajectory
    record(repository, Call("complete", {}), environ=Environ.of(environ), trajectory=name)
