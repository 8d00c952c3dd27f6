"""Ends a run that takes too long, whatever delays it, such as a host that sends one byte at a time, or a
fetch.

The job's own time-out would end the run without any output; the watchdog publishes the results so far first.
The process ends at once, so nothing that must be finished may run in parallel.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

SECONDS = 55.0
"""The time limit of a whole run, without the waits that the host or an input demanded."""
_TICK = 0.5


@dataclass(slots=True)
class Watchdog:
    """A context manager. When the time is over, it calls ``late``, and the process ends with the status that
    ``late`` returns. ``granted`` returns the seconds to allow in addition."""

    late: Callable[[], int]
    granted: Callable[[], float] = lambda: 0.0
    seconds: float = SECONDS
    end: Callable[[int], None] = os._exit
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Watchdog:
        threading.Thread(target=self._watch, args=(time.monotonic(),), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def _watch(self, began: float) -> None:
        while (left := began + self.seconds + self.granted() - time.monotonic()) > 0:
            if self._over.wait(min(left, _TICK)):
                return
        if not self._over.is_set():
            self.end(self.late())
