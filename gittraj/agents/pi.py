"""The pi coding agent: logs in ``~/.pi/agent/sessions/--<folder with - for />--/<time>_<session>.jsonl``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gittraj.agents import InstructionFile, SessionFile, is_new, is_session, logs_of, works_near
from gittraj.config import Environ

_LOG = "sessions/*/*_{}.jsonl"


class Pi:
    name = "pi"
    option = "pi"
    hooks = None
    instructions = InstructionFile(own="AGENTS.md")
    """As pi 0.73.1 reads it."""
    asks = None

    def current(self, environ: Environ) -> str | None:
        # its commands' environment has PI_CODING_AGENT=true and no session
        return None

    def find(self, environ: Environ, session: str) -> Path | None:
        found = logs_of(environ, self.name, _LOG.format(session)) if is_session(session) else []
        return next(iter(found), None)

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        for path in logs_of(environ, self.name, _LOG.format("*")):
            if is_new(path, since) and works_near(path, roots):
                yield SessionFile(agent=self.name, session=path.stem.rpartition("_")[2], path=path)

    def subagents(self, file: SessionFile) -> Iterator[SessionFile]:
        # it has none
        yield from ()
