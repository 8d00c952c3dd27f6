"""Progress on a terminal, on stderr: only for what takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_PATIENCE = 1.0
_OFTEN = 0.1
_MB = 1_000_000


@contextmanager
def show_progress(unit: str | None = None) -> Iterator[Callable[[str, int, int], None]]:
    """Yields what is to be told: what is being done, and how many of how many are: units, or (None) bytes of
    sessions."""
    start = time.monotonic()
    last = 0.0
    shown = False

    def tell(what: str, done: int, of: int) -> None:
        nonlocal last, shown
        now = time.monotonic()
        if not sys.stderr.isatty() or now - start < _PATIENCE or (now - last < _OFTEN and done < of):
            return
        last, shown = now, True
        percent = 100 * done // of if of else 100
        many = f"({done:,} of {of:,} {unit})" if unit else f"({done / _MB:.1f} of {of / _MB:.1f} MB)"
        sys.stderr.write(f"\r\x1b[K{what}{'' if unit else ' sessions'}: {percent}% {many}")
        sys.stderr.flush()

    try:
        yield tell
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
