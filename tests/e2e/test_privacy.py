"""What must not be kept is kept nowhere: not in an object, reachable or not, and not in the local state."""

from __future__ import annotations

import random
import string
from pathlib import Path

import pytest

from tests.e2e.agents import Agent
from tests.e2e.scenario import Fact, Shell, Turn, Write, facts, turn
from tests.e2e.workshop import Workshop, events

THOUGHT = "Cormorants dry their wings before they think again."
SAID = "The plan is written down."


@pytest.fixture
def token() -> str:
    """A fresh secret in the shape of a GitHub token."""
    return "ghp" + "_" + "".join(random.choices(string.ascii_letters + string.digits, k=36))


def plan(*, path: str = "plan.txt", text: str = "Dig a pond\n") -> list[Turn]:
    """Think, write one file, commit it, and say so."""
    return [
        turn(Write(path, text), think=THOUGHT),
        turn(Shell(f"git add {path} && git commit -m 'Plan {path}'")),
        turn(say=SAID),
    ]


def test_thinking_is_counted_and_dropped(agent: Agent, workshop: Workshop) -> None:
    run = agent.run(plan(), folder=workshop.path)
    workshop.settle(run)

    trajectory = workshop.only()
    assert trajectory["thinking"] == "dropped"
    assert trajectory["part"]["counts"]["thinking"] == 1
    assert SAID.encode() in workshop.stored()
    assert THOUGHT.encode() not in workshop.stored()


def test_thinking_is_kept_in_clear_where_that_is_asked_for(agent: Agent, workshop: Workshop) -> None:
    workshop.git("config", "traj.thinking", "clear")
    run = agent.run(plan(), folder=workshop.path)
    workshop.settle(run)

    trajectory = workshop.only()
    assert trajectory["thinking"] == "clear"
    assert [e["content"] for e in events(trajectory) if e["type"] == "thinking"] == [THOUGHT]
    assert facts(events(trajectory)) == run.told()


def test_a_secret_that_the_agent_prints(agent: Agent, workshop: Workshop, token: str) -> None:
    workshop.commit(".gitignore", ".env\n")
    (workshop.path / ".env").write_text(f"GITHUB_TOKEN={token}\n")
    run = agent.run(
        [
            turn(Shell("cat .env")),
            turn(Write("deploy.sh", "gh auth login\n"), say=f"The token is {token}, I leave it in .env."),
            turn(Shell(f"printf '%s' '{token}' | wc -c; git add deploy.sh && git commit -m Deploy")),
            turn(say=SAID),
        ],
        prompt=f"Deploy with {token}",
        folder=workshop.path,
    )
    assert token in run.log.read_text()
    workshop.settle(run)

    trajectory = workshop.only()
    assert calls(facts(events(trajectory))) == calls(run.told())
    assert trajectory["redactions"] >= 4
    assert SAID.encode() in workshop.stored()
    assert token.encode() not in workshop.stored()
    assert token not in workshop.traj("show") + workshop.traj("show", "--json") + workshop.traj("log")


@pytest.mark.parametrize("mixed", [False, True])
def test_a_session_over_two_repositories(agent: Agent, tmp_path: Path, mixed: bool) -> None:
    """No repository learns what stands in the other's files, nor gets the other's calls."""
    pond, river = Workshop.founded(tmp_path / "pond"), Workshop.founded(tmp_path / "river")
    for workshop in (pond, river):
        workshop.traj("install")
    pond_turns = [
        turn(Write("pond/a.txt", "heron\n")),
        turn(Shell("cat pond/a.txt; (cd pond && git add . && git commit -m Pond)")),
    ]
    river_turns = [
        turn(Write("river/b.txt", "kingfisher\n")),
        turn(Shell("cat river/b.txt; git -C river add . && git -C river commit -m River")),
    ]
    one_by_one = [*pond_turns, *river_turns]
    turns = [one_by_one[i] for i in (0, 2, 1, 3)] if mixed else one_by_one
    run = agent.run([*turns, turn(say=SAID)], folder=tmp_path)
    pond.settle(run)
    river.settle()

    for workshop, path, foreign in ((pond, "a.txt", b"kingfisher"), (river, "b.txt", b"heron")):
        (commit,) = workshop.log("--file", path)
        (header,) = commit["trajectories"]
        assert (header["session"], header["link"]["evidence"]) == (run.session, "agent")
        assert {file["path"] for file in header["filesChanged"]} <= {path}
        assert foreign not in workshop.stored()
    if not mixed:
        assert calls(facts(events(pond.only()))) == calls(run.told(0, 2))
        assert calls(facts(events(river.only()))) == calls(run.told(2, 4))


def test_a_commit_with_the_tool_off(agent: Agent, workshop: Workshop) -> None:
    """Nothing is stored for it, then or later; the next commit tells only what came after it."""
    run = agent.run(
        [
            turn(Write("quiet.txt", "hush\n"), say="This one is between us."),
            turn(Shell("git add . && GIT_TRAJ=0 git commit -m Quiet")),
            turn(Write("loud.txt", "hey\n"), say="This one is for all."),
            turn(Shell("git add . && git commit -m Loud")),
            turn(say=SAID),
        ],
        folder=workshop.path,
    )
    workshop.settle(run)

    assert workshop.show("HEAD~1") == []
    assert [commit["subject"] for commit in workshop.log("--all")] == ["Loud"]
    assert facts(events(workshop.only())) == run.told(2)
    assert b"This one is for all." in workshop.stored()
    assert b"This one is between us." not in workshop.stored()


def test_a_pause(agent: Agent, workshop: Workshop) -> None:
    workshop.traj("pause")
    paused = agent.run(plan(path="quiet.txt"), prompt="Work unseen", folder=workshop.path)
    workshop.settle(paused)
    workshop.traj("resume")
    seen = agent.run(plan(path="loud.txt"), prompt="Work as always", folder=workshop.path)
    workshop.settle(seen)

    assert workshop.show("HEAD~1") == []
    assert workshop.only()["session"] == seen.session
    assert facts(events(workshop.only())) == seen.told()
    assert b"Work unseen" not in workshop.stored()


def calls(told: list[Fact]) -> list[Fact]:
    """Only what the tools were asked and answered."""
    return [fact for fact in told if fact[0].startswith("tool")]
