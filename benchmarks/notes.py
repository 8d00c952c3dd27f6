"""(f) Writing one note to a ref that already has many."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from benchmarks.place import home, repository
from benchmarks.table import Row
from gittraj.notes.store import NotesRef

ROUNDS = 30
_TARGET = 5.0


def measure(folder: Path) -> Iterator[Row]:
    for existing in (0, 1_000, 10_000):
        with home(folder / str(existing) / "home"):
            git = repository(folder / str(existing) / "repo", installed=False)
            with git.open() as opened:
                notes = NotesRef(opened)
                if existing:
                    notes.write(_new(0, existing), message="many")
                times = [_time(notes, existing + n) for n in range(ROUNDS)]
        yield Row.of(f"(f) one note beside {existing:,}", times, _TARGET)


def _time(notes: NotesRef, number: int) -> float:
    begin = time.perf_counter()
    notes.write(_new(number, 1), message="one")
    return 1000 * (time.perf_counter() - begin)


def _new(first: int, count: int) -> Mapping[str, Callable[[bytes], bytes]]:
    """Notes of 2 kB for commits that need not exist."""
    return {
        hashlib.sha1(b"%d" % n, usedforsecurity=False).hexdigest(): lambda old, n=n: b"%d " % n * 400 + b"\n"  # type: ignore[misc]
        for n in range(first, first + count)
    }
