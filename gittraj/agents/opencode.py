"""OpenCode: all sessions in ``~/.local/share/opencode/opencode.db``, formerly as files in ``storage/``.

Unreleased versions use other names for the database (``opencode-dev.db``). OpenCode's forks have the same
tables, in a folder named after the fork.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gittraj.agents import Agent, SessionFile, is_near, is_session
from gittraj.config import Environ
from gittraj.errors import FormatError
from gittraj.frozen import dataclass

_SHELLS = ("bash", "shell")
_LATELY = 3600.0
"""Seconds without a change after which a session counts as killed, even if its calls still look running."""
_LAST_PARTS = 50
"""The number of a session's latest parts that are searched for running calls."""
_CHANGED = "(SELECT max(time_updated) FROM part WHERE part.session_id = session.id)"
_SESSIONS = "SELECT id, directory, {} FROM session WHERE time_updated >= ? ORDER BY time_created"


@dataclass(frozen=True)
class OpenCode(Agent):
    """OpenCode, or one of its forks."""

    name: str = "opencode"
    option: str = "opencode"

    def folder(self, environ: Environ) -> Path | None:
        data = environ.folder(".local/share", "XDG_DATA_HOME")
        return data and data / self.name

    def current(self, environ: Environ) -> str | None:
        """The session in which a command is running now, if there is only one: the environment of OpenCode's
        shell commands shows that OpenCode runs them, but not in which session."""
        if environ.agent_without_session != self.name:
            return None
        running = {session for path in self._databases(environ) for session in _running(path)}
        return running.pop() if len(running) == 1 else None

    def find(self, environ: Environ, session: str) -> Path | None:
        if not is_session(session):
            return None
        for path in self._databases(environ):
            if list(_rows(path, "SELECT id FROM session WHERE id = ?", session)):
                return path
        storage = self._storage(environ)
        return storage if storage is not None and (storage / "message" / session).is_dir() else None

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        seen: set[str] = set()
        for folder, file in self._listed(environ, since):
            if file.session not in seen and is_near(Path(folder), roots):
                seen.add(file.session)
                yield file

    def _databases(self, environ: Environ) -> list[Path]:
        return self.logs(environ, f"{self.name}*.db")

    def _storage(self, environ: Environ) -> Path | None:
        return next(iter(self.logs(environ, "storage")), None)

    def _listed(self, environ: Environ, since: float) -> Iterator[tuple[str, SessionFile]]:
        """Yield the folder and log of each session that changed after ``since``. The databases come first:
        sessions that were moved into them are still in the files, too."""
        for path in self._databases(environ):
            start = int(since * 1000)
            changed = f"max(time_updated, coalesce({_CHANGED}, 0))"  # a session's row may be updated late
            rows = _rows(path, _SESSIONS.format(changed), start) or _rows(
                path, _SESSIONS.format("time_updated"), start
            )
            for session, folder, at in rows:
                if isinstance(session, str) and isinstance(folder, str):
                    yield folder, self._session(session, path, "opencode-db", at)
        if storage := self._storage(environ):
            yield from self._stored(storage, since)

    def _stored(self, storage: Path, since: float) -> Iterator[tuple[str, SessionFile]]:
        for file in sorted((storage / "session").glob("*/*.json")):
            info = _load(file)
            folder, times = info.get("directory"), info.get("time")
            updated = times.get("updated") if isinstance(times, dict) else None
            new = isinstance(updated, int | float) and updated >= since * 1000
            if new and isinstance(folder, str) and is_session(file.stem):
                yield folder, self._session(file.stem, storage, "opencode-storage", updated)

    def _session(self, session: str, path: Path, form: str, changed: Any) -> SessionFile:
        at = int(changed) if isinstance(changed, int | float) else None
        return SessionFile(agent=self.name, session=session, path=path, format=form, changed=at)


def _rows(path: Path, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """The rows of a query; empty if this database cannot be read, so that the other ones still are read."""
    from gittraj.formats.base.sqlite import open_database  # noqa: PLC0415 - only if there is a database

    try:
        with open_database(path) as database:
            return database.execute(query, values).fetchall()
    except (OSError, FormatError):
        return []


def _load(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _running(path: Path) -> Iterator[str]:
    """Yield the sessions in which a shell command is running now."""
    since = int((time.time() - _LATELY) * 1000)
    for (session,) in _rows(path, "SELECT id FROM session WHERE time_updated >= ?", since):
        query = "SELECT data FROM part WHERE session_id = ? ORDER BY id DESC LIMIT ?"
        if isinstance(session, str) and any(
            _runs(data) for (data,) in _rows(path, query, session, _LAST_PARTS)
        ):
            yield session


def _runs(data: Any) -> bool:
    try:
        part = json.loads(data)
        return part["tool"] in _SHELLS and part["state"]["status"] == "running"
    except (ValueError, TypeError, KeyError, RecursionError):
        return False
