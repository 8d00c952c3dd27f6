"""Programs of plug-ins: the environment that they inherit, and that they do not keep running."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gittraj import plugins
from gittraj.errors import FormatError, TrajError
from gittraj.formats.program import ProgramStore
from gittraj.plugins import process
from gittraj.plugins.guard import attempt


def program(folder: Path, text: str) -> Path:
    path = folder / "git-traj-agent-two"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def ask(path: Path) -> tuple[int, bytes]:
    return process.run([str(path)], "", {"PATH": os.defpath}, seconds=9, limit=99, key="k")


def test_a_program_inherits_nothing_of_the_git_that_runs_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = {"PATH": os.defpath, "GIT_DIR": "/r/.git", "GIT_INDEX_FILE": "/r/.git/index"}
    monkeypatch.setattr(plugins, "environment", lambda: environ)
    path = program(tmp_path, f"env | grep ^GIT_ >{tmp_path}/seen; exit 3")
    with pytest.raises(FormatError, match="status 3"):
        [*ProgramStore("two", path).sessions(path)]
    assert (tmp_path / "seen").read_text() == "GIT_TRAJ=0\n"


def test_a_program_is_ended_when_its_time_is_over(tmp_path: Path) -> None:
    path = program(tmp_path, f"echo $$ >{tmp_path}/pid; exec sleep 60")
    _, why = attempt(lambda: ask(path), 1.0)
    assert why == "it takes more than 1 seconds"
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_an_unreadable_answer_counts_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(started: subprocess.Popen[bytes], *_: object) -> None:
        if started.stdout:
            started.stdout.close()  # as if there were no memory for it

    monkeypatch.setattr(process, "_read", fail)
    with pytest.raises(TrajError, match="no answer"):
        ask(program(tmp_path, "echo x"))
