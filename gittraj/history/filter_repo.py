"""Reads the map of rewritten commits that ``git filter-repo`` leaves, since it does not run git's hooks."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from gittraj.git import is_oid

_MOST = 64 * 1024 * 1024
"""The maximum number of bytes of the map that are read: about 800,000 commits."""


def map_stamp(common_dir: Path) -> str | None:
    """The time and size of the map, which change with each rewrite; None without a map."""
    try:
        stat = _path(common_dir).stat()
    except OSError:
        return None
    return f"{stat.st_mtime_ns} {stat.st_size}"


def read_map(common_dir: Path, olds: Collection[str]) -> list[tuple[str, str]]:
    """Read the pairs (old, new) of ``olds``, without commits that were left out of the new history."""
    try:
        with _path(common_dir).open("rb") as stream:
            lines = stream.read(_MOST).decode("ascii", "replace").splitlines()
    except OSError:
        return []
    pairs = (tuple(line.split()) for line in lines)
    return [
        (pair[0], pair[1])
        for pair in pairs
        if len(pair) == 2 and pair[0] in olds and is_oid(pair[1]) and pair[1].strip("0")
    ]


def _path(common_dir: Path) -> Path:
    return common_dir / "filter-repo" / "commit-map"
