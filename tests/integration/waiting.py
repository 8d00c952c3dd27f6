"""Waits for another process: as long as the slowest machine needs, and no longer."""

from __future__ import annotations

import time
from collections.abc import Callable

BUSY = 'for n in $(seq 600); do [ -e "{0}/go" ] && break; sleep 0.1; done; touch "{0}/done"'
"""A shell command that runs until the file ``go`` exists, and then creates ``done``: a process that finds
no ``done`` did not wait for it, whatever a clock says."""
LONG = 300.0
"""Seconds after which something counts as hanging, however busy the machine is: no test may fail sooner."""


def wait_until(holds: Callable[[], bool], what: str = "what was waited for") -> None:
    """Return once ``holds()`` is true; fail the test if it never is."""
    end = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < end, f"{what} never came"
        time.sleep(0.02)
