"""mini-swe-agent: its last run in ``~/.config/mini-swe-agent/last_mini_run.traj.json``, written after
each step.

Runs that ``-o`` saved elsewhere are read if ``traj.sessions.path`` names them. A run does not record its
working folder: its commits, and the variables that their hooks saw, show in which repository it worked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gittraj.agents import Agent, SessionFile, is_new
from gittraj.config import Environ
from gittraj.model.session_items import Fact

_LOG = "last_mini_run.traj.json"


class MiniSweAgent(Agent):
    """The agent reads no instruction file in the work tree, and a run has no id until its first answer."""

    name = "mini-swe-agent"
    option = "mini"
    reuses_log = True

    def folder(self, environ: Environ) -> Path | None:
        named = environ.variables.get("MSWEA_GLOBAL_CONFIG_DIR")
        own = environ.config_dir and environ.config_dir / "mini-swe-agent"
        return environ.folder("", "MSWEA_GLOBAL_CONFIG_DIR") if named else own

    def find(self, environ: Environ, session: str) -> Path | None:
        return next((path for path in self.logs(environ, _LOG) if _session(path) == session), None)

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        for path in self.logs(environ, _LOG):
            if is_new(path, since) and (session := _session(path)) is not None:
                yield SessionFile(agent=self.name, session=session, path=path)


def _session(path: Path) -> str | None:
    from gittraj.formats.swe import mini  # noqa: PLC0415 - only if there is a run

    try:
        with path.open("rb") as stream:
            facts = (item for item in mini.read(stream) if isinstance(item, Fact))
            return next((str(fact.value) for fact in facts if fact.name == "session"), None)
    except OSError:
        return None
