"""The keys of notes for runs without a commit: 256 notes per month, with keys that are not commits.

A note that thousands of runs share would be rewritten with each of them. Any other key of a note is a
commit's id. See docs/adr/0034-runs-by-month.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cache

from gittraj.git.encoding import ObjectFormat, object_id
from gittraj.startup import sha256

_FIRST = 2026
"""The year in which the first of these notes was written."""


def runs_place(form: ObjectFormat, month: str, trajectory: str) -> str:
    """The key of the note for a trajectory that is recorded in ``month`` (``YYYY-MM``)."""
    return _key(form, month, sha256(trajectory.encode()).hexdigest()[:2])


def find_places(keys: Iterable[str]) -> Iterator[str]:
    """Those of the ``keys`` of notes that are for runs, not commits."""
    until = datetime.now(UTC).year + 1  # another clock may be ahead
    return (key for key in keys if key in _all("sha1" if len(key) == 40 else "sha256", until))


@cache
def _all(form: ObjectFormat, until: int) -> frozenset[str]:
    months = (f"{year}-{month:02}" for year in range(_FIRST, until + 1) for month in range(1, 13))
    return frozenset(_key(form, month, f"{part:02x}") for month in months for part in range(256))


def _key(form: ObjectFormat, month: str, part: str) -> str:
    return object_id("blob", f"git-traj runs {month} {part}\n".encode(), form)
