"""One session, two commits: each carries its own part of the reasons, nothing is lost, nothing told twice."""

from __future__ import annotations

import pytest

from tests.e2e.agents import Agent
from tests.e2e.model_server import Usage
from tests.e2e.scenario import Edit, Run, Shell, Write, facts, turn
from tests.e2e.workshop import Json, Workshop, events

PROMPT = "Greet people, and then say goodbye to them, as two commits"
DOUBT = "A table of phrases is tempting. It would be looked up by name only once, though."
CHOICE = "I write plain functions; I rejected a table of phrases because nothing is looked up by name."
CLOSING = "Both commits are made: a greeting and a farewell."

SAY_HELLO = "    return 'hello'\n"
SAY_HI = "    return 'hi'\n"
HELLO = "def hello():\n" + SAY_HELLO
BYE = "def bye():\n    return 'bye'\n"


@pytest.mark.parametrize("commit", ["git commit", "git commit -q"])
def test_each_commit_has_its_own_part(agent: Agent, workshop: Workshop, commit: str) -> None:
    run = agent.run(
        [
            turn(Write("phrases.py", HELLO), think=DOUBT, say=CHOICE),
            turn(Shell(f"git add phrases.py && {commit} -m 'Say hello'")),
            turn(Edit("phrases.py", SAY_HELLO, SAY_HI + BYE), say="Now the farewell"),
            turn(Shell(f"{commit} -am 'Say goodbye'")),
            turn(say=CLOSING),
        ],
        prompt=PROMPT,
        folder=workshop.path,
    )
    workshop.settle(run)

    second, first = workshop.log("--file", "phrases.py")
    assert (first["subject"], second["subject"]) == ("Say hello", "Say goodbye")
    for each, number, turns in ((first, 1, (0, 2)), (second, 2, (2, 5))):
        (header,) = each["trajectories"]
        check_header(header, run)
        assert header["prompt"] == PROMPT
        assert changed(header) == {"phrases.py": 1}
        assert (header["part"]["number"], header["part"]["of"]) == (number, 2)
        assert figures(header["part"]) == run.usage(*turns)
        assert facts(events(workshop.only(each["commit"]))) == run.told(*turns)
    assert counts(first) == {"prompts": 1, "messages": 1, "thinking": 1, "toolCalls": 2, "apiCalls": 2}
    assert counts(second) == {"prompts": 0, "messages": 2, "thinking": 0, "toolCalls": 2, "apiCalls": 3}


def test_two_commits_in_one_call_share_the_part(agent: Agent, workshop: Workshop) -> None:
    both = "git add hello.py && git commit -m 'Say hello' && git add bye.py && git commit -m 'Say goodbye'"
    run = agent.run(
        [
            turn(Write("hello.py", HELLO), think=DOUBT, say=CHOICE),
            turn(Write("bye.py", BYE)),
            turn(Shell(both)),
            turn(say=CLOSING),
        ],
        prompt=PROMPT,
        folder=workshop.path,
    )
    workshop.settle(run)

    (first,), (second,) = workshop.log("--file", "hello.py"), workshop.log("--file", "bye.py")
    assert (first["subject"], second["subject"]) == ("Say hello", "Say goodbye")
    for commit, path in ((first, "hello.py"), (second, "bye.py")):
        (header,) = commit["trajectories"]
        check_header(header, run)
        assert path in changed(header)
    on_first, on_second = (events(workshop.only(c["commit"])) for c in (first, second))
    assert facts(on_second) == run.told()
    assert facts(on_first)[: len(run.told(0, 3))] == run.told(0, 3)
    assert ids(on_first) <= ids(on_second)


def test_edits_first_commits_later(agent: Agent, workshop: Workshop) -> None:
    """The second commit shows the edit it holds, though an earlier part has it; no figure counts twice."""
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
    assert [figures(part) for part in parts] == [run.usage(0, 3), run.usage(3, 5)]
    assert facts(events(workshop.only(first["commit"]))) == run.told(0, 3)
    told = facts(events(workshop.only(second["commit"])))
    assert ("tool_call", run.served[1].call_ids[0]) in told
    assert told[-len(run.told(3)) :] == run.told(3)
    assert ("tool_call", run.served[0].call_ids[0]) not in told
    check_header(second["trajectories"][0], run)


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

    (told,) = workshop.log("--file", "hello.py")
    assert (told["commit"], told["subject"]) == (workshop.head(), "Say hello")
    (header,) = told["trajectories"]
    check_header(header, run)
    assert figures(header["part"]) == run.usage()
    assert facts(events(workshop.only())) == run.told()


def test_an_edit_and_its_commit_in_one_response(agent: Agent, workshop: Workshop) -> None:
    """The response's figures count once, though one of its calls makes the commit."""
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
    assert figures(first["trajectories"][0]["part"]) == run.usage(0, 1)
    assert figures(second["trajectories"][0]["part"]) == run.usage(1, 3)
    check_header(second["trajectories"][0], run)
    told = [facts(events(workshop.only(commit["commit"]))) for commit in (first, second)]
    assert sorted(told[0]) == sorted(run.told(0, 1))
    assert sorted(told[1]) == sorted(run.told(1, 3))


def test_a_resumed_session_commits_again(agent: Agent, workshop: Workshop) -> None:
    """The first run's closing words stay with its own commit, and the second prompt opens the second part."""
    first = agent.run(
        [
            turn(Write("hello.py", HELLO), say=CHOICE),
            turn(Shell("git add . && git commit -m 'Say hello'")),
            turn(say="The greeting is there."),
        ],
        prompt=PROMPT,
        folder=workshop.path,
    )
    second = agent.run(
        [
            turn(Write("bye.py", BYE)),
            turn(Shell("git add . && git commit -m 'Say goodbye'")),
            turn(say=CLOSING),
        ],
        prompt="And the farewell?",
        folder=workshop.path,
        resume=first,
    )
    workshop.settle(second)

    for rev, run in (("HEAD~1", first), ("HEAD", second)):
        trajectory = workshop.only(rev)
        assert facts(events(trajectory)) == run.told()
        assert figures(trajectory["part"]) == run.usage()
        assert figures(trajectory["total"]) == first.usage() + second.usage()
        assert trajectory["prompt"] == run.prompt
    assert workshop.only("HEAD~1")["id"] == workshop.only()["id"]


def check_header(header: Json, run: Run) -> None:
    """What holds on every commit of a session that the agent committed itself."""
    assert (header["agent"], header["session"], header["models"]) == (run.agent, run.session, [run.model])
    assert header["link"]["evidence"] == "agent"
    assert header["link"]["role"] == "produced"
    assert header["incomplete"] is False
    assert figures(header["total"]) == run.usage()


def figures(part: Json) -> Usage:
    usage = part["usage"]
    return Usage(usage["inputTokens"], usage["cacheReadTokens"], usage["outputTokens"])


def counts(commit: Json) -> dict[str, int]:
    told = commit["trajectories"][0]["part"]["counts"]
    return {name: told[name] for name in ("prompts", "messages", "thinking", "toolCalls", "apiCalls")}


def changed(header: Json) -> dict[str, int]:
    return {file["path"]: file["edits"] for file in header["filesChanged"]}


def ids(told: list[Json]) -> set[str]:
    found = [event["id"] for event in told]
    assert len(found) == len(set(found)), "an event is shown twice"
    return set(found)
