"""Measurements and their targets as one table, and functions that measure durations."""

from __future__ import annotations

import random
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement: the median, and the tenth percentile, which other load on the machine affects least.

    ``target`` is the upper limit of the median; ``None``: the row is only for comparison.
    """

    what: str
    median: float
    p10: float
    unit: str = "ms"
    target: float | None = None

    @classmethod
    def of(cls, what: str, taken: Sequence[float], target: float | None = None, unit: str = "ms") -> Row:
        return cls(what, statistics.median(taken), _tenth(taken), unit, target)

    @classmethod
    def added(cls, what: str, base: Sequence[float], other: Sequence[float], target: float) -> Row:
        """Return a row with the extra time that ``other`` took over ``base`` in the same round."""
        more = statistics.median(b - a for a, b in zip(base, other, strict=True))
        return cls(what, more, _tenth(other) - _tenth(base), "ms", target)

    @property
    def passed(self) -> bool:
        return self.target is None or self.median <= self.target

    def cells(self) -> tuple[str, ...]:
        target = "" if self.target is None else f"<= {self.target:g} {self.unit}"
        verdict = "" if self.target is None else "pass" if self.passed else "**miss**"
        return self.what, f"{_digits(self.median)} {self.unit}", _digits(self.p10), target, verdict


def _tenth(taken: Sequence[float]) -> float:
    return sorted(taken)[len(taken) // 10]


def _digits(value: float) -> str:
    return f"{value:.{0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2}f}"


def render(rows: Iterable[Row]) -> str:
    """Return a Markdown table."""
    head = ("what", "median", "p10", "target", "")
    lines = [head, ("---", "---:", "---:", "---:", "---"), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rounds(variants: Mapping[str, Callable[[], T]], count: int) -> dict[str, list[T]]:
    """Run each variant once per round, in varying order, so that other load affects all alike."""
    found: dict[str, list[T]] = {name: [] for name in variants}
    order = list(variants)
    rng = random.Random(1)
    for _ in range(count):
        rng.shuffle(order)
        for name in order:
            found[name].append(variants[name]())
    return found


@dataclass(frozen=True, slots=True)
class Timing:
    """Elapsed and processor time of one command, in milliseconds. Processor time includes only processes that
    the command waited for (no background worker), and hardly changes when the machine is busy."""

    clock: float
    processor: float


def timed(command: Sequence[str], folder: Path, *, check: bool = True) -> Timing:
    """Run a command to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=check,
    )
    clock = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Timing(1000 * clock, 1000 * processor)
