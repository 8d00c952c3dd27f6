"""Plug-ins: agents, formats, task systems and exporters from other packages and programs.

Only names in ``traj.plugin`` of the user's own git configuration count: a repository's configuration may have
come with a folder from elsewhere. A name is that of entry points of an installed package; one with a slash is
the absolute path of a program. If no name is set, nothing is searched. A plug-in's error is reported in one
line, and the plug-in is left out for the rest of the process: nothing else stops.
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
_LOADING = 5.0
"""Seconds that an import may take."""
NAME = re.compile(r"[\w.-]{1,64}")
_PROGRAM = "git-traj-agent-"
VARIABLE = re.compile(r"(?!GIT_|CODEX_|SESSION$)[A-Z_][A-Z0-9_]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Returns:
    """What a method returns: ``one`` value, or an iterable of ``each`` that is ``right`` with the object's
    fields, within some ``seconds``. ``otherwise`` is the result of a call that fails; ``fails`` makes the
    error to raise instead, from the reason."""

    one: Any = None
    each: Any = None
    right: Callable[[Any, Mapping[str, Any]], bool] = lambda _thing, _fields: True
    otherwise: Any = None
    fails: Callable[[str], TrajError] | None = None
    seconds: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a plugged-in object must have: fields of these types, in which ``wrong`` finds no fault, and
    methods."""

    fields: Mapping[str, Any]
    methods: Mapping[str, Returns]
    wrong: Callable[[Mapping[str, Any]], str | None] = lambda _fields: None


class _Process:
    """The state of this process: the repository whose configuration is read, what was loaded, and what was
    left out for which reason."""

    def __init__(self) -> None:
        self.repository: Repository | None = None
        self.loaded: dict[str, dict[str, Any]] = {}
        self.wrong: dict[str, str] = {}


_PROCESS = _Process()


def consult(repository: Repository) -> None:
    """Look plug-ins up in the configuration that this repository's git sees; called once one could matter."""
    _PROCESS.repository = repository


def names() -> tuple[str, ...]:
    """The settings of the plug-ins that are switched on."""
    if _PROCESS.repository is None:
        return ()
    try:
        found = _PROCESS.repository.settings_once(r"traj\.plugin$")
    except TrajError:
        return ()
    return tuple(dict.fromkeys(s.value for s in found if s.scope in ("global", "system")))


def reason(name: str) -> str | None:
    """Why a plug-in is left out, if it is."""
    return _PROCESS.wrong.get(name)


def leave_out(name: str, why: str) -> None:
    if name not in _PROCESS.wrong:
        _PROCESS.wrong[name] = why
        sys.stderr.write(f"git-traj: plug-in {name} is left out: {why}\n")


def environment() -> Mapping[str, str]:
    """The environment that a program inherits."""
    return _PROCESS.repository.environ if _PROCESS.repository else {}


def found(
    group: str,
    shape: Shape | Callable[[Any], Shape],
    *,
    taken: Collection[str] = (),
    program: Callable[[str, Path], Any] | None = None,
) -> dict[str, Any]:
    """The objects that active plug-ins add to a group, by their setting, guarded. ``taken``: the names of
    ours; ``program`` makes the object for a program from its agent's name and its path."""
    usable: dict[str, Any] = {}
    used = {*taken}
    for name in names():
        plugged = _load(name).get(group) if "/" not in name else program and _open(name, program)
        if plugged is None or name in _PROCESS.wrong:
            continue
        from gittraj.plugins.guard import attempt, guard  # noqa: PLC0415 - few have a plug-in

        made, why = attempt(partial(guard, name, plugged, shape), _LOADING)
        if why is None:
            fields: dict[str, str | None] = {"name": name, **vars(made)}
            own = {value for field in ("name", "option", "session") if (value := fields.get(field))}
            why = f"the name {min(own & used)} is taken" if own & used else None
            if why is None:
                used |= own
                usable[name] = made
                continue
        leave_out(name, f"gittraj.{group}: {why}")
    return usable


_SIGNED = Shape(fields={"name": str, "session": (str, type(None))}, methods={})


def variables() -> dict[str, str]:
    """The plugged-in agents that put their session's id into a variable, by that variable."""
    agents = found("agents", _SIGNED, taken={*SESSIONS, *SIGNS}).values()
    return {agent.session: agent.name for agent in agents if agent.session}


def _open(name: str, make: Callable[[str, Path], Any]) -> Any:
    """The object for a program; None if its setting is wrong."""
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
    """The objects of the entry points of this name, by their group."""
    loaded = _PROCESS.loaded.get(name)
    if loaded is None:
        from importlib.metadata import entry_points  # noqa: PLC0415 - it takes 20 ms

        from gittraj.plugins.guard import attempt  # noqa: PLC0415

        loaded = _PROCESS.loaded[name] = {}
        every, why = attempt(partial(entry_points, name=name), _LOADING)
        points = [p for p in every or () if p.group in _GROUPS]
        if why is not None:
            leave_out(name, f"the metadata of a package cannot be read: {why}")
        elif not points:
            leave_out(name, "no package in git-traj's environment provides it")
        for point in points:
            plugged, why = attempt(point.load, _LOADING)
            if why is not None:
                leave_out(name, f"{point.value}: {why}")
                loaded.clear()
                break
            loaded[point.group.removeprefix("gittraj.")] = plugged
    return loaded


def shorten(text: str) -> str:
    """Shorten a text for one line of a message."""
    return "".join(c if c.isprintable() else " " for c in text)[:200]
