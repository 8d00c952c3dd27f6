"""Loads plug-ins: agents, formats, task systems and exporters from other packages and programs.

Only names in ``traj.plugin`` of the user's own git configuration count: a repository's configuration may have
come with a folder from elsewhere. A name is that of entry points of an installed package; one with a slash is
the absolute path of a program. If no name is set, nothing is searched. After an error, which is reported in
one line, the plug-in is left out for the rest of the process; everything else continues.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from gittraj.errors import TrajError
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.model.signs import SESSIONS, SIGNS

_GROUPS = tuple(f"gittraj.{group}" for group in ("agents", "formats", "tasks", "exporters"))
"""The groups of entry points."""
_LOAD_LIMIT = 5.0
"""Seconds that loading a plug-in may take."""
NAME = re.compile(r"[\w.-]{1,64}")
_PROGRAM = "git-traj-agent-"
VARIABLE = re.compile(r"(?!GIT_|CODEX_|SESSION$)[A-Z_][A-Z0-9_]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Returns:
    """What a method must return, within ``seconds``: a value of the type ``one``, or an iterable of values of
    the type ``each`` that are ``right``, which is called with the value and the object's fields.

    If a call fails, ``otherwise`` is returned, or the error is raised that ``fails`` makes from the reason.
    """

    one: Any = None
    each: Any = None
    right: Callable[[Any, Mapping[str, Any]], bool] = lambda _thing, _fields: True
    otherwise: Any = None
    fails: Callable[[str], TrajError] | None = None
    seconds: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The fields, by their types, and methods that a plugged-in object must have; ``wrong`` returns what is
    wrong with the fields, or None."""

    fields: Mapping[str, Any]
    methods: Mapping[str, Returns]
    wrong: Callable[[Mapping[str, Any]], str | None] = lambda _fields: None


class _Process:
    """The state of this process: the repository whose configuration is read, the plug-ins that it names, the
    objects that were loaded, by plug-in and group, and why plug-ins were left out."""

    def __init__(self) -> None:
        self.repository: Repository | None = None
        self.names: tuple[str, ...] | None = None
        self.loaded: dict[str, dict[str, Any]] = {}
        self.reasons: dict[str, str] = {}


_PROCESS = _Process()


def consult(repository: Repository) -> None:
    """Read the names of plug-ins, when they are first needed, from the user's git configuration, by running
    git in ``repository``."""
    _PROCESS.repository, _PROCESS.names = repository, None


def names() -> tuple[str, ...]:
    """The plug-ins that are switched on, by their names or paths in the configuration."""
    if _PROCESS.repository is None:
        return ()
    if _PROCESS.names is None:
        try:
            settings = _PROCESS.repository.settings(r"traj\.plugin$")
        except TrajError:
            return ()
        found = (s.value for s in settings if s.scope in ("global", "system"))
        _PROCESS.names = tuple(dict.fromkeys(found))
    return _PROCESS.names


def reason(name: str) -> str | None:
    """Why a plug-in is left out; None if it is not."""
    return _PROCESS.reasons.get(name)


def leave_out(name: str, why: str) -> None:
    """Leave a plug-in out from now on, and report why on standard error, once."""
    if name not in _PROCESS.reasons:
        _PROCESS.reasons[name] = why
        sys.stderr.write(f"git-traj: plug-in {name} is left out: {why}\n")


def environment() -> Mapping[str, str]:
    """The environment that a plugged-in program inherits."""
    return _PROCESS.repository.environ if _PROCESS.repository else {}


def found(
    group: str,
    shape: Shape | Callable[[Any], Shape],
    *,
    taken: Collection[str] = (),
    program: Callable[[str, Path], Any] | None = None,
) -> dict[str, Any]:
    """Return the objects that plug-ins add to a group, as ``Guarded``, by the plug-ins' names. ``taken`` are
    names that they must not use; ``program`` makes a program's object from its agent's name and its path."""
    usable: dict[str, Any] = {}
    used = {*taken}
    for name in names():
        plugged = _load(name).get(group) if "/" not in name else program and _open(name, program)
        if plugged is None or name in _PROCESS.reasons:
            continue
        from gittraj.plugins.guard import attempt, guard  # noqa: PLC0415 - few have a plug-in

        guarded, why = attempt(partial(guard, name, plugged, shape), _LOAD_LIMIT)
        if why is None:
            fields: dict[str, str | None] = {"name": name, **vars(guarded)}
            own = {value for field in ("name", "option", "session") if (value := fields.get(field))}
            why = f"the name {min(own & used)} is taken" if own & used else None
            if why is None:
                used |= own
                usable[name] = guarded
                continue
        leave_out(name, f"gittraj.{group}: {why}")
    return usable


_AGENT_WITH_SESSION = Shape(fields={"name": str, "session": (str, type(None))}, methods={})


def variables() -> dict[str, str]:
    """The names of plugged-in agents by the environment variables into which they put their sessions' ids."""
    agents = found("agents", _AGENT_WITH_SESSION, taken={*SESSIONS, *SIGNS}).values()
    return {agent.session: agent.name for agent in agents if agent.session}


def _open(name: str, make: Callable[[str, Path], Any]) -> Any:
    """Return the object that ``make`` makes for a program; None if the program's path is wrong."""
    path = Path(name)
    agent = path.name.removeprefix(_PROGRAM)
    if not path.is_absolute() or agent == path.name or not NAME.fullmatch(agent):
        leave_out(name, f"a program is named by its absolute path, …/{_PROGRAM}NAME")
    elif not os.access(path, os.F_OK):
        leave_out(name, "there is no such file")
    else:
        return make(agent, path)
    return None


def _load(name: str) -> dict[str, Any]:
    """Return the objects of the entry points called ``name``, by their group."""
    loaded = _PROCESS.loaded.get(name)
    if loaded is None:
        from importlib.metadata import entry_points  # noqa: PLC0415 - it takes 20 ms

        from gittraj.plugins.guard import attempt  # noqa: PLC0415

        loaded = _PROCESS.loaded[name] = {}
        all_points, why = attempt(partial(entry_points, name=name), _LOAD_LIMIT)
        points = [p for p in all_points or () if p.group in _GROUPS]
        if why is not None:
            leave_out(name, f"the metadata of a package cannot be read: {why}")
        elif not points:
            leave_out(name, "no package in git-traj's environment provides it")
        for point in points:
            plugged, why = attempt(point.load, _LOAD_LIMIT)
            if why is not None:
                leave_out(name, f"{point.value}: {why}")
                loaded.clear()
                break
            loaded[point.group.removeprefix("gittraj.")] = plugged
    return loaded


def shorten(text: str) -> str:
    """Shorten a text to 200 printable characters, for a message on one line."""
    return "".join(c if c.isprintable() else " " for c in text)[:200]
