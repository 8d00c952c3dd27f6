"""The keys of the notes for runs without a commit: 256 notes per month, so that thousands of runs do not
share one note, which each run would rewrite.

These keys are not the ids of commits; all other keys of notes are. See docs/adr/0034-runs-by-month.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cache

from gittraj.git.encoding import ObjectFormat, object_id
from gittraj.startup import sha256

_FIRST = 2026
"""The year in which the first of these notes was written."""


def run_key(form: ObjectFormat, month: str, trajectory: str) -> str:
    """The key of the note for a run whose ``trajectory`` is recorded in ``month`` (``YYYY-MM``)."""
    return _key(form, month, sha256(trajectory.encode()).hexdigest()[:2])


def find_run_keys(keys: Iterable[str]) -> Iterator[str]:
    """Yield those ``keys`` of notes that are for runs and not for commits."""
    until = datetime.now(UTC).year + 1  # another clock may be ahead
    return (key for key in keys if key in _all("sha1" if len(key) == 40 else "sha256", until))


@cache
def _all(form: ObjectFormat, until: int) -> frozenset[str]:
    months = (f"{year}-{month:02}" for year in range(_FIRST, until + 1) for month in range(1, 13))
    return frozenset(_key(form, month, f"{part:02x}") for month in months for part in range(256))


def _key(form: ObjectFormat, month: str, part: str) -> str:
    return object_id("blob", f"git-traj runs {month} {part}\n".encode(), form)
