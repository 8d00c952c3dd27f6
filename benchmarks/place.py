"""The environment of a benchmark: a separate home folder, repositories, and logs of any length."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.repository import Git

MB = 1_000_000
_WORDS = "The parser keeps what it has read, so that a second look at the same file costs nothing more. "
_IDS = re.compile(r'((?:"|msg_|toolu_))[0-9a-f]{8}')
_TURN = 5  # pairs of calls between two prompts
_PATIENCE = 180.0  # seconds


@contextmanager
def home(folder: Path) -> Iterator[Path]:
    """Use an empty HOME: no agent's logs, and no git configuration except the benchmark's own."""
    folder.mkdir(parents=True, exist_ok=True)
    saved = dict(os.environ)
    bin_folder = Path(sys.executable).parent  # where git finds git-traj
    os.environ.clear()
    os.environ.update(
        PATH=f"{bin_folder}{os.pathsep}{saved['PATH']}",
        HOME=str(folder),
        XDG_CONFIG_HOME=str(folder / ".config"),
        GIT_CONFIG_NOSYSTEM="1",
    )
    (folder / ".gitconfig").write_text(
        "[user]\n\tname = A U Thor\n\temail = author@example.com\n[gc]\n\tauto = 0\n"
        "[init]\n\tdefaultBranch = main\n[core]\n\teditor = true\n"
    )
    try:
        yield folder
    finally:
        os.environ.clear()
        os.environ.update(saved)


def repository(folder: Path, *, installed: bool) -> Git:
    """Make a repository with a few files and a commit."""
    git = Git.init(folder)
    git.commit({f"src/file{n}.py": f"value = {n}\n" for n in range(20)}, "First")
    if installed:
        subprocess.run(
            [sys.executable, "-m", "gittraj", "install"], cwd=folder, stdout=subprocess.DEVNULL, check=True
        )
    return git


def state(git: Git) -> Path:
    return git.root / ".git" / "traj"


def wait_for_worker(git: Git) -> None:
    """Wait until a background worker has drained the hooks' lines."""
    end = time.monotonic() + _PATIENCE
    spool, cursors = state(git) / "spool", state(git) / "cursors.json"
    while not _at_rest(spool, cursors):
        if time.monotonic() > end:
            raise TimeoutError(f"no worker drained {spool}")
        time.sleep(0.02)
    time.sleep(0.05)  # until its interpreter has ended


def _at_rest(spool: Path, cursors: Path) -> bool:
    if not spool.exists():
        return True
    try:
        return bool(json.loads(cursors.read_bytes())["spool"] == spool.stat().st_size)
    except (OSError, KeyError):
        return False


def lengthen(session: ClaudeSession, size: int) -> None:
    """Add ``size`` bytes of finished turns that commit nothing: about ten prompts per megabyte, with
    thinking, edits and long outputs."""
    begin = session.log.stat().st_size if session.log.exists() else 0
    steps = [
        turn(Write("notes.txt", _WORDS * 20), think=_WORDS * 10, say=_WORDS),
        turn(Shell("git log -p -3 | head -c 8000"), say=_WORDS),
    ]
    session.run([*steps * _TURN, turn(say=_WORDS * 3)], prompt=_WORDS)
    data = session.log.read_bytes()[begin:]
    block = data.decode().replace(session.session, "\0")
    with session.log.open("ab") as stream:
        for number in range(size // len(data)):
            fresh = (begin + number) % 2**32
            copy = _IDS.sub(rf"\g<1>{fresh:08x}", block)
            stream.write(copy.replace("\0", session.session).encode())
