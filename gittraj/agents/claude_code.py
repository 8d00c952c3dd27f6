"""Claude Code: logs in ``~/.claude/projects/<folder>/<session>.jsonl``. ``<folder>`` is the path
of the session's folder, with ``-`` in place of each character that is not an ASCII letter or digit.
"""

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
    search_head,
    works_near,
)
from gittraj.config import Environ

_SESSION = re.compile(rb'"sessionId":"([\w-]+)"')
_COMPACTION = "agent-acompact-"
"""The beginning of the names of the logs of the subagent with which Claude Code summarises a conversation."""


class ClaudeCode(Agent):
    name = "claude-code"
    option = "claude-code"
    program = "claude"
    home = ".claude"
    variables = ("CLAUDE_CONFIG_DIR",)
    patterns = ("projects/*/{0}.jsonl",)
    hooks = HookSettings(
        name=name,
        file=".claude/settings.local.json",
        events={"SessionStart": None, "Stop": None, "SessionEnd": None},
    )
    instructions = InstructionFile(own="CLAUDE.local.md", beside=("CLAUDE.md", ".claude/CLAUDE.md"))
    """Claude Code 2.1.197 reads all three; we write to one of ``beside`` only if it has our instruction."""
    last_message = "last_assistant_message"

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        home = self.folder(environ)
        for folder in _project_folders(home / "projects", roots) if home else ():
            for path in sorted(folder.glob("*.jsonl")):
                new = not path.stem.startswith("agent-") and is_new(path, since)
                if new and works_near(path, roots):
                    yield SessionFile(agent=self.name, session=path.stem, path=path)

    def subagents(self, file: SessionFile) -> Iterator[SessionFile]:
        beside = file.path.parent.glob("agent-*.jsonl")  # version 2.0 put the subagents of all sessions there
        below = (file.path.parent / file.session / "subagents").rglob("agent-*.jsonl")
        own = file.session.encode()
        ours = (p for p in beside if (match := search_head(p, _SESSION)) and match[1] == own)
        for path in sorted((*below, *ours)):
            if not path.stem.startswith(_COMPACTION):
                name = path.stem.removeprefix("agent-")
                yield SessionFile(agent=self.name, session=file.session, path=path, subagent=name)


def _project_name(folder: Path) -> str:
    return re.sub(r"[^a-zA-Z0-9]", "-", str(folder))


def _project_folders(projects: Path, roots: Sequence[Path]) -> Iterator[Path]:
    """Yield the folders whose names may mean a root, a folder in it or one above it. Names are ambiguous."""
    above = {_project_name(parent) for root in roots for parent in root.parents}
    inside = tuple(_project_name(root) for root in roots)
    if projects.is_dir():
        yield from (f for f in sorted(projects.iterdir()) if f.name in above or f.name.startswith(inside))
