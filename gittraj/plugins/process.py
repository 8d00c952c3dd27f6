"""Runs a program that the user named: in an empty folder, without a shell, and with a time limit."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress

from gittraj.errors import TrajError

_EXIT_LIMIT = 5.0
"""Seconds in which a program has to end after it has closed its output."""


def run(
    arguments: Sequence[str], text: str, environ: Mapping[str, str], *, seconds: float, limit: int, key: str
) -> tuple[int, bytes]:
    """Run the program with ``text`` as its input; return its exit status and its output. ``key`` is the
    setting that names it. Raises TrajError, also after ``seconds`` or for more than ``limit`` bytes."""
    program = shutil.which(arguments[0], path=environ.get("PATH"))
    if program is None:
        raise TrajError(f"there is no program '{arguments[0]}'", f"git config --global {key}")
    with tempfile.TemporaryDirectory(prefix="git-traj-program-") as folder:
        try:
            process = subprocess.Popen(
                [program, *arguments[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env={**environ, "PWD": folder},
                start_new_session=True,
            )
        except OSError as error:
            raise TrajError(f"{program} cannot be run: {error.strerror}") from None
        return _converse(process, text, seconds, limit)


def _converse(process: subprocess.Popen[bytes], text: str, seconds: float, limit: int) -> tuple[int, bytes]:
    """Write and read in threads: the time limit applies even if the process does neither."""
    out: list[bytes] = []
    reader = threading.Thread(target=_read, args=(process, out, limit), daemon=True)
    threading.Thread(target=_write, args=(process, text), daemon=True).start()
    try:
        reader.start()
        reader.join(seconds)
        late = reader.is_alive()
        if out and len(out[0]) <= limit:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_EXIT_LIMIT)
    finally:
        _kill(process)  # also if it has ended: it may have left child processes behind
        process.wait()
    if late or not out:
        raise TrajError(f"no answer within {seconds:.0f} seconds")
    if len(out[0]) > limit:
        raise TrajError(f"an answer of more than {limit:,} bytes")
    return process.returncode, out[0]


def _read(process: subprocess.Popen[bytes], out: list[bytes], limit: int) -> None:
    if process.stdout:
        with process.stdout as stream:
            out.append(stream.read(limit + 1))


def _write(process: subprocess.Popen[bytes], text: str) -> None:
    if process.stdin:
        with suppress(OSError), process.stdin as stream:  # the program may not read all of the text
            stream.write(text.encode("utf-8", "replace"))


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except OSError:
        pass  # it has ended already
