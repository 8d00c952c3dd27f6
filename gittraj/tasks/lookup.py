"""Queries or updates a task system, and returns in time whatever happens.

A record does not wait for a service: an error is returned together with the task as it was named. It must not
print, write records, or be called by a hook or a drain.

The repository and the environment determine where tasks are (``survey``).
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
from gittraj.tasks.system import Site, Status, known, one_line, system_of, systems

ASKING = 3.0
"""Seconds that a look-up may take."""
TELLING = 10.0
"""Seconds that a change may take: two requests, or two runs of a program that opens a database."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """``task``: as in the system, or as it was named; ``trouble``: why no more is known, for a line to the
    user; the others as in :class:`Known`."""

    task: TaskRef
    status: str | None = None
    begun: bool = False
    closed: bool = False
    dropped: bool = False
    trouble: TaskError | None = None


def look_up(task: TaskRef, site: Site, *, timeout: float = ASKING) -> Found:
    """Get title, address and status of a task. Never raises because of what a service does."""
    source = task.source
    if source is None or source.system not in known():
        return Found(task=task)
    system = system_of(source.system)
    try:
        answer = _within(timeout, system.name, lambda: system.fetch(source, site, timeout=timeout))
    except TaskError as trouble:
        return Found(task=task, trouble=trouble)
    url = answer.url if answer.url and _is_address(answer.url) else source.url
    named = TaskRef(title=one_line(answer.title) or task.title, source=replace(source, url=url))
    status = one_line(answer.status, 100) if answer.status else None
    return Found(task=named, status=status, begun=answer.begun, closed=answer.closed, dropped=answer.dropped)


def report(task: TaskRef, status: Status, site: Site, *, timeout: float = TELLING) -> TaskError | None:
    """Report to a task's system that work on it started or is completed. Returns the error, if any."""
    source = task.source
    if source is None or source.system not in known():
        name = f"'{one_line(source.system, 40)}'" if source else "no system"
        return TaskError(f"tasks of {name} cannot be updated", f"known: {', '.join(known())}",
                         reason="unsupported")  # fmt: skip
    system = system_of(source.system)
    try:
        _within(timeout, system.name, lambda: system.report(source, status, site, timeout=timeout))
    except TaskError as trouble:
        return trouble
    return None


def _within(seconds: float, service: str, work: Callable[[], T]) -> T:
    """Run ``work`` in a thread; returns what it returns, or raises what it raises.

    A socket's time-out stops neither the resolver nor a server that sends a byte now and then. A late thread
    ends with the process.
    """
    done: list[T] = []
    wrong: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the calling thread
            wrong.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if wrong:
        raise wrong[0]
    if not done:
        raise wire.late(service, seconds)
    return done[0]


def _is_address(url: str) -> bool:
    """Whether the URL can be shown and stored: http or https, without a password, on one line."""
    parts = urlsplit(url)
    plain = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    return bool(plain) and url == one_line(url, 2000) and " " not in url


_ORDER = ("upstream", "github", "origin")
"""The remotes whose issues people most likely mean, best first: as the ``gh`` command sorts them."""


def survey(repository: Repository, environ: Mapping[str, str], *, preferred: str | None = None) -> Site:
    """The site of ``repository``. Only those variables of ``environ`` are kept that a system names;
    ``preferred`` is the value of ``traj.tasks``. Raises TrajError."""
    if preferred is not None and preferred not in known():
        raise TrajError(f"git config traj.tasks is '{preferred}'", f"it can be {', '.join(known())}")
    wanted = {name for system in systems() for name in system.variables}
    return Site(
        folders=_folders(repository),
        remotes=_remotes(repository),
        environ={name: value for name, value in environ.items() if name in wanted},
        preferred=preferred,
    )


def survey_exports(repository: Repository, environ: Mapping[str, str]) -> Site:
    """The site of ``repository`` for files only: without PATH and keys, no program or service is used."""
    known = {name: environ[name] for name in ("BEADS_DIR",) if name in environ}
    return Site(folders=_folders(repository), environ=known)


def _folders(repository: Repository) -> tuple[Path, ...]:
    trees = (repository.work_tree, repository.worktrees()[0].path)
    return tuple(dict.fromkeys(tree for tree in trees if tree))


def _remotes(repository: Repository) -> tuple[str, ...]:
    """The addresses to fetch from, after ``url.<base>.insteadOf``."""
    found: dict[str, str] = {}
    for line in repository.run("remote", "-v").out.decode("utf-8", "surrogateescape").splitlines():
        name, _, rest = line.partition("\t")
        address, _, use = rest.partition(" (")
        if use.startswith("fetch)"):
            found[name] = address
    rank = {name: at for at, name in enumerate(_ORDER)}
    return tuple(found[name] for name in sorted(found, key=lambda name: (rank.get(name, 9), name)))
