"""The interface of a task system, and of the site (repository and environment) where tasks are named.

A system is a module with the members of :class:`System`, and a line in :data:`TASKS`. It must not read the
process's environment (a :class:`Site` has the variables that the system lists), prompt, or show a key, be it
in a message or a ``repr``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Literal, Protocol, cast

from gittraj import plugins
from gittraj.errors import TaskError
from gittraj.model.unseen import is_unseen
from gittraj.model.values import TaskSource
from gittraj.plugins import Returns, Shape

Status = Literal["started", "completed"]
MAX_TITLE = 500
"""Maximum length of a title, in characters: Beads' limit, the highest of all systems."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A task as its system reports it. ``status`` is the system's own word; the others state its meaning:
    ``begun``, somebody works on the task; ``closed``, it is over; ``dropped``, over without a result."""

    title: str
    url: str | None = None
    status: str | None = None
    begun: bool = False
    closed: bool = False
    dropped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where tasks are named. ``folders`` are this work tree and the main one; ``remotes`` are the remotes'
    addresses, the likeliest first; ``environ`` has only the variables that systems list; ``preferred`` is the
    system that ``traj.tasks`` names."""

    folders: tuple[Path, ...] = ()
    remotes: tuple[str, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    preferred: str | None = None

    def variable(self, *names: str) -> str | None:
        """The first of ``names`` that is set and not empty."""
        return next((self.environ[name] for name in names if self.environ.get(name)), None)


class System(Protocol):
    """The members of a task system's module. ``local`` is true if the repository itself, not the environment,
    shows that the system is in use; ``variables`` are the environment variables that it needs."""

    name: str
    local: bool
    variables: tuple[str, ...]

    def is_here(self, site: Site) -> bool:
        """Whether the system seems to be in use."""
        ...

    def parse(self, text: str, site: Site, *, named: bool = False) -> TaskSource | None:
        """Return the task if all of ``text`` is its id or address. ``named``: a person named the system, so
        a looser spelling is accepted."""
        ...

    def find(self, branch: str, site: Site) -> TaskSource | None:
        """Return the task that a branch is named after."""
        ...

    def fetch(self, source: TaskSource, site: Site, *, timeout: float) -> Known:
        """Get the title, address and status of a task; ``timeout`` is in seconds. Raises TaskError."""
        ...

    def report(self, source: TaskSource, status: Status, site: Site, *, timeout: float) -> None:
        """Report a task as started or completed, unless it already is. Raises TaskError."""
        ...


TASKS: dict[str, str] = {
    "github": "gittraj.tasks.github",
    "beads": "gittraj.tasks.beads",
    "linear": "gittraj.tasks.linear",
    "jira": "gittraj.tasks.jira",
    "plain": "gittraj.tasks.plain",
}
"""Modules by name; ``plain``, which accepts every text, is last."""


_SOURCE = Returns(one=(TaskSource, type(None)))
SHAPE = Shape(
    fields={"name": str, "local": bool, "variables": tuple},
    methods={
        "is_here": Returns(one=bool, otherwise=False),
        "parse": _SOURCE,
        "find": _SOURCE,
        "fetch": Returns(one=Known, fails=partial(TaskError, reason="unsupported")),
        "report": Returns(one=type(None), fails=partial(TaskError, reason="unsupported")),
    },
)


def system_names() -> tuple[str, ...]:
    """The names of all systems, including those of plug-ins; ``plain`` last."""
    return (*(name for name in TASKS if name != "plain"), *_plugged_in(), "plain")


def system_of(name: str) -> System:
    """The system called ``name``. Raises KeyError."""
    return cast(System, import_module(TASKS[name]) if name in TASKS else _plugged_in()[name])


def systems() -> tuple[System, ...]:
    return tuple(map(system_of, system_names()))


def _plugged_in() -> dict[str, System]:
    return {system.name: system for system in plugins.found("tasks", SHAPE, taken=TASKS).values()}


def one_line(text: str, limit: int = MAX_TITLE) -> str:
    """Return ``text`` on one line, without control, direction and other invisible characters."""
    visible = (" " if c.isspace() else c for c in text if c.isspace() or not is_unseen(c))
    return " ".join("".join(visible).split())[:limit].rstrip()
