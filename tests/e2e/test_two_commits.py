"""One session, two commits: each has its own part of the session; nothing is lost, nothing recorded twice."""

from __future__ import annotations

import json

import pytest

from tests.e2e.agents import Agent
from tests.e2e.scenario import Run, Shell, Write, facts, turn
from tests.e2e.stories import (
    BYE,
    CHOICE,
    CLOSING,
    DOUBT,
    HELLO,
    PROMPT,
    check_resumed_session,
    check_two_commits,
    check_two_commits_of_one_call,
    tokens,
)
from tests.e2e.workshop import Json, Workshop, events


@pytest.mark.parametrize("commit", ["git commit", "git commit -q"])
def test_each_commit_has_its_own_part(agent: Agent, workshop: Workshop, commit: str) -> None:
    check_two_commits(agent, workshop, commit, check_header)


def test_two_commits_in_one_call_share_the_part(agent: Agent, workshop: Workshop) -> None:
    check_two_commits_of_one_call(agent, workshop, "git commit", check_header)


def test_edits_first_commits_later(agent: Agent, workshop: Workshop) -> None:
    """The second commit shows the edit in it, though an earlier part has the event; no tokens count twice."""
    run = agent.run(
        [
            turn(Write("hello.py", HELLO), say=CHOICE),
            turn(Write("bye.py", BYE)),
            turn(Shell("git add hello.py && git commit -m 'Say hello'")),
            turn(Shell("git add bye.py && git commit -m 'Say goodbye'")),
            turn(say=CLOSING),
        ],
        prompt=PROMPT,
        folder=workshop.path,
    )
    workshop.settle(run)

    (first,), (second,) = workshop.log("--file", "hello.py"), workshop.log("--file", "bye.py")
    parts = [commit["trajectories"][0]["part"] for commit in (first, second)]
    assert [tokens(part) for part in parts] == [run.usage(0, 3), run.usage(3, 5)]
    assert facts(events(workshop.only(first["commit"]))) == run.facts(0, 3)
    recorded = facts(events(workshop.only(second["commit"])))
    assert ("tool_call", run.served[1].call_ids[0]) in recorded
    assert recorded[-len(run.facts(3)) :] == run.facts(3)
    assert ("tool_call", run.served[0].call_ids[0]) not in recorded
    check_header(second["trajectories"][0], run)

    for path, commit, number in (("hello.py", first, 0), ("bye.py", second, 1)):
        (entry,) = json.loads(workshop.traj("why", f"{path}:1", "--json"))["entries"]
        assert (entry["commit"], entry["prompt"]) == (commit["commit"], PROMPT)
        calls = [fact for fact in facts(entry["events"]) if fact[0] == "tool_call"]
        assert calls == [("tool_call", run.served[number].call_ids[0])]


@pytest.mark.parametrize("calls", ["one call", "two calls"])
def test_the_agent_amends_at_once(agent: Agent, workshop: Workshop, calls: str) -> None:
    commit, amend = "git add hello.py && git commit -m Hello", "git commit --amend -m 'Say hello'"
    commands = [f"{commit} && {amend}"] if calls == "one call" else [commit, amend]
    run = agent.run(
        [
            turn(Write("hello.py", HELLO), think=DOUBT, say=CHOICE),
            *(turn(Shell(command)) for command in commands),
            turn(say=CLOSING),
        ],
        prompt=PROMPT,
        folder=workshop.path,
    )
    workshop.settle(run)

    (commit,) = workshop.log("--file", "hello.py")
    assert (commit["commit"], commit["subject"]) == (workshop.head(), "Say hello")
    (header,) = commit["trajectories"]
    check_header(header, run)
    assert tokens(header["part"]) == run.usage()
    assert facts(events(workshop.only())) == run.facts()


def test_an_edit_and_its_commit_in_one_response(agent: Agent, workshop: Workshop) -> None:
    """The response's tokens count once, though one of its calls makes the commit."""
    run = agent.run(
        [
            turn(Write("hello.py", HELLO), Shell("git add . && git commit -m 'Say hello'"), say=CHOICE),
            turn(Write("bye.py", BYE), Shell("git add . && git commit -m 'Say goodbye'")),
            turn(say=CLOSING),
        ],
        prompt=PROMPT,
        folder=workshop.path,
    )
    workshop.settle(run)

    second, first = workshop.log()
    assert tokens(first["trajectories"][0]["part"]) == run.usage(0, 1)
    assert tokens(second["trajectories"][0]["part"]) == run.usage(1, 3)
    check_header(second["trajectories"][0], run)
    recorded = [facts(events(workshop.only(commit["commit"]))) for commit in (first, second)]
    assert sorted(recorded[0]) == sorted(run.facts(0, 1))
    assert sorted(recorded[1]) == sorted(run.facts(1, 3))


def test_a_resumed_session_commits_again(agent: Agent, workshop: Workshop) -> None:
    """The first run's closing message stays with its commit; the second prompt begins the second part."""
    check_resumed_session(agent, workshop)


def check_header(header: Json, run: Run) -> None:
    """Check what is true of every commit that the agent itself made."""
    assert (header["agent"], header["session"], header["models"]) == (run.agent, run.session, [run.model])
    assert header["link"]["evidence"] == "agent"
    assert header["link"]["role"] == "produced"
    assert header["incomplete"] is False
    assert tokens(header["total"]) == run.usage()
