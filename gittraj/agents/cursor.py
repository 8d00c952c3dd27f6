"""Cursor: transcripts in ``~/.cursor/projects/<folder with - for />/agent-transcripts/[<id>/]<id>.jsonl``.

They have neither times nor results nor the folder itself: what a commit has of their content is all that
links them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from gittraj.agents import SessionFile, is_new, is_session, logs_of
from gittraj.config import Environ

_LOGS = ("projects/{}/agent-transcripts/{}.jsonl", "projects/{}/agent-transcripts/{}/{}.jsonl")


class Cursor:
    name = "cursor"
    option = "cursor"
    hooks = None
    instructions = None
    asks = None

    def current(self, environ: Environ) -> str | None:
        # its commands' environment has CURSOR_AGENT=1 and no session
        return None

    def find(self, environ: Environ, session: str) -> Path | None:
        return next(_logs(environ, "*", session), None) if is_session(session) else None

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        for folder in dict.fromkeys(map(_munged, roots)):
            for path in _logs(environ, folder, "*"):
                if is_new(path, since):
                    yield SessionFile(agent=self.name, session=path.stem, path=path)

    def subagents(self, file: SessionFile) -> Iterator[SessionFile]:
        yield from ()


def _logs(environ: Environ, folder: str, session: str) -> Iterator[Path]:
    for pattern in _LOGS:
        found = logs_of(environ, Cursor.name, pattern.format(folder, session, session))
        yield from (path for path in found if path.parent.name in ("agent-transcripts", path.stem))


def _munged(folder: Path) -> str:
    """Not reversible; a folder above or below has another name."""
    return re.sub(r"[^a-zA-Z0-9]+", "-", str(folder)).strip("-")
