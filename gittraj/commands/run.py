"""Runs a program unchanged, and records its output: for an agent that has neither a log nor hooks.

Typed input is never read: the program has the terminal itself as its input, and only its output passes
through this process. Text that the program echoes is output. The hooks of commits made meanwhile read
the run's name from a variable of their environment.
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
from select import select
from threading import Event, Thread
from typing import Any

from gittraj.commands.backfill.importer import import_files
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.record.add_later import now, random_name
from gittraj.state.folder import LocalState
from gittraj.state.spool import RUN, read_spool

_FIRST, _LAST = 1024 * 1024, 3 * 1024 * 1024
"""How many bytes are kept of an output's beginning and of its end."""
_CHUNK = 65_536


class Output:
    """A program's output, without its middle if it is long."""

    def __init__(self) -> None:
        self._first = bytearray()
        self._last = bytearray()
        self.seen = 0
        self.truncated = False

    def add(self, data: bytes) -> None:
        self.seen += len(data)
        room = _FIRST - len(self._first)
        self._first += data[:room]
        self._last += data[room:]
        if len(self._last) > 2 * _LAST:
            del self._last[:-_LAST]
            self.truncated = True

    @property
    def text(self) -> str:
        first, last = bytes(self._first), bytes(self._last)
        if self.truncated:  # half a line may be half a secret, which redaction would miss
            first = first.rpartition(b"\n")[0] or first.rpartition(b" ")[0]
            last = last.partition(b"\n")[2] or last.partition(b" ")[2]
            first += b"\n[...]\n"
        return (first + last).decode("utf-8", "replace")


def run(repository: Repository, command: Sequence[str], *, agent: str | None, live: Mapping[str, str]) -> int:
    """Run ``command``, record its output, and return its exit status. ``live`` is the environment. Raises
    TrajError if the command cannot be started."""
    name = re.sub(r"[^\w.-]+", "-", agent or Path(command[0]).name)[:64] or "program"
    session = f"run-{random_name(10)}"
    output, begun, commit = Output(), now(), repository.head()
    name_of_run = f"{name}:{session}"
    status = _spawn(command, {**live, RUN: name_of_run}, output)
    spooled = read_spool(LocalState.of(repository).folder, 0)[0]
    report = {
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
        # commits whose hook had a terminal: a person may have typed what the program echoed
        "typed": [line.id for line in spooled if line.terminal and name_of_run in line.sessions],
    }
    try:
        _record(repository, report, live)
    except (TrajError, OSError) as error:
        why = error.one_line if isinstance(error, TrajError) else error.strerror
        sys.stderr.write(f"git-traj: what it printed was not recorded: {why}\n")
    return status


def _record(repository: Repository, report: Mapping[str, Any], live: Mapping[str, str]) -> None:
    with LocalState.of(repository).scratch() as folder:
        path = Path(folder) / "terminal.json"
        path.write_text(json.dumps(report))
        _, refused = import_files(repository, live, [path], form="terminal", link=True)
    if refused:
        raise TrajError(refused[0][1])


def _spawn(command: Sequence[str], environ: Mapping[str, str], output: Output) -> int:
    """Run ``command``, copy its output to this process's stdout and stderr, and return its exit status."""
    out, err = sys.stdout.fileno(), sys.stderr.fileno()
    outer = _open(out)
    inner = outer if os.path.sameopenfile(out, err) else _open(err)  # one for both keeps the order
    try:
        child = subprocess.Popen(command, env=dict(environ), stdout=outer[1], stderr=inner[1])
    except OSError as error:
        raise TrajError(f"{command[0]}: {error.strerror}") from None
    finally:
        for write in {outer[1], inner[1]}:
            os.close(write)
    kept = signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C is for the program
    busy = Event()
    reader = Thread(target=_copy, args=({inner[0]: err, outer[0]: out}, output, busy), daemon=True)
    reader.start()
    try:
        status = child.wait()
        _finish(reader, output, busy)
    finally:
        signal.signal(signal.SIGINT, kept)
    return status if status >= 0 else 128 - status


def _finish(reader: Thread, output: Output, busy: Event) -> None:
    """Wait until the data that the ended program left in its pipes is read, however slowly. A process that
    the program left in the background may print for ever: stop after two chunks or a silent second."""
    last, seen = output.seen + 2 * _CHUNK, -1
    while reader.is_alive() and output.seen <= last and (busy.is_set() or output.seen != seen):
        seen = output.seen
        reader.join(timeout=1.0)


def _open(target: int) -> tuple[int, int]:
    """Return the ends to read from and to write to: of a terminal if ``target`` is one, else of a pipe."""
    if not os.isatty(target):
        return os.pipe()
    read, write = pty.openpty()
    _resize(read, target)
    signal.signal(signal.SIGWINCH, lambda *_: _resize(read, target))
    return read, write


def _copy(targets: dict[int, int], output: Output, busy: Event) -> None:
    """Copy from each key of ``targets`` to its value, in the order in which data arrives, until all have
    ended. ``busy`` is set while data is copied."""
    while targets:
        for read in select(targets, (), ())[0]:
            busy.set()
            is_open = _copy_chunk(read, targets[read], output)
            busy.clear()
            if not is_open:
                os.close(read)  # printing more ends the program, as without git-traj
                del targets[read]


def _copy_chunk(read: int, target: int, output: Output) -> bool:
    """Copy a chunk. Return False at the end of the output, and if nobody reads ``target`` any more."""
    with suppress(OSError):  # Linux raises at the end of a terminal that nobody writes to any more
        data = os.read(read, _CHUNK)
        output.add(data)
        unwritten = data
        while unwritten:
            unwritten = unwritten[os.write(target, unwritten) :]
        return bool(data)
    return False


def _resize(terminal: int, target: int) -> None:
    """Give ``terminal`` the size of the terminal ``target``."""
    with suppress(OSError):
        size = fcntl.ioctl(target, termios.TIOCGWINSZ, b"\0" * 8)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
