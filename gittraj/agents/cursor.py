"""Cursor: transcripts in ``~/.cursor/projects/<folder with - for />/agent-transcripts/[<id>/]<id>.jsonl``.

They have neither times nor results nor the folder itself: what a commit has of their content is all that
links them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from gittraj.agents import Agent, SessionFile, is_new, is_session
from gittraj.config import Environ

_LOGS = ("projects/{}/agent-transcripts/{}.jsonl", "projects/{}/agent-transcripts/{}/{}.jsonl")


class Cursor(Agent):
    name = "cursor"
    option = "cursor"
    home = ".cursor"
    variables = ("CURSOR_CONFIG_DIR",)

    def find(self, environ: Environ, session: str) -> Path | None:
        return next(self._logs(environ, "*", session), None) if is_session(session) else None

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        for folder in dict.fromkeys(map(_munged, roots)):
            for path in self._logs(environ, folder, "*"):
                if is_new(path, since):
                    yield SessionFile(agent=self.name, session=path.stem, path=path)

    def _logs(self, environ: Environ, folder: str, session: str) -> Iterator[Path]:
        for pattern in _LOGS:
            found = self.logs(environ, pattern.format(folder, session, session))
            yield from (path for path in found if path.parent.name in ("agent-transcripts", path.stem))


def _munged(folder: Path) -> str:
    """Not reversible; a folder above or below has another name."""
    return re.sub(r"[^a-zA-Z0-9]+", "-", str(folder)).strip("-")
