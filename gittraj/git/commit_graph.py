"""Checks whether git's commit graph has filters of changed paths, which make a walk of a file's history ten
times as fast.

git-traj suggests them only if they would help, and never writes the graph, which belongs to the user. For
its format see gitformat-commit-graph(5).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from gittraj.git.repository import Repository

WRITE = "git commit-graph write --reachable --changed-paths"
LONG = 30_000
"""The number of commits from which git needs a noticeable part of a second for a file's history."""
_FILTERS = b"BIDX"
_HEADER = struct.Struct(">4sBBBB")
_CHUNK = struct.Struct(">4sQ")


def lacks_filters(repository: Repository) -> bool:
    """Whether the history is long and git would use filters of changed paths, but the graph has none."""
    if (repository.config("core.commitGraph") or "true").lower() in ("false", "no", "off", "0"):
        return False
    if any(map(_has_filters, _graphs(repository.common_dir / "objects" / "info"))):
        return False
    counted = repository.run("rev-list", "--count", f"--max-count={LONG}", "HEAD", check=False)
    return counted.code == 0 and int(counted.out) >= LONG


def _graphs(folder: Path) -> Iterator[Path]:
    yield folder / "commit-graph"
    yield from (folder / "commit-graphs").glob("graph-*.graph")


def _has_filters(graph: Path) -> bool:
    try:
        with graph.open("rb") as stream:
            magic, _, _, chunks, _ = _HEADER.unpack(stream.read(_HEADER.size))
            table = stream.read(chunks * _CHUNK.size)
        return magic == b"CGPH" and any(name == _FILTERS for name, _ in _CHUNK.iter_unpack(table))
    except (OSError, struct.error):
        return False
