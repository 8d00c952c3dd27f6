"""Installs the agents' programs: pinned npm packages, in a folder of their own that git ignores.

The tests expect the behaviour of these versions, so another version is refused.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

PINNED = {
    "@openai/codex": "0.169.0",
    "@anthropic-ai/claude-code": "2.1.197",
    "@google/gemini-cli": "0.61.0",
    "opencode-ai": "1.18.33",
}
NEXT = {
    "@openai/codex": "0.171.0",
    "@anthropic-ai/claude-code": "2.1.332",
    "@qwen-code/qwen-code": "0.24.4",
}
"""Newer versions in the registry, which an update would install. For the other agents there are none."""
_SCRIPTS = {"@anthropic-ai/claude-code": "install.cjs", "opencode-ai": "postinstall.mjs"}
_ROOT = Path(__file__).resolve().parents[2]


class NotInstalledError(Exception):
    """The agents are missing and must not be fetched; the message says what to do."""


def programs() -> Path:
    """Return the folder of the agents' programs, which are installed if that is allowed.

    Raises:
        NotInstalledError: a pinned package is missing, and installing was not requested.
        subprocess.CalledProcessError: npm failed.
    """
    return _programs(Path(os.environ.get("GIT_TRAJ_E2E_AGENTS") or _ROOT / ".agents"), PINNED)


def next_programs() -> Path:
    """Return the folder of the versions in ``NEXT``; ``GIT_TRAJ_E2E_NEXT`` may name another that has them."""
    return _programs(Path(os.environ.get("GIT_TRAJ_E2E_NEXT") or _ROOT / ".agents" / "next"), NEXT)


def _programs(folder: Path, pinned: Mapping[str, str]) -> Path:
    missing = _missing(folder, pinned)
    if missing and not _may_install():
        requirements = " ".join(f"{name}@{pinned[name]}" for name in missing)
        raise NotInstalledError(
            f"no {requirements} in {folder}: set GIT_TRAJ_E2E_INSTALL=1 or GIT_TRAJ_E2E_AGENTS"
        )
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as lock:  # the tests run in several processes
            fcntl.flock(lock, fcntl.LOCK_EX)
            if missing := _missing(folder, pinned):
                _install(folder, missing, pinned)
    return folder / "node_modules" / ".bin"


def _missing(folder: Path, pinned: Mapping[str, str]) -> list[str]:
    """The packages that are missing or not completely installed."""
    done = folder / "installed.json"
    complete = not _may_install() or (done.exists() and json.loads(done.read_text()) == pinned)
    return [name for name, version in pinned.items() if not complete or _version(folder, name) != version]


def _version(folder: Path, name: str) -> str | None:
    try:
        return str(json.loads((folder / "node_modules" / name / "package.json").read_text())["version"])
    except FileNotFoundError:
        return None


def _may_install() -> bool:
    requested = os.environ.get("GIT_TRAJ_E2E_INSTALL") == "1" or os.environ.get("CI") == "true"
    return requested and shutil.which("npm") is not None


def _install(folder: Path, names: list[str], pinned: Mapping[str, str]) -> None:
    requirements = [f"{name}@{pinned[name]}" for name in names]
    subprocess.run(
        ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", *requirements],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    # npm may skip a package's install script by policy, and then the program is a stub that only says so
    for package in names:
        if (script := _SCRIPTS.get(package)) is None:
            continue
        subprocess.run(
            ["node", script], cwd=folder / "node_modules" / package, check=True, stdout=subprocess.DEVNULL
        )
    (folder / "installed.json").write_text(json.dumps(pinned))
