"""Reads the spool: one line per run of a hook, git's or an agent's, written by the shims.

The spool only wakes a drain and keeps what a repository does not keep (the environment of a hook, the pairs
of a rewrite): if a line is lost, evidence is missing, but not a commit, since the reflog has the commits. A
line of the second form is ``2``, kind, commit, git directory, terminal, and ``NAME=value`` for each variable;
the first form, which hooks of earlier installations write, has six fields in a fixed order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from gittraj import plugins
from gittraj.frozen import dataclass
from gittraj.git import is_oid
from gittraj.model.signs import SESSIONS, SIGNS

_NAME = re.compile(r"[\w.:-]{1,128}")
"""Matches the name of a session or a call; no other value of an environment may get into a record."""
_KINDS = ("commit", "off", "rewrite", "picked", "squashed", "session")
_SECOND = re.compile(r"2\t(commit|off)\t([^\t]*)\t(.*)\t([01])((?:\t[A-Z_][A-Z0-9_]*=[^\t]*)*)")
NAMED = frozenset(SESSIONS.values())
"""Agents whose session a hook's environment always names: if a hook ran without it, they did not commit."""
_CALL = "CODEX_TOOL_CALL_ID"
_SESSION = "SESSION"
"""The variable in which an agent's own hook names ``agent:session``."""
RUN = "GIT_TRAJ_RUN"
"""The variable in which ``git traj run`` passes ``agent:session`` to the program that it runs."""
SESSION_IDS = (*SESSIONS, _CALL, "AGENT_THREAD_ID", RUN)
"""Variables whose value a commit's hook writes to the spool."""
MARKS = tuple(name for name in SIGNS if name not in SESSION_IDS)
"""Variables of which a hook writes only that they are set: by an agent that opened the shell, or a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spooled:
    """A line of the spool. ``id`` is the commit; for ``rewrite`` it is the old commit, and ``other`` the new
    one; for ``picked`` and ``squashed`` it is the source, and ``other`` the parent that the copy was about to
    get. ``sessions`` are those that the hook's environment named, as ``agent:session``; ``mark`` is the agent
    that it shows if it does not name a session; ``terminal``: somebody may have typed the command. A
    ``session`` line is an agent's own hook's report on one session: an ``event``, and the path of its
    ``log``. For ``rewrite``, the ``event`` is ``rebase`` or ``amend``."""

    kind: Literal["commit", "off", "rewrite", "picked", "squashed", "session"]
    id: str
    git_dir: Path
    other: str = ""
    sessions: tuple[str, ...] = ()
    call: str | None = None
    mark: str | None = None
    terminal: bool = False
    event: str = ""
    log: Path | None = None


def read_spool(state: Path, offset: int) -> tuple[list[Spooled], int]:
    """Read the lines after ``offset``; also return the offset after them. The file stays as it is: if it was
    renamed after a shim has opened it, the shim's line would be lost."""
    try:
        with (state / "spool").open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(offset if offset <= size else 0)
            data = stream.read()
    except FileNotFoundError:
        return [], 0
    complete = data.rfind(b"\n") + 1
    start = offset if offset <= size else 0
    return list(parse_spool(data[:complete])), start + complete


def parse_spool(data: bytes) -> Iterator[Spooled]:
    """Parse lines. Repeated and malformed lines are skipped."""
    seen: set[bytes] = set()
    for line in data.split(b"\n"):
        if line in seen:
            continue
        seen.add(line)
        text = line.decode("utf-8", "surrogateescape")
        spooled = _parse_second(text) if text.startswith("2\t") else _parse_first(text)
        if spooled is not None:
            yield spooled


def _parse_second(line: str) -> Spooled | None:
    match = _SECOND.fullmatch(line)
    if match is None or (match[2] and not is_oid(match[2])) or "\tcommit\t" in match[3]:
        return None  # two lines that were mixed into one
    pairs = (pair.split("=", 1) for pair in match[5].split("\t") if pair)
    named = {name: value for name, value in pairs if _NAME.fullmatch(value)}
    sessions = tuple(_named_sessions(named))
    signs = (agent for name, agent in SIGNS.items() if name in named)
    return Spooled(
        kind=match[1],  # type: ignore[arg-type]
        id=match[2],
        git_dir=Path(match[3]),
        sessions=sessions,
        call=named.get(_CALL),
        mark=None if sessions else next(signs, None),
        terminal=match[4] == "1",
    )


def _named_sessions(named: Mapping[str, str]) -> Iterator[str]:
    agents = plugins.variables() | SESSIONS
    yield from (f"{agent}:{named[name]}" for name, agent in agents.items() if name in named)
    yield from (named[name] for name in (_SESSION, RUN) if ":" in named.get(name, ""))


def _parse_first(line: str) -> Spooled | None:
    fields = line.split("\t", 5)
    if len(fields) < 6 or fields[0] not in _KINDS:
        return None
    if fields[0] == "session":
        return _parse_session(fields)
    kind, commit, second, third, fourth, git_dir = fields
    ids = filter(None, (commit, second if kind == "rewrite" else ""))
    if not all(map(is_oid, ids)):
        return None  # two lines that were mixed into one: not an object id
    named = (("codex", third), ("claude-code", second)) if kind == "commit" else ()
    return Spooled(
        kind=kind,  # type: ignore[arg-type]
        id=commit,
        git_dir=Path(git_dir),
        other="" if kind == "commit" else second,
        sessions=tuple(f"{agent}:{name}" for agent, name in named if _NAME.fullmatch(name)),
        call=fourth if _NAME.fullmatch(fourth) else None,
        event=third if kind == "rewrite" else "",
    )


def _parse_session(fields: list[str]) -> Spooled | None:
    _, agent, session, event, log, git_dir = fields
    if not (_NAME.fullmatch(agent) and _NAME.fullmatch(session)):
        return None
    return Spooled(
        kind="session",
        id="",
        git_dir=Path(git_dir),
        sessions=(f"{agent}:{session}",),
        event=event,
        log=Path(log) if log.startswith("/") or ":" in log[:2] else None,
    )


def find_reported(spooled: Iterable[Spooled]) -> tuple[dict[str, str], frozenset[str]]:
    """The log of each session that agents' hooks reported, and the sessions that ended and did not go on."""
    logs: dict[str, str] = {}
    ended: set[str] = set()
    for line in spooled:
        if line.kind == "session":
            name = line.sessions[0]
            if line.log is not None:
                logs[name] = str(line.log)
            (ended.add if line.event == "SessionEnd" else ended.discard)(name)
    return logs, frozenset(ended)
