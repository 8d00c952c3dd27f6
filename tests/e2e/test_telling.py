"""A day's work in ordinary prose: every view shows the same, and what really happened."""

from __future__ import annotations

import json

from tests.e2e.agents import Agent
from tests.e2e.scenario import Shell, Write, turn
from tests.e2e.workshop import Workshop

BROKEN = "def add(a, b):\n    return a - b\n"
MENDED = "def add(one, two):\n    return one + two\n"
TEST = (
    "import unittest\nfrom calc import add\n\n\nclass Adds(unittest.TestCase):\n"
    "    def test_two(self):\n        self.assertEqual(add(1, 1), 2)\n\n\nunittest.main()\n"
)
CLOSING = """Perfect! The sum is mended.

## Changes
- I mended `add` in calc.py.

## Key decisions
- **Plain `unittest` over `pytest`**: nothing has to be installed.

## Not done
- Floats are not tested.

All tests pass now.
"""


def test_every_view_shows_what_happened(any_agent: Agent, workshop: Workshop) -> None:
    agent = any_agent
    run = agent.run(
        [
            turn(Write("calc.py", BROKEN), Write("test_calc.py", TEST), say="I write the test first."),
            turn(Shell("python3 test_calc.py 2>&1 | tail -3"), say="It is not tested yet, let me run it."),
            turn(Write("calc.py", MENDED), say="The sign was wrong."),
            turn(Shell("python3 test_calc.py 2>&1 | tail -3; git add . && git commit -qm 'Add numbers'")),
            turn(say=CLOSING),
        ],
        prompt="Write a sum, and test it",
        folder=workshop.path,
    )
    workshop.settle(run)

    (header,) = workshop.log()[0]["trajectories"]
    tests = header["tests"]
    assert (tests["outcome"], tests["kind"], tests["runs"], tests["lastFailed"]) == ("passed", "test", 2, 0)
    (choice,) = header["decisions"]
    assert (choice["chosen"], choice["alternatives"], choice["by"]) == (
        "Plain `unittest`",
        ["`pytest`"],
        "inferred",
    )
    assert choice["quote"] in CLOSING
    assert "Floats are not tested." in header["caveats"]
    assert header["result"]
    assert "Perfect" not in header["result"]
    assert "nothing has to be installed" in header["why"]

    shown = [
        workshop.traj("log"),
        workshop.traj("show"),
        workshop.traj("show", "--format", "markdown"),
        workshop.traj("show", "--format", "html"),
        json.loads(workshop.traj("pr", "--base", "HEAD~1", "--json"))["markdown"],
    ]
    for view in shown:
        words = " ".join(view.replace("\\", "").replace("`", "").split())
        assert "nothing has to be installed" in words
        assert "Floats are not tested" in words
        assert "failed" not in words.partition("Write a sum, and test it")[0]
