"""What a task system is to git-traj, and what is known of the place where its tasks are named.

A system is a module with what :class:`System` lists and a line in :data:`TASKS`. It must not read the
process's environment (a :class:`Site` has what it asked for), never prompts, and shows no key: not in a
message, not in a ``repr``.
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
"""Characters of a title that are kept: what Beads allows, the most of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a system says of a task; ``status`` in its own words, ``begun`` whether somebody works on it by
    that, ``closed`` whether it ends it there, ``dropped`` without a result."""

    title: str
    url: str | None = None
    status: str | None = None
    begun: bool = False
    closed: bool = False
    dropped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where tasks are named. ``folders``: this work tree, then the main one; ``remotes``: their addresses,
    the one that people mean first; ``environ``: the variables that systems ask for, and no others;
    ``preferred``: the system that ``traj.tasks`` names."""

    folders: tuple[Path, ...] = ()
    remotes: tuple[str, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    preferred: str | None = None

    def variable(self, *names: str) -> str | None:
        """The first of ``names`` that is set to something."""
        return next((self.environ[name] for name in names if self.environ.get(name)), None)


class System(Protocol):
    """``local``: that it is used here is seen in the repository, not in the environment. ``variables``: what
    it wants of the environment."""

    name: str
    local: bool
    variables: tuple[str, ...]

    def is_here(self, site: Site) -> bool:
        """Whether there is a sign that it is used here."""
        ...

    def parse(self, text: str, site: Site, *, named: bool = False) -> TaskSource | None:
        """The task that ``text``, all of it, is an id or an address of. ``named``: somebody said that it is
        one of this system's, so a looser spelling will do."""
        ...

    def find(self, branch: str, site: Site) -> TaskSource | None:
        """The task that the name of a branch names."""
        ...

    def fetch(self, source: TaskSource, site: Site, *, timeout: float) -> Known:
        """Ask for title, address and status. ``timeout`` in seconds. Raises TaskError."""
        ...

    def report(self, source: TaskSource, status: Status, site: Site, *, timeout: float) -> None:
        """Tell that work on it started or is completed; nothing when it stands so already. Raises
        TaskError."""
        ...


TASKS: dict[str, str] = {
    "github": "gittraj.tasks.github",
    "beads": "gittraj.tasks.beads",
    "linear": "gittraj.tasks.linear",
    "jira": "gittraj.tasks.jira",
    "plain": "gittraj.tasks.plain",
}
"""By name; ``plain``, which takes every text, last."""


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
    """Raises KeyError."""
    return cast(System, import_module(TASKS[name]) if name in TASKS else _plugged()[name])


def systems() -> tuple[System, ...]:
    return tuple(map(system_of, known()))


def _plugged() -> dict[str, System]:
    return {each.name: each for each in plugins.found("tasks", SHAPE, taken=TASKS).values()}


def one_line(text: str, limit: int = TITLE) -> str:
    """``text`` on one line, without controls, direction marks and what else is not seen."""
    seen = (" " if c.isspace() else c for c in text if c.isspace() or not is_unseen(c))
    return " ".join("".join(seen).split())[:limit].rstrip()
