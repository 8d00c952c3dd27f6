"""Finding the logs of agents that write one file per session, by the session's folder and by its id."""

from __future__ import annotations

import json
from datetime import datetime
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
def test_sessions_are_found_by_the_folder_they_worked_in(name: str, environ: Environ) -> None:
    agent = all_agents()[name]
    found = list(agent.sessions(environ, [Path("/w/repo")], since=0.0))
    assert [(file.agent, file.session) for file in found] == [(name, HERE)]
    assert list(agent.sessions(environ, [Path("/w/repo")], since=9e9)) == []
    assert {file.session for file in agent.sessions(environ, [Path("/w")], since=0.0)} == {HERE, THERE}


@pytest.mark.parametrize("name", LOGS)
def test_a_session_is_found_by_its_id(name: str, environ: Environ) -> None:
    agent = all_agents()[name]
    found = agent.find(environ, THERE)
    assert found is not None
    assert found.read_text().find("/w/other") > 0
    assert agent.find(environ, "../*") is None
    assert agent.find(environ, "absent") is None
    assert agent.find(Environ.of({}), HERE) is None


def test_the_logs_of_qwen_codes_subagents_are_found(environ: Environ) -> None:
    (file,) = all_agents()["qwen-code"].sessions(environ, [Path("/w/repo")], since=0.0)
    log = file.path.parent.parent / "subagents" / HERE / "agent-explore-1.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("{}\n")
    assert [(s.subagent, s.path) for s in all_agents()["qwen-code"].subagents(file)] == [("explore-1", log)]


def test_data_folders_follow_the_environment() -> None:
    variables = {
        "CLAUDE_CONFIG_DIR": "/c",
        "CODEX_HOME": "~",
        "GEMINI_CLI_HOME": "/g",
        "COPILOT_HOME": "/c",
        "QWEN_HOME": "~/q",
        "PI_CODING_AGENT_DIR": "",
        "XDG_CONFIG_HOME": "/e",
    }
    environ = Environ.of({"HOME": "/h", **variables})
    folders = {name: agent.folder(environ) for name, agent in all_agents().items()}
    assert folders == {
        "claude-code": Path("/c"),
        "codex": Path("/h"),
        "gemini-cli": Path("/g/.gemini"),
        "opencode": Path("/h/.local/share/opencode"),
        "kilo": Path("/h/.local/share/kilo"),
        "copilot": Path("/c"),
        "pi": Path("/h/.pi/agent"),
        "qwen-code": Path("/h/q"),
        "cline": Path("/h/.cline/data"),
        "aider": None,
        "mini-swe-agent": Path("/e/mini-swe-agent"),
        "cursor": Path("/h/.cursor"),
    }
    assert {agent.folder(Environ.of({})) for agent in all_agents().values()} == {None}


@pytest.mark.parametrize(
    ("variable", "agent"),
    [("KILO", "kilo"), ("PI_CODING_AGENT", "pi"), ("QWEN_CODE", "qwen-code"), ("GEMINI_CLI", "gemini-cli")],
)
def test_an_agents_shell_is_recognized_by_its_variable(variable: str, agent: str) -> None:
    assert Environ.of({variable: "1"}).agent_without_session == agent
    assert Environ.of({variable: "0"}).agent_without_session is None


def test_clines_folder_is_read_from_the_file_next_to_its_messages(tmp_path: Path) -> None:
    environ = Environ.of({"HOME": str(tmp_path)})
    agent = all_agents()["cline"]
    for session, folder in (("1_a", "/w/repo"), ("2_b", "/w/other")):
        place = tmp_path / ".cline/data/sessions" / session
        place.mkdir(parents=True)
        (place / f"{session}.messages.json").write_text("{}")
        (place / f"{session}.json").write_text(json.dumps({"session_id": session, "cwd": folder}))
    (found,) = agent.sessions(environ, [Path("/w/repo")], since=0.0)
    assert (found.session, found.path, agent.find(environ, "1_a")) == ("1_a", found.path, found.path)


def test_aider_keeps_its_sessions_in_the_work_tree(tmp_path: Path) -> None:
    history = tmp_path / ".aider.chat.history.md"
    began = [f"\n# aider chat started at 2026-01-0{day} 12:00:00\n\n" for day in (1, 2, 3)]
    history.write_text("".join(began))
    agent, environ = all_agents()["aider"], Environ.of({})
    since = datetime.fromisoformat("2026-01-02T13:00:00").timestamp()
    found = list(agent.sessions(environ, [tmp_path, tmp_path], since=since))
    assert [file.session[:10] for file in found] == ["2026-01-02", "2026-01-03"]
    last = int(datetime.fromisoformat("2026-01-03T12:00:00").timestamp() * 1000)
    assert [file.changed for file in found] == [last, None]
    assert list(agent.sessions(environ, [tmp_path / "other"], since=0.0)) == []


def test_mini_swe_agents_last_run_is_found(tmp_path: Path) -> None:
    log = tmp_path / "mini" / "last_mini_run.traj.json"
    log.parent.mkdir()
    environ = Environ.of({"HOME": "/h", "MSWEA_GLOBAL_CONFIG_DIR": str(log.parent)})
    agent = all_agents()["mini-swe-agent"]
    messages = [{"role": role, "content": "x", "extra": {"timestamp": 1.0}} for role in ("user", "assistant")]
    log.write_text(json.dumps({"info": {}, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"}))
    (found,) = agent.sessions(environ, [], since=0.0)
    assert agent.find(environ, found.session) == log
    assert agent.find(environ, "other") is None


def test_cursors_transcripts_are_found_by_the_name_of_the_folder(tmp_path: Path) -> None:
    environ = Environ.of({"HOME": str(tmp_path)})
    agent = all_agents()["cursor"]
    for folder, path in (("w-repo", f"{HERE}.jsonl"), ("w-repo", f"{THERE}/{THERE}.jsonl"), ("w", "x.jsonl")):
        log = tmp_path / ".cursor/projects" / folder / "agent-transcripts" / path
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("{}\n")
    found = agent.sessions(environ, [Path("/w/repo")], since=0.0)
    assert [file.session for file in found] == [HERE, THERE]
    assert agent.find(environ, "x") is not None
