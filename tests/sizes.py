"""How many cases the random-walk, kill and fuzz tests try: few in an ordinary run, many in a nightly one.

``GIT_TRAJ_NIGHTLY=1`` selects the nightly sizes, and also runs the tests marked ``nightly``.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import pytest

NIGHTLY = os.environ.get("GIT_TRAJ_NIGHTLY", "0") not in ("", "0")


def size(usual: int, nightly: int, setting: str = "") -> int:
    """Return the number of cases: from the environment variable ``setting``, else by the kind of run."""
    value = os.environ.get(setting) if setting else None
    return int(value) if value else nightly if NIGHTLY else usual


def some(cases: Iterable[Any], usual: int) -> Sequence[Any]:
    """Return ``cases`` for a parametrized test; those after the first ``usual`` are marked ``nightly``."""
    return [
        pytest.param(case, marks=[pytest.mark.nightly] if number >= usual else [])
        for number, case in enumerate(cases)
    ]


def in_turn(
    first: str, second: str, ones: Mapping[str, Any], others: Mapping[str, Any]
) -> pytest.MarkDecorator:
    """Parametrize a test by ``first`` and ``second``: each of ``ones`` with one of ``others``; the remaining
    combinations are marked ``nightly``."""
    cases = [
        pytest.param(one, other, id=f"{a}-{b}", marks=[] if n % len(others) == m else [pytest.mark.nightly])
        for n, (a, one) in enumerate(ones.items())
        for m, (b, other) in enumerate(others.items())
    ]
    return pytest.mark.parametrize((first, second), cases)


def one_unless_nightly(items: Iterable[pytest.Item], fixture: str, ways: Collection[str]) -> None:
    """Run a test that is parametrized by all ``ways`` of a fixture with only one of them, taken in turn, so
    that every file has tests of each way. The others are marked ``nightly``."""
    found: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        way = item.callspec.params.get(fixture) if hasattr(item, "callspec") else None
        if isinstance(way, str) and way in ways:
            test, _, case = item.nodeid.partition("[")
            found[f"{test}[{case.replace(way, '')}"].append(item)
    turns: Counter[str] = Counter()
    for name, same in found.items():
        file = name.partition("::")[0]
        for number, item in enumerate(same):
            if number != turns[file] % len(same):
                item.add_marker(pytest.mark.nightly)
        turns[file] += len(same) > 1
