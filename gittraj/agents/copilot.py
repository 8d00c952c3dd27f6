"""GitHub Copilot CLI: logs in ``~/.copilot/session-state/<session>/events.jsonl``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gittraj.agents import InstructionFile, SessionFile, is_new, is_session, logs_of, works_near
from gittraj.config import Environ

_LOG = "session-state/{}/events.jsonl"


class Copilot:
    name = "copilot"
    option = "copilot"
    hooks = None
    """It reads those of a repository from ``.github/hooks``, which everybody would get."""
    instructions = InstructionFile(own="AGENTS.md")
    asks = None

    def current(self, environ: Environ) -> str | None:
        return environ.copilot_session

    def find(self, environ: Environ, session: str) -> Path | None:
        found = logs_of(environ, self.name, _LOG.format(session)) if is_session(session) else []
        return next(iter(found), None)

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        for path in logs_of(environ, self.name, _LOG.format("*")):
            if is_new(path, since) and works_near(path, roots):
                yield SessionFile(agent=self.name, session=path.parent.name, path=path)

    def subagents(self, file: SessionFile) -> Iterator[SessionFile]:
        # what they do stands in the session's own log
        yield from ()
