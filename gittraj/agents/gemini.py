"""Gemini CLI: logs in ``~/.gemini/tmp/<project>/chats/session-<time>-<first 8 of the id>.json[l]``.

In older versions ``<project>`` is the SHA-256 of the folder that the session was started in; in newer ones it
is a short name, whose folder is in ``projects.json`` and in the file ``.project_root`` next to the chats.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gittraj.agents import (
    Agent,
    HookSettings,
    InstructionFile,
    SessionFile,
    is_near,
    is_new,
    is_session,
    search_head,
)
from gittraj.config import Environ
from gittraj.startup import sha256

_SESSION = re.compile(rb'"sessionId"\s*:\s*"([\w-]{1,128})"')
_PREFIX_LENGTH = len("session-YYYY-MM-DDTHH-MM-")
_TAIL = 4096
"""Bytes that are searched at a ``.json`` log's end: if its keys are sorted, the id follows the messages."""


class Gemini(Agent):
    name = "gemini-cli"
    option = "gemini"
    hooks = HookSettings(
        name=name,
        file=".gemini/settings.json",
        # Gemini CLI disables git's hooks: only AfterTool reports a commit immediately
        events={
            "SessionStart": None,
            "AfterTool": "run_shell_command",
            "AfterAgent": None,
            "SessionEnd": None,
        },
        second=1000,
        label={"name": "git-traj"},
        advice="Gemini CLI runs them only in folders that you trust, and lists them at its first start",
    )
    instructions = InstructionFile(own="GEMINI.md")
    """The file that Gemini CLI 0.61.0 reads."""
    last_message = "prompt_response"

    def folder(self, environ: Environ) -> Path | None:
        home = environ.folder("", "GEMINI_CLI_HOME")
        return home and home / ".gemini"

    def find(self, environ: Environ, session: str) -> Path | None:
        pattern = f"tmp/*/chats/session-*-{session[:8]}.json*"
        paths = self.logs(environ, pattern) if is_session(session) else []
        return next(_logs(path for path in paths if _session(path) == session), None)

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        home = self.folder(environ)
        projects = _projects(home, roots) if home else ()
        for path in _logs(path for p in projects for path in (p / "chats").glob("session-*.json*")):
            if is_new(path, since) and (session := _session(path)) is not None:
                yield SessionFile(agent=self.name, session=session, path=path)

    def subagents(self, file: SessionFile) -> Iterator[SessionFile]:
        for path in sorted((file.path.parent / file.session).glob("*.jsonl")):
            yield SessionFile(agent=self.name, session=file.session, path=path, subagent=path.stem)


def _logs(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield one log per session. A session may have several: each resume creates a file that stays empty,
    because the first one is continued; a ``.jsonl`` log continues a ``.json`` one; and the folder with the
    short name is a copy of the one named by the hash."""
    by_session: dict[str, list[Path]] = {}
    for path in sorted(paths):
        if path.suffix in (".json", ".jsonl") and path.is_file():  # Gemini CLI renames unreadable logs
            by_session.setdefault(path.stem[_PREFIX_LENGTH:], []).append(path)
    for same in by_session.values():
        latest = [p for p in same if p.suffix == ".jsonl" or p.with_suffix(".jsonl") not in same]
        yield max(latest, key=lambda p: (p.stat().st_size, p.stat().st_mtime))


def _session(path: Path) -> str | None:
    match = search_head(path, _SESSION)
    if match is None and path.suffix == ".json":
        match = search_head(path, _SESSION, end=_TAIL)
    return match[1].decode() if match else None


def _projects(home: Path, roots: Sequence[Path]) -> Iterator[Path]:
    """Yield the folders of the projects near ``roots``. A path cannot be restored from its hash, which is
    only compared with those of the roots and of the folders above them."""
    above = (folder for root in roots for folder in (root, *root.parents))
    hashed = {sha256(str(folder).encode()).hexdigest() for folder in above}
    named = _registered(home / "projects.json")
    if not (home / "tmp").is_dir():
        return
    for project in sorted((home / "tmp").iterdir()):
        folder = _root(project) or named.get(project.name)
        if project.name in hashed or (folder is not None and is_near(folder, roots)):
            yield project


def _registered(path: Path) -> dict[str, Path]:
    """Each project's folder, by its short name."""
    try:
        projects = json.loads(path.read_bytes())["projects"]
        return {name: Path(folder) for folder, name in projects.items() if isinstance(name, str)}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def _root(project: Path) -> Path | None:
    try:
        return Path((project / ".project_root").read_text("utf-8").strip())
    except (OSError, ValueError):
        return None
