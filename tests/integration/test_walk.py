"""Random walks: no record is lost or on a wrong commit, and git does the same as without git-traj.

``GIT_TRAJ_WALKS=N`` walks N seeds, ``GIT_TRAJ_WALK_STEPS=M`` M steps each. Most seeds run only nightly.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.integration.walk import Walk
from tests.integration.walk_model import Model
from tests.integration.walk_recorder import Ours
from tests.sizes import size, some

SEEDS = range(size(40, 40, "GIT_TRAJ_WALKS"))
USUAL = len(SEEDS) if os.environ.get("GIT_TRAJ_WALKS") else 2
STEPS = size(14, 14, "GIT_TRAJ_WALK_STEPS")


def check(root: Path, seed: int, steps: int, recorder: Ours) -> None:
    walk = Walk(root, seed, recorder)
    found = walk.run(steps)
    wrong = [*found.lost, *found.wrong, *found.broken, *found.unsound]
    assert wrong == [], "\n".join([*wrong, "", *walk.world.story])
    assert found.due >= len(walk.trees)
    shutil.rmtree(root)


@pytest.mark.parametrize("seed", some(SEEDS, USUAL))
def test_a_walk(tmp_path: Path, seed: int) -> None:
    check(tmp_path / "walk", seed, STEPS, Ours())


def test_a_walk_with_workers_in_the_background(tmp_path: Path) -> None:
    check(tmp_path / "walk", 1, 10, Ours(live=True))


DIFFS = {
    "one": "+w1x0 = 1\n+w1x1 = 2\n",
    "moved": "-w1x0 = 1\n+w1x0 = 1\n+p1x0 = 3\n",
    "both": "+w1x0 = 1\n+w2x0 = 1\n",
    "back": "-w1x0 = 1\n-w1x1 = 2\n",
    "merge": "",
    "merged again": "",
}


def test_the_model_follows_what_a_commit_adds() -> None:
    model = Model(DIFFS.__getitem__, lines={"w1", "w2"}, merged={"w3": frozenset(("w2",))})
    model.bear("one", "w1")
    model.bear("merge", "w3")
    for new in ("both", "moved", "back", "merged again"):
        model.copy("one", new, reported=new == "moved")
        model.copy("merge", new)
    assert {commit: model.due(commit) for commit in DIFFS} == {
        "one": {"w1"},
        "both": {"w1", "w3"},
        "moved": set(),
        "back": set(),
        "merge": {"w3"},
        "merged again": {"w3"},
    }
    assert model.wrong("moved", ["w1", "w2"]) == {"w2"}
    assert model.wrong("back", ["w1"]) == {"w1"}
    assert model.lost("both", ["w2"]) == {"w1", "w3"}


def test_the_model_knows_which_lines_came_from_where() -> None:
    """Half of a split that a rebase dropped adds nothing to the commit below, the other half."""
    diffs = {"one": "+w1x0 = 1\n+w1x1 = 2\n", "half": "+w1x0 = 1\n", "other": "+w1x1 = 2\n"}
    model = Model((diffs | {"below": diffs["other"]}).__getitem__, lines={"w1"})
    model.bear("one", "w1")
    model.copy("one", "half")
    model.copy("one", "other", sure=False)
    model.copy("half", "below", reported=True)
    assert (model.due("half"), model.due("below")) == ({"w1"}, set())
    model.copy("one", "below")
    assert model.due("below") == {"w1"}


def test_the_model_knows_when_there_is_no_evidence() -> None:
    model = Model(DIFFS.__getitem__, lines={"w1"})
    model.bear("one", "w1")
    model.copy("one", "both", sure=False)
    assert model.due("both") == set()
    assert model.wrong("both", ["w1"]) == set()
    model.copy("one", "both", reported=True, heard=False)
    assert model.due("both") == set()
    model.copy("one", "both", reported=True)
    assert model.due("both") == {"w1"}
