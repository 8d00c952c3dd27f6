"""The figures and their targets, as one table; and how a duration is taken."""

from __future__ import annotations

import random
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: the median, and the tenth percentile, which other programs on the machine disturb least.

    ``target`` is the most that the median may be; ``None``: the figure only says what others mean.
    """

    what: str
    median: float
    quiet: float
    unit: str = "ms"
    target: float | None = None

    @classmethod
    def of(cls, what: str, taken: Sequence[float], target: float | None = None, unit: str = "ms") -> Row:
        return cls(what, statistics.median(taken), _tenth(taken), unit, target)

    @classmethod
    def timed(command: Sequence[str], folder: Path) -> float:
    """Milliseconds that a process takes."""
    begin = time.perf_counter()
    subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return 1000 * (time.perf_counter() - begin)
