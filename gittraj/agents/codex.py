"""Codex: logs in ``~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl``, ``archived_sessions/``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from gittraj.agents import (
    Agent,
    HookSettings,
    InstructionFile,
    SessionFile,
    is_new,
    is_session,
    works_near,
)
from gittraj.config import Environ

_NAME = re.compile(r"rollout-[\dT-]+?-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl")


class Codex(Agent):
    name = "codex"
    option = "codex"
    home = ".codex"
    variables = ("CODEX_HOME",)
    hooks = HookSettings(
        name=name,
        file=".codex/hooks.json",
        events={"SessionStart": None, "Stop": None},  # no SessionEnd: the log records where a turn ends
        advice="Codex runs them only once you trust them: start codex here, trust the folder, and choose "
        "'Trust all and continue' (later: /hooks); codex exec never asks",
    )
    instructions = InstructionFile(own="AGENTS.md", instead="AGENTS.override.md")
    """The files that Codex 0.169.0 reads."""
    last_message = "last_assistant_message"

    def find(self, environ: Environ, session: str) -> Path | None:
        if not is_session(session):
            return None
        return next((p for p in self._rollouts(environ) if p.name.endswith(f"-{session}.jsonl")), None)

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        for path in self._rollouts(environ):
            match = _NAME.fullmatch(path.name)
            if match and is_new(path, since) and works_near(path, roots):
                yield SessionFile(agent=self.name, session=match[1], path=path)

    def _rollouts(self, environ: Environ) -> Iterator[Path]:
        """Yield the logs, the newest day first: the wanted session is nearly always a new one."""
        for folder in (
            *reversed(self.logs(environ, "sessions/*/*/*")),
            *self.logs(environ, "archived_sessions"),
        ):
            yield from sorted(folder.glob("rollout-*.jsonl"), reverse=True)
