"""A day of a team in a minute: two people and four agents in three worktrees and two clones, while everything
goes wrong.

``GIT_TRAJ_DAY=N`` sets the number of steps; most steps are a commit.
"""

from __future__ import annotations

import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.integration.repository import Git
from tests.integration.troubles import TROUBLES
from tests.integration.walk import Walk
from tests.integration.walk_recorder import Ours
from tests.sizes import size

STEPS = size(10, 40, "GIT_TRAJ_DAY")
_DAY = 24 * 3600.0
_ASKED = (("log", "-n", "5"), ("status",), ("stats", "--json"))


class Day(Walk):
    """A walk with one more worktree, which began yesterday and ends now."""

    def worktrees(self) -> Iterator[tuple[str, str, str]]:
        yield from super().worktrees()
        self.world.git("one", "worktree", "add", "--quiet", "-b", "apart", "../third")
        yield "third", "one", "one/.git/worktrees/third"


class Beset(Ours):
    """git-traj, with trouble at two of five recordings, and with commands that read the records."""

    agents: Sequence[str] = ("claude", "codex", "gemini", "opencode")

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.rng = random.Random(seed)
        self.met: Counter[str] = Counter()

    def install(self, root: Path) -> None:
        super().install(root)
        path = root / ".git" / "traj" / "installed.json"
        installed = json.loads(path.read_text())
        path.write_text(json.dumps(installed | {"time": installed["time"] - _DAY - 60}))

    def record(self, root: Path) -> None:
        if self.rng.random() < 0.4:
            trouble = self.rng.choice(TROUBLES)
            self.met[trouble.__name__] += 1
            with trouble(Git(root), self.hired, self.rng):
                super().record(root)
            if trouble.__name__ == "hooks_are_overwritten":
                assert "hooks" in self._call(root, "doctor")[1]
                self._traj(root, "install")
        elif self.rng.random() < 0.2:
            self._traj(root, *self.rng.choice(_ASKED))
        else:
            super().record(root)

    def finish(self, roots: dict[str, Path]) -> list[str]:
        for root in roots.values():
            Ours.record(self, root)
        return super().finish(roots)


@pytest.mark.nightly
def test_a_day(tmp_path: Path) -> None:
    recorder = Beset(1)
    began = time.time()
    walk = Day(tmp_path / "day", 1, recorder, began=began - _DAY)
    found = walk.run(STEPS)
    wrong = [*found.lost, *found.wrong, *found.broken, *found.unsound]
    commits = sum(line.count(" commit") for line in walk.world.story)
    agents = Counter(session.agent for session in recorder.hired)
    print(f"\n{commits} commits, {agents}, {recorder.met}, {time.time() - began:.0f} s")
    assert wrong == [], "\n".join([*wrong, "", *walk.world.story])
    shutil.rmtree(tmp_path / "day")
