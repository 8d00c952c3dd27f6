"""The stories played with OpenCode, whose log is a database that does not mark the end of a session.

OpenCode is the slowest to start: only two stories are not nightly.
"""

from __future__ import annotations

import json
import sys

import pytest

from tests.e2e.agents import Agent
from tests.e2e.scenario import Edit, Run, Shell, Write, facts, turn
from tests.e2e.stories import (
    CHOICE,
    CLOSING,
    DOUBT,
    HELLO,
    PROMPT,
    check_resumed_session,
    check_two_commits,
    tokens,
)
from tests.e2e.workshop import Json, Workshop, events
from tests.sizes import some


@pytest.mark.nightly
def test_the_agent_edits_commits_and_keeps_a_database(opencode: Agent, repository: Workshop) -> None:
    run = opencode.run(
        [
            turn(Write("a.txt", "one\ntwo\n"), think="A thought of its own", say="First the file"),
            turn(Shell("git add a.txt && git commit -q -m first")),
            turn(Edit("a.txt", "two\n", "three\n"), say="Then a change"),
            turn(Shell("git commit -qam second"), Shell("echo $OPENCODE > ../env.txt")),
            turn(say="Both are committed"),
        ],
        folder=repository.path,
    )
    assert repository.git("log", "--format=%s").split("\n")[:2] == ["second", "first"]
    assert repository.git("show", "HEAD:a.txt") == "one\nthree\n"
    assert (repository.path.parent / "env.txt").read_text() == "1\n"
    assert run.log.read_bytes().startswith(b"SQLite format 3\0")


@pytest.mark.parametrize("commit", some(["git commit -q", "git commit"], 1))
def test_each_commit_has_its_own_part(opencode: Agent, workshop: Workshop, commit: str) -> None:
    check_two_commits(opencode, workshop, commit, check_owner)


@pytest.mark.nightly
def test_a_resumed_session_commits_again(opencode: Agent, workshop: Workshop) -> None:
    first, second = check_resumed_session(opencode, workshop)
    assert second.session == first.session


def test_a_person_commits_what_the_agent_wrote(opencode: Agent, workshop: Workshop) -> None:
    run = opencode.run(
        [turn(Write("hello.py", HELLO), think=DOUBT, say=CHOICE), turn(say=CLOSING)],
        prompt=PROMPT,
        folder=workshop.path,
    )
    workshop.commit("hello.py", HELLO)
    workshop.settle(run)

    (header,) = workshop.log("--file", "hello.py")[0]["trajectories"]
    assert (header["agent"], header["session"]) == ("opencode", run.session)
    assert facts(events(workshop.only())) == run.facts()


@pytest.mark.nightly
def test_a_command_of_the_session_knows_its_session(opencode: Agent, workshop: Workshop) -> None:
    ask = "from gittraj.agents import all_agents; from gittraj.config import Environ; import os"
    answer = "print(all_agents()['opencode'].current(Environ.of(os.environ)))"
    run = opencode.run(
        [turn(Shell(f'{sys.executable} -c "{ask}; {answer}"')), turn(say="So it is")], folder=workshop.path
    )
    (result,) = (
        part["state"]["output"]
        for line in run.stdout.splitlines()
        if "callID" in (part := json.loads(line).get("part", {}))
    )
    assert result.strip() == run.session


def check_owner(header: Json, run: Run) -> None:
    """Check a commit of an agent that only the log names, not the environment of git's hooks."""
    assert (header["agent"], header["session"], header["models"]) == ("opencode", run.session, [run.model])
    assert header["link"]["role"] == "produced"
    assert header["link"]["evidence"] in ("agent", "output", "order")
    assert header["incomplete"] is False
    assert tokens(header["total"]) == run.usage()
