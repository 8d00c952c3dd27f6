"""How much the tests try that walk, kill and fuzz: little in every run, much every night.

``GIT_TRAJ_NIGHTLY=1`` asks for the nightly sizes, and runs what is marked ``nightly`` too.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import pytest

NIGHTLY = os.environ.get("GIT_TRAJ_NIGHTLY", "0") not in ("", "0")


def size(usual: int, nightly: int, setting: str = "") -> int:
    """How many are tried: what the environment's ``setting`` says, else what kind of run it is."""
    said = os.environ.get(setting) if setting else None
    return int(said) if said else nightly if NIGHTLY else usual


def some(cases: Iterable[Any], usual: int) -> Sequence[Any]:
    """``cases`` for a parametrized test, those after the first few marked ``nightly``."""
    return [
        pytest.param(case, marks=[pytest.mark.nightly] if number >= usual else [])
        for number, case in enumerate(cases)
    ]


def in_turn(
    first: str, second: str, ones: Mapping[str, Any], others: Mapping[str, Any]
) -> pytest.MarkDecorator:
    """Parametrizes a test by ``first`` and ``second``: by day each of the ones with one of the others;
    by night each with each."""
    cases = [
        pytest.param(one, other, id=f"{a}-{b}", marks=[] if n % len(others) == m else [pytest.mark.nightly])
        for n, (a, one) in enumerate(ones.items())
        for m, (b, other) in enumerate(others.items())
    ]
    return pytest.mark.parametrize((first, second), cases)


def one_by_day(items: Iterable[pytest.Item], fixture: str, ways: Collection[str]) -> None:
    """By day, a test that each of the ``ways`` of a fixture would run is run in one of them, in turn, so that
    each has tests of its own in every file. The others are marked ``nightly``."""
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
