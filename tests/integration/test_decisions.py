"""Decisions: all those that a session states, each with the right author, and no others.

The decisions of real sessions were checked by reading the log at each of them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gittraj.cli.common.group import call
from gittraj.decisions.derivation import derive
from gittraj.events.prose.choices import find_choices
from gittraj.model.session_items import Cursor, Entry
from gittraj.model.values import AnyEvent, Decided, Message
from gittraj.record.drain.open_log import find_sessions, read_items
from tests.integration.labelled import FORMATS, Asks, Runs, Says, Step, claude_records, lines, name
from tests.integration.labelled_sessions import FULL, NO, SESSIONS, STATED, Label, Labelled
from tests.integration.repository import Git
from tests.integration.test_import_samples import sessions

Take = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def take(
    git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Take:
    """A function that imports files onto a commit, and returns what ``show`` prints of each session."""
    git.commit({"README": "here\n"}, "Begin")
    git("config", "traj.thinking", "clear")
    monkeypatch.chdir(git.root)

    def run(*arguments: str) -> Any:
        assert call([*arguments, "--json"]) == 0
        out, errors = capsys.readouterr()
        assert errors == ""
        return json.loads(out)

    def taken(*files: Path) -> list[dict[str, Any]]:
        rows = run("import", *map(str, files), "--commit", "HEAD")["imported"]
        assert [row["damage"] for row in rows] == [0] * len(rows)
        names = {row["trajectory"] for row in rows}
        return [each for trajectory in sorted(names) for each in run("show", trajectory)["trajectories"]]

    return taken


def decisions(shown: dict[str, Any]) -> Counter[Label]:
    return Counter(
        (d["chosen"], d["by"], d["question"], tuple(d["alternatives"]), d["reasoning"])
        for d in shown["decisions"]
    )


def events(shown: dict[str, Any]) -> list[dict[str, Any]]:
    return [event for chapter in shown["chapters"] for event in chapter["events"]]


def test_there_are_twenty_sessions_of_all_formats() -> None:
    assert len({each.name for each in SESSIONS}) == 20
    assert {each.format for each in SESSIONS} == set(FORMATS)


@pytest.mark.parametrize("session", SESSIONS, ids=lambda each: each.name)
def test_a_session_has_the_decisions_that_it_states(session: Labelled, take: Take, tmp_path: Path) -> None:
    path = tmp_path / f"log.json{'' if session.format in ('opencode', 'chat') else 'l'}"
    path.write_bytes(FORMATS[session.format](session.script, session.name))
    (shown,) = take(path)
    assert decisions(shown) == Counter(set(session.states)), "what is stated twice is shown once"
    found = events(shown)
    stated = [(e["decision"]["chosen"], e["decision"]["by"]) for e in found if e["type"] == "decision"]
    assert Counter(stated) == Counter((s[0], s[1]) for s in session.states if s[1] != "inferred")
    notes = [e for e in found if "unparsed" in (e.get("tags") or ()) or "this log does not have" in str(e)]
    assert len(notes) == session.notes
    said = "\n".join(e.get("content") or "" for e in found)
    assert [text for text in session.kept if text not in said] == []


def test_a_decision_of_a_resumed_session_is_recorded_once(take: Take, tmp_path: Path) -> None:
    script: list[Step] = [Asks("Go"), Says(FULL), Asks("Go on"), Says("Done")]
    for end in (2, 4):
        path = tmp_path / f"{end}.jsonl"
        path.write_bytes(FORMATS["claude"](script[:end], "resumed"))
        (shown,) = take(path)
        assert decisions(shown) == Counter([STATED])


def test_a_decision_in_a_repeated_message_is_recorded_once(take: Take, tmp_path: Path) -> None:
    records = [*claude_records([Asks("Go"), Says(FULL)], "twice")]
    (tmp_path / "log.jsonl").write_bytes(lines([*records, *records]))
    (shown,) = take(tmp_path / "log.jsonl")
    assert decisions(shown) == Counter([STATED])


def test_a_decision_that_a_fork_copied_is_not_recorded_again(take: Take, tmp_path: Path) -> None:
    first = [*claude_records([Asks("Go"), Says(FULL)], "first")]
    other = name("other", "session")
    fork = [*claude_records([Asks("Go"), Says(FULL), Says("Done")], "first", sessionId=other)]
    for file, records in (("first", first), ("fork", fork)):
        (tmp_path / f"{file}.jsonl").write_bytes(lines(records))
    shown = take(tmp_path / "first.jsonl", tmp_path / "fork.jsonl")
    assert [len(events(each)) for each in shown] in ([1, 3], [3, 1])
    assert sum(map(decisions, shown), Counter()) == Counter([STATED])


def test_a_subagents_decisions_are_its_own(take: Take, tmp_path: Path) -> None:
    """The instructions of the agent that started the subagent are a prompt, in which no block counts."""
    script: list[Step] = [Asks(NO), Runs("cat README", NO), Says(FULL)]
    records = claude_records(script, "parent", isSidechain=True, agentId="a1b2c3d")
    (tmp_path / "agent-a1b2c3d.jsonl").write_bytes(lines([*records]))
    (shown,) = take(tmp_path / "agent-a1b2c3d.jsonl")
    assert decisions(shown) == Counter([STATED])


# ---------------------------------------------------------------- real sessions

JUDGED = {
    "claude-code/agentcmd-askuser.jsonl": [
        # the answers in the result of AskUserQuestion; the second is in the human's own words
        ("human", "AI Elements components"),
        (
            "human",
            "Remove anything custom we have and use the ai elements approach. What they have is perfect",
        ),
        ("human", "Just scrolling improvements"),
    ],
    "claude-code/entire-huge-4mb.jsonl": [
        ("human", "Separate e2e_test/ (Recommended)"),
        ("human", "Standalone copy"),
        ("human", "--allowedTools with specific list"),
    ],
    # the plan is in a file outside of the log
    "claude-code/v2-subagent-inline.jsonl": [
        ("human", "No rig"),
        ("human", "Credo + Dialyxir + mix_audit"),
        ("human", "approved the plan"),
    ],
}
"""By file: who decided, and what. No sentence in them alone states both a choice and its alternatives."""


def read(path: Path) -> Iterator[AnyEvent]:
    for file in find_sessions(path):
        for item in derive(read_items(file), Cursor()):
            if isinstance(item, Entry):
                yield item.event


@pytest.mark.shared
def test_the_decisions_of_real_sessions_are_those_found_by_reading(samples: Path) -> None:
    found: dict[str, list[tuple[str, str]]] = {}
    messages = 0
    for path in sessions(samples):
        events = list(read(path))
        said = [event.content for event in events if isinstance(event, Message)]
        messages += len(said)
        stated = [event.decision for event in events if isinstance(event, Decided)]
        assert {each.by for each in stated} <= {"agent", "human"}, path
        inferred = [each for text in said for each in find_choices(text)]
        assert all(any(each.quote in text for text in said) for each in inferred), path
        if decided := [(each.by, each.chosen) for each in stated]:
            found[path.relative_to(samples).as_posix()] = decided
    assert found == JUDGED
    assert messages > 800
    assert Counter(by for each in found.values() for by, _ in each) == {"human": 9}


@pytest.mark.nightly
@pytest.mark.shared
@pytest.mark.parametrize("file", JUDGED)
def test_the_decisions_of_real_sessions_are_stored(file: str, samples: Path, take: Take) -> None:
    shown = [decision for each in take(samples / file) for decision in decisions(each)]
    assert {(by, chosen) for chosen, by, *_ in shown if by != "inferred"} == set(JUDGED[file])
