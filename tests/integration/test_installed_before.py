"""Hooks of an earlier release call modules by name: ``python -m gittraj.worker|precommit|asking``.

``shims_b7d1`` is a copy of those hooks and must never be changed: they are in people's repositories.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gittraj.commands.install.install import install
from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.records import read_records
from tests.integration.repository import Git
from tests.integration.test_asking import end_turn
from tests.integration.test_precommit import FILE, TOKEN, committed, redacted, trajectory

SHIMS = Path(__file__).with_name("shims_b7d1")


@pytest.fixture
def old(git: Git) -> Git:
    """Make an installed repository, with every hook replaced by the earlier release's."""
    git.commit({"README": "here\n"})
    with git.open() as repository:
        install(repository, agents=["claude-code"])
    for shim in SHIMS.iterdir():
        installed = git.root / ".git" / ("traj" if shim.name == "agent-hook" else "hooks") / shim.name
        installed.write_text(shim.read_text().replace("@PYTHON@", sys.executable).replace("@FLAGS@", ""))
        installed.chmod(0o755)
    return git


def test_commits_with_the_old_hooks_are_recorded(old: Git) -> None:
    session = ClaudeSession(old.root)
    session.run(
        [turn(Write("a", "a\n"), Shell("git add a && git commit -qm One")), turn(say="Done")],
        prompt="Make a file",
        env={"GIT_TRAJ_SYNC": "1"},
    )
    (record,) = read_records(old).values()
    assert ("prompt", "Make a file") in record.facts


def test_trajectory_files_are_redacted_by_the_old_hooks(old: Git) -> None:
    old.write({FILE: trajectory()})
    old("add", "-A")
    old("commit", "-qm", "One")
    assert TOKEN not in committed(old)
    redacted(trajectory(), committed(old))


def test_agents_are_asked_by_the_old_hooks(old: Git) -> None:
    old("config", "traj.retrospective", "ask")
    session = ClaudeSession(old.root)
    session.run(
        [turn(Write("a", "a\n"), Shell("git add a && git commit -qm One")), turn(say="Done")],
        prompt="Make a file",
    )
    assert "RETROSPECTIVE" in end_turn(old, session)
