"""Agents record their decisions, by commands in their shell and by blocks in their messages."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

from tests.e2e.agents import Agent
from tests.e2e.model_server import Reply, serving
from tests.e2e.scenario import Run, Shell, Step, Write, turn
from tests.e2e.stories import HELLO
from tests.e2e.workshop import Json, Workshop, events
from tests.integration.waiting import LONG

TRAJ = f"{shlex.quote(sys.executable)} -m gittraj"
DECIDE = (
    f"{TRAJ} decision 'plain functions' --alternative 'a table' --reasoning 'few phrases' --confidence 0.8"
)
SAID = {"question": "Which greeting?", "chosen": "hello", "alternatives": ["hi"], "reasoning": "it is formal"}
BLOCK = f"[[TRAJECTORY:decision]] {json.dumps(SAID)} [[/TRAJECTORY]]"
EXAMPLE = f"As in\n```\n{BLOCK.replace('hello', 'nothing')}\n```\n"
LOOKING_BACK = {"summary": "A greeting is there", "challenges": ["naming it"], "confidence": 0.9}
BACK = f"[[RETROSPECTIVE]]\n{json.dumps(LOOKING_BACK)}\n[[/RETROSPECTIVE]]"
DECISIONS = {
    "plain functions": (["a table"], "few phrases", 0.8, "agent"),
    "hello": (["hi"], "it is formal", None, "agent"),
}


def run(agent: Agent, workshop: Workshop, *ending: Step, say: str = "") -> Run:
    return agent.run(
        [
            turn(Shell(f"{TRAJ} start 'Greet people' --task github:#12 --tag greeting")),
            turn(Shell(DECIDE)),
            turn(Write("hello.py", HELLO), say=f"I decide.\n\n{BLOCK}\n\n{EXAMPLE}And write it."),
            turn(Shell("git add . && git commit -m 'Say hello'"), say=f"Done.\n{BACK}"),
            *([turn(*ending)] if ending else []),
            turn(say=say or "That was it."),
        ],
        prompt="Greet people",
        folder=workshop.path,
    )


def decided(trajectory: Json) -> dict[str, tuple[object, ...]]:
    decisions = trajectory["decisions"]
    found: dict[str, tuple[object, ...]] = {
        d["chosen"]: (d["alternatives"], d["reasoning"], d["confidence"], d["by"]) for d in decisions
    }
    assert len(found) == len(decisions), "a decision is shown twice"
    return found


def test_one_trajectory_has_the_log_and_the_recorded_decisions(any_agent: Agent, workshop: Workshop) -> None:
    ran = run(any_agent, workshop)
    workshop.settle(ran)

    trajectory = workshop.only()
    assert (trajectory["title"], trajectory["tags"]) == ("Greet people", ["greeting"])
    assert trajectory["task"]["source"]["id"].lstrip("#") == "12"
    assert decided(trajectory) == DECISIONS
    back = trajectory["retrospective"]
    assert (back["summary"], back["challenges"], back["confidence"], back["by"]) == (
        "A greeting is there",
        ["naming it"],
        0.9,
        "agent",
    )
    recorded = events(trajectory)
    kinds = [event["type"] for event in recorded]
    assert (kinds.count("decision"), kinds.count("retrospective"), kinds.count("chapter")) == (2, 1, 1)
    said = [event["content"] for event in recorded if event["type"] == "message"]
    assert [text for text in said if "I decide." in text] == [f"I decide.\n\n{EXAMPLE}And write it."]
    assert not any("[[RETROSPECTIVE]]" in text for text in said)
    assert {each["id"] for each in workshop.show("HEAD")} == {trajectory["id"]}
    assert not list((workshop.path / ".git" / "traj" / "active").glob("*")), "the commit has all of it"


def test_a_trajectory_ends_with_the_status_its_agent_stated(any_agent: Agent, workshop: Workshop) -> None:
    end = f"{TRAJ} complete --summary 'It greets' --learning 'formal is better' -q"
    ran = run(any_agent, workshop, Shell(end))
    workshop.settle(ran)
    trajectory = workshop.only()
    assert (trajectory["status"], trajectory["retrospective"]["summary"]) == ("completed", "It greets")
    assert trajectory["retrospective"]["learnings"] == ["formal is better"]
    assert decided(trajectory) == DECISIONS
    for words in ("greet people", "hello.py", '"git commit"', "formal", '"plain functions"'):
        found = json.loads(workshop.traj("search", "--json", words))["results"]
        assert [each["trajectory"]["id"] for each in found] == [trajectory["id"]], words


def test_codex_decides_in_a_login_shell_that_does_not_find_git_traj(codex: Agent, workshop: Workshop) -> None:
    """Codex's shell reads the profile, which resets PATH: decisions recorded by command used to be lost."""
    workshop.traj("install", "--agent", "codex")
    (Path.home() / ".profile").write_text("PATH=/usr/bin:/bin\n")
    (command,) = re.findall(r"is not a command, run `(.+)` in", (workshop.path / "AGENTS.md").read_text())
    ran = codex.run(
        [
            turn(Shell("git traj --version; command -v git-traj; mkdir -p in")),
            turn(Shell(f"cd in && {command} {DECIDE.removeprefix(TRAJ)}")),
            turn(Write("hello.py", HELLO)),
            turn(Shell("git add . && git commit -m 'Say hello'")),
            turn(say="Done."),
        ],
        prompt="Greet people",
        folder=workshop.path,
    )
    workshop.settle(ran)
    trajectory = workshop.only()
    assert decided(trajectory) == {"plain functions": DECISIONS["plain functions"]}
    outputs = [event["content"] for event in events(trajectory) if event["type"] == "tool_result"]
    assert "'traj' is not a git command" in outputs[0]


