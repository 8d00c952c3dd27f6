"""Repositories for the tests that use a real git."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gittraj.git import Repository
from tests.github.host import Host, a_host
from tests.integration.claude_session import ClaudeSession
from tests.integration.codex_session import CodexSession
from tests.integration.desk import Desk
from tests.integration.repository import Git
from tests.integration.session_writer import Writer
from tests.integration.sharing import Be, Person, clone
from tests.integration.story import Story
from tests.sizes import one_unless_nightly

WAYS = ("recorded", "waiting")
WRITERS: dict[str, Writer] = {"claude": ClaudeSession, "codex": CodexSession}
FORMS = ("sha1", "sha256")
KINDS = {
    "libgit2": ("sha1", "libgit2"),
    "plumbing": ("sha1", "plumbing"),
    "sha256": ("sha256", "auto"),
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for fixture, ways in (("each_desk", WAYS), ("writer", WRITERS), ("object_format", FORMS)):
        one_unless_nightly(items, fixture, ways)


@pytest.fixture
def real_clocks(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits get the real time, like the agents' logs."""
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.delenv(name)


@pytest.fixture(params=WRITERS)
def writer(request: pytest.FixtureRequest) -> Writer:
    """A function that begins a session, of Claude Code or Codex, in a folder."""
    return WRITERS[request.param]


@pytest.fixture(params=FORMS)
def object_format(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def first_git(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path of the empty repository that the first test makes and all others copy."""
    return tmp_path_factory.mktemp("git") / "repo"


@pytest.fixture
def git(tmp_path: Path, first_git: Path) -> Git:
    """An empty repository with a work tree."""
    return Git.copy_of(first_git, tmp_path / "repo")


@pytest.fixture
def story(git: Git) -> Iterator[Story]:
    """A ``Story``, which writes records into ``git``."""
    with git.open() as repository:
        yield Story(repository)


@pytest.fixture
def host(git: Git, tmp_path: Path) -> Iterator[Host]:
    """Stand-ins for GitHub and its git server, with a pull request, and for the runners of the Action."""
    with a_host(git, tmp_path) as there:
        yield there


@pytest.fixture(params=KINDS)
def each_git(request: pytest.FixtureRequest, tmp_path: Path) -> Git:
    """A repository; the test runs once per backend: libgit2, git's commands, and with SHA-256."""
    return Git.init(tmp_path / "repo", f"--object-format={KINDS[request.param][0]}")


@pytest.fixture
def repository(request: pytest.FixtureRequest, each_git: Git) -> Iterator[Repository]:
    """The repository of ``each_git``, opened with the backend under test."""
    kind = request.node.callspec.params["each_git"]
    with each_git.open(KINDS[kind][1]) as opened:  # type: ignore[arg-type]
        yield opened


@pytest.fixture(scope="session")
def first_desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path of the desk that the first test makes and all others copy."""
    return tmp_path_factory.mktemp("desk") / "repo"


@pytest.fixture
def desk(git: Git, first_desk: Path) -> Desk:
    """A repository with one commit and git-traj installed; each piece of work is recorded at once."""
    if "GIT_COMMITTER_DATE" not in os.environ:  # the test needs a commit with the real time
        git.commit({"base": "1\n"}, "base")
        return Desk(git).install()
    if not first_desk.exists():
        first = Git.init(first_desk)
        first.commit({"base": "1\n"}, "base")
        Desk(first).install()
    return Desk(git).copy(first_desk)


@pytest.fixture(params=WAYS)
def each_desk(request: pytest.FixtureRequest, desk: Desk) -> Desk:
    """A desk whose work is recorded at once; or only when all work is over."""
    desk.waits = request.param == "waiting"
    return desk


@pytest.fixture
def be(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Be:
    """A function that makes the user of a clone, who runs ``git traj`` there."""
    return lambda git: Person(git, monkeypatch, capsys)


@pytest.fixture
def ann(server: Git, tmp_path: Path) -> Git:
    """A clone of the test module's fixture ``server``."""
    return clone(server, tmp_path / "ann")


@pytest.fixture
def bob(server: Git, tmp_path: Path) -> Git:
    return clone(server, tmp_path / "bob")
