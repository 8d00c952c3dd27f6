"""The folders in which the day runs, and its clock: always the same paths, dates and random numbers."""

from __future__ import annotations

import os
import random
import shlex
import shutil
import string
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

PLACE = Path("/tmp/recorded-day")
HOME, REPO, BOB, OLDER, SERVER, BARE = (
    PLACE / name for name in ("home", "repo", "bob", "older", "server.git", "nowhere")
)
PYTHON = PLACE / "venv" / "bin" / "python"
DAWN = datetime(2025, 3, 14, 6, tzinfo=UTC).timestamp()
TICK = 60  # seconds


class Day:
    """Runs commands in these folders, each one tick after the previous one."""

    def __init__(self) -> None:
        self.step = 0
        self.outputs: list[bytes] = []
        self.random = random.Random("recorded day")
        self.base = {
            "PATH": f"{PYTHON.parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(HOME),
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_TRAJ_SYNC": "1",
            "PYTHONHASHSEED": "0",  # backfill lists commits in the order of a set
        }

    @property
    def now(self) -> float:
        return DAWN + self.step * TICK

    def stamp(self) -> str:
        return datetime.fromtimestamp(self.now, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"

    def run(
        self, *command: str, cwd: Path = REPO, given: bytes = b"", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        self.step += 1
        date = f"{int(self.now)} +0000"
        clock = {"RECORDED_NOW": str(self.now), "RECORDED_STEP": str(self.step)}
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        known = {**self.base, **clock, **dates, **(env or {})}
        state = cwd / ".git" / "traj"
        before = count_rewrites(state)
        if state.is_dir():  # hooks start a worker in the background, unless a running process has the lock
            (state / "drain.lock").write_text(f"{os.getpid()}\n")
        done = subprocess.run(command, cwd=cwd, env=known, input=given, capture_output=True, check=False)
        (state / "drain.lock").unlink(missing_ok=True)
        if count_rewrites(state) > before:  # post-rewrite ignores GIT_TRAJ_SYNC; the lock stopped its worker
            worker = (PYTHON, "-I", "-m", "gittraj.worker", "--foreground", state)
            subprocess.run(worker, cwd=cwd, env=known, capture_output=True, check=True)
        return done

    def git(self, *arguments: str, cwd: Path = REPO, env: Mapping[str, str] | None = None) -> str:
        done = self.run("git", *arguments, cwd=cwd, env=env)
        if done.returncode:
            raise RuntimeError(f"git {shlex.join(arguments)}: {done.stderr.decode()}")
        return done.stdout.decode().strip()

    def traj(
        self, *arguments: str, cwd: Path = REPO, given: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        done = self.run(str(PYTHON), "-P", "-m", "gittraj", *arguments, cwd=cwd, given=given)
        head = f"$ git traj {shlex.join(arguments)}\nin {cwd}: {done.returncode}"
        texts = [head.encode(), b"--- stdout", done.stdout, b"--- stderr", done.stderr]
        self.outputs.append(b"\n".join(texts))
        return done

    def commit(self, path: str, text: str, message: str, *options: str, cwd: Path = REPO) -> None:
        """Commit a file, as a person does."""
        put(cwd / path, text)
        self.git("add", "--all", cwd=cwd)
        self.git("commit", "-qm", message, *options, cwd=cwd)

    def secret(self, prefix: str, length: int) -> str:
        """Make a random secret, so that none is in the source code."""
        return prefix + "".join(self.random.choices(string.ascii_letters + string.digits, k=length))


def build_place(checkout: Path, python: Path) -> None:
    """Make an empty home, and a Python that finds the checkout even when isolated, as the hooks start it."""
    shutil.rmtree(PLACE, ignore_errors=True)
    for folder in (HOME, BARE, PLACE / "draws"):
        folder.mkdir(parents=True)
    (PLACE / "code").symlink_to(checkout.resolve())
    subprocess.run([python, "-m", "venv", "--without-pip", PYTHON.parent.parent], check=True)
    query = "import sysconfig as s; print(s.get_path('purelib'), s.get_path('platlib'), sep='\\n')"
    packages = subprocess.run([python, "-c", query], capture_output=True, text=True, check=True).stdout
    (site,) = PYTHON.parent.parent.glob("lib/python3*/site-packages")
    (site / "recorded.pth").write_text(f"{PLACE / 'code'}\n{packages}")
    shutil.copyfile(Path(__file__).with_name("clock.py"), site / "sitecustomize.py")
    found = subprocess.run(
        [PYTHON, "-I", "-c", "import gittraj, os; print(os.path.realpath(gittraj.__file__))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    if Path(found) != checkout.resolve() / "gittraj" / "__init__.py":
        raise RuntimeError(f"{found} is not of {checkout}")
    program = PYTHON.parent / "git-traj"
    put(program, f'#!/bin/sh\nexec {PYTHON} -P -m gittraj "$@"\n')
    program.chmod(0o755)
    put(
        HOME / ".gitconfig",
        "[user]\n\tname = A U Thor\n\temail = author@example.com\n[gc]\n\tauto = 0\n"
        "[pack]\n\tthreads = 1\n"  # otherwise deltas, and the sizes that stats reports, are random
        "[init]\n\tdefaultBranch = main\n[core]\n\teditor = true\n[advice]\n\tdetachedHead = false\n",
    )


def count_rewrites(state: Path) -> int:
    """How many rewritten commits the hooks have reported."""
    spool = state / "spool"
    return spool.read_bytes().count(b"rewrite\t") if spool.exists() else 0


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
