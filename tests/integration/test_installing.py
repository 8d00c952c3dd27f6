"""The first hour: what ``git traj install`` offers, and what a bare ``git traj`` prints."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.command import traj
from tests.integration.past import age
from tests.integration.repository import Git
from tests.integration.terminal import at_terminal

SETTINGS = ".claude/settings.local.json"
NEXT = """
Next:
  git commit              work with your agent as usual, and let it commit
  git traj log            commits and their reasons
  git traj why FILE:LINE  why a line is as it is
"""


@pytest.fixture(autouse=True)
def only_git_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the agents of the machine that runs the tests, and use the real clock."""
    (tmp_path / "bin").mkdir()
    for name in ("git", "sh", "sleep"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def worked(git: Git) -> Git:
    """An agent committed here before git-traj was installed."""
    git.commit({"README": "hi\n"}, "first")
    session = ClaudeSession(git.root)
    session.run(
        [
            turn(Write("f.py", "x = 1\n"), say="I'll use one file rather than two, because it is short."),
            turn(Shell("git add f.py && git commit -qm 'Add f'")),
            turn(say="Committed."),
        ],
        prompt="Write f.py and commit it",
    )
    age(session)
    return git


def test_the_first_minute_on_a_terminal(worked: Git) -> None:
    status, shown = at_terminal(worked.root, "install", answer=b"y\n")
    said = shown.replace("\r", "")
    assert status == 0
    assert "Set up claude-code? [Y/n]: " in said
    assert "1 session of this repository was found: link it to its commits? [Y/n]: " in said
    assert "1 session read, 1 commit linked.\n" in said
    assert said.endswith(NEXT)
    assert all(len(line) <= 80 or " " not in line for line in said.splitlines()), (
        "a line of several words is too long"
    )
    assert (worked.root / SETTINGS).exists()
    assert "because it is short" in traj(worked.root, "why", "f.py:1").stdout


@pytest.mark.parametrize(
    ("answer", "chosen"), [(b"y\n", True), (b"Yes\n", True), (b"all\n", True), (b"n\n", False)]
)
def test_of_several_agents_yes_is_all_and_no_is_none(worked: Git, answer: bytes, *, chosen: bool) -> None:
    (Path.home() / ".codex").mkdir(exist_ok=True)
    _, shown = at_terminal(worked.root, "install", answer=answer + b"n\n")
    assert "Set up which (all, none, or names) [all]: " in shown and "not one of" not in shown
    assert (worked.root / SETTINGS).exists() is (worked.root / ".codex/hooks.json").exists() is chosen


def test_a_second_install_asks_nothing(worked: Git) -> None:
    at_terminal(worked.root, "install", answer=b"y\n")
    _, shown = at_terminal(worked.root, "install")
    assert "[Y/n]" not in shown


def test_the_answer_no_is_respected(worked: Git) -> None:
    _, shown = at_terminal(worked.root, "install", answer=b"n\n")
    assert "  git traj backfill       1 session of this repository was found: link" in shown
    assert not (worked.root / SETTINGS).exists()
    assert traj(worked.root, "log").stdout == ""


def test_a_script_is_asked_nothing_and_sees_what_was_found(worked: Git) -> None:
    said = traj(worked.root, "install").stdout
    assert "On this machine: claude-code (git traj install --agent NAME sets one up, --yes all)\n" in said
    assert not (worked.root / SETTINGS).exists()


def test_yes_takes_all_without_a_question(worked: Git) -> None:
    said = traj(worked.root, "install", "--yes").stdout
    assert "claude-code: hooks added" in said
    assert "1 commit linked" in said
    assert "Add f" in traj(worked.root, "log").stdout


def test_a_dry_run_says_what_would_be_done_and_asked(worked: Git) -> None:
    worked("remote", "add", "origin", "/nowhere")
    _, shown = at_terminal(worked.root, "install", "--dry-run")
    said = " ".join(shown.split())
    assert said.startswith("Would ask which of the agents on this machine to set up: claude-code.")
    for step in (
        "Recording would be on in",
        "would be installed",
        f"claude-code: hooks would be added in {SETTINGS}",
        "CLAUDE.local.md: instruction for claude-code would be added",
        "git fetch would also bring records",
        "Would create your key",
        "1 session of this repository found: would ask whether to link it to its commits",
    ):
        assert step in said, step
    assert said.endswith("Nothing was written.")
    assert "no key" not in said and "[Y/n]" not in said
    assert not (worked.root / ".git/traj").exists() and not (worked.root / SETTINGS).exists()
    piped = traj(worked.root, "install", "--dry-run").stdout
    assert "On this machine: claude-code (git traj install --agent NAME" in piped
    assert "1 session of this repository found: git traj backfill links it to its commits" in " ".join(
        piped.split()
    )


def test_if_no_agent_is_found_a_line_says_so(git: Git) -> None:
    for words in (["install", "--dry-run"], ["install"]):
        said = traj(git.root, *words).stdout
        assert "No agent to set up was found here: agents are recognised when they start to work\n" in said
    assert "No agent" not in traj(git.root, "install", "--agent", "pi").stdout


def test_json_says_what_was_found_and_asks_nothing(worked: Git) -> None:
    document = json.loads(traj(worked.root, "install", "--json").stdout)
    assert (document["agentsFound"], document["sessionsFound"]) == (["claude-code"], 1)


def test_several_agents_are_chosen_by_name(git: Git) -> None:
    for name in (".claude", ".codex", ".gemini"):
        (Path.home() / name).mkdir()
    _, shown = at_terminal(git.root, "install", answer=b"gemini codex\n")
    assert "On this machine: claude-code, codex, gemini." in shown
    assert [(git.root / p).exists() for p in (SETTINGS, ".codex/hooks.json", ".gemini/settings.json")] == [
        False,
        True,
        True,
    ]


def test_a_program_on_path_counts_as_an_agent(git: Git) -> None:
    codex = Path(os.environ["PATH"]) / "codex"
    codex.write_text("#!/bin/sh\n")
    codex.chmod(0o755)
    assert json.loads(traj(git.root, "install", "--json").stdout)["agentsFound"] == ["codex"]


def test_a_worktree_and_a_second_clone_are_as_simple(worked: Git, tmp_path: Path) -> None:
    traj(worked.root, "install", "--yes")
    worked("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "topic")
    assert "claude-code: hooks added" in traj(tmp_path / "tree", "install", "--yes").stdout
    subprocess.run(["git", "clone", "-q", str(worked.root), str(tmp_path / "clone")], check=True)
    assert (
        "  git traj fetch          get the records that your team"
        in traj(tmp_path / "clone", "install").stdout
    )
    traj(tmp_path / "clone", "fetch")
    assert "because it is short" in traj(tmp_path / "clone", "why", "f.py:1").stdout


def test_git_traj_alone_in_a_fresh_clone_says_how_to_get_the_teams_records(
    worked: Git, tmp_path: Path
) -> None:
    subprocess.run(["git", "clone", "-q", str(worked.root), str(tmp_path / "clone")], check=True)
    said = traj(tmp_path / "clone").stdout
    assert "yet: git traj install\nIf your team shares records, git traj fetch brings them\n" in said


def test_git_traj_alone_suggests_log_only_if_something_is_recorded(git: Git) -> None:
    git.commit({"a": "1"})
    traj(git.root, "install")
    assert traj(git.root).stdout.splitlines()[-1].startswith("git traj why FILE:LINE explains a line, ")
    traj(git.root, "start", "Do it")
    git.commit({"a": "2"})
    assert traj(git.root).stdout.splitlines()[-1].startswith("git traj log lists all, ")


def test_git_traj_alone_shows_the_state_of_the_repository(worked: Git, tmp_path: Path) -> None:
    what, _, said = traj(worked.root).stdout.partition("\n\n")
    state, *shown = said.splitlines()
    assert what.startswith("Why is this code the way it is?")
    assert state == "Nothing is recorded in this repository yet: git traj install"
    assert "Common commands:" in shown and shown[-1] == "git traj -h lists all commands" and len(shown) < 18
    outside = traj(tmp_path).stdout
    assert "\nNot in a git repository.\n" in outside
    assert max(map(len, outside.splitlines())) <= 80
    traj(worked.root, "install", "--yes")
    first, *rest = traj(worked.root).stdout.splitlines()
    assert first == "Recorded: trajectories on 1 commit"
    assert f"{worked('rev-parse', '--short', 'HEAD')} Add f" in rest
    assert "  I'll use one file rather than two, because it is short." in rest
