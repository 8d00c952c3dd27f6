"""``git traj strike``: a struck statement is shown in no view, also after rereading."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from gittraj.cli.common.group import call
from gittraj.model.values import AnyEvent, CaveatSource, Decided, Decision, Message, Prompt
from tests.integration.repository import Git
from tests.integration.story import Story, record

SAID = "I used a set rather than a list for speed. Windows is untested."
EVENTS: list[AnyEvent] = [
    Prompt(id="p", content="Mend it"),
    Decided(id="d", decision=Decision(chosen="A", by="agent")),
    Message(id="m", content=SAID),
]
CHOICE = "I used a set rather than a list for speed."
FIELDS = {
    "decisions": (
        Decision(chosen="A", by="agent"),
        Decision(
            chosen="a set",
            alternatives=("a list",),
            by="inferred",
            reasoning="speed",
            quote=CHOICE,
            event="m",
        ),
    ),
    "caveats": ("Windows is untested.",),
    "caveat_sources": (CaveatSource(event="m", by="inferred"),),
    "why": CHOICE,
}


@pytest.fixture(autouse=True)
def inside(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(git.root)
    for name in ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_CLI", "AI_AGENT"):
        monkeypatch.delenv(name, raising=False)


def output_of(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert call([*args]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def header(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, Any]:
    (found,) = json.loads(output_of(capsys, "show", "--json", *args))["trajectories"]
    return dict(found)


@pytest.fixture
def commits(git: Git, story: Story) -> list[str]:
    """Make two commits with the same part, which was carried to the second."""
    found = [git.commit({"a": str(n)}) for n in range(2)]
    part = record(n=3, segments=[story.segment("traj_one", 0, EVENTS)], **FIELDS)
    story.note(found[0], part)
    story.note(found[1], replace(part, link=replace(part.link, carried_from=(found[0],))))
    return found


def test_a_strike_does_not_change_the_link_of_a_part(
    commits: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = [header(capsys, commit)["link"] for commit in commits]
    output_of(capsys, "strike", "HEAD", header(capsys)["decisions"][1]["id"])
    assert [header(capsys, commit)["link"] for commit in commits] == before
    assert "carry" not in output_of(capsys, "repair", "--dry-run"), "both have the part"


def test_a_struck_decision_is_shown_nowhere(commits: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    name = header(capsys)["decisions"][1]["id"]
    shown = output_of(capsys, "show")
    assert name[:8] in shown and shown.endswith(f" git traj strike {commits[-1][:7]} ID\n"), (
        "the last line says how to strike it"
    )
    said = output_of(capsys, "strike", "HEAD", name[:6], "--why", "It was about memory.")
    assert said == f"{name[:8]} is struck: {CHOICE}\n"
    for commit in commits:
        shown = header(capsys, commit)
        assert [d["chosen"] for d in shown["decisions"]] == ["A"]
        assert (shown["why"], shown["caveats"]) == (None, ["Windows is untested."])
    for view in (["log"], ["show", "--format", "markdown"], ["show", "--format", "html"], ["context", "a"]):
        assert "a set over" not in output_of(capsys, *view)
    hits = json.loads(output_of(capsys, "search", "set", "--in", "decision", "--json"))["results"]
    assert hits == []
    output_of(capsys, "repair", "--reread")
    assert [d["chosen"] for d in header(capsys)["decisions"]] == ["A"], "also after reading again"


def test_a_struck_caveat_is_shown_nowhere(commits: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    name = header(capsys)["caveatSources"][0]["id"]
    assert name[:8] in output_of(capsys, "show")
    output_of(capsys, "strike", commits[0], name)
    assert header(capsys)["caveats"] == []
    assert len(header(capsys)["decisions"]) == 2


@pytest.mark.parametrize("name", ["0badc0de", ""])
def test_only_inferred_statements_can_be_struck(
    name: str, commits: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["strike", commits[0], name]) == 1
    assert f"no inferred decision or doubt '{name}' is on" in capsys.readouterr().err


def test_an_agent_may_not_strike(
    commits: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_THREAD_ID", "th-1")
    assert call(["strike", commits[0], "0"]) == 1
    assert "only a person" in capsys.readouterr().err
