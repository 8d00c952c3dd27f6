"""Live agents: how each is recognised, where its sessions are, and how it is set up and asked questions.

What is specific to one agent is in its module, except the variables that git's hooks look for: they are in
``model.signs``. Other code iterates over ``all_agents``. A new agent is a row of ``agents.logged``, or a
module with an ``Agent`` and a line in ``all_agents``, or another package's plug-in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gittraj import plugins
from gittraj.config import Environ
from gittraj.frozen import dataclass
from gittraj.model.session_items import trajectory_id
from gittraj.model.signs import SESSIONS, SIGNS

_CWD = re.compile(rb'"cwd":\s*("(?:[^"\\]|\\.)*")')
_HEAD = 262_144
"""Bytes of a log that are searched for its folder and session: instructions may come first."""
_SESSION = re.compile(r"[\w-]{1,128}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFile:
    """The log of a session, or of a ``subagent`` that it started. ``path`` is the log or, if ``format`` is
    set, a store of that format with several sessions; ``changed`` is then the time of the session's last
    change, in milliseconds since 1970. ``own``: the trajectory's id, if the log contains one."""

    agent: str
    session: str
    path: Path
    subagent: str | None = None
    format: str | None = None
    changed: int | None = None
    own: str | None = None

    @property
    def name(self) -> str:
        return f"{self.agent}:{self.session}"

    @property
    def trajectory(self) -> str:
        return self.own or trajectory_id(self.agent, self.session, self.subagent)


@dataclass(frozen=True, slots=True, kw_only=True)
class HookSettings:
    """The file in which an agent reads the hooks of one repository, and the entries that git-traj adds there.

    ``name`` is the agent's name in records. ``events`` maps each event to the tool that it is limited to, if
    any; ``second`` is a second in the agent's unit of time (1,000 if timeouts are in milliseconds); ``label``
    has further keys for an entry's JSON; ``advice`` is what the user has to do after the installation.
    """

    name: str
    file: str
    events: Mapping[str, str | None]
    second: int = 1
    label: Mapping[str, str] | None = None
    advice: str = ""

    def groups(self, script: Path) -> dict[str, dict[str, Any]]:
        """The group of each event, which runs ``script``, as JSON."""
        handler = {
            **(self.label or {}),
            "type": "command",
            "command": hook_command(script.as_posix(), self.name),
            "timeout": 5 * self.second,
        }
        return {
            event: {**({"matcher": tool} if tool else {}), "hooks": [handler]}
            for event, tool in self.events.items()
        }


def hook_command(script: str, agent: str) -> str:
    """The command that an agent runs, in any shell: it does nothing if the script is gone.

    A status of 2 would keep the agent from going on, and dash exits with that for a missing script.
    """
    quoted = "'" + script.replace("'", "'\\''") + "'"
    return f"test ! -f {quoted} || sh {quoted} {agent}"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionFile:
    """The file ``own`` in a work tree, into which we write an agent's instruction. The agent also reads the
    files ``beside``, and if the file ``instead`` exists, the agent reads that one in place of ``own``."""

    own: str
    beside: tuple[str, ...] = ()
    instead: str | None = None


