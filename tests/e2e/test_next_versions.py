"""An agent is updated between two turns: the next version continues the session, and both are recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e import test_more_agents
from tests.e2e.agents import Agent, ClaudeCode, Codex
from tests.e2e.more_agents import Qwen
from tests.e2e.packages import NotInstalledError, next_programs
from tests.e2e.stories import check_resumed_session
from tests.e2e.workshop import Workshop

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="session", autouse=True)
def updated() -> Path | str:
    """Return the folder of the newer versions, or why it is missing, before the environment is emptied."""
    try:
        return next_programs()
    except NotInstalledError as error:
        return str(error)


@pytest.mark.parametrize("agent", [ClaudeCode, Codex])
def test_a_session_that_the_next_version_continues(
    agent: type[ClaudeCode | Codex], installed: Path, updated: Path | str, workshop: Workshop
) -> None:
    if isinstance(updated, str):
        pytest.skip(updated)
    before: Agent = agent(installed)
    first, second = check_resumed_session(before, workshop, again=agent(updated))
    assert second.session == first.session


def test_the_next_version_of_qwen_code(updated: Path | str, workshop: Workshop) -> None:
    if isinstance(updated, str):
        pytest.skip(updated)
    test_more_agents.test_two_edits_two_commits_and_a_persons_own(Qwen(updated / "qwen"), workshop)
