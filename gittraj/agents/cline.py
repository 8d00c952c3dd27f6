"""Cline: logs in ``~/.cline/data/sessions/<session>/<session>.messages.json``; ``<session>.json`` beside
tells where a session works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gittraj.agents import InstructionFile, SessionFile, is_new, is_session, logs_of, works_near
from gittraj.config import Environ

_LOG = "sessions/{0}/{0}.messages.json"


class Cline:
    name = "cline"
    option = "cline"
    hooks = None
    instructions = InstructionFile(own="AGENTS.md")
    """As Cline 3.0.65 reads it."""
    asks = None

    def current(self, environ: Environ) -> str | None:
        # its commands' environment tells that it runs, and no session
        return None

    def find(self, environ: Environ, session: str) -> Path | None:
        found = logs_of(environ, self.name, _LOG.format(session)) if is_session(session) else []
        return next(iter(found), None)

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        for path in logs_of(environ, self.name, _LOG.format("*")):
            session = path.parent.name
            about = path.with_name(f"{session}.json")
            if is_new(path, since) and works_near(about, roots):
                yield SessionFile(agent=self.name, session=session, path=path)

    def subagents(self, file: SessionFile) -> Iterator[SessionFile]:
        # those it starts have sessions of their own
        yield from ()
