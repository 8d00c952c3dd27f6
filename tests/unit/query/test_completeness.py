"""Completeness of a trajectory: counted over all of its parts, without inferred statements."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gittraj.model import values
from gittraj.model.header import Header
from gittraj.model.values import Decision, Retrospective, SessionInfo, Summary, TaskRef
from gittraj.query.account import PARTS, complete
from gittraj.query.header import fold
from tests.integration.story import record
from tests.unit.render.headers import COMMIT, full_header

DECISION = Decision(chosen="X", by="agent")


def measure(**figures: Any) -> Header:
    whole = figures.pop("whole", SessionInfo())
    return complete(fold({COMMIT: [record(whole=whole, **figures)]}).header(None))


@pytest.mark.parametrize(
    ("given", "present"),
    [
        ({}, []),
        ({"decisions": (DECISION,)}, ["decisions"]),
        ({"decisions": (replace(DECISION, by="human"),)}, ["decisions"]),
        ({"decisions": (replace(DECISION, by="inferred"),)}, []),
        ({"summary": Summary(text="Done", by="inferred")}, ["summary"]),
        (
            {"whole": SessionInfo(retrospective=Retrospective(by="agent", summary="Done"))},
            ["retrospective", "summary"],
        ),
        (
            {"whole": SessionInfo(retrospective=Retrospective(by="agent", learnings=("so",)))},
            ["retrospective"],
        ),
        ({"tests": values.TestRuns(runs=2)}, ["tests"]),
        ({"whole": SessionInfo(task=TaskRef(title="#1"))}, ["task"]),
    ],
)
def test_stated_fields_are_present_and_inferred_ones_missing(
    given: dict[str, Any], present: list[str]
) -> None:
    assert measure(**given) == {
        "present": present,
        "missing": [part for part in PARTS if part not in present],
    }


def test_a_nearly_complete_trajectory_lacks_only_its_task() -> None:
    assert complete(full_header())["missing"] == ["task"]
