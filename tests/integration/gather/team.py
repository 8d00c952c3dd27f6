"""Shortcuts for tests: repositories of a team, and what an engine has gathered from them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gittraj.model.values import (
    CaveatSource,
    Decision,
    FileChanged,
    Line,
    SessionInfo,
    Summary,
    TestRuns,
    Usage,
)
from tests.integration import command
from tests.integration.repository import Git
from tests.integration.story import Story, record


@dataclass(frozen=True, slots=True)
class Team:
    """Repositories below ``root``, gathered into ``url``."""

    root: Path
    url: str

    def repository(self, name: str, lines: Sequence[Sequence[Line]] = ()) -> Git:
        """A repository with a commit for each of ``lines``, which are the records of its note."""
        git = Git.init(self.root / "clones" / name)
        git("remote", "add", "origin", f"https://github.com/acme/{name}.git")
        for number, records in enumerate(lines):
            commit = git.commit({f"src/{name}{number}.py": f"{number}\n"}, f"Change {number} of {name}")
            if records:
                with git.open() as repository:
                    Story(repository).note(commit, *records)
        return git

    def traj(self, *args: str, status: int = 0) -> str:
        said = command.traj(self.root, *args)
        assert said.returncode == status, (args, said)
        return said.stdout

    def gather(self, *options: str, status: int = 0) -> dict[str, Any]:
        found = self.traj(
            "gather", "clones", "--into", self.url, "--jobs", "1", "--json", *options, status=status
        )
        return json.loads(found)

    def differences(self) -> list[str]:
        said = command.traj(self.root, "gather", "--verify", "--into", self.url, "--jobs", "1", "--json")
        return json.loads(said.stdout)["differences"]

    def ask(self, *args: str) -> Any:
        return json.loads(self.traj(*args, "--team", self.url, "--json"))


def full_record(trajectory: str, at: int = 0, **more: Any) -> Line:
    """A record with a value for every column of the tables."""
    chosen = more.pop("chosen", f"a token bucket in {trajectory}")
    return record(
        trajectory,
        at=at,
        whole=SessionInfo(
            agent="codex", session=trajectory, models=("gpt-5",), title=f"Work of {trajectory}"
        ),
        prompt=more.pop("prompt", f"Please limit the rate in {trajectory}"),
        started_at="2026-01-02T03:00:00.000Z",
        ended_at=f"2026-01-02T03:04:{at:02}.000Z",
        usage=Usage(input_tokens=100 + at, output_tokens=10),
        cost_usd=0.25,
        cost_source="reported",
        summary=Summary(text="Requests are limited", by="agent"),
        decisions=(
            Decision(
                chosen=chosen, by="agent", alternatives=("a sliding window",), reasoning="it is smaller"
            ),
        ),
        caveats=("Bursts were not measured",),
        caveat_sources=(CaveatSource(event=f"e{at}", by="agent"),),
        tests=TestRuns(runs=1, ran=True, kind="test", outcome="passed", last_passed=3),
        files=(FileChanged(path="src/limit.py", edits=2, lines=9),),
        **more,
    )
