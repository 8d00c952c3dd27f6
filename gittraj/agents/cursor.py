"""Cursor: transcripts in ``~/.cursor/projects/<folder with - for />/agent-transcripts/[<id>/]<id>.jsonl``.

Transcripts have neither times nor results nor the folder's path: only their content links them to commits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from gittraj.agents import Agent, SessionFile, is_new
from gittraj.config import Environ


class Cursor(Agent):
    name = "cursor"
    option = "cursor"
    home = ".cursor"
    variables = ("CURSOR_CONFIG_DIR",)
    patterns = ("projects/*/agent-transcripts/{0}.jsonl", "projects/*/agent-transcripts/{0}/{0}.jsonl")

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        for folder in dict.fromkeys(map(_project_name, roots)):
            for pattern in self.patterns:
                for path in self.logs(environ, pattern.replace("*", folder, 1).format("*")):
                    if path.parent.name in ("agent-transcripts", path.stem) and is_new(path, since):
                        yield SessionFile(agent=self.name, session=path.stem, path=path)


def _project_name(folder: Path) -> str:
    """The name that Cursor gives to a folder. The path, and so the folders above and below, cannot be
    restored from it."""
    return re.sub(r"[^a-zA-Z0-9]+", "-", str(folder)).strip("-")
