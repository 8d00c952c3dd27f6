"""How much the tests try that walk, kill and fuzz: little in every run, much every night.

``GIT_TRAJ_NIGHTLY=1`` asks for the nightly sizes, and runs what is marked ``nightly`` too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
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