class Agent:
    """``name`` is the agent's name in records, ``option`` the one for ``git traj install --agent``,
    ``program`` its command on PATH. Its data is in ``home`` below the user's home folder, or in the folder
    named by the first of ``variables`` that is set; a session's log matches one of ``patterns`` there, where
    ``{0}`` is the session's id. ``session`` is the variable that has this id in the shells that the agent
    opens; None if there is no such variable, or if ``model.signs`` has it."""

    name: str
    option: str
    home: str = ""
    variables: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    session: str | None = None
    hooks: HookSettings | None = None
    """None: git-traj writes no hooks for the agent."""
    instructions: InstructionFile | None = None
    """None: git-traj writes no instruction for the agent."""
    last_message: str | None = None
    """The field with the agent's last message, which may not be in the log yet, in the payload of the hook at
    the end of a turn; None: the agent cannot be asked there."""
    reuses_log: bool = False
    """Whether each session overwrites the log of the session before."""

    @property
    def program(self) -> str:
        return self.option

    def folder(self, environ: Environ) -> Path | None:
        return environ.folder(self.home, *self.variables) if self.home else None

    def current(self, environ: Environ) -> str | None:
        """The session that runs this process, or None if the environment does not name it."""
        names = (self.session,) if self.session else (n for n, a in SESSIONS.items() if a == self.name)
        return next((environ.variables[name] for name in names if environ.variables.get(name)), None)

    def find(self, environ: Environ, session: str) -> Path | None:
        """The log of a session; None also if only ``sessions`` can find it."""
        patterns = self.patterns if is_session(session) else ()
        logs = (path for pattern in patterns for path in self.logs(environ, pattern.format(session)))
        return next(logs, None)

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        """Yield the logs written after ``since`` (seconds since 1970) by sessions that were started in one of
        ``roots``, or in a folder below or above one."""
        raise NotImplementedError

    def subagents(self, file: SessionFile) -> Iterator[SessionFile]:
        """Yield the logs of the agents that a session started, if these logs are named after the session and
        are not sessions of their own."""
        yield from ()

    def logs(self, environ: Environ, pattern: str) -> list[Path]:
        """The files in the agent's folder that match a pattern, sorted."""
        folder = self.folder(environ)
        return sorted(folder.glob(pattern)) if folder is not None else []


def all_agents() -> dict[str, Agent]:
    """All agents, by name. A function, so that they are imported only when they are needed."""
    from gittraj.agents import (  # noqa: PLC0415
        aider,
        claude_code,
        codex,
        cursor,
        gemini,
        logged,
        mini,
        opencode,
    )
    from gittraj.agents.plugged import SHAPE  # noqa: PLC0415

    agents = (
        claude_code.ClaudeCode(),
        codex.Codex(),
        gemini.Gemini(),
        opencode.OpenCode(),
        opencode.OpenCode("kilo", "kilo"),  # a fork
        *logged.AGENTS,
        aider.Aider(),
        mini.MiniSweAgent(),
        cursor.Cursor(),
    )
    ours = {agent.name: agent for agent in agents}
    taken = {*ours, *(agent.option for agent in agents), *SESSIONS, *SIGNS}
    plugged = plugins.found("agents", SHAPE, taken=taken, program=_make_program_agent)
    return ours | {agent.name: agent for agent in plugged.values()}


def _make_program_agent(name: str, path: Path) -> Agent:
    from gittraj.agents.program import ProgramAgent  # noqa: PLC0415 - few users have one

    return ProgramAgent(name, name, path)


def is_session(name: str) -> bool:
    """Whether a session id may be a part of a file's name."""
    return _SESSION.fullmatch(name) is not None


def works_near(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a log's first ``cwd`` is near one of ``roots``; False if it cannot be read."""
    match = search_head(path, _CWD)
    try:
        return match is not None and is_near(Path(json.loads(match[1])), roots)
    except ValueError:
        return False


def search_head(path: Path, pattern: re.Pattern[bytes], *, end: int = 0) -> re.Match[bytes] | None:
    """The first match near a log's beginning, or in its last ``end`` bytes; None if it cannot be read."""
    try:
        with path.open("rb") as stream:
            if end:
                stream.seek(max(0, path.stat().st_size - end))
            return pattern.search(stream.read(_HEAD))
    except OSError:
        return None


def is_near(folder: Path, roots: Sequence[Path]) -> bool:
    """Whether work in ``folder`` may be work in one of ``roots``: one contains the other."""
    return any(folder == root or root in folder.parents or folder in root.parents for root in roots)


def is_new(path: Path, since: float) -> bool:
    """Whether a log was written after ``since`` (seconds since 1970); False if it no longer exists."""
    try:
        return path.stat().st_mtime >= since
    except OSError:
        return False
