"""Finds the former path of a working tree, for sessions from before it was moved or removed, or from another
machine."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path, PurePosixPath

from gittraj.capture.session import Log
from gittraj.git import Repository

_ENOUGH = 300


def known_paths(repository: Repository) -> frozenset[str]:
    """Return every path in the history of any ref."""
    listed = (
        "-c",
        "log.showSignature=false",
        "log",
        "--all",
        "--format=",
        "--name-only",
        "--no-renames",
        "-z",
    )
    found = repository.run(*listed, check=False)
    return frozenset(found.out.decode("utf-8", "surrogateescape").replace("\n", "").split("\0")) - {""}


def guess_root(folder: str, named: Iterable[str], known: Collection[str]) -> Path:
    """Return the session's ``folder`` or the parent of it under which most of the ``named`` absolute paths
    are ``known`` in the repository; of equals, the closest to ``folder``."""
    work = PurePosixPath(folder)
    paths = [PurePosixPath(name) for name in dict.fromkeys(named)][:_ENOUGH]

    def fits(root: PurePosixPath) -> int:
        return sum(str(path.relative_to(root)) in known for path in paths if path.is_relative_to(root))

    candidates = [work, *(parent for parent in work.parents if len(parent.parts) > 1)]
    return Path(max(candidates, key=lambda root: (fits(root), len(root.parts))))


def named_paths(log: Log) -> Iterator[str]:
    """The paths that a log's calls name, as absolute ones."""
    for entry in log.entries:
        for name in (*entry.paths, *(edit.path for edit in entry.edits)):
            path = PurePosixPath(entry.folder or "", name)
            if path.is_absolute():
                yield str(path)
