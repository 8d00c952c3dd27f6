"""Tasks of the recording commands: named offline, looked up within seconds, updated on request.

A failing service never prevents a record: it becomes one line on stderr.
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
    """The task that the user names, with title and address from its system; without a name, the task in the
    branch's name, without a look-up. Raises TrajError for a wrong setting."""
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


def update_task(
    repository: Repository, environ: Mapping[str, str], task: TaskRef | None, status: Status
) -> None:
    """Report the new status to the task's system, because the user asked for it."""
    from gittraj.tasks import report, survey

    if task is None:
        sys.stderr.write("git-traj: there is no task here to report to (--task SYSTEM:ID)\n")
        return
    _say(report(task, status, survey(repository, environ, preferred=read_config(repository).tasks)))


def _say(trouble: TaskError | None) -> None:
    if trouble is not None:
        hint = f" ({trouble.hint})" if trouble.hint else ""
        sys.stderr.write(f"git-traj: {trouble.message}{hint}\n")
