"""Agents with one log per session, whose path has the session's id: one row each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from gittraj.agents import Agent, InstructionFile, SessionFile, is_new, is_session, works_near
from gittraj.config import Environ
from gittraj.frozen import dataclass


@dataclass(frozen=True, kw_only=True)
class LoggedAgent(Agent):
    """``log`` is the pattern of a log's path in the agent's folder; ``{0}`` in it is the session's id.
    ``about`` is such a pattern, too, for the file with the session's working folder, if the log does not name
    it. ``started`` is a pattern for the subagents' logs, relative to the parent of the log's folder; ``*`` in
    it is a subagent's name."""

    name: str
    option: str
    home: str
    log: str
    variables: tuple[str, ...] = ()
    session: str | None = None
    about: str | None = None
    started: str | None = None
    instructions: InstructionFile | None = None

    @property
    def patterns(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.log,)

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        for path in self.logs(environ, self.log.format("*")):
            named = self._named.search(path.as_posix())
            if named and is_new(path, since) and works_near(self._about(environ, path, named[1]), roots):
                yield SessionFile(agent=self.name, session=named[1], path=path)

    def subagents(self, file: SessionFile) -> Iterator[SessionFile]:
        if self.started and is_session(file.session):
            pattern = self.started.format(file.session)
            before, after = pattern.rsplit("/", 1)[1].split("*")
            for path in sorted(file.path.parent.parent.glob(pattern)):
                subagent = path.name.removeprefix(before).removesuffix(after)
                yield SessionFile(agent=self.name, session=file.session, path=path, subagent=subagent)

    def _about(self, environ: Environ, log: Path, session: str) -> Path:
        folder = self.folder(environ)
        return folder / self.about.format(session) if self.about and folder else log

    @cached_property
    def _named(self) -> re.Pattern[str]:
        """Matches the path of a log; its group is the session's id."""
        first, *others = re.escape(self.log).replace(r"\*", "[^/]*").split(r"\{0\}")
        return re.compile(rf"/{first}([\w-]+)" + r"\1".join(others) + "$")


AGENTS = (
    # No hooks for Copilot: it reads them from .github/hooks, which is committed, so everybody would get them
    LoggedAgent(
        name="copilot",
        option="copilot",
        home=".copilot",
        variables=("COPILOT_HOME",),
        log="session-state/{0}/events.jsonl",
        instructions=InstructionFile(own="AGENTS.md"),
    ),
    LoggedAgent(
        name="pi",
        option="pi",
        home=".pi/agent",
        variables=("PI_CODING_AGENT_DIR",),
        log="sessions/*/*_{0}.jsonl",
        instructions=InstructionFile(own="AGENTS.md"),
    ),
    LoggedAgent(
        name="qwen-code",
        option="qwen",
        home=".qwen",
        variables=("QWEN_RUNTIME_DIR", "QWEN_HOME"),
        log="projects/*/chats/{0}.jsonl",
        started="subagents/{0}/agent-*.jsonl",
        instructions=InstructionFile(own="QWEN.md"),
    ),
    LoggedAgent(
        name="cline",
        option="cline",
        home=".cline/data",
        variables=("CLINE_DATA_DIR",),
        log="sessions/{0}/{0}.messages.json",
        about="sessions/{0}/{0}.json",
        instructions=InstructionFile(own="AGENTS.md"),
    ),
)
"""The paths are those of Copilot CLI 1.0.102, pi 0.73.1, Qwen Code 0.15.10 and Cline 3.0.65."""
