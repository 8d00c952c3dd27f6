"""The attributes of live agents that shared code uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from gittraj.agents import Agent, all_agents
from gittraj.asking.due import Turn

AGENTS = all_agents()


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_only_an_agent_with_hooks_can_be_asked_for_a_retrospective(agent: Agent) -> None:
    assert (agent.hooks is None) == (agent.last_message is None)
    assert agent.hooks is None or agent.hooks.name == agent.name


def test_a_hook_entry_has_the_form_that_the_agent_expects() -> None:
    hooks = AGENTS["gemini-cli"].hooks
    assert hooks is not None
    assert hooks.groups(Path("/r/.git/traj/agent-hook"))["AfterTool"] == {
        "matcher": "run_shell_command",
        "hooks": [
            {
                "name": "git-traj",
                "type": "command",
                "command": "test ! -f '/r/.git/traj/agent-hook' || sh '/r/.git/traj/agent-hook' gemini-cli",
                "timeout": 5000,
            }
        ],
    }


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("claude-code", "last_assistant_message"),
        ("codex", "last_assistant_message"),
        ("gemini-cli", "prompt_response"),
    ],
)
def test_the_last_message_of_a_turn_is_read_from_the_hooks_payload(name: str, field: str) -> None:
    assert AGENTS[name].last_message == field
    payload = {"session_id": "s", "transcript_path": "/log.jsonl"}
    assert Turn.of(name, field, {**payload, field: "Done"}).last_message == "Done"
    assert Turn.of(name, field, {**payload, field: None}).last_message == ""
