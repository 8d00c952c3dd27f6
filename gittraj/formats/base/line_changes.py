"""The lines that a change added and removed.

Agents repeat unchanged lines around a change as context; those do not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def only_in(lines: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """The ``lines``, in their order, that ``others`` lacks or has fewer times."""
    spare = Counter(others)
    spare.subtract(lines)
    left = {line: -n for line, n in spare.items() if n < 0}
    kept: list[str] = []
    for line in reversed(lines):  # of equal lines, the later ones are the new ones
        if left.get(line, 0):
            left[line] -= 1
            kept.append(line)
    return tuple(kept[::-1])
