"""Settings and who may set them: the file of a cloned repository is not trusted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from gittraj.config import TEAM_FILE, Config, Environ, Setting, read_config, stamp
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.model.ruleset import RULESET
from tests.integration.repository import Git


@pytest.fixture
def git(tmp_path: Path) -> Git:
    return Git.init(tmp_path / "repo")


@pytest.fixture
def repository(git: Git) -> Iterator[Repository]:
    with git.open() as opened:
        yield opened


def test_without_settings_the_defaults_apply(repository: Repository) -> None:
    config = read_config(repository)
    assert (config.thinking, config.exclude, config.sessions) == ("seal", (), ())
    assert config.settings
    assert config.settings["thinking"].source == "default"


def test_settings_are_read_from_git_config(git: Git, repository: Repository, empty_home: Path) -> None:
    for key, value in (("thinking", "clear"), ("exclude", "codex"), ("exclude", "secret/*")):
        git("config", "--add", f"traj.{key}", value)
    git("config", "traj.sessions.path", "~/logs")
    git("config", "traj.sessions.PATH", "/mnt/logs")
    config = read_config(repository)
    assert (config.thinking, config.exclude) == ("clear", ("codex", "secret/*"))
    assert config.sessions == (Path("/mnt/logs"),)
    git("config", "traj.sessions.path", "~/logs")
    assert read_config(repository).sessions == (empty_home / "logs",)


def test_the_amount_of_stored_text_can_be_set(git: Git, repository: Repository) -> None:
    config = read_config(repository)
    assert (config.max_segment_bytes, config.max_session_bytes) == (None, None)
    for value, size in (("0", 0), ("700", 700), ("500k", 512_000), ("2M", 2_097_152), ("1g", 1 << 30)):
        git("config", "traj.maxSegmentBytes", value)
        git("config", "traj.maxSessionBytes", value)
        config = read_config(repository)
        assert (config.max_segment_bytes, config.max_session_bytes) == (size, size)
        assert config.settings
        assert config.settings["maxSegmentBytes"] == Setting(value=str(size), source="git config")
    for value in ("-1", "k", "1.5m", "2t", "\u0663", "1" * 20):
        git("config", "traj.maxSegmentBytes", value)
        with pytest.raises(TrajError, match=r"traj\.maxSegmentBytes is "):
            read_config(repository)


def test_only_the_user_can_set_who_is_asked_for_a_retrospective(git: Git, repository: Repository) -> None:
    git.write({TEAM_FILE: "retrospective: ask\n"})
    assert read_config(repository).retrospective == "off"
    assert read_config(repository).unknown == ("retrospective",)
    git("config", "traj.retrospective", "ask")
    config = read_config(repository)
    assert config.retrospective == "ask"
    assert config.settings
    assert config.settings["retrospective"] == Setting(value="ask", source="git config")
    git("config", "traj.retrospective", "always")
    with pytest.raises(TrajError, match=r"traj\.retrospective is 'always'"):
        read_config(repository)


def test_the_system_of_ambiguous_task_keys_can_be_set(git: Git, repository: Repository) -> None:
    assert read_config(repository).tasks is None
    git("config", "traj.tasks", "linear")
    assert read_config(repository).tasks == "linear"


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
def test_a_teams_file_can_only_make_things_stricter(
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
        ("thinking: 7", "thinking is not a string"),
        (BOMB + "thinking: *u", "thinking is not a string"),
        (BOMB + "exclude: [*u]", "exclude is not a list of patterns"),
        (BOMB + "exclude: *u", "exclude is not a list of patterns"),
        ("exclude: docs", "exclude is not a list"),
        ("exclude: [1]", "exclude is not a list of patterns"),
        ("redact: [a]", "redact is not a mapping"),
        ("redact: {names: a}", "redact.names is not a list"),
        ("pii: 7", "pii is neither true nor false"),
        ("- a", "is not a mapping"),
        ("text", "is not a mapping"),
        ("a: [", "cannot be read"),
        ("!!python/object/apply:os.system ['true']", "cannot be read"),
        (b"\xff\xfe\x00", "cannot be read"),
        ("[" * 50_000, "cannot be read"),
    ],
)
def test_an_invalid_team_file_is_explained_in_one_line(
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


def test_team_and_user_can_make_redaction_stricter_but_only_the_user_looser(
    git: Git, repository: Repository
) -> None:
    git.write(
        {
            TEAM_FILE: "pii: true\nredact:\n  names: [door]\n  shapes: [acme_x]\n  strict: ['*.cfg']\n"
            "  allow: [heron]\nallow: [x]\n"
        }
    )
    for key, value in (("redact.names", "gate"), ("redact.allow", "kingfisher"), ("paranoid", "yes")):
        git("config", "--add", f"traj.{key}", value)
    git("config", "traj.pii", "false")
    config = read_config(repository)
    assert (config.pii, config.paranoid) == (True, True)
    assert (config.names, config.shapes, config.strict) == (("gate", "door"), ("acme_x",), ("*.cfg",))
    assert config.allow == ("kingfisher",)
    assert config.unknown == ("allow", "redact.allow")
    assert config.settings
    assert config.settings["pii"].source == TEAM_FILE


def test_rule_files_of_team_and_user_are_read_and_trusted_by_their_digest(
    git: Git, repository: Repository, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.toml"
    outside.write_text("[[rules]]")
    git.write({"own.toml": "a = 1", "team.toml": "b = 1", "large.toml": "#" * 600_000})
    shared = f"team.toml, large.toml, gone.toml, ../x.toml, {outside}x, link.toml"
    git.write({TEAM_FILE: f"redact: {{gitleaks: [{shared}]}}"})
    (git.root / "link.toml").symlink_to(outside)
    assert stamp(replace(read_config(repository), gitleaks=tuple)) == RULESET
    for key, value in (
        ("gitleaks", "own.toml"),
        ("gitleaks", str(outside)),
        ("gitleaksTrust", sha256(b"b = 1").hexdigest()),
    ):
        git("config", "--add", f"traj.redact.{key}", value)
    (tmp_path / "outside.tomlx").write_text("[[rules]]")
    config = read_config(repository)
    assert {name: (body, trusted) for name, body, trusted in config.gitleaks()} == {
        "own.toml": (b"a = 1", False),
        str(outside): (b"[[rules]]", False),  # the user may name any file
        "team.toml": (b"b = 1", True),
        "large.toml": (None, False),
        "gone.toml": (None, False),
        "../x.toml": (None, False),
        f"{outside}x": (None, False),
        "link.toml": (None, False),
    }
    before = stamp(config)
    git.write({"team.toml": "b = 2"})
    again = read_config(repository)
    assert not any(trusted for _, _, trusted in again.gitleaks())
    assert RULESET != before != stamp(again)


@pytest.mark.parametrize("value", ["perhaps", "2"])
def test_a_switch_is_true_or_false(git: Git, repository: Repository, value: str) -> None:
    git("config", "traj.paranoid", value)
    with pytest.raises(TrajError, match=r"traj\.paranoid"):
        read_config(repository)


@pytest.mark.parametrize("text", ["", "thinking:\nexclude:\n", "later: {x: 1}\n"])
def test_an_empty_team_file_changes_nothing(git: Git, repository: Repository, text: str) -> None:
    git.write({TEAM_FILE: text})
    assert read_config(repository).thinking == "seal"


def test_an_invalid_value_in_git_config_is_reported_with_its_key(git: Git, repository: Repository) -> None:
    git("config", "traj.thinking", "loud")
    with pytest.raises(TrajError, match=r"git config traj\.thinking is 'loud'"):
        read_config(repository)
    git("config", "traj.thinking", "seal")
    git("config", "traj.sessions.path", "~nobody-of-that-name/logs")
    with pytest.raises(TrajError, match=r"traj\.sessions\.path"):
        read_config(repository)


def test_paths_are_excluded() -> None:
    config = Config(exclude=("codex", "secret/*", "*.pem", "private/", "own", "amp/"))
    names = ("codex", "amp")
    for path in (
        "secret",
        "private",
        "private/a",
        "private/deep/a",
        "own/a",
        "own",
        "secret/deep/a",
        "a/b.pem",
    ):
        assert config.excludes(agent="amp", path=path, agents=names), path
    for path in ("privateer/a", "a"):
        assert not config.excludes(agent="amp", path=path, agents=names), path
    assert config.excludes(agent="codex", path="a", agents=names)


def test_the_name_of_an_agent_does_not_exclude_a_folder() -> None:
    config = Config(exclude=("codex", "amp/"))
    names = ("codex", "amp")
    assert not config.excludes(agent="amp", path="codex/a", agents=names)
    assert config.excludes(agent="claude-code", path="amp/a", agents=names)


def test_settings_are_read_from_the_environment() -> None:
    assert Environ.of({}) == Environ(home=None)
    own = {"HOME": "/h", "CI": "1", "GIT_TRAJ": "1"}
    assert Environ.of(own) == Environ(
        variables=own,
        home=Path("/h"),
        config_dir=Path("/h/.config"),
        ci="ci",
    )
    named = {
        "USERPROFILE": "/u",
        "XDG_CONFIG_HOME": "/e",
        "GIT_TRAJ_IDENTITY": "/k",
        "GIT_TRAJ_TRUST": "0f",
        "GIT_TRAJ": "0",
        "CI": "1",
        "GITHUB_ACTIONS": "true",
    }
    assert Environ.of(named) == Environ(
        variables=named,
        home=Path("/u"),
        config_dir=Path("/e"),
        identity="/k",
        trust="0f",
        off=True,
        ci="github-actions",
    )


def test_the_owners_settings_are_listed(git: Git) -> None:
    for key, value in (("push", "auto"), ("precommit", "block")):
        git("config", f"traj.{key}", value)
    with git.open() as repository:
        settings = read_config(repository).settings or {}
    assert {key: (setting.value, setting.source) for key, setting in settings.items()} == {
        "thinking": ("seal", "default"),
        "precommit": ("block", "git config"),
        "push": ("auto", "git config"),
    }
