"""Installs further agents' programs, pinned like those of ``packages``, each one separately.

In an ordinary run only small ones are fetched; tests whose agent is missing are skipped.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.packages import NotInstalledError
from tests.sizes import NIGHTLY

_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Package:
    """A package of npm or, with ``python``, of PyPI, and its ``program``; ``small``: installed not only by
    nightly runs."""

    name: str
    version: str
    program: str
    python: bool = False
    small: bool = False


PACKAGES = {
    "copilot": Package("@github/copilot", "1.0.102", "copilot"),
    "pi": Package("@mariozechner/pi-coding-agent", "0.73.1", "pi", small=True),
    "qwen-code": Package("@qwen-code/qwen-code", "0.15.10", "qwen", small=True),
    "cline": Package("cline", "3.0.65", "cline"),
    "kilo": Package("@kilocode/cli", "7.7.7", "kilo"),
    "aider": Package("aider-chat", "0.86.2", "aider", python=True),
    "mini-swe-agent": Package("mini-swe-agent", "2.4.6", "mini", python=True),
}


def program(agent: str) -> Path:
    """Return the path of an agent's program, which is installed if that is allowed.

    Raises:
        NotInstalledError: it is missing, and installing was not requested.
        subprocess.CalledProcessError: npm or pip failed.
    """
    package = PACKAGES[agent]
    root = Path(os.environ.get("GIT_TRAJ_E2E_MORE_AGENTS") or _ROOT / ".agents" / "more")
    if not _is_installed(root, package):
        if not _may_install(package):
            requirement = f"{package.name} {package.version}"
            raise NotInstalledError(
                f"no {requirement} in {root}: set GIT_TRAJ_E2E_MORE_AGENTS, or GIT_TRAJ_E2E_INSTALL=1"
                f"{'' if package.small else ' in a nightly run'}"
            )
        root.mkdir(parents=True, exist_ok=True)
        with (root / "lock").open("w") as lock:  # the tests run in several processes
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not _is_installed(root, package):
                _install(root, package)
    return _program(root, package)


def programs() -> None:
    """Install all programs that may be installed now."""
    for agent in PACKAGES:
        try:
            program(agent)
        except NotInstalledError:
            continue


def _program(root: Path, package: Package) -> Path:
    folder = root / package.program / "bin" if package.python else root / "node_modules" / ".bin"
    return folder / package.program


def _is_installed(root: Path, package: Package) -> bool:
    if not _program(root, package).exists():
        return False
    if package.python:
        name = f"{package.name.replace('-', '_')}-{package.version}.dist-info"
        return any((root / package.program).glob(f"lib/python*/site-packages/{name}"))
    about = root / "node_modules" / package.name / "package.json"
    return f'"version": "{package.version}"' in about.read_text()


def _may_install(package: Package) -> bool:
    requested = os.environ.get("GIT_TRAJ_E2E_INSTALL") == "1" or os.environ.get("CI") == "true"
    return requested and (package.small or NIGHTLY) and (package.python or shutil.which("npm") is not None)


def _install(root: Path, package: Package) -> None:
    if package.python:
        folder = root / package.program
        commands = [
            [sys.executable, "-m", "venv", str(folder)],
            [str(folder / "bin" / "pip"), "install", "-q", f"{package.name}=={package.version}"],
        ]
    else:
        requirement = f"{package.name}@{package.version}"
        commands = [["npm", "install", "--prefix", str(root), "--no-audit", "--no-fund", requirement]]
    for command in commands:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
