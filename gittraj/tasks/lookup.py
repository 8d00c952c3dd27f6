"""Queries or updates a task system, and always returns within a time limit.

Recording does not depend on a service: an error is returned together with the task as it was named.
``survey`` finds out, from the repository and the environment, where tasks are.

This module must not print or write records, and no hook or drain may call it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from typing import TypeVar
from urllib.parse import urlsplit

from gittraj.errors import TaskError, TrajError
from gittraj.git import Repository
from gittraj.model.values import TaskRef
from gittraj.tasks import wire
from gittraj.tasks.system import Site, Status, one_line, system_names, system_of, systems

LOOK_UP_LIMIT = 3.0
"""Seconds that a look-up may take."""
UPDATE_LIMIT = 10.0
"""Seconds that an update may take: two requests, or two runs of a program that opens a database."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """The task as the system has it, or as it was named if the look-up failed: ``trouble`` is the error, to
    be shown to the user. The other fields are those of :class:`Known`."""

    task: TaskRef
    status: str | None = None
    begun: bool = False
    closed: bool = False
    dropped: bool = False
    trouble: TaskError | None = None


def look_up(task: TaskRef, site: Site, *, timeout: float = LOOK_UP_LIMIT) -> Lookup:
    """Get title, address and status of a task. An error of the system is returned, not raised."""
    source = task.source
    if source is None or source.system not in system_names():
        return Lookup(task=task)
    system = system_of(source.system)
    try:
        answer = _within(timeout, system.name, lambda: system.fetch(source, site, timeout=timeout))
    except TaskError as trouble:
        return Lookup(task=task, trouble=trouble)
    url = answer.url if answer.url and _is_safe_url(answer.url) else source.url
    task = TaskRef(title=one_line(answer.title) or task.title, source=replace(source, url=url))
    status = one_line(answer.status, 100) if answer.status else None
    return Lookup(task=task, status=status, begun=answer.begun, closed=answer.closed, dropped=answer.dropped)


def report(task: TaskRef, status: Status, site: Site, *, timeout: float = UPDATE_LIMIT) -> TaskError | None:
    """Report to a task's system that work on the task started or is completed. Return the error, if any."""
    source = task.source
    if source is None or source.system not in system_names():
        name = f"'{one_line(source.system, 40)}'" if source else "no system"
        return TaskError(f"tasks of {name} cannot be updated", f"known: {', '.join(system_names())}",
                         reason="unsupported")  # fmt: skip
    system = system_of(source.system)
    try:
        _within(timeout, system.name, lambda: system.report(source, status, site, timeout=timeout))
    except TaskError as trouble:
        return trouble
    return None


def _within(seconds: float, service: str, work: Callable[[], T]) -> T:
    """Run ``work`` in a thread, and return its result or raise its error; TaskError after ``seconds``.

    A socket's time-out stops neither the resolver nor a server that sends a byte now and then. A thread that
    is late goes on, and ends with the process.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the calling thread
            errors.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise wire.late(service, seconds)
    return results[0]


def _is_safe_url(url: str) -> bool:
    """Whether the URL can be shown and stored: http or https, without a password, on one line."""
    parts = urlsplit(url)
    is_web = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    return bool(is_web) and url == one_line(url, 2000) and " " not in url


_ORDER = ("upstream", "github", "origin")
"""The remotes whose issues people most likely mean, best first: as the ``gh`` command sorts them."""


def survey(repository: Repository, environ: Mapping[str, str], *, preferred: str | None = None) -> Site:
    """Return the site of ``repository``, with those variables of ``environ`` that a system lists;
    ``preferred`` is the value of ``traj.tasks``. Raises TrajError."""
    if preferred is not None and preferred not in system_names():
        why = f"git config traj.tasks: unknown task system '{preferred}'"
        raise TrajError(why, f"it can be {', '.join(system_names())}")
    listed = {name for system in systems() for name in system.variables}
    return Site(
        folders=_folders(repository),
        remotes=_remotes(repository),
        environ={name: value for name, value in environ.items() if name in listed},
        preferred=preferred,
    )


def survey_exports(repository: Repository, environ: Mapping[str, str]) -> Site:
    """Return a site for tasks in files only: without PATH and keys, no program or service can be used."""
    variables = {name: environ[name] for name in ("BEADS_DIR",) if name in environ}
    return Site(folders=_folders(repository), environ=variables)


def _folders(repository: Repository) -> tuple[Path, ...]:
    trees = (repository.work_tree, repository.worktrees()[0].path)
    return tuple(dict.fromkeys(tree for tree in trees if tree))


def _remotes(repository: Repository) -> tuple[str, ...]:
    """The addresses to fetch from, as ``url.<base>.insteadOf`` rewrites them; the likeliest first."""
    addresses: dict[str, str] = {}
    for line in repository.run("remote", "-v").out.decode("utf-8", "surrogateescape").splitlines():
        name, _, value = line.partition("\t")
        address, _, use = value.partition(" (")
        if use.startswith("fetch)"):
            addresses[name] = address
    rank = {name: at for at, name in enumerate(_ORDER)}
    return tuple(addresses[name] for name in sorted(addresses, key=lambda name: (rank.get(name, 9), name)))
