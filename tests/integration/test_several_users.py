"""Several people commit in one repository: each user's work is recorded, and none blocks another."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from gittraj.state.folder import LocalState
from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.command import traj
from tests.integration.records import install
from tests.integration.repository import Git
from tests.integration.waiting import wait_until

OTHER = 65534


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def work(git: Git, name: str) -> None:
    made = Shell(f"git add . && git commit -qm {name}")
    ClaudeSession(git.root, name=name).run([turn(Write(name, "x\n"), made), turn(say="Done")], prompt=name)


def subjects(git: Git) -> set[str]:
    said = traj(git.root, "log", "--json")
    commits = json.loads(said.stdout)["commits"] if said.stdout else []
    return {commit["subject"] for commit in commits}


def test_files_of_a_shared_repository_have_the_modes_of_git(tmp_path: Path) -> None:
    git = Git.init(tmp_path / "repo", "--shared=group")
    git.commit({"README": "here\n"})
    install(git)
    work(git, "one")
    assert subjects(git) == {"one"}
    folder = git.root / ".git/traj"
    assert mode(folder) & 0o2070 == mode(folder / "at") & 0o2070 == 0o2070
    assert mode(folder / "spool") & 0o060 == mode(folder / "lock") & 0o060 == 0o060
    assert mode(folder / "redact.key") == 0o600


def test_a_second_user_has_their_own_key_and_cursors(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    git.commit({"README": "here\n"})
    install(git)
    work(git, "one")
    assert subjects(git) == {"one"}
    folder = git.root / ".git/traj"
    key = (folder / "redact.key").read_bytes()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    work(git, "two")
    assert subjects(git) == {"one", "two"}
    own = folder / "of-12345"
    assert mode(own) == 0o700
    assert (own / "redact.key").read_bytes() != key == (folder / "redact.key").read_bytes()
    assert (own / "cursors.json").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be root")
def test_root_in_another_users_repository_leaves_recording_to_the_owner(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This is the case with sudo: the owner could no longer write files that root wrote."""
    git.commit({"README": "here\n"})
    install(git)
    folder = git.root / ".git/traj"
    os.chown(folder, OTHER, OTHER)
    os.chown(folder / "spool", OTHER, OTHER)
    monkeypatch.setenv("SUDO_UID", str(OTHER))
    before = {path for path in (git.root / ".git").rglob("*") if path.is_file()}
    work(git, "sudo")
    wait_until(lambda: not (folder / "drain.lock").exists(), "the worker's end")
    assert subjects(git) == set()
    fresh = {path for path in (git.root / ".git").rglob("*") if path.is_file()} - before
    tops = {path.relative_to(git.root / ".git").parts[0] for path in fresh}
    assert tops <= {"traj", "objects", "logs", "index"}  # git wrote all but "traj" as root
    assert {path.parent.name for path in fresh if path.is_relative_to(folder)} <= {"at"}
    assert (folder / "spool").stat().st_uid == OTHER
    os.chown(folder, 0, 0)
    assert subjects(git) == {"sudo"}


def test_reading_commands_make_no_folder(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    install(git)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with git.open() as repository:
        local = LocalState.of(repository)
        assert (local.exposed(), local.hashes()) == (frozenset(), ())
    assert not (local.folder / "of-12345").exists()
