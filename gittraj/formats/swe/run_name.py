"""Names of run files: ``{solve}_{run}_{YYYYMMDD_HHMMSS}``.

Both ids may hold underscores, so where the one ends is a guess unless something else tells: the instance
that the run is of, or a ``run`` at the beginning of the second. The time always comes last.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gittraj.formats.base import coerce

_NAME = re.compile(r"(.+)_(\d{8})_(\d{6})", re.DOTALL)
_RUN = re.compile(r"(.+)_(run(?:[-_.]?[^_]+)?(?:_.*)?)", re.DOTALL | re.IGNORECASE)
_LAST = re.compile(r"(.*[^_])_([^_]+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RunName:
    """``solve`` and ``run`` are the two ids, ``time`` ISO 8601 (the name has no zone: it counts as UTC)."""

    solve: str
    run: str
    time: str


def parse(stem: str | None, instance: str | None) -> RunName | None:
    """The parts of a file's name without its extensions; ``None`` if it has another shape."""
    named = _NAME.fullmatch(stem or "")
    if named is None:
        return None
    ids, day, hour = named.groups()
    time = coerce.stamp(f"{day}T{hour}")
    if time is None:
        return None
    if instance and ids.startswith(f"{instance}_") and len(ids) > len(instance) + 1:
        return RunName(instance, ids[len(instance) + 1 :], time)
    parts = _RUN.fullmatch(ids) or _LAST.fullmatch(ids)
    return RunName(parts[1], parts[2], time) if parts else None
