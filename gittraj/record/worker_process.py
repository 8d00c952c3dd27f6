"""Ends a worker process of backfill or gather when the process that started it has ended."""

from __future__ import annotations

import os
from multiprocessing import parent_process
from threading import Thread


def end_with_parent() -> None:
    """Exit as soon as the parent process ends. Otherwise this process would wait for ever, as it reads jobs
    from a pipe that the other workers keep open."""
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # the only exit that does not wait
