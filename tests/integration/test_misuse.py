"""Two agents and a person in one work tree: whether a commit is captured at the time, afterwards or in a
clone, it is never credited to another session, and later captures find the same or less."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.command import traj
from tests.integration.misuse import Misuse, Recorded, imported, late, read_recorded
from tests.sizes import size

SEEDS = range(1, 1 + size(2, 1000, "GIT_TRAJ_MISUSE"))
STORIES = 6


@pytest.mark.parametrize("seed", SEEDS)
def test_live_late_and_imported_agree(seed: int, tmp_path: Path) -> None:
    day = Misuse(tmp_path / "repo", seed)
    day.live(STORIES)
    live = read_recorded(day.root)
    assert missed(day, live) == []
    assert refuted(day) == []
    captures = {"live": live, "late": late(day), "imported": imported(day)}
    for name, found in captures.items():
        assert false(day, found) == [], name
        assert {day.truth[c].kind for c, _ in found.keys() - live.keys()} == set(), name
        for session in {s for _, s in found}:
            now, then = ({c: each[c, s] for c, s in each if s == session} for each in (found, live))
            if {c: part.calls for c, part in now.items()} == {c: part.calls for c, part in then.items()}:
                assert now == then, name


def false(day: Misuse, found: Recorded) -> list[str]:
    """The kinds of the commits credited to a session that has no part in them."""
    whose = ((day.truth.get(commit), session) for commit, session in found)
    return [truth.kind if truth else "?" for truth, s in whose if truth is None or s not in truth.mine]


def refuted(day: Misuse) -> list[str]:
    """The true links that ``doctor`` reports as wrong."""
    found = json.loads(traj(day.root, "doctor", "--json").stdout)["findings"]
    return [each["text"] for each in found if each["code"] == "refuted"]


def missed(day: Misuse, found: Recorded) -> list[str]:
    """The kinds of the agents' own commits that were not recorded."""
    made = ((c, t) for c, t in day.truth.items() if t.kind.startswith("agent"))
    reached = {*day.git("rev-list", "--branches").split()}
    return [t.kind for c, t in made if c in reached for s in t.owed if (c, s) not in found]
