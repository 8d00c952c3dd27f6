"""Limits how long a commit waits for the hook: a hook that hangs is worse than one that gives up."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from threading import Thread
from typing import TypeVar

from gittraj.render.text.terminal import escape_line

SECONDS = 10.0
T = TypeVar("T")


def take(work: Iterator[T], end: float) -> tuple[list[T], bool]:
    """Return the items that ``work`` yields until ``end``, in seconds of the monotonic clock, and whether
    these are all. Raises what ``work`` raises.

    The work is done in a thread, because nothing interrupts a scan; a thread that is still running ends with
    the process.
    """
    done: list[T] = []
    errors: list[BaseException] = []

    def collect() -> None:
        try:
            for each in work:
                done.append(each)
        except BaseException as error:  # noqa: BLE001 - raised again, in the caller's thread
            errors.append(error)

    thread = Thread(target=collect, daemon=True)
    thread.start()
    thread.join(max(0.0, end - time.monotonic()))
    if errors:
        raise errors[0]
    return list(done), not thread.is_alive()


def say(line: str) -> None:
    """Print one line to stderr, with its control characters escaped."""
    sys.stderr.write(f"git-traj: {escape_line(line)}\n")
