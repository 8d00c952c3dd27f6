"""The interface between a walk and a recorder of sessions, and git-traj as such a recorder.

The hooks run as always. The worker that they would start is held back by its lock; its work is done in
this process, at once or some steps later, as the walk says. ``live`` lets the workers do it themselves.
"""

from __future__ import annotations

import contextlib
import io
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from unittest.mock import patch

from gittraj.cli.common.group import call
from gittraj.config import Environ
from gittraj.git import open_repository
from gittraj.model.codec import decode_note
from gittraj.notes.merge import standing
from gittraj.notes.store import NotesRef
from gittraj.record.drain import news
from gittraj.record.drain.composition import drain
from gittraj.state.folder import LocalState
from gittraj.state.precommit_flag import update_watch
from tests.integration import claude_session, codex_session, session_writer
from tests.integration.claude_session import ClaudeSession
from tests.integration.codex_session import CodexSession
from tests.integration.gemini_session import GeminiSession
from tests.integration.opencode_session import OpenCodeSession
from tests.integration.repository import Git
from tests.integration.session_writer import SessionWriter

Key = tuple[str, str]


@dataclass(slots=True)
class Carried:
    """The recorded works by commit, over all clones. ``whole``: the works whose records are all there;
    ``parts``: for each record, the works that it may be of, none if no work matches it."""

    whole: dict[str, set[str]] = field(default_factory=dict)
    parts: dict[str, set[frozenset[str]]] = field(default_factory=dict)


class Recorder(Protocol):
    """``works`` are the names of works by the calls that did them, filled in by the walk. ``agents`` are
    those that it may be asked to hire."""

    works: dict[str, set[str]]
    agents: Sequence[str]

    def install(self, root: Path) -> None: ...

    def hire(self, agent: str, folder: Path, name: str) -> SessionWriter: ...

    def before(self, root: Path) -> None:
        """Prepare for a command that is about to run in a clone."""

    def record(self, root: Path) -> None:
        """Record what happened in a clone."""

    def share(self, root: Path, remote: str) -> None: ...

    def finish(self, roots: Mapping[str, Path]) -> list[str]:
        """Record and share everything; return the faults found."""

    def carried(self, roots: Mapping[str, Path], born: Mapping[str, set[str]]) -> Carried:
        """Return the works recorded on each commit; ``born`` are the works that each commit resulted from."""


class Quick(ClaudeSession):
    lag = 0.0  # seconds until the message of a running call is in the log


WRITERS: Mapping[str, type[SessionWriter]] = {
    "claude": Quick,
    "codex": CodexSession,
    "gemini": GeminiSession,
    "opencode": OpenCodeSession,
}


@contextmanager
def log_by(now: Callable[[], str]) -> Iterator[None]:
    """Make agents write their logs by this clock, which git's commits use, too, and not by this machine's,
    which the hooks use; they do not run git to get the branch for every record."""
    with (
        patch.object(claude_session, "now", now),
        patch.object(codex_session, "now", now),
        patch.object(session_writer, "now", now),
        patch.object(claude_session, "branch", lambda _: "main"),
        patch.object(LocalState, "moment", lambda _self, _commit: None),
        patch.object(news, "HOOK_GRACE", 0.0),  # hooks are done when their command has ended
    ):
        yield


