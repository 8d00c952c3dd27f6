"""Links by earlier rules that times or logs refute: ``doctor`` reports them, and ``--fix`` demotes them."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from gittraj.model.codec import decode_note
from gittraj.model.values import AnyEvent, Link, Origin, Record, ToolCall, ToolResult
from gittraj.notes.merge import standing
from gittraj.notes.store import NotesRef
from tests.e2e.scenario import Shell, Write
from tests.integration.command import traj
from tests.integration.desk import Desk
from tests.integration.repository import Git
from tests.integration.story import Story, record

COMMITTED_AT = 1_770_000_000


def stamp(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat().replace("+00:00", "Z")


def link_call(
    git: Git, story: Story, evidence: Any, begun: float, ended: float, *, first: float = 0.0
) -> str:
    """Make a commit with a record of a call that began and ended ``begun`` and ``ended`` seconds after it,
    in a session whose part began at the earlier of ``first`` and ``begun``."""
    date = {"GIT_COMMITTER_DATE": f"{COMMITTED_AT} +0000"}
    git("commit", "-q", "--allow-empty", "-m", "made", env=date)
    commit = git.head()
    events: list[AnyEvent] = [
        ToolCall(id="e0", name="Bash", call_id="call", ts=stamp(COMMITTED_AT + begun)),
        ToolResult(id="e1", call_id="call", ts=stamp(COMMITTED_AT + ended)),
    ]
    ref = story.segment("traj_one", 0, events)
    part = record(
        "traj_one",
        n=2,
        link=Link(evidence=evidence, call="call"),
        segments=[ref],
        started_at=stamp(COMMITTED_AT + min(first, begun)),
    )
    story.note(commit, replace(part, origin=Origin(commit=commit)))
    return commit


def doctor(git: Git, *options: str) -> list[str]:
    found: list[dict[str, Any]] = json.loads(traj(git.root, "doctor", "--json", *options).stdout)["findings"]
    return [each["text"] for each in found if each["code"] == "refuted"]


@pytest.mark.parametrize(
    ("evidence", "begun", "ended", "first"),
    [
        ("content", 60, 61, 0),  # the edit came after a person's commit
        ("content", 60, 61, 60),  # the commit came before the whole session
        ("agent", -90, -60, -90),  # committed later, in bash mode or in a terminal
        ("output", 60, 61, -5),  # a later call only printed the commit
    ],
)
def test_a_link_that_times_refute_is_reported_and_demoted(
    git: Git, story: Story, evidence: str, begun: float, ended: float, first: float
) -> None:
    commit = link_call(git, story, evidence, begun, ended, first=first)
    (said,) = doctor(git)
    assert commit[:12] in said
    assert doctor(git, "--fix") == [said]
    assert doctor(git) == []
    assert traj(git.root, "log").stdout == ""
    (shown,) = json.loads(traj(git.root, "log", "--all", "--json").stdout)["commits"]
    assert len(shown["trajectories"]) == 1


@pytest.mark.parametrize(
    ("evidence", "begun", "ended", "first"),
    [
        ("content", -60, -59, -60),
        ("agent", -1, 1, -60),
        ("agent", 60, 61, 50),  # GIT_COMMITTER_DATE, perhaps
        ("agent", -1e6, -1e6 + 1, -1e6),
        ("content", 1e7, 1e7, 1e7),
        ("manual", 60, 61, 0),
        ("imported", 60, 61, 0),
    ],
)
def test_a_link_that_times_do_not_refute_stays(
    git: Git, story: Story, evidence: str, begun: float, ended: float, first: float
) -> None:
    link_call(git, story, evidence, begun, ended, first=first)
    assert doctor(git) == []


def credit_wrongly(desk: Desk) -> tuple[str, str]:
    """Return a person's commit of an agent's work, and a commit of their own work, which a record wrongly
    credits to the agent, too: the agent once wrote that file, and reverted it."""
    lines = "".join(f"value_{n} = compute({n})\n" for n in range(5))
    desk.work("wrote", Write("one.py", lines), Write("two.py", lines), Shell("git add -A && git stash -q"))
    desk.works.clear()
    desk.work("again", Write("one.py", lines))
    mine = desk.git.commit({}, "Mine")
    desk.drain()
    (desk.git.root / "two.py").write_text(lines)
    desk.git("add", "-A")
    desk.git("commit", "-qm", "Theirs", env={"GIT_COMMITTER_DATE": f"{int(time.time()) + 2} +0000"})
    theirs = desk.git.head()
    desk.drain()
    assert records(desk.git, theirs) == []
    honest = next(r for r in records(desk.git, mine) if [f.path for f in r.figures.files] == ["one.py"])
    with desk.git.open() as repository:
        Story(repository).note(theirs, replace(honest, origin=Origin(commit=theirs)))
    return mine, theirs


def records(git: Git, commit: str) -> list[Record]:
    with git.open() as repository:
        found = standing(commit, decode_note(NotesRef(repository).read(commit) or b""))
    return [each for each in found if each.role == "produced"]


def test_a_link_that_the_log_refutes_is_reported_and_demoted(desk: Desk) -> None:
    mine, theirs = credit_wrongly(desk)
    before = records(desk.git, mine)
    (said,) = doctor(desk.git)
    assert said.endswith(f"such as {theirs[:12]}): their sessions wrote something else")
    assert doctor(desk.git, "--fix") == [said]
    assert doctor(desk.git) == []
    assert (records(desk.git, mine), records(desk.git, theirs)) == (before, [])


@pytest.mark.parametrize("obstacle", ["gone", "cut", "paused"])
def test_a_link_that_no_log_can_check_is_not_reported(desk: Desk, obstacle: str) -> None:
    credit_wrongly(desk)
    log = desk.sessions["one"].log
    if obstacle == "gone":
        log.unlink()
    elif obstacle == "cut":
        text = log.read_text()
        log.write_text(text[: text.index("Please do again")].rpartition("\n")[0])
    else:
        traj(desk.git.root, "pause")
    assert doctor(desk.git) == []
