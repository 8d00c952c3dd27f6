"""Misuse with real agents: commits have the right owner, and another repository's files are not stored."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Agent
from tests.e2e.model_server import ToolCall
from tests.e2e.scenario import Shell, Write, turn
from tests.e2e.workshop import Workshop
from tests.integration.neighbour import PRIVATE, shell_reads

LINES = "".join(f"value_{n} = {n}\n" for n in range(6))


def evidence(workshop: Workshop) -> dict[str, list[str]]:
    """Return the evidence of each commit with a record, by its subject."""
    done = subprocess.run(
        [sys.executable, "-m", "gittraj", "log", "--all", "--json"],
        cwd=workshop.path,
        capture_output=True,
        text=True,
        check=False,
    )
    commits: list[dict[str, Any]] = json.loads(done.stdout)["commits"] if done.stdout else []
    return {c["subject"]: [t["link"]["evidence"] for t in c["trajectories"]] for c in commits}


@pytest.mark.parametrize("command", ["./release", "make ship", "env X=y git commit -qm Made", "git ci"])
def test_a_commit_made_indirectly_by_a_tool_call_is_the_agents(
    agent: Agent, workshop: Workshop, command: str
) -> None:
    workshop.git("config", "alias.ci", "commit -qm Made")
    (workshop.path / "release").write_text("#!/bin/sh\ngit commit -qm Made\n")
    (workshop.path / "release").chmod(0o755)
    (workshop.path / "Makefile").write_text("ship:\n\t@git commit -qm Made\n")
    (workshop.path / "staged").write_text("by somebody\n")
    workshop.git("add", ".")
    workshop.settle(agent.run([turn(Shell(command)), turn(say="Released.")], folder=workshop.path))
    assert evidence(workshop) == {"Made": ["agent"]}


def test_no_record_for_a_persons_earlier_commit_or_reverted_lines(agent: Agent, workshop: Workshop) -> None:
    (workshop.path / "a.py").write_text(LINES)
    workshop.git("add", ".")
    workshop.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "Mine")
    workshop.commit("b.py", "nothing = 0\n")
    turns = [
        turn(Shell("sleep 2")),
        turn(Write("a.py", LINES.upper())),
        turn(Write("b.py", LINES)),
        turn(Shell("git checkout -- b.py a.py")),
        turn(say="I tried it, and took it back."),
    ]
    workshop.settle(agent.run(turns, folder=workshop.path))
    (workshop.path / "b.py").write_text(LINES)
    workshop.git("commit", "-qam", "Typed again")
    assert evidence(workshop) == {}


def test_a_formatted_and_renamed_file_is_credited_to_its_agent(agent: Agent, workshop: Workshop) -> None:
    turns = [turn(Write("a.py", LINES)), turn(say="It is yours to commit.")]
    workshop.settle(agent.run(turns, folder=workshop.path))
    (workshop.path / "b.py").write_text(LINES.replace(" = ", "="))
    (workshop.path / "a.py").unlink()
    workshop.git("add", "-A")
    workshop.git("commit", "-qm", "Formatted and renamed")
    assert evidence(workshop) == {"Formatted and renamed": ["content"]}


def tool_reads(name: str, neighbour: Path, link: Path) -> list[ToolCall]:
    """Make calls of the agent's tools, without its shell, that read files of the neighbouring folder."""
    read = [{"file_path": str(path / "config.py")} for path in (neighbour, link)]
    match name:
        case "claude-code":
            grep = ToolCall("Grep", {"pattern": "needle", "path": "..", "output_mode": "content"})
            glob = ToolCall("Glob", {"pattern": "*", "path": str(neighbour)})
            return [*(ToolCall("Read", each) for each in read), grep, glob]
        case "gemini-cli":
            return [ToolCall("read_file", each) for each in read]
        case _:
            return []


def test_files_of_a_neighbouring_folder_are_not_stored(
    any_agent: Agent, workshop: Workshop, requests: list[str]
) -> None:
    neighbour, link = workshop.path.parent / "neighbour", workshop.path / "linked"
    neighbour.mkdir()
    (neighbour / "config.py").write_text(f"{PRIVATE}\n")
    link.symlink_to(neighbour)
    (workshop.path / "config").symlink_to(neighbour / "config.py")
    (workshop.path / "src").mkdir()
    (workshop.path / "src/a.py").write_text("here = 1\n")
    own = tool_reads(any_agent.name, neighbour, link)
    commands = [f"{command} || true" for command in shell_reads(neighbour) if "config.py" in command]
    turns = [
        *(turn(own=[call]) for call in own),
        *(turn(*map(Shell, commands[at : at + 5])) for at in range(0, len(commands), 5)),
        turn(Write("a.py", "a = 1\n")),
        turn(Shell("git add a.py && git commit -qm Made")),
        turn(say="Done."),
    ]
    workshop.settle(any_agent.run(turns, folder=workshop.path))
    trajectory = workshop.only()
    assert requests[-1].count(PRIVATE) > 15  # the other calls print only file names
    assert trajectory["part"]["counts"]["outside"] == len(own) + len(commands)
    assert PRIVATE.encode() not in workshop.stored()
