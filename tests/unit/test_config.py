"""What is set, and by whom; a cloned repository's file is somebody else's."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gittraj.config import TEAM_FILE, Config, Environ, read_config
from gittraj.errors import TrajError
from gittraj.git import Repository
from tests.integration.repository import Git


@pytest.fixture
def git(tmp_path: Path) -> Git:
    return Git.init(tmp_path / "repo")


@pytest.fixture
def repository(git: Git) -> Iterator[Repository]:
    with git.open() as opened:
        yield opened


def test_nothing_set(repository: Repository) -> None:
    config = read_config(repository)
    assert (config.thinking, config.exclude, config.sessions) == ("seal", (), ())
    assert config.settings
    assert config.settings["thinking"].source == "default"


def test_git_config(git: Git, repository: Repository, empty_home: Path) -> None:
    for key, value in (("thinking", "clear"), ("exclude", "codex"), ("exclude", "secret/*")):
        git("config", "--add", f"traj.{key}", value)
    git("config", "traj.sessions.path", "~/logs")
    git("config", "traj.sessions.PATH", "/mnt/logs")
    config = read_config(repository)
    assert (config.thinking, config.exclude) == ("clear", ("codex", "secret/*"))
    assert config.sessions == (Path("/mnt/logs"),)
    git("config", "traj.sessions.path", "~/logs")
    assert read_config(repository).sessions == (empty_home / "logs",)


@pytest.mark.parametrize(
    ("own", "team", "expected", "source"),
    [
        ("clear", "seal", "seal", TEAM_FILE),
        ("clear", "drop", "drop", TEAM_FILE),
        ("drop", "clear", "drop", "git config"),
        ("seal", "seal", "seal", "git config"),
        (None, "clear", "seal", "default"),
        (None, "drop", "drop", TEAM_FILE),
    ],
)
def test_a_team_makes_things_stricter_never_looser(
    git: Git, repository: Repository, own: str | None, team: str, expected: str, source: str
) -> None:
    if own:
        git("config", "traj.thinking", own)
    git.write({TEAM_FILE: f"thinking: {team}\nexclude:\n- docs/*\n"})
    config = read_config(repository)
    assert config.thinking == expected
    assert config.settings
    assert config.settings["thinking"].source == source
    assert config.exclude == ("docs/*",)


BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(20)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("thinking: loud", "thinking is 'loud'"),
        ("thinking: 7", "thinking is not a text"),
        (BOMB + "thinking: *u", "thinking is not a text"),
        (BOMB + "exclude: [*u]", "exclude is not a list of patterns"),
        (BOMB + "exclude: *u", "exclude is not a list of patterns"),
        ("exclude: docs", "exclude is not a list"),
        ("exclude: [1]", "exclude is not a list of patterns"),
        ("- a", "is not a mapping"),
        ("text", "is not a mapping"),
        ("a: [", "cannot be read"),
        ("!!python/object/apply:os.system ['true']", "cannot be read"),
        (b"\xff\xfe\x00", "cannot be read"),
        ("[" * 50_000, "cannot be read"),
    ],
)
def test_a_team_file_that_means_nothing_is_one_clear_line(
    git: Git, repository: Repository, text: str | bytes, message: str
) -> None:
    git.write({TEAM_FILE: text})
    start = time.process_time()
    with pytest.raises(TrajError) as caught:
        read_config(repository)
    assert message in caught.value.message
    assert TEAM_FILE in caught.value.message
    assert "\n" not in caught.value.message
    assert time.process_time() - start < 10.0


@pytest.mark.parametrize("text", ["", "thinking:\nexclude:\n", "later: {x: 1}\n"])
def test_a_team_file_that_says_nothing(git: Git, repository: Repository, text: str) -> None:
    git.write({TEAM_FILE: text})
    assert read_config(repository).thinking == "seal"


def test_a_value_in_git_config_that_means_nothing_names_its_key(git: Git, repository: Repository) -> None:
    git("config", "traj.thinking", "loud")
    with pytest.raises(TrajError, match=r"git config traj\.thinking is 'loud'"):
        read_config(repository)
    git("config", "traj.thinking", "seal")
    git("config", "traj.sessions.path", "~nobody-of-that-name/logs")
    with pytest.raises(TrajError, match=r"traj\.sessions\.path"):
        read_config(repository)


def test_excludes() -> None:
    config = Config(exclude=("codex", "secret/*", "*.pem"))
    assert config.excludes(agent="codex", path="a")
    assert config.excludes(agent="claude-code", path="secret/deep/a")
    assert config.excludes(agent="claude-code", path="a/b.pem")
    assert not config.excludes(agent="claude-code", path="a")


def test_the_environment() -> None:
    assert Environ.of({}) == Environ(home=None)
    assert Environ.of({"HOME": "/h", "CI": "1", "GIT_TRAJ": "1"}) == Environ(
        home=Path("/h"), claude_dir=Path("/h/.claude"), codex_dir=Path("/h/.codex"), ci="ci"
    )
    assert Environ.of(
        {
            "USERPROFILE": "/u",
            "CLAUDE_CONFIG_DIR": "/c",
            "CODEX_HOME": "/x",
            "CLAUDE_CODE_SESSION_ID": "s",
            "CODEX_THREAD_ID": "t",
            "GIT_TRAJ": "0",
            "GIT_TRAJ_SYNC": "1",
            "CI": "1",
            "GITHUB_ACTIONS": "true",
        }
    ) == Environ(
        home=Path("/u"),
        claude_dir=Path("/c"),
        codex_dir=Path("/x"),
        claude_session="s",
        codex_thread="t",
        off=True,
        foreground=True,
        ci="github-actions",
    )
