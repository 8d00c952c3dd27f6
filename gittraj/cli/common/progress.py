"""Progress on a terminal, on stderr: only for what takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_DELAY = 1.0  # seconds before anything is shown
_INTERVAL = 0.1  # seconds
_MB = 1_000_000


@contextmanager
def show_progress(unit: str | None = None) -> Iterator[Callable[[str, int, int], None]]:
    """Yields a function to call with a label, the number done and the total, in ``unit``s or (None) bytes of
    sessions."""
    start = time.monotonic()
    last = 0.0
    shown = False

    def report(label: str, done: int, total: int) -> None:
        nonlocal last, shown
        now = time.monotonic()
        if not sys.stderr.isatty() or now - start < _DELAY or (now - last < _INTERVAL and done < total):
            return
        last, shown = now, True
        percent = 100 * done // total if total else 100
        numbers = f"({done:,} of {total:,} {unit})" if unit else f"({done / _MB:.1f} of {total / _MB:.1f} MB)"
        sys.stderr.write(f"\r\x1b[K{label}{'' if unit else ' sessions'}: {percent}% {numbers}")
        sys.stderr.flush()

    try:
        yield report
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
