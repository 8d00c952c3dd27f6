"""Which lines a change wrote and which it took away.

Agents repeat unchanged lines around a change to say where it goes; those are nobody's work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def only_in(lines: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Those of ``lines``, in their order, that ``others`` does not have, or not as often."""
    spare = Counter(others)
    spare.subtract(lines)
    left = {line: -n for line, n in spare.items() if n < 0}
    kept: list[str] = []
    for line in reversed(lines):  # of equal lines, the later ones are the new ones
        if left.get(line, 0):
            left[line] -= 1
            kept.append(line)
    return tuple(kept[::-1])
