"""A full or read-only disk: edge case 19 of ``docs/edge-cases.md``.

git's own commands end as they would without git-traj; ours print one line and answer from what is recorded;
what was missed is recorded when there is room again. The tests use separate file systems, since root
may write everywhere and no quota limits it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.integration import command
from tests.integration.command import Said
from tests.integration.desk import Desk
from tests.integration.records import STATE
from tests.integration.repository import Git
from tests.sizes import some

PAGE = 4096
"""Bytes that a tmpfs allocates at once."""
THEN = "recording then catches up; repeat any other command"
SOON = 5.0
"""The most seconds that a command may sleep. It must not wait for room as for a lock."""
FORMS = {
    "sha1": "--object-format=sha1",
    "sha256": "--object-format=sha256",
    "reftable": "--ref-format=reftable",
}
BOTH = {"a": {"a"}, "b": {"b"}}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mount("-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place))
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def mount(*arguments: str) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.decode().strip()}")


def fill(disk: Path, *, spare: int = 0) -> Path:
    """Fill the disk except for ``spare`` pages; return the file to remove to make room."""
    filler = disk / "filler"
    descriptor = os.open(filler, os.O_WRONLY | os.O_CREAT)
    size = 0
    try:
        while True:
            size += os.write(descriptor, bytes(PAGE))
    except OSError:
        os.ftruncate(descriptor, max(0, size - spare * PAGE))
    finally:
        os.close(descriptor)
    return filler


def two_works(disk: Path, form: str = "sha1") -> Desk:
    """A desk on ``disk`` with the agent's commits ``a``, which is recorded, and ``b``, which is not yet."""
    if not Git(disk).succeeds("init", "--quiet", FORMS[form], "repo"):
        pytest.skip(f"this git knows no {form}")
    git = Git(disk / "repo")
    git.commit({"base": "1\n"}, "base")
    desk = Desk(git).install()
    desk.commit("a")
    desk.waits = True
    desk.commit("b")
    return desk


def traj(git: Git, *arguments: str) -> Said:
    slept: list[float] = []
    real_sleep = time.sleep

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        real_sleep(seconds)

    with patch("time.sleep", sleep):
        said = command.traj(git.root, *arguments)
    assert sum(slept) < SOON, arguments
    return said


def check_answers(git: Git, line: str) -> None:
    """Check that commands print the line ``line`` on stderr, and answer from what is recorded."""
    a = git("log", "-1", "--format=%h", "--", "a")
    for asked, printed in (
        (["log", "--oneline"], f"{a} a"),
        (["show", a], f"{a} a"),
        (["why", "a:1"], "1  a\n"),
        (["search", "please"], f"{a} a"),
        (["redact", "--audit"], ""),
        (["status"], "Recorded: trajectories on 1 commit\n"),
    ):
        said = traj(git, *asked)
        assert said.returncode == 0, asked
        assert said.stderr.startswith(line), asked
        assert said.stdout.startswith(printed), asked


def check(desk: Desk) -> None:
    """Once there is room, everything is recorded, and nothing is left of unfinished writes."""
    desk.check(BOTH)
    folder = desk.git.root / ".git"
    assert {path.name for path in (folder / "traj").iterdir()} <= STATE | {"drain.lock", "off.json"}
    assert {*folder.rglob("*.lock")} == {folder / "traj/drain.lock"}


