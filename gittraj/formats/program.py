"""Reads an agent whose log is not in a file: the user's program ``git-traj-agent-NAME`` prints its sessions.

``PROGRAM sessions`` prints one line of JSON per session: ``session`` (its id), ``folder`` (where it works),
``changed`` (seconds since 1970). ``PROGRAM read ID`` prints one session in any format that git-traj reads.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gittraj import plugins
from gittraj.errors import FormatError
from gittraj.formats import HEAD, detect
from gittraj.model.session_items import Item
from gittraj.plugins.process import run

_LIST_SECONDS = 4.0
_READ_SECONDS = 30.0
"""How long the program may run: with the time to end it, less than ``plugins`` allows for a call."""
_LIST_BYTES = 4_000_000
_SESSION_BYTES = 256_000_000
"""The maximum number of bytes that the program may print."""


class ProgramStore:
    """A store of sessions, at the program's path."""

    def __init__(self, agent: str, program: Path) -> None:
        self.name, self.agent, self.program = f"program-{agent}", agent, program

    def detect(self, path: Path) -> bool:
        return path == self.program

    def sessions(self, path: Path) -> Iterator[str]:
        yield from (row["session"] for row in self.rows())

    def rows(self) -> Iterator[dict[str, Any]]:
        """What the program prints about each session. Raises FormatError."""
        for line in self._run("sessions", seconds=_LIST_SECONDS, limit=_LIST_BYTES).splitlines():
            try:
                row = json.loads(line)
                yield {
                    "session": _text(row["session"]),
                    "folder": _text(row["folder"]),
                    "changed": float(row["changed"]),
                }
            except (ValueError, LookupError, TypeError, RecursionError):
                raise FormatError(f"a line of its sessions is {line[:80]!r}") from None

    def read(self, path: Path, session: str) -> Iterator[Item]:
        body = self._run("read", session, seconds=_READ_SECONDS, limit=_SESSION_BYTES)
        reader = detect(body[:HEAD])
        if reader is None:
            raise FormatError(f"session {session} is not in a format that git-traj reads")
        yield from reader.read(io.BytesIO(body), session=session)

    def _run(self, *arguments: str, seconds: float, limit: int) -> bytes:
        inherited = plugins.environment().items()
        environ = {name: value for name, value in inherited if not name.startswith("GIT_")}
        environ["GIT_TRAJ"] = "0"
        command = [str(self.program), *arguments]
        status, out = run(command, "", environ, seconds=seconds, limit=limit, key="traj.plugin")
        if status:
            raise FormatError(f"{arguments[0]}: it ended with status {status}")
        return out


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