class Ours:
    """git-traj."""

    agents: Sequence[str] = ("claude", "codex")

    def __init__(self, *, live: bool = False) -> None:
        self.live = live
        self.works: dict[str, set[str]] = {}
        self.hired: list[SessionWriter] = []

    def install(self, root: Path) -> None:
        self._traj(root, "install")
        Git(root)("config", "traj.push", "auto")
        for path in (root / ".git" / "config", Path(os.environ["HOME"]) / ".gitconfig"):
            os.utime(path, (time.time() - 60,) * 2)  # it was installed a while ago
        with open_repository(root) as repository:
            update_watch(repository)  # as the first worker does: no hook starts Python before a commit

    def hire(self, agent: str, folder: Path, name: str) -> SessionWriter:
        self.hired.append(WRITERS[agent](folder, name=name))
        return self.hired[-1]

    def before(self, root: Path) -> None:
        if not self.live:
            (_state(root) / "drain.lock").touch()

    def record(self, root: Path) -> None:
        if self.live:
            self._traj(root, "log", "--all")
            return
        raw = dict(os.environ)
        with open_repository(root, environ=raw) as repository:
            drain(repository, environ=Environ.of(raw), live=raw)

    def share(self, root: Path, remote: str) -> None:
        self._traj(root, "sync", remote)

    def finish(self, roots: Mapping[str, Path]) -> list[str]:
        for writer in self.hired:  # all sessions end: their turns are over
            if writer.log.exists():
                os.utime(writer.log, (time.time() - 60,) * 2)
        for root in roots.values():
            self.record(root)
        self._exchange(roots)
        repaired = [self._traj(root, "repair") for root in roots.values()]
        if any("carried" in output for output in repaired):
            self._exchange(roots)
        return list(self._look(roots))

    def _exchange(self, roots: Mapping[str, Path]) -> None:
        """Share until every clone has every record."""
        for root in (*roots.values(), *list(roots.values())[:-1]):
            self.share(root, "origin")

    def _look(self, roots: Mapping[str, Path]) -> Iterator[str]:
        bodies = {name: _bodies(root) for name, root in roots.items()}
        union = {commit: body for each in bodies.values() for commit, body in each.items()}
        for name, each in bodies.items():
            for commit in sorted(union):
                if each.get(commit) != union[commit]:
                    yield f"{name}: the note of {commit[:8]} differs from another clone's"
        for name, root in roots.items():
            (_state(root) / "drain.lock").unlink(missing_ok=True)
            status, output = self._call(root, "doctor")
            if status:
                yield f"{name}: doctor: {output}"
            if "missing" in Git(root)("fsck", "--full", "--strict"):
                yield f"{name}: git fsck found something missing"

    def carried(self, roots: Mapping[str, Path], born: Mapping[str, set[str]]) -> Carried:
        """On the commit where a work was born, the record that names the work's call is the work's; on other
        commits the record's key decides. Explored records are skipped: they say that no commit was made."""
        notes: dict[str, dict[Key, str]] = {}
        for root in roots.values():
            for commit, body in _bodies(root).items():
                for record in standing(commit, decode_note(body)):
                    if record.role == "explored":
                        continue
                    notes.setdefault(commit, {})[record.key] = record.link.call or ""
        keys: dict[str, set[Key]] = {}
        owners: dict[Key, set[str]] = {}
        for commit, works in born.items():
            for key, made in notes.get(commit, {}).items():
                for work in self.works.get(made, set()) & works:
                    keys.setdefault(work, set()).add(key)
                    owners.setdefault(key, set()).add(work)
        return Carried(
            whole={c: {w for w, k in keys.items() if k <= found.keys()} for c, found in notes.items()},
            parts={c: {frozenset(owners.get(k, ())) for k in found} for c, found in notes.items()},
        )

    def _traj(self, root: Path, *arguments: str) -> str:
        status, output = self._call(root, *arguments)
        assert status == 0, f"git traj {arguments} ended with {status}: {output}"
        return output

    def _call(self, root: Path, *arguments: str) -> tuple[int, str]:
        """Run a command in this process: starting one takes longer than what it does."""
        here = Path.cwd()
        os.chdir(root)
        try:
            with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
                return call(arguments), out.getvalue()
        finally:
            os.chdir(here)


def _state(root: Path) -> Path:
    return root / ".git" / "traj"


def _bodies(root: Path) -> dict[str, bytes]:
    with open_repository(root) as repository:
        return dict(NotesRef(repository).items())
