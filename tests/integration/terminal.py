"""Runs a command on a terminal of its own."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_QUESTION = (b"[y/N]: ", b"[Y/n]: ", b"[all]: ")


def at_terminal(
    folder: Path, *arguments: str, answer: bytes = b"", env: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Run ``git traj`` in ``folder``; return its status and all that the terminal showed. ``answer`` is typed
    at each question."""
    ours, theirs = pty.openpty()
    shown = b""
    command = [sys.executable, "-m", "gittraj", *arguments]
    with subprocess.Popen(
        command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, **(env or {})}
    ) as process:
        os.close(theirs)
        while True:
            try:
                read = os.read(ours, 4096)
            except OSError:  # the other end is closed; until then, a single read may not return all output
                break
            if not read:
                break
            shown += read
            if answer and shown.endswith(_QUESTION):
                os.write(ours, answer)
    os.close(ours)
    return process.returncode, shown.decode()
