"""The harness itself works: the agents really start, work, commit and leave a log. git-traj is not used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.agents import Agent
from tests.e2e.scenario import Edit, Run, Shell, Write, turn
from tests.e2e.workshop import Workshop

SCRIPT = [
    turn(Write("a.txt", "one\ntwo\n"), think="A thought of its own", say="First the file"),
    turn(Shell("git add a.txt && git commit -q -m first")),
    turn(Edit("a.txt", "two\n", "three\n"), Shell("git commit -qam second"), say="Then a change"),
    turn(say="Both are committed"),
]


def test_the_agent_edits_commits_and_keeps_a_log(agent: Agent, repository: Workshop) -> None:
    run = agent.run(SCRIPT, prompt="Make two commits", folder=repository.path)

    assert repository.git("log", "--format=%s").split("\n")[:2] == ["second", "first"]
    assert repository.git("show", "HEAD~1:a.txt") == "one\ntwo\n"
    assert repository.git("show", "HEAD:a.txt") == "one\nthree\n"
    texts = ["Make two commits", *(t.say for t in SCRIPT if t.say), "A thought of its own"]
    assert [text for text in texts if text not in run.log.read_text()] == []
    assert call_ids(run) <= set(strings_in(run.log))


def test_a_resumed_session_continues_in_the_same_log(agent: Agent, repository: Workshop) -> None:
    first = agent.run(SCRIPT, folder=repository.path)
    second = agent.run(
        [turn(Shell("git log --oneline")), turn(say="As it was")],
        prompt="And now?",
        folder=repository.path,
        resume=first,
    )

    assert (second.session, second.log) == (first.session, first.log)
    assert call_ids(first) | call_ids(second) <= set(strings_in(second.log))


def test_a_person_can_act_while_the_agent_waits(agent: Agent, repository: Workshop) -> None:
    seen = []

    def look(number: int) -> None:
        seen.append((number, repository.git("log", "-1", "--format=%s").strip()))

    agent.run(SCRIPT, folder=repository.path, before_turn=look)

    by_hand = "By hand: README"
    assert seen == [(0, by_hand), (1, by_hand), (2, "first"), (3, "second")]


def test_an_error_between_two_turns_fails_the_test(agent: Agent, repository: Workshop) -> None:
    def fail(number: int) -> None:
        assert number < 2, "enough"

    with pytest.raises(AssertionError, match="enough"):
        agent.run(SCRIPT, folder=repository.path, before_turn=fail)


def test_the_agent_does_not_see_the_environment_of_the_tests(agent: Agent, repository: Workshop) -> None:
    agent.run([turn(Shell("env > env.txt")), turn(say="Done")], folder=repository.path, env={"MARK": "ours"})

    seen = (repository.path / "env.txt").read_text().splitlines()
    assert {"MARK=ours", f"HOME={Path.home()}"} <= set(seen)
    assert [line for line in seen if line.startswith(("GIT_AUTHOR_DATE", "CI="))] == []


def call_ids(run: Run) -> set[str]:
    return {call for served in run.served for call in served.call_ids}


def strings_in(log: Path) -> list[str]:
    """Return every string value in a log, however deep."""
    strings: list[str] = []

    def walk(value: object) -> None:
        match value:
            case str():
                strings.append(value)
            case list():
                for each in value:
                    walk(each)
            case dict():
                for each in value.values():
                    walk(each)

    for line in log.read_text().splitlines():
        walk(json.loads(line))
    return strings
