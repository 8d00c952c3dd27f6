"""What every story here starts from: an agent, a repository, and an hour that is now.

Set GIT_TRAJ_E2E_AGENTS to a folder where npm has installed the agents, or GIT_TRAJ_E2E_INSTALL=1 to have them
installed under `.agents/`; otherwise these tests are skipped.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.agents import Agent, ClaudeCode, Codex
from tests.e2e.packages import NotInstalledError, programs
from tests.e2e.workshop import Workshop


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(autouse=True)
def an_ordinary_day(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real clocks and nobody's continuous integration: the agents and git-traj look at both."""
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE", "CI"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session", autouse=True)
def installed() -> Path:
    """The agents' programs; asked for before the environment is emptied, since npm needs the real one."""
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


@pytest.fixture(params=["claude", "codex"])
def agent(request: pytest.FixtureRequest) -> Agent:
    """Either agent: a story that asks for it is told once with each."""
    chosen: Agent = request.getfixturevalue(request.param)
    return chosen


@pytest.fixture
def repository(tmp_path: Path) -> Workshop:
    """A repository that knows nothing of git-traj."""
    return Workshop.founded(tmp_path / "workshop")


@pytest.fixture
def workshop(repository: Workshop) -> Workshop:
    """A repository where git-traj is installed."""
    repository.traj("install")
    return repository
