"""How long a commit waits for us, and what it hears: a hook that hangs is worse than one that gives up."""

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
    """What ``work`` yields until ``end``, in seconds of the monotonic clock, and whether that is all. Raises
    what it raises.

    In a thread, for nothing interrupts a scan; what is still going on ends with the process.
    """
    done: list[T] = []
    wrong: list[BaseException] = []

    def collect() -> None:
        try:
            for each in work:
                done.append(each)
        except BaseException as error:  # noqa: BLE001 - raised again, where somebody sees it
            wrong.append(error)

    thread = Thread(target=collect, daemon=True)
    thread.start()
    thread.join(max(0.0, end - time.monotonic()))
    if wrong:
        raise wrong[0]
    return list(done), not thread.is_alive()


def say(line: str) -> None:
    """One line on stderr, without any power over a terminal."""
    sys.stderr.write(f"git-traj: {escape_line(line)}\n")
