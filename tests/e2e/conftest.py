"""What every story here starts from: an agent, a repository, and an hour that is now.

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
from tests.sizes import one_by_day

AGENTS = ("claude", "codex", "gemini")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    ours = [item for item in items if item.path.is_relative_to(here)]
    for item in ours:
        item.add_marker(pytest.mark.e2e)
    for fixture in ("agent", "any_agent"):
        one_by_day(ours, fixture, AGENTS)


@pytest.fixture(autouse=True)
def an_ordinary_day(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real clocks: the agents and git-traj look at them."""
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
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


@pytest.fixture
def gemini(installed: Path) -> Agent:
    return GeminiCli(installed)


@pytest.fixture
def opencode(installed: Path) -> Agent:
    return OpenCode(installed)


@pytest.fixture(params=["claude", "codex"])
def agent(request: pytest.FixtureRequest) -> Agent:
    """Either agent: by night, a story that asks for it is told once with each (``one_by_day``)."""
    chosen: Agent = request.getfixturevalue(request.param)
    return chosen


@pytest.fixture(params=AGENTS)
def any_agent(request: pytest.FixtureRequest) -> Agent:
    """As ``agent``, with Gemini CLI, whose commands know nothing of their session."""
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


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Everything that reached the model: the body of each request."""
    bodies: list[str] = []
    follow = model_server.Script.follow

    def listen(script: model_server.Script, conversation: str) -> tuple[Reply, Served]:
        bodies.append(conversation)
        return follow(script, conversation)

    monkeypatch.setattr(model_server.Script, "follow", listen)
    return bodies
