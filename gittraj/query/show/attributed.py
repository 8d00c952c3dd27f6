"""Finds the lines that a commit added, and which trajectory wrote them.

Line numbers are those in the commit: a session's edits are compared with the file as committed. A line that
no session wrote has no trajectory; this module must not guess.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby

from gittraj.errors import GitError
from gittraj.formats.base.exported import Run
from gittraj.git import Repository, read_changes
from gittraj.git.blame import read_blob
from gittraj.model.values import AnyEvent
from gittraj.query.why.file import read_lines
from gittraj.query.why.line_origin import find_writers

Sessions = Mapping[str, Sequence[AnyEvent]]
"""The events of trajectories, by id."""


def attribute(repository: Repository, commit: str, sessions: Sessions) -> list[Run]:
    """Return the runs of added lines, in the order of paths and lines; none for a merge, or for a commit that
    this clone lacks."""
    if not repository.objects.exists(commit):
        return []
    changes = read_changes(repository, [commit])[commit]
    if len(changes.parents) > 1:
        return []
    runs: list[Run] = []
    for change in changes.paths:
        if change.line_numbers:
            try:
                lines = read_lines(repository, change.path, commit)
            except GitError:
                continue
            paths = {name for name in (change.path, change.old_path) if name}
            before = partial(read_blob, repository, "".join(changes.parents), change.old_path or change.path)
            wanted = [number - 1 for number in change.line_numbers if number <= len(lines)]
            edits = find_writers(lines, wanted, sessions.items(), paths, before)
            writers = {at + 1: name for at, (name, _) in edits.items()}
            runs += _runs(change.path, lines, change.line_numbers, writers)
    return runs


def _runs(path: str, lines: Sequence[str], added: Sequence[int], writers: Mapping[int, str]) -> Iterator[Run]:
    adjacent = groupby(enumerate(added), lambda each: (each[1] - each[0], writers.get(each[1])))
    for (_, writer), run in adjacent:
        numbers = [number for _, number in run]
        text = "".join(f"{line}\n" for line in lines[numbers[0] - 1 : numbers[-1]])
        digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
        yield Run(path=path, first=numbers[0], last=numbers[-1], sha256=digest, trajectory=writer)
