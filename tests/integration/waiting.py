"""Waits for what another process does: as long as the slowest machine needs, and no longer."""

from __future__ import annotations

import time
from collections.abc import Callable

BUSY = 'for n in $(seq 600); do [ -e "{0}/go" ] && break; sleep 0.1; done; touch "{0}/done"'
"""A shell's line that works until the file ``go`` is there, and leaves ``done``: who finds no ``done`` did
not wait for it, whatever a clock says."""
LONG = 300.0
"""Seconds after which something hangs, however busy the machine is. No test may fail any sooner."""


def wait_until(holds: Callable[[], bool], what: str = "what was waited for") -> None:
    """Return once ``holds()``; fail the test if that never comes."""
    end = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < end, f"{what} never came"
        time.sleep(0.02)
