"""Gemini CLI switches git's hooks off for its commands, and these do not know their session: its commits are
found later, by HEAD's reflog and the session's log. Gemini CLI starts slowly: only two stories run daily."""

from __future__ import annotations

import pytest

from tests.e2e.agents import Agent
from tests.e2e.scenario import Run, Shell, Write, facts, turn
from tests.e2e.stories import (
    BYE,
    CHOICE,
    CLOSING,
    HELLO,
    PROMPT,
    check_resumed_session,
    check_two_commits,
    check_two_commits_of_one_call,
    tokens,
)
from tests.e2e.workshop import Json, Workshop, events
from tests.sizes import some


@pytest.mark.parametrize("commit", some(["git commit -q", "git commit"], 1))
def test_each_commit_has_its_own_part(gemini: Agent, workshop: Workshop, commit: str) -> None:
    check_two_commits(gemini, workshop, commit, check_header)


@pytest.mark.nightly
@pytest.mark.parametrize("commit", ["git commit", "git commit -q"])
def test_two_commits_in_one_call_share_the_part(gemini: Agent, workshop: Workshop, commit: str) -> None:
    check_two_commits_of_one_call(gemini, workshop, commit, check_header)


@pytest.mark.nightly
def test_an_edit_and_its_commit_in_one_response(gemini: Agent, workshop: Workshop) -> None:
    run = gemini.run(
        [
            turn(Write("hello.py", HELLO), Shell("git add . && git commit -m 'Say hello'"), say=CHOICE),
            turn(Write("bye.py", BYE), Shell("git add . && git commit -m 'Say goodbye'")),
            turn(say=CLOSING),
        ],
        prompt=PROMPT,
        folder=workshop.path,
    )
    workshop.settle(run)

    second, first = workshop.log("--file", "bye.py") + workshop.log("--file", "hello.py")
    assert [tokens(c["trajectories"][0]["part"]) for c in (first, second)] == [
        run.usage(0, 1),
        run.usage(1, 3),
    ]
    recorded = [facts(events(workshop.only(commit["commit"]))) for commit in (first, second)]
    assert sorted(recorded[0]) == sorted(run.facts(0, 1))
    assert sorted(recorded[1]) == sorted(run.facts(1, 3))


def test_a_resumed_session_commits_again(gemini: Agent, workshop: Workshop) -> None:
    """The resumed session logs the whole history again; none of it is recorded twice."""
    first, second = check_resumed_session(gemini, workshop, between=workshop.settle)
    assert second.log == first.log


def check_header(header: Json, run: Run) -> None:
    """Check what is true of every commit that the agent itself made."""
    assert (header["agent"], header["session"], header["models"]) == (run.agent, run.session, [run.model])
    assert header["link"]["role"] == "produced"
    if not any("commit -q" in str(step) for each in run.turns for step in each.steps):
        assert header["link"]["evidence"] == "output"
    assert header["incomplete"] is False
    assert tokens(header["total"]) == run.usage()
