"""The interface of a task system, and of the site (repository and environment) where tasks are named.

A system is a module with what :class:`System` lists and a line in :data:`TASKS`. It must not read the
process's environment (a :class:`Site` has the variables that it lists), never prompts, and shows no key: not
in a message, not in a ``repr``.
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
TITLE = 500
"""Characters of a title that are kept: the limit of Beads, the highest of all systems."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A task as its system reports it; ``status`` in the system's own words, ``begun``: whether that means
    that somebody works on it, ``closed``: that it is over, ``dropped``: over without a result."""

    title: str
    url: str | None = None
    status: str | None = None
    begun: bool = False
    closed: bool = False
    dropped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The surroundings in which tasks are named. ``folders``: this work tree, then the main one; ``remotes``:
    their addresses, the likeliest first; ``environ``: only the variables that systems list; ``preferred``:
    the system that ``traj.tasks`` names."""

    folders: tuple[Path, ...] = ()
    remotes: tuple[str, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    preferred: str | None = None

    def variable(self, *names: str) -> str | None:
        """The first of ``names`` that is set and not empty."""
        return next((self.environ[name] for name in names if self.environ.get(name)), None)


class System(Protocol):
    """``local``: the repository, not the environment, shows that it is used here. ``variables``: the
    environment variables that it needs."""

    name: str
    local: bool
    variables: tuple[str, ...]

    def is_here(self, site: Site) -> bool:
        """Whether it seems to be in use here."""
        ...

    def parse(self, text: str, site: Site, *, named: bool = False) -> TaskSource | None:
        """The task whose id or address the whole ``text`` is. ``named``: somebody said that it belongs to
        this system, so a looser spelling is accepted."""
        ...

    def find(self, branch: str, site: Site) -> TaskSource | None:
        """The task that a branch is named after."""
        ...

    def fetch(self, source: TaskSource, site: Site, *, timeout: float) -> Known:
        """Get title, address and status. ``timeout`` in seconds. Raises TaskError."""
        ...

    def report(self, source: TaskSource, status: Status, site: Site, *, timeout: float) -> None:
        """Report that work on it started or is completed; does nothing if that is its status already. Raises
        TaskError."""
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


def known() -> tuple[str, ...]:
    """The names of all systems, those of plug-ins too; ``plain`` last."""
    own = (name for name in TASKS if name != "plain")
    return (*own, *_plugged(), "plain")


def system_of(name: str) -> System:
    """The system called ``name``. Raises KeyError."""
    return cast(System, import_module(TASKS[name]) if name in TASKS else _plugged()[name])


def systems() -> tuple[System, ...]:
    return tuple(map(system_of, known()))


def _plugged() -> dict[str, System]:
    return {each.name: each for each in plugins.found("tasks", SHAPE, taken=TASKS).values()}


def one_line(text: str, limit: int = TITLE) -> str:
    """Return ``text`` on one line, without control, direction and other invisible characters."""
    seen = (" " if c.isspace() else c for c in text if c.isspace() or not is_unseen(c))
    return " ".join("".join(seen).split())[:limit].rstrip()
