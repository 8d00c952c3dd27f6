"""Links of earlier rules that times refute: ``doctor`` names them, and ``--fix`` demotes them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from gittraj.model.values import AnyEvent, Link, Origin, ToolCall, ToolResult
from tests.integration.command import traj
from tests.integration.repository import Git
from tests.integration.story import Story, record

MADE = 1_770_000_000


def stamp(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat().replace("+00:00", "Z")


def told(git: Git, story: Story, evidence: Any, begun: float, over: float, *, first: float = 0.0) -> str:
    """A commit with a record of a call that began and was over so many seconds after it."""
    date = {"GIT_COMMITTER_DATE": f"{MADE} +0000"}
    git("commit", "-q", "--allow-empty", "-m", "made", env=date)
    commit = git.head()
    events: list[AnyEvent] = [
        ToolCall(id="e0", name="Bash", call_id="call", ts=stamp(MADE + begun)),
        ToolResult(id="e1", call_id="call", ts=stamp(MADE + over)),
    ]
    ref = story.segment("traj_one", 0, events)
    part = record(
        "traj_one",
        n=2,
        link=Link(evidence=evidence, call="call"),
        segments=[ref],
        started_at=stamp(MADE + min(first, begun)),
    )
    story.note(commit, replace(part, origin=Origin(commit=commit)))
    return commit


def doctor(git: Git, *options: str) -> list[str]:
    found: list[dict[str, Any]] = json.loads(traj(git.root, "doctor", "--json", *options).stdout)["findings"]
    return [each["text"] for each in found if each["code"] == "refuted"]


@pytest.mark.parametrize(
    ("evidence", "begun", "over", "first"),
    [
        ("content", 60, 61, 0),  # written after a person's commit
        ("content", 60, 61, 60),  # which came before the whole session
        ("agent", -90, -60, -90),  # typed in bash mode, or in a terminal, later
        ("output", 60, 61, -5),  # shown by a later call
    ],
)
def test_what_times_refute_is_named_and_demoted(
    git: Git, story: Story, evidence: str, begun: float, over: float, first: float
) -> None:
    commit = told(git, story, evidence, begun, over, first=first)
    (said,) = doctor(git)
    assert commit[:12] in said
    assert doctor(git, "--fix") == [said]
    assert doctor(git) == []
    assert traj(git.root, "log").stdout == ""
    (shown,) = json.loads(traj(git.root, "log", "--all", "--json").stdout)["commits"]
    assert len(shown["trajectories"]) == 1


@pytest.mark.parametrize(
    ("evidence", "begun", "over", "first"),
    [
        ("content", -60, -59, -60),
        ("agent", -1, 1, -60),
        ("agent", 60, 61, 50),  # GIT_COMMITTER_DATE, perhaps
        ("content", 1e7, 1e7, 1e7),
        ("manual", 60, 61, 0),
        ("imported", 60, 61, 0),
    ],
)
def test_what_they_do_not_refute_stays(
    git: Git, story: Story, evidence: str, begun: float, over: float, first: float
) -> None:
    told(git, story, evidence, begun, over, first=first)
    assert doctor(git) == []
