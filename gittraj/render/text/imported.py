"""The sessions that an import read: a line each, or one for a store with many sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gittraj.model.words import count
from gittraj.notes.places import find_places

_EACH_NAMED = 8
"""Most sessions of one file that get a line each."""
_FILES_NAMED = 50
"""Most files that get one."""


def render_imported(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """``rows``: as ``taken_to_json`` makes them."""
    by_path: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_path.setdefault(row["path"], []).append(row)
    if len(by_path) > _FILES_NAMED:
        by_path = {f"{len(by_path):,} files": [*rows]}
    for path, sessions in by_path.items():
        if len(sessions) <= _EACH_NAMED:
            yield from (f"{path}: {row['trajectory']}, {_session(row)}" for row in sessions)
            continue
        parts = sum(row["parts"] for row in sessions)
        commits = {each["commit"] for row in sessions for each in row["commits"]}
        where = f"on {count(len(commits), 'commit')}" if commits else "none made a commit here"
        yield f"{path}: {len(sessions)} sessions, {count(parts, 'new part')}; {where}"


def _session(row: Mapping[str, Any]) -> str:
    where = ", ".join(f"{each['commit'][:12]} ({each['evidence']})" for each in row["commits"])
    if not where and any(find_places(row["explored"])):
        where = "no commit (git traj log --trajectories --all)"
    elif not where and row["explored"]:
        where = f"{row['explored'][0][:12]} (explored)"
    if not where:
        where = "no commit: it waits for the first one here"
    damage = f"; {count(row['damage'], 'damaged place')} left out" if row["damage"] else ""
    return f"{count(row['parts'], 'new part')}; on {where}{damage}"
