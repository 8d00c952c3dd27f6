"""Qwen Code: logs in ``~/.qwen/projects/<folder with every other character as ->/chats/<session>.jsonl``, and
those of the agents that a session started in ``subagents/<session>/agent-<name>.jsonl`` beside ``chats``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gittraj.agents import InstructionFile, SessionFile, is_new, is_session, logs_of, works_near
from gittraj.config import Environ

_LOG = "projects/*/chats/{}.jsonl"


class Qwen:
    name = "qwen-code"
    option = "qwen"
    hooks = None
    instructions = InstructionFile(own="QWEN.md")
    """As Qwen Code 0.15.10 reads it."""
    asks = None

    def current(self, environ: Environ) -> str | None:
        # its commands' environment has QWEN_CODE=1 and no session
        return None

    def find(self, environ: Environ, session: str) -> Path | None:
        found = logs_of(environ, self.name, _LOG.format(session)) if is_session(session) else []
        return next(iter(found), None)

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        for path in logs_of(environ, self.name, _LOG.format("*")):
            if is_new(path, since) and works_near(path, roots):
                yield SessionFile(agent=self.name, session=path.stem, path=path)

    def subagents(self, file: SessionFile) -> Iterator[SessionFile]:
        folder = file.path.parent.parent / "subagents" / file.session
        for path in sorted(folder.glob("agent-*.jsonl")):
            subagent = path.stem.removeprefix("agent-")
            yield SessionFile(agent=self.name, session=file.session, path=path, subagent=subagent)
