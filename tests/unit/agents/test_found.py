"""Where the logs of the agents that have one file for each session are, and which are near a repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gittraj.agents import all_agents
from gittraj.config import Environ

LOGS = {
    "copilot": (".copilot/session-state/{}/events.jsonl", {"type": "session.start", "data": {"cwd": ""}}),
    "pi": (".pi/agent/sessions/--w--/2026-01-02T03-04-05-678Z_{}.jsonl", {"type": "session", "cwd": ""}),
    "qwen-code": (".qwen/projects/-w/chats/{}.jsonl", {"uuid": "u", "cwd": ""}),
}
HERE, THERE = "01a221dc-ab4b-7341-9b0a-8f9865c29cbb", "02a221dc-ab4b-7341-9b0a-8f9865c29cbb"


@pytest.fixture
def environ(tmp_path: Path) -> Environ:
    for place, head in LOGS.values():
        for session, folder in ((HERE, "/w/repo"), (THERE, "/w/other")):
            log = tmp_path / place.format(session)
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(json.dumps(head).replace('"cwd": ""', f'"cwd": "{folder}"') + "\n")
    return Environ.of({"HOME": str(tmp_path)})


@pytest.mark.parametrize("name", LOGS)
def test_sessions_that_worked_near(name: str, environ: Environ) -> None:
    agent = all_agents()[name]
    found = list(agent.sessions(environ, [Path("/w/repo")], since=0.0))
    assert [(file.agent, file.session) for file in found] == [(name, HERE)]
    assert list(agent.sessions(environ, [Path("/w/repo")], since=9e9)) == []
    assert {file.session for file in agent.sessions(environ, [Path("/w")], since=0.0)} == {HERE, THERE}


@pytest.mark.parametrize("name", LOGS)
def test_a_session_by_its_id(name: str, environ: Environ) -> None:
    agent = all_agents()[name]
    found = agent.find(environ, THERE)
    assert found is not None
    assert found.read_text().find("/w/other") > 0
    assert agent.find(environ, "../*") is None
    assert agent.find(environ, "absent") is None
    assert agent.find(Environ.of({}), HERE) is None


def test_subagents_of_qwen_code(environ: Environ) -> None:
    (file,) = all_agents()["qwen-code"].sessions(environ, [Path("/w/repo")], since=0.0)
    log = file.path.parent.parent / "subagents" / HERE / "agent-explore-1.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("{}\n")
    assert [(s.subagent, s.path) for s in all_agents()["qwen-code"].subagents(file)] == [("explore-1", log)]


def test_folders_that_the_environment_names() -> None:
    environ = Environ.of({"HOME": "/h", "COPILOT_HOME": "/c", "QWEN_HOME": "~/q", "PI_CODING_AGENT_DIR": ""})
    assert environ.folders["copilot"] == Path("/c")
    assert environ.folders["qwen-code"] == Path("/h/q")
    assert environ.folders["pi"] == Path("/h/.pi/agent")


@pytest.mark.parametrize(
    ("variable", "agent"),
    [("PI_CODING_AGENT", "pi"), ("QWEN_CODE", "qwen-code"), ("GEMINI_CLI", "gemini-cli")],
)
def test_a_shell_that_an_agent_opened(variable: str, agent: str) -> None:
    assert Environ.of({variable: "1"}).nameless == agent
    assert Environ.of({variable: "0"}).nameless is None
