"""Installs hook managers: pinned packages of npm and PyPI, in a folder of their own.

The tests expect the behaviour of these versions. GIT_TRAJ_E2E_MANAGERS names a folder that contains them.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

NPM = {"husky": "9.1.7", "lefthook": "2.2.2"}
PYPI = {"pre-commit": "4.7.0"}
_ROOT = Path(__file__).resolve().parents[2]


class NotInstalledError(Exception):
    """The programs are missing and must not be fetched; the message says what to do."""


def programs() -> tuple[Path, Path]:
    """Return the folders of the programs from npm and from PyPI, which are installed if that is allowed.

    Raises NotInstalledError, also if no registry can be reached.
    """
    folder = Path(os.environ.get("GIT_TRAJ_E2E_MANAGERS") or _ROOT / ".managers")
    may_install = os.environ.get("GIT_TRAJ_E2E_INSTALL") == "1" or os.environ.get("CI") == "true"
    if not _is_complete(folder):
        if not may_install:
            why = f"no hook managers in {folder}: set GIT_TRAJ_E2E_INSTALL=1 or GIT_TRAJ_E2E_MANAGERS"
            raise NotInstalledError(why)
        if not shutil.which("npm") or not find_spec("pip"):
            raise NotInstalledError("hook managers cannot be fetched: no npm, or this Python has no pip")
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as lock:  # the tests run in several processes
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not _is_complete(folder):
                _install(folder)
    return folder / "node_modules" / ".bin", folder / "venv" / "bin"


def _is_complete(folder: Path) -> bool:
    try:
        known: object = json.loads((folder / "installed.json").read_text())
    except (OSError, ValueError):
        return False
    return known == {**NPM, **PYPI}


def _install(folder: Path) -> None:
    npm = [f"{name}@{version}" for name, version in NPM.items()]
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "venv" / "bin" / "python"), "install"]
    requirements = [f"{name}=={version}" for name, version in PYPI.items()]
    quiet = ["--no-audit", "--no-fund", "--fetch-retries=1"]
    for command in (
        # lefthook's install script would put its hooks into the repository around this folder, git-traj's own
        ["npm", "install", "--prefix", str(folder), "--ignore-scripts", *quiet, *npm],
        [sys.executable, "-m", "venv", "--without-pip", "--clear", str(folder / "venv")],
        [*pip, "--quiet", "--disable-pip-version-check", "--retries=1", *requirements],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [""])[-1]
            raise NotInstalledError(f"hook managers cannot be fetched: {command[0]}: {last}")
    (folder / "installed.json").write_text(json.dumps({**NPM, **PYPI}))


def prepare_ours(home: Path) -> Path:
    """Let the pre-commit framework set up git-traj's hook below ``home``; return the framework's settings
    file.

    Raises NotInstalledError if this source tree has no commit, or nothing can be fetched.
    """
    programs()
    config = home / ".pre-commit-config.yaml"
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=_ROOT, capture_output=True, text=True, check=False
    )
    if head.returncode or not (_ROOT / ".pre-commit-hooks.yaml").exists():
        raise NotInstalledError("the framework can only take a hook from a clone of git-traj with a commit")
    config.write_text(
        f"repos:\n- repo: {_ROOT}\n  rev: {head.stdout.strip()}\n  hooks: [{{id: git-traj-redact}}]\n"
    )
    subprocess.run(["git", "init", "-q", str(home)], check=True)
    done = subprocess.run(
        [str(programs()[1] / "pre-commit"), "install-hooks"],
        cwd=home,
        env={**os.environ, "PRE_COMMIT_HOME": str(home / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise NotInstalledError(f"the framework cannot fetch what git-traj needs: {done.stdout[-200:]}")
    return config
