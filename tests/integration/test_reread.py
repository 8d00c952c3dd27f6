"""``git traj repair --reread``: what older rules derived from stored events is derived again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gittraj.cli.common.group import call
from gittraj.model.codec import decode_note
from gittraj.model.values import (
    AnyEvent,
    Counts,
    Decided,
    Decision,
    FileTouched,
    Message,
    Prompt,
    Record,
    TestRuns,
    ToolCall,
    ToolResult,
)
from gittraj.notes.store import NotesRef
from tests.integration.repository import Git
from tests.integration.story import Story, record

EVENTS: list[AnyEvent] = [
    Prompt(id="p", content="Mend the import"),
    ToolCall(id="c0", name="Edit", call_id="k0"),
    ToolResult(id="r0", call_id="k0", is_error=True, content="no"),
    Decided(id="d0", decision=Decision(chosen="declined Edit", by="human")),
    ToolCall(id="c1", name="Bash", call_id="k1", arguments={"command": "pytest -q 2>&1 | tail -1"}),
    ToolResult(id="r1", call_id="k1", content="1 failed, 2 passed in 0.1s", exit_code=0),
    Message(id="m", content="I used a set rather than a list for speed. Windows is untested."),
]
OLD = {
    "decisions": (Decision(chosen="declined Edit", by="human"),),
    "tests": TestRuns(runs=1, last_passed=2, last_exit=0),
}


@pytest.fixture(autouse=True)
def inside(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(git.root)


def read(story: Story, commit: str) -> Record:
    (found,) = decode_note(NotesRef(story.repository).read(commit) or b"")
    assert isinstance(found, Record)
    return found


def reread(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, int]:
    assert call(["repair", "--reread", "--json", *args]) == 0, capsys.readouterr().err
    found: dict[str, int] = json.loads(capsys.readouterr().out)
    return found


def test_a_reread_part_is_written_to_each_of_its_notes_once(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = (git.commit({"a": str(n)}) for n in range(2))
    stored = story.segment("traj_one", 0, EVENTS)
    part = record(n=len(EVENTS), segments=[stored], **OLD)
    story.note(one, part)
    story.note(two, replace(part, link=replace(part.link, carried_from=(one,))))

    report = reread(capsys, "--dry-run")
    assert (report["read"], report["changed"], read(story, one).rev) == (1, 1, 1)
    assert reread(capsys)["changed"] == 1
    for commit in (one, two):
        found = read(story, commit)
        assert (found.rev, found.segments, found.link.carried_from) == (
            2,
            (stored,),
            (one,) if commit == two else (),
        )
        assert [(d.chosen, d.alternatives, d.by) for d in found.figures.decisions] == [
            ("a set", ("a list",), "inferred")
        ]
        assert found.figures.caveats == ("Windows is untested.",)
        assert found.figures.why == "I used a set rather than a list for speed."
        assert found.figures.tests is not None
        assert (found.figures.tests.outcome, found.figures.tests.last_failed) == ("failed", 1)
    assert reread(capsys)["changed"] == 0, "a second time changes nothing"


def test_a_part_that_cannot_be_read_completely_is_left_and_reported(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = story.segment("traj_one", 0, EVENTS)
    lost = replace(stored, name="000000-0badc0de")
    for number, part in enumerate(
        (
            record("traj_lost", segments=[lost], **OLD),
            record(segments=[stored], counts=Counts(omitted=3), **OLD),
            replace(record("traj_new", segments=[stored], **OLD), v=2),
        )
    ):
        story.note(git.commit({"a": str(number)}), part)
    report = reread(capsys)
    assert (report["read"], report["changed"], report["absent"], report["newer"]) == (0, 0, 2, 1)


def test_a_known_test_outcome_survives_shortened_stored_output(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    shortened = [*EVENTS[:5], ToolResult(id="r1", call_id="k1", content="…", exit_code=0, truncated=True)]
    known = TestRuns(runs=1, ran=True, kind="test", outcome="passed", last_passed=2)
    commit = git.commit({"a": "1"})
    story.note(commit, record(segments=[story.segment("traj_one", 0, shortened)], tests=known))
    reread(capsys)
    assert read(story, commit).figures.tests == known


@pytest.mark.parametrize("last", [0, 1])
def test_a_caveat_of_a_part_on_two_commits_is_kept_on_both(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str], last: int
) -> None:
    commits = [git.commit({"a": str(n)}) for n in range(2)]
    events = [
        ToolCall(id="c0", name="Edit", call_id="k0", files=(FileTouched(path="a", kind="update"),)),
        Message(id="m", content="The retry path has no tests."),
        ToolCall(id="c1", name="Bash", call_id="k1", arguments={"command": "./release"}),
    ]
    part = record(n=len(events), segments=[story.segment("traj_one", 0, events)])
    for n, commit in enumerate(commits):
        story.note(commit, replace(part, link=replace(part.link, call="k1" if n == last else "k0")))
    reread(capsys)
    assert [read(story, c).figures.caveats for c in commits] == [("The retry path has no tests.",)] * 2


def test_a_caveat_stated_before_the_commit_is_kept(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    commit, doubt = git.commit({"a": "1"}), "I'm unsure whether the clock counts while a laptop sleeps."
    events = [
        ToolCall(id="c0", name="Edit", call_id="k0", files=(FileTouched(path="a", kind="update"),)),
        Message(id="m", content=f"Green. {doubt}"),
        ToolCall(id="c1", name="Bash", call_id="k1", arguments={"command": "git commit -qam x"}),
    ]
    part = record(n=len(events), segments=[story.segment("traj_one", 0, events)])
    story.note(commit, replace(part, link=replace(part.link, call="k1")))
    assert reread(capsys)["changed"] == 1
    assert read(story, commit).figures.caveats == (doubt,)