@pytest.mark.parametrize("form", some(FORMS, 1))
def test_edge_19_a_full_disk(disk: Path, form: str) -> None:
    desk = two_works(disk, form)
    git = desk.git
    filler = fill(disk)
    where, words = str(git.root), "unable to write loose object file"  # git's
    if form == "sha1":
        where, words = f"{git.root}/.git/", "failed to write out file"  # libgit2's
    what = f"{where} cannot be written: {words}: No space left on device"
    line = f"git-traj: not up to date: {what} (make room there: {THEN})\n"
    assert traj(git, "log").stderr == line
    check_answers(git, "git-traj: not up to date: ")
    said = traj(git, "doctor")
    assert (said.returncode, said.stderr) == (1, line)
    assert f"\nwrong: new work could not be recorded: {what}\n    make room there: {THEN}\n" in said.stdout
    for asked, file in (
        (["install"], "installed.json"),
        (["forget", desk.sessions["one"].session], "off.json"),
    ):
        refused = f"error: {git.root}/.git/traj/{file} cannot be written: No space left on device"
        assert traj(git, *asked) == Said(1, "", f"{refused}\nhint: make room there: {THEN}\n"), asked
    filler.unlink()
    check(desk)
    assert traj(git, "doctor").stdout.endswith("\nEverything is OK.\n")


@pytest.mark.parametrize("form", some(FORMS, 1))
def test_edge_19_little_room(disk: Path, tmp_path: Path, form: str) -> None:
    """However little is left when a person commits and a drain begins, git ends as it does without hooks,
    and the drain does all or nothing."""
    desk = two_works(disk, form)
    git = desk.git
    saved = tmp_path / "saved"
    shutil.copytree(git.root, saved, symlinks=True)
    ends, wrote = set(), set()
    for spare in (0, 4, 8, 12, 16, 21, 26, 32, 40):
        results = []
        for hooks in ("/dev/null", ".git/hooks"):
            shutil.rmtree(git.root)
            shutil.copytree(saved, git.root, symlinks=True)
            filler = fill(disk, spare=spare)
            results.append(by_hand(git, "-c", f"core.hooksPath={hooks}"))
        assert results[0] == results[1], spare
        said = traj(git, "log", "--oneline")
        if said.stderr:
            line = (
                rf"git-traj: not up to date: {git.root}\S* cannot be written: .*\(make room there: {THEN}\)\n"
            )
            assert re.fullmatch(line, said.stderr), spare
        ends.add(results[0][0])
        wrote.add(said.stderr == "")
        filler.unlink()
        check(desk)
    assert len(ends) > 1
    assert len(wrote) > 1


def by_hand(git: Git, *options: str, **env: str) -> tuple[int, str]:
    """Commit as a person; return the status and the output."""
    made = ["git", *options, "commit", "--allow-empty", "-qm", "by hand"]
    done = subprocess.run(made, cwd=git.root, env=os.environ | env, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stderr.decode()


def test_edge_19_read_only(disk: Path) -> None:
    """If the whole disk is read-only, git refuses as usual, and records can be read."""
    desk = two_works(disk)
    git = desk.git
    mount("-o", "remount,ro", str(disk))
    assert by_hand(git) == by_hand(git, "-c", "core.hooksPath=/dev/null")
    assert by_hand(git)[0] == 128
    refused = f"{git.root}/.git/traj/lock cannot be written: Read-only file system"
    check_answers(git, f"git-traj: not up to date: {refused} (make it writable: {THEN})\n")
    for asked in (["pause"], ["forget", desk.sessions["one"].session]):
        assert traj(git, *asked) == Said(1, "", f"error: {refused}\nhint: make it writable: {THEN}\n"), asked
    mount("-o", "remount,rw", str(disk))
    check(desk)


def test_edge_19_read_only_local_state(git: Git) -> None:
    """The rest of the disk is writable: commits print nothing of ours, and are found by the reflog later."""
    git.commit({"base": "1\n"}, "base")
    desk = Desk(git).install()
    desk.commit("a")
    desk.waits = True
    state = str(git.root / ".git/traj")
    mount("--bind", state, state)
    try:
        mount("-o", "remount,bind,ro", state)
        desk.commit("b")
        refused = f"{state}/lock cannot be written: Read-only file system (make it writable: {THEN})"
        assert by_hand(git, GIT_TRAJ_SYNC="1") == (0, f"git-traj: not recorded yet: {refused}\n")
        check_answers(git, f"git-traj: not up to date: {refused}\n")
    finally:
        subprocess.run(["umount", "--lazy", state], check=True)
    desk.check(BOTH)
