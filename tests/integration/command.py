"""Runs ``git traj …`` in the process of the test.

Starting a process that drains costs half a second of processor time: modules, data classes, and the rules'
regular expressions. Tests about processes (killed, concurrent, on a terminal) start real ones.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from gittraj.cli.common.group import call


@dataclass(frozen=True, slots=True)
class Said:
    """A command's exit status and output. A byte that is not UTF-8 becomes a lone surrogate."""

    returncode: int
    stdout: str
    stderr: str


def traj(
    folder: Path, *arguments: str, given: str | bytes = b"", env: Mapping[str, str] | None = None
) -> Said:
    """Run a command in ``folder``, with ``given`` on its stdin and ``env`` added to the environment."""
    given = given.encode() if isinstance(given, str) else given
    streams = [
        io.TextIOWrapper(io.BytesIO(b), "utf-8", "surrogateescape", newline="", write_through=True)
        for b in (given, b"", b"")
    ]
    with (
        chdir(folder),
        patch.dict(os.environ, env or {}),
        patch.multiple(sys, stdin=streams[0], stdout=streams[1], stderr=streams[2]),
    ):
        status = call(arguments)
    out, err = (_read(stream) for stream in streams[1:])
    return Said(status, out, err)


def _read(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