def test_a_trajectory_that_its_agent_abandons(any_agent: Agent, workshop: Workshop) -> None:
    ran = run(any_agent, workshop, Shell(f"{TRAJ} abandon --reason 'nobody greets any more'"))
    workshop.settle(ran)
    trajectory = workshop.only()
    assert trajectory["status"] == "abandoned"
    assert "nobody greets any more" in [e["content"] for e in events(trajectory) if e["type"] == "note"]


def test_a_decision_that_the_log_does_not_show_is_still_recorded(agent: Agent, workshop: Workshop) -> None:
    """The command's output is redirected: the decision waits in the local state for two days."""
    ran = agent.run(
        [
            turn(Write("hello.py", HELLO)),
            turn(Shell(f"{DECIDE} > /dev/null && git add . && git commit -qm 'Say hello'")),
            turn(say="Done."),
        ],
        prompt="Greet people",
        folder=workshop.path,
    )
    workshop.settle(ran)
    assert workshop.only()["decisions"] == []
    (active,) = (workshop.path / ".git" / "traj" / "active").glob("*.json")
    text = active.read_text()
    stored = json.loads(text)
    for event in stored["events"]:
        event["ts"] = "2020-01-01T00:00:00.000Z"  # two days pass
    active.write_text(json.dumps(stored))
    workshop.commit("later", "1\n")
    workshop.traj("log")
    trajectory = workshop.only("HEAD~1")
    assert decided(trajectory) == {"plain functions": DECISIONS["plain functions"]}
    assert not active.exists()


def test_another_agent_takes_over(agent: Agent, workshop: Workshop) -> None:
    over = f"{TRAJ} event message_sent 'take over' --agent ann:lead"
    ran = agent.run(
        [
            turn(Shell(f"{TRAJ} start 'Greet people' --agent ann:lead")),
            turn(Write("hello.py", HELLO)),
            turn(Shell(f"{over} && {TRAJ} chapter Review --agent bob:reviewer")),
            turn(Shell(f"{TRAJ} decision 'merge it' --agent bob:reviewer -q")),
            turn(Shell("git add . && git commit -m 'Say hello'")),
            turn(say="Done."),
        ],
        prompt="Greet people",
        folder=workshop.path,
    )
    workshop.settle(ran)
    trajectory = workshop.only()
    assert trajectory["participants"] == [
        {"name": "ann", "role": "lead"},
        {"name": "bob", "role": "reviewer"},
    ]
    said = {(e["type"], e["agent"]) for e in events(trajectory) if e["type"] in ("message_sent", "decision")}
    assert said == {("message_sent", "ann"), ("decision", "bob")}
    assert "Review" in [chapter["title"] for chapter in trajectory["chapters"]]


def test_decisions_of_an_agent_that_is_killed_are_recorded(agent: Agent, workshop: Workshop) -> None:
    """A person adds the retrospective afterwards."""
    steps: list[Step] = [
        Shell(DECIDE),
        Write("hello.py", HELLO),
        Shell("git add . && git commit -m 'Say hello'"),
    ]
    replies = [Reply("", "", (agent.call(step, workshop.path),)) for step in steps]
    running: list[subprocess.Popen[bytes]] = []

    def kill(number: int) -> None:
        if number == len(steps):
            running[0].kill()

    with serving([*replies, Reply("", "never said", ())], before_turn=kill) as server:
        running.append(
            subprocess.Popen(
                agent.command(server.url, "Greet people", None),
                cwd=workshop.path,
                env={**os.environ, **agent.environment(server.url)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        assert running[0].wait(timeout=LONG) == -signal.SIGKILL
    workshop.settle()
    trajectory = workshop.only()
    assert decided(trajectory) == {"plain functions": DECISIONS["plain functions"]}
    workshop.traj("complete", trajectory["id"], "--summary", "It was killed")
    back = workshop.only()["retrospective"]
    assert (back["summary"], back["by"]) == ("It was killed", "human")
