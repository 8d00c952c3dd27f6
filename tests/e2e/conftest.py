"""Fixtures of the end-to-end tests: agents, repositories, and the real clock.

Set GIT_TRAJ_E2E_AGENTS to a folder where npm has installed the agents, or GIT_TRAJ_E2E_INSTALL=1 to have them
installed under `.agents/`; otherwise these tests are skipped.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e import model_server
from tests.e2e.agents import Agent, ClaudeCode, Codex, GeminiCli, OpenCode
from tests.e2e.model_server import Reply, Served
from tests.e2e.packages import NotInstalledError, programs
from tests.e2e.workshop import Workshop
from tests.sizes import one_unless_nightly

AGENTS = ("claude", "codex", "gemini")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    e2e = [item for item in items if item.path.is_relative_to(here)]
    for item in e2e:
        item.add_marker(pytest.mark.e2e)
    for fixture in ("agent", "any_agent"):
        one_unless_nightly(e2e, fixture, AGENTS)


@pytest.fixture(autouse=True)
def real_clock(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset the fixed dates of commits: the agents and git-traj read the real clock."""
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session", autouse=True)
def installed() -> Path:
    """Return the folder of the agents' programs, before the environment is emptied: npm needs it."""
    try:
        return programs()
    except NotInstalledError as e:
        pytest.skip(str(e))


@pytest.fixture
def claude(installed: Path) -> Agent:
    return ClaudeCode(installed)


@pytest.fixture
def codex(installed: Path) -> Agent:
    return Codex(installed)


@pytest.fixture
def gemini(installed: Path) -> Agent:
    return GeminiCli(installed)


@pytest.fixture
def opencode(installed: Path) -> Agent:
    return OpenCode(installed)


@pytest.fixture(params=["claude", "codex"])
def agent(request: pytest.FixtureRequest) -> Agent:
    """Claude Code or Codex: nightly, a test runs with both, else with one (``one_unless_nightly``)."""
    chosen: Agent = request.getfixturevalue(request.param)
    return chosen


@pytest.fixture(params=AGENTS)
def any_agent(request: pytest.FixtureRequest) -> Agent:
    """Like ``agent``, or Gemini CLI, whose commands do not know their session."""
    chosen: Agent = request.getfixturevalue(request.param)
    return chosen


@pytest.fixture
def repository(tmp_path: Path) -> Workshop:
    """A repository without git-traj."""
    return Workshop.create(tmp_path / "workshop")


@pytest.fixture
def workshop(repository: Workshop) -> Workshop:
    """A repository where git-traj is installed."""
    repository.traj("install")
    return repository


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The bodies of all requests that reached the model."""
    bodies: list[str] = []
    follow = model_server.Script.follow

    def listen(script: model_server.Script, conversation: str) -> tuple[Reply, Served]:
        bodies.append(conversation)
        return follow(script, conversation)

    monkeypatch.setattr(model_server.Script, "follow", listen)
    return bodies
