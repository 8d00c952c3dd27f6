"""Runs a program as it is, and keeps what it prints: the trace of an agent that has neither log nor hook.

What is typed is never read: the program has the terminal itself for input, and its output alone goes through
here; what it echoes is output. Commits made meanwhile name the run by a variable of their hooks' environment.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from gittraj.commands.backfill import import_files
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.record.given_later import now, random_name
from gittraj.state.folder import LocalState
from gittraj.state.spool import RUN, read_spool

_FIRST, _LAST = 1024 * 1024, 3 * 1024 * 1024
"""Bytes of an output that are kept of its beginning and of its end."""
_CHUNK = 65_536


class Output:
    """What a program printed, its middle left out where it is long."""

    def __init__(self) -> None:
        self._first = bytearray()
        self._last = bytearray()
        self.truncated = False

    def add(self, data: bytes) -> None:
        room = _FIRST - len(self._first)
        self._first += data[:room]
        self._last += data[room:]
        if len(self._last) > 2 * _LAST:
            del self._last[:-_LAST]
            self.truncated = True

    @property
    def text(self) -> str:
        gap = b"\n[...]\n" if self.truncated else b""
        return bytes(self._first + gap + self._last).decode("utf-8", "replace")


def run(repository: Repository, command: Sequence[str], *, agent: str | None, live: Mapping[str, str]) -> int:
    """The status of ``command``, after its output was recorded. Raises TrajError: it cannot be started."""
    name = re.sub(r"[^\w.-]+", "-", agent or Path(command[0]).name)[:64] or "program"
    session = f"run-{random_name(10)}"
    output, begun, commit = Output(), now(), repository.head()
    told_as = f"{name}:{session}"
    status = _spawn(command, {**live, RUN: told_as}, output)
    told = {
        "terminal": session,
        "agent": name,
        "command": shlex.join(command),
        "cwd": str(Path.cwd()),
        "commit": commit,
        "started": begun,
        "ended": now(),
        "status": status,
        "truncated": output.truncated,
        "output": output.text,
        "typed": _find_typed(LocalState.of(repository).folder, told_as),
    }
    try:
        _record(repository, told, live)
    except (TrajError, OSError) as error:
        why = error.told if isinstance(error, TrajError) else error.strerror
        sys.stderr.write(f"git-traj: what it printed was not recorded: {why}\n")
    return status


def _find_typed(folder: Path, run: str) -> list[str]:
    """The commits of a run whose hook had a terminal: the program may have echoed what a person typed."""
    return [line.id for line in read_spool(folder, 0)[0] if line.terminal and run in line.sessions]


def _record(repository: Repository, told: Mapping[str, Any], live: Mapping[str, str]) -> None:
    local = LocalState.of(repository)
    with TemporaryDirectory(prefix="import.", suffix=f".{os.getpid()}", dir=local.folder) as folder:
        path = Path(folder) / "terminal.json"
        path.write_text(json.dumps(told))
        _, refused = import_files(repository, live, [path], form="terminal", link=True)
    if refused:
        raise TrajError(refused[0].why)


def _spawn(command: Sequence[str], environ: Mapping[str, str], output: Output) -> int:
    """Run it; where a terminal shows the output, the program has one, too."""
    shown = sys.stdout.isatty()
    read, write = pty.openpty() if shown else os.pipe()
    if shown:
        _resize(write)
        signal.signal(signal.SIGWINCH, lambda *_: _resize(read))
    try:
        child = subprocess.Popen(command, env=dict(environ), stdout=write, stderr=write)
    except OSError as error:
        raise TrajError(f"{command[0]}: {error.strerror}") from None
    finally:
        os.close(write)
    kept = signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C is for the program
    reader = Thread(target=_copy, args=(read, output), daemon=True)
    reader.start()
    try:
        status = child.wait()
        reader.join(timeout=1.0)  # what it left in the background may print for ever
    finally:
        signal.signal(signal.SIGINT, kept)
    return status if status >= 0 else 128 - status


def _copy(read: int, output: Output) -> None:
    with suppress(OSError):  # Linux ends a terminal that nobody writes to any more with an error
        while data := os.read(read, _CHUNK):
            output.add(data)
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()


def _resize(terminal: int) -> None:
    with suppress(OSError):
        size = fcntl.ioctl(sys.stdout.fileno(), termios.TIOCGWINSZ, b"\0" * 8)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
