"""The table in docs/agents.md matches the code and the agents' versions that the tests run."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from gittraj.agents import Agent, all_agents
from gittraj.agents.logged import LoggedAgent
from gittraj.model.signs import SIGNS
from gittraj.state import spool
from tests.e2e.more_packages import PACKAGES
from tests.e2e.packages import NEXT, PINNED

PAGE = Path(__file__).parents[3] / "docs" / "agents.md"
NPM = {
    "claude-code": "@anthropic-ai/claude-code",
    "codex": "@openai/codex",
    "gemini-cli": "@google/gemini-cli",
    "opencode": "opencode-ai",
}
HEAD = """\
| agent | its log | a commit's hook knows | what links a commit | tested with |
|---|---|---|---|---|"""
QUIET = ("gemini-cli",)
"""Agents that switch git's hooks off for their commands."""
TIMELESS = ("cursor",)
"""Agents whose logs have neither times nor results."""


def row(agent: Agent) -> str:
    if agent.name == "kilo":
        log = "~/.local/share/kilo/kilo.db"
    elif isinstance(agent, LoggedAgent):
        log = f"~/{agent.home}/{agent.log.replace('{0}', '<session>')}"
    else:
        found = re.search(r"``([^`]+)``", inspect.getdoc(inspect.getmodule(type(agent))) or "")
        assert found is not None, agent.name
        log = " ".join(found[1].split())
    named, marked = agent.name in spool.NAMED, agent.name in SIGNS.values()
    told = "its session" if named else "that it runs" if marked and agent.name not in QUIET else "nothing"
    by = "the call that was open then" if named else "the id in its log, or the call that ran then"
    by = "content alone" if agent.name in TIMELESS else by
    pinned = {package.name: package.version for package in PACKAGES.values()} | PINNED
    name = PACKAGES[agent.name].name if agent.name in PACKAGES else NPM.get(agent.name, "")
    versions = ", ".join(v[name] for v in (pinned, NEXT) if name in v) or "written logs"
    return f"| {agent.name} | `{log}` | {told} | {by} | {versions} |"


def test_the_page_has_a_row_for_each_agent() -> None:
    table = "\n".join([HEAD, *map(row, all_agents().values())])
    assert table in PAGE.read_text("utf-8"), f"docs/agents.md should have\n{table}"


def test_the_page_names_every_variable_of_an_agent() -> None:
    text = PAGE.read_text("utf-8")
    assert [name for name in (*spool.SESSION_IDS, *spool.MARKS) if f"`{name}`" not in text] == []
