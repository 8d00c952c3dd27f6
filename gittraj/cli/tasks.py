"""Tasks for the recording commands: named offline, asked for within seconds, told of where somebody wants it.

What a service does never keeps a record from being written: it is said in one line.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gittraj.config import read_config

if TYPE_CHECKING:
    from gittraj.errors import TaskError
    from gittraj.git import Repository
    from gittraj.model.values import TaskRef
    from gittraj.tasks import Status


def name_task(repository: Repository, environ: Mapping[str, str], named: str | None) -> TaskRef | None:
    """The task that a person names, with the title and address that its system gives it; without a name,
    the one that the branch is called after, unasked for. Raises TrajError for a wrong setting."""
    from gittraj.tasks import detect, from_branch, look_up, survey

    site = survey(repository, environ, preferred=read_config(repository).tasks)
    if named is None:
        branch = repository.run("symbolic-ref", "-q", "--short", "HEAD", check=False).out.decode().strip()
        return from_branch(branch, site) if branch else None
    task = detect(named, site)
    if task is None:
        return None
    found = look_up(task, site)
    _say(found.trouble)
    return found.task


def tell_system(
    repository: Repository, environ: Mapping[str, str], task: TaskRef | None, status: Status
) -> None:
    """Tell the task's system, as somebody asked for."""
    from gittraj.tasks import report, survey

    if task is None:
        sys.stderr.write("git-traj: no task is known here, so nobody was told (--task SYSTEM:ID)\n")
        return
    _say(report(task, status, survey(repository, environ, preferred=read_config(repository).tasks)))


def _say(trouble: TaskError | None) -> None:
    if trouble is not None:
        hint = f" ({trouble.hint})" if trouble.hint else ""
        sys.stderr.write(f"git-traj: {trouble.message}{hint}\n")
