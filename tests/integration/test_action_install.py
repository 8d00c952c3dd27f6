"""The Action's first step finds a Python and passes on the paths, on each system that runners have.

Programs that would fetch packages, and tools of other systems, are scripts that log their arguments.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.sizes import in_turn

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Machine:
    """A runner whose PATH has only what a shell needs, and what is added."""

    folder: Path

    def __post_init__(self) -> None:
        for place in ("bin", "temp", "tools", "work"):
            (self.folder / place).mkdir(parents=True)
        for name in ("bash", "mktemp", "dirname", "cat"):
            (self.folder / "bin" / name).symlink_to(shutil.which(name) or name)

    def add(self, name: str, script: str, *, place: str = "bin") -> None:
        path = self.folder / place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/usr/bin/env bash\n{script}\n")
        path.chmod(0o755)

    def add_python(self, name: str, *, place: str = "bin", old: bool = False) -> None:
        """Add a Python that runs this one, except for pip."""
        pip = f'case "$*" in "-I -m pip"*) echo "$@" >>"{self.folder}/asked"; exit 0;; esac\n'
        self.add(name, "exit 1" if old else f'{pip}exec {sys.executable} "$@"', place=place)

    def install(self, **inputs: str) -> tuple[int, str, dict[str, str]]:
        output = self.folder / "output"
        output.write_text("")
        done = subprocess.run(
            [self.folder / "bin" / "bash", ROOT / "github_action" / "install.sh"],
            env={
                "PATH": str(self.folder / "bin"),
                "RUNNER_TEMP": str(self.folder / "temp"),
                "RUNNER_TOOL_CACHE": str(self.folder / "tools"),
                "GITHUB_OUTPUT": str(output),
                **inputs,
            },
            cwd=self.folder / "work",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
        return done.returncode, done.stdout, outputs

    @property
    def asked(self) -> str:
        return (self.folder / "asked").read_text()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "a runner")


def test_pip_installs_by_hash_into_a_folder_of_this_run(machine: Machine) -> None:
    machine.add_python("python3")
    status, log, outputs = machine.install()
    assert (status, log) == (0, "")
    assert outputs["python"] == str(machine.folder / "bin" / "python3")
    root, target = outputs["path"].split(":")
    assert (root, Path(target).parent) == (str(ROOT), machine.folder / "temp")
    assert f"--target {target} --requirement {ROOT}/github_action/requirements.txt" in machine.asked
    assert "--require-hashes --no-deps --only-binary :all:" in machine.asked
    assert machine.install()[2]["path"] != outputs["path"], "the packages of another run are not reused"


def test_uv_is_used_if_installed(machine: Machine) -> None:
    machine.add_python("python3")
    machine.add("uv", f'echo "$@" >"{machine.folder}/asked"')
    assert machine.install()[0] == 0
    assert machine.asked.startswith("pip install --quiet --python")
    assert "--require-hashes" in machine.asked


def test_windows_gets_paths_and_a_separator_that_its_python_knows(machine: Machine) -> None:
    machine.add_python("python3", old=True)  # the stub of the Microsoft Store
    machine.add("uv", f'echo "$@" >"{machine.folder}/asked"')
    machine.add("cygpath", 'echo "W:$2"')
    machine.add_python("python.exe", place="tools/Python/3.12.1/x64")
    status, log, outputs = machine.install()
    assert (status, log) == (0, "")
    root, target = outputs["path"].split(";")
    assert root == f"W:{ROOT}"
    assert target.startswith(f"W:{machine.folder}/temp/")
    assert f"--target {target}" in machine.asked


def test_without_a_python_one_line_says_so(machine: Machine) -> None:
    machine.add_python("python3", old=True)
    status, log, outputs = machine.install()
    assert (status, outputs) == (0, {})
    assert log.startswith("::warning title=git-traj::no Python 3.11 or later")
    assert log.count("\n") == 1


GATES = {
    "fail-on-error": {"INPUT_FAIL_ON_ERROR": "True"},
    "require": {"INPUT_REQUIRE": "Fail"},
    "misspelt": {"INPUT_REQUIRE": "fial"},
}


@in_turn("inputs", "uv", GATES, {"uv": True, "pip": False})
def test_an_index_that_is_down_fails_the_job_only_under_a_gate(
    machine: Machine, inputs: dict[str, str], uv: bool
) -> None:
    machine.add("python3", f'case "$*" in *"pip install"*) exit 2;; esac\nexec {sys.executable} "$@"')
    if uv:
        machine.add("uv", "exit 2")
    status, log, outputs = machine.install(INPUT_FAIL_ON_ERROR="false", INPUT_REQUIRE="Warn")
    assert (status, outputs) == (0, {})
    reason = "the Action's packages cannot be installed: the package index did not answer"
    assert log == f"::warning title=git-traj::{reason}\n"
    status, log, outputs = machine.install(**inputs)
    assert (status, outputs) == (1, {})
    assert log.startswith("::error title=git-traj::the Action's packages cannot be installed")


def test_nothing_in_the_workspace_runs(machine: Machine) -> None:
    """Python imports neither a pip.py there, nor a module with a name of the standard library."""
    for name in ("pip", "types", "site", "sitecustomize", "ensurepip"):
        (machine.folder / "work" / f"{name}.py").write_text(f"open({str(machine.folder / 'ran')!r}, 'w')\n")
    machine.add("python3", f'case "$*" in *"pip install"*) exit 0;; esac\nexec {sys.executable} "$@"')
    assert machine.install()[:2] == (0, "")
    assert not (machine.folder / "ran").exists()


def test_nothing_in_the_workspace_runs_without_pip_either(machine: Machine) -> None:
    machine.add("python3", 'case "$3" in pip|ensurepip) exit 1;; esac')
    status, log, outputs = machine.install()
    assert (status, outputs) == (0, {})
    assert log == (
        "::warning title=git-traj::that Python has no pip: add actions/setup-python before this step\n"
    )


def test_the_action_imports_only_what_it_installs_and_runs_on_windows() -> None:
    """Windows has no fcntl; pygit2, click and yaml are not in the lock."""
    absent = ("fcntl", "pwd", "grp", "resource", "termios", "pygit2", "click", "yaml")
    code = f"import sys; sys.modules |= dict.fromkeys({absent!r}); import github_action.__main__"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}, check=False
    )
    assert done.returncode == 0
