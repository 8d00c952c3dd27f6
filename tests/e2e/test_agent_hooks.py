"""The agents' own hooks, run by the agents: they report the session to git-traj, and nothing to the model."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gittraj.model.session_items import ASKING
from tests.e2e.agents import Agent
from tests.e2e.scenario import Run, Shell, Turn, Write, turn
from tests.e2e.workshop import Workshop
from tests.integration.waiting import LONG

SCRIPT = [
    turn(Write("a.txt", "one\n"), say="First the file"),
    turn(Shell("git add a.txt && git commit -q -m made")),
    turn(say="The last words"),
]
USER_SETTINGS = {"description": "mine"}
USER_HOOKS = {"hooks": [{"type": "command", "command": "touch theirs"}]}
TURN_END = {"gemini-cli": "AfterAgent"}  # the event that others call Stop
FILES = {
    "claude-code": ".claude/settings.local.json",
    "codex": ".codex/hooks.json",
    "gemini-cli": ".gemini/settings.json",
}
EVENTS = {
    "claude-code": ["SessionStart", "SessionEnd"],
    "codex": ["SessionStart"],
    "gemini-cli": ["SessionStart", "AfterTool", "SessionEnd"],
}


@pytest.fixture(params=["claude", "codex", "gemini"])
def agent(request: pytest.FixtureRequest) -> Agent:
    """Each agent that has hooks."""
    chosen: Agent = request.getfixturevalue(request.param)
    return chosen


def install(workshop: Workshop, agent: Agent) -> None:
    workshop.traj("install", "--agent", agent.name.removesuffix("-cli"))


def play(agent: Agent, workshop: Workshop, script: Sequence[Turn] = SCRIPT, *, trusted: bool = True) -> Run:
    """Run the agent. Codex runs hooks only if they are trusted: its own review would record that."""
    if agent.name == "codex" and trusted:
        trust(agent, workshop.path)
    run = agent.run(script, folder=workshop.path)
    workshop.settle(run)
    return run


def trust(agent: Agent, folder: Path) -> None:
    """Do what 'Trust all and continue' does: store the hash that Codex itself reports for each hook."""
    config = Path.home() / ".codex" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(f'[projects."{folder}"]\ntrust_level = "trusted"\n')
    hooks = _list_hooks(agent, folder)
    assert {hook["trustStatus"] for hook in hooks} == {"untrusted"}
    tables = [f'[hooks.state."{h["key"]}"]\ntrusted_hash = "{h["currentHash"]}"\n' for h in hooks]
    config.write_text(config.read_text() + "".join(tables))


def _list_hooks(agent: Agent, folder: Path) -> list[dict[str, Any]]:
    """Return Codex's own list of its hooks in ``folder``."""
    requests = (
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "test", "version": "1"}}},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [str(folder)]}},
    )
    server = subprocess.Popen(
        [str(agent.programs / "codex"), "app-server"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with server:
        assert server.stdin is not None
        assert server.stdout is not None
        for message in requests:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        server.stdin.flush()
        answers = map(json.loads, server.stdout)
        answer = next(a for a in answers if a.get("id") == 2)
        server.terminate()
    (listed,) = answer["result"]["data"]
    hooks: list[dict[str, Any]] = listed["hooks"]
    return hooks


def reported(workshop: Workshop) -> list[tuple[str, ...]]:
    """Return the lines that the agents' hooks spooled: agent, session, event, log."""
    spool = workshop.path / ".git" / "traj" / "spool"
    lines = spool.read_text().splitlines() if spool.exists() else []
    return [tuple(line.split("\t")[1:5]) for line in lines if line.startswith("session\t")]


def test_the_hooks_report_the_session_and_nothing_reaches_the_model(
    agent: Agent, workshop: Workshop, requests: list[str]
) -> None:
    install(workshop, agent)
    run = play(agent, workshop)

    lines = [(agent.name, run.session, event, str(run.log)) for event in EVENTS[agent.name]]
    assert reported(workshop) == lines
    assert len(requests) == len(SCRIPT)
    assert not [body for body in requests if "agent-hook" in body or ASKING in body]
    assert ("message", "The last words") in _stored(workshop)
    assert workshop.git("status", "--porcelain") == ""


def _stored(workshop: Workshop) -> list[tuple[str, str]]:
    events = [e for chapter in workshop.only()["chapters"] for e in chapter["events"]]
    return [(e["type"], e["content"]) for e in events]


def test_other_hooks_in_the_settings_stay_and_work(agent: Agent, workshop: Workshop) -> None:
    path = workshop.path / FILES[agent.name]
    path.parent.mkdir()
    settings = {**USER_SETTINGS, "hooks": {TURN_END.get(agent.name, "Stop"): [USER_HOOKS]}}
    path.write_text(json.dumps(settings, indent=4))
    before = path.read_bytes()
    install(workshop, agent)
    after = json.loads(path.read_text())
    assert {**after, "hooks": 0} == {**settings, "hooks": 0}
    (workshop.path / ".git/info/exclude").write_text("/.*\n/theirs\n")

    play(agent, workshop)

    assert (workshop.path / "theirs").exists(), "the user's own hook ran"
    assert reported(workshop)
    workshop.traj("uninstall")
    assert path.read_bytes() == before


@pytest.mark.parametrize("missing", ["interpreter", "script"])
def test_a_session_continues_without_git_traj(agent: Agent, workshop: Workshop, missing: str) -> None:
    install(workshop, agent)
    script = workshop.path / ".git/traj/agent-hook"
    if missing == "script":
        script.unlink()
    else:
        lines = script.read_text().splitlines(keepends=True)
        script.write_text("".join("\tpy='/gone'\n" if li.startswith("\tpy=") else li for li in lines))

    run = play(agent, workshop)

    assert workshop.git("log", "-1", "--format=%s") == "made\n"
    assert bool(reported(workshop)) == (missing == "interpreter")
    if agent.name == "codex":
        assert "hook" not in run.stdout.lower()
    if agent.name == "claude-code":
        answers = [json.loads(line) for line in run.stdout.splitlines() if '"hook_response"' in line]
        assert {(a["exit_code"], a["output"]) for a in answers} == {(0, "")}


def test_codex_runs_no_hook_that_was_not_trusted(codex: Agent, workshop: Workshop) -> None:
    workshop.traj("install", "--agent", "codex")
    play(codex, workshop, trusted=False)
    assert reported(workshop) == []
    assert workshop.only()["link"]["evidence"] == "agent", "capture does not need the hooks"
    assert _state(workshop) == "untrusted"


def test_codex_still_trusts_the_hooks_when_the_interpreter_moves(codex: Agent, workshop: Workshop) -> None:
    workshop.traj("install", "--agent", "codex")
    trust(codex, workshop.path)
    script = workshop.path / ".git/traj/agent-hook"
    script.write_text(script.read_text().replace("\tpy='", "\tpy='/elsewhere"))
    workshop.traj("install", "--agent", "codex")
    assert "/elsewhere" not in script.read_text()
    assert _state(workshop) == "installed"
    assert {hook["trustStatus"] for hook in _list_hooks(codex, workshop.path)} == {"trusted"}


def _state(workshop: Workshop) -> str:
    (agent,) = json.loads(workshop.traj("status", "--json"))["agents"]
    return str(agent["state"])


def test_a_commit_without_git_hooks_is_recorded_at_once(gemini: Agent, workshop: Workshop) -> None:
    """Gemini CLI switches git's hooks off; the record exists while the session is still running."""
    install(workshop, gemini)
    seen: list[str] = []

    def look(number: int) -> None:
        end = time.monotonic() + LONG
        while number == 2 and not seen and time.monotonic() < end:
            seen.extend(_run_git(workshop, "notes", "--ref=traj", "list").split()[1::2])
            time.sleep(0.1)

    gemini.run(SCRIPT, folder=workshop.path, before_turn=look)
    assert seen == [workshop.head()]


def _run_git(workshop: Workshop, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=workshop.path, capture_output=True, text=True, check=False)
    return done.stdout
