"""An agent whose sessions a program of the user prints; ``formats.program`` describes the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gittraj.agents import Agent, SessionFile, is_near
from gittraj.config import Environ
from gittraj.formats.program import ProgramStore
from gittraj.frozen import dataclass


@dataclass(frozen=True)
class ProgramAgent(Agent):
    name: str
    option: str
    path: Path

    def find(self, environ: Environ, session: str) -> Path | None:
        return self.path if session in self._store.sessions(self.path) else None

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        for row in self._store.rows():
            if row["changed"] >= since and is_near(Path(row["folder"]), roots):
                yield SessionFile(
                    agent=self.name,
                    session=row["session"],
                    path=self.path,
                    format=self._store.name,
                    changed=int(row["changed"] * 1000),
                )

    @property
    def _store(self) -> ProgramStore:
        return ProgramStore(self.name, self.path)
