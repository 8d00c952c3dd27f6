"""What is different on macOS and Windows, tested with stand-ins on any machine: Git Bash's paths, no fcntl.
The tests that run there check that the rest works."""

from __future__ import annotations

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from gittraj.commands.install.install import install
from gittraj.commands.install.shims import Interpreter, render
from gittraj.config import Environ
from gittraj.state.folder import LocalState
from tests.integration.repository import Git

BASH = Path("/bin/bash")


@pytest.mark.skipif(not BASH.exists(), reason="no bash here")
@pytest.mark.parametrize("system", ["msys", "linux-gnu", "darwin23"])
def test_git_bash_passes_paths_in_the_form_that_python_reads(git: Git, tmp_path: Path, system: str) -> None:
    """In Git Bash, ``$PWD`` is /c/x: to Python, a folder of the current drive; ``pwd -W`` prints C:/x."""
    (tmp_path / "C").symlink_to(git.root)
    with git.open() as repository:
        install(repository)
    hook = git.root / ".git/hooks/post-commit"
    text = render("post-commit", Interpreter("/gone/python", ("-I",)))
    hook.write_bytes(text.replace(b"#!/bin/sh", b"#!/bin/bash --posix", 1))
    windows = f'() {{ [ "$1" = -W ] && echo "{tmp_path}/C"; }}'
    git("commit", "-q", "--allow-empty", "-m", "x", env={"OSTYPE": system, "BASH_FUNC_pwd%%": windows})
    git_dir = (git.root / ".git/traj/spool").read_text().split("\t")[3]
    assert git_dir == f"{tmp_path / 'C' if system == 'msys' else git.root}/.git"


@contextmanager
def locking() -> Iterator[None]:
    """Replace ``fcntl`` with a stand-in for Windows' locking module."""

    def lock(descriptor: int, mode: int, count: int) -> None:
        assert (mode, count) == (2, 1)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    saved = dict(sys.modules)
    sys.modules["fcntl"] = None  # type: ignore[assignment]
    sys.modules["msvcrt"] = SimpleNamespace(LK_NBLCK=2, locking=lock)  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.modules["fcntl"] = saved["fcntl"]
        del sys.modules["msvcrt"]


def test_the_drains_lock_without_fcntl(git: Git) -> None:
    with git.open() as repository, locking():
        local = LocalState.of(repository)
        local.create()
        with local.locked(wait=0) as first, local.locked(wait=0.05) as second:
            assert (first, second) == (True, False)
        with local.locked(wait=0) as again:
            assert again


def test_files_that_a_shell_reads_end_in_newlines(git: Git) -> None:
    """To a shell, ``idle\\r`` is a different word: the hook would start Python for each commit."""
    with git.open() as repository:
        install(repository)
    assert (git.root / ".git/traj/precommit").read_bytes() == b"idle\n"
    assert b"\r" not in (git.root / ".git/hooks/pre-commit").read_bytes()
    with git.open() as repository:
        assert len(LocalState.of(repository).key()) == 32


def test_a_home_that_only_windows_variables_name() -> None:
    assert Environ.of({"USERPROFILE": "/Users/x"}).config_dir == Path("/Users/x/.config")
