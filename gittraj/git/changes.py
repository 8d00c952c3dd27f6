"""Reads what commits changed: paths, blobs and added lines, each against its first parent.

Names come from ``--raw -z`` (no quoting), lines from the patches that follow in the same order. The hunk
headers say how many lines a hunk has, so a line that looks like a diff's own header is read as a line.
A user's diff configuration, attributes or colours must not change the result. Also computes commits'
patch-ids, which are equal for the same change on another parent.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain, islice
from typing import Literal, NamedTuple

from gittraj.errors import GitError
from gittraj.frozen import dataclass
from gittraj.git.encoding import COMMIT
from gittraj.git.repository import Repository

ChangeKind = Literal["add", "update", "delete", "rename"]

_ADDED_LIMIT = 2 * 1024 * 1024  # bytes of added lines per file; more is data, not text that somebody wrote
_BATCH = 500  # commits per process: limits how much is in memory at once
_KINDS: dict[str, ChangeKind] = {"A": "add", "D": "delete", "M": "update", "T": "update", "R": "rename"}
_DIFF = (
    *("-c", "diff.suppressBlankEmpty=false", "-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false"),
    *("-c", "core.bigFileThreshold=32m"),  # a bigger file is shown as binary and never loaded
    *("diff-tree", "--stdin", "-r", "--root", "-z", "--raw", "-p", "-U0", "--full-index"),
    *("--find-renames=50%", "-l1000", "--diff-algorithm=myers", "--indent-heuristic", "--no-ext-diff"),
    *("--inter-hunk-context=0", "--no-textconv", "--no-color", "--no-relative"),
    *("--submodule=short", "--ignore-submodules=none"),
)
# part of the record's format (``origin.patchId``): with other options old records would no longer match
_PATCH = (
    *("-c", "diff.suppressBlankEmpty=false"),
    *("diff-tree", "-p", "--no-renames", "--full-index", "--no-ext-diff", "--no-textconv"),
)
_PATCH_LIMIT = 20 * 1024 * 1024  # bytes of patch
_AT_ONCE = 200  # changes whose ids fit into a pipe: patch-id answers while it still receives input
_HEADER = re.compile(rb"([0-9a-f]{40}(?:[0-9a-f]{24})?)\0")
_RAW = re.compile(rb":\d+ (\d+) [0-9a-f]+ ([0-9a-f]+) ([A-Z])\d*\0([^\0]*)\0")
_SECOND_PATH = re.compile(rb"([^\0]*)\0")
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_SECTION = b"diff --git "


@dataclass(frozen=True, slots=True)
class PathChange:
    """One path that a commit changed. ``path`` and ``added`` (lines without newline) are UTF-8, decoded with
    surrogateescape. ``blob`` is None for a deleted path and for a submodule; ``added`` is empty for binary
    files, and if it is over 2 MB. ``line_numbers`` are those of the added lines in the file, from 1."""

    path: str
    kind: ChangeKind
    old_path: str | None
    blob: str | None
    added: tuple[str, ...]
    line_numbers: tuple[int, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class CommitChanges:
    """What one commit changed. ``time`` is the committer's, in seconds since 1970, and so may come from
    GIT_COMMITTER_DATE; a caller replaces it if the commit's hook stored the actual time."""

    commit: str
    parents: tuple[str, ...]
    subject: str
    paths: tuple[PathChange, ...]
    time: float = 0

    @property
    def names(self) -> frozenset[str]:
        """The paths that the commit changed, including the old names of renamed files."""
        return frozenset(name for path in self.paths for name in (path.path, path.old_path) if name)

    @property
    def lines(self) -> Counter[str]:
        """The lines that the commit added to any file, except those without a letter or a digit."""
        return Counter(line for path in self.paths for line in path.added if any(map(str.isalnum, line)))

    def shares_changes_with(self, other: CommitChanges) -> bool:
        """Whether this commit adds a line that ``other`` added or, if ``other`` added no line, changes one of
        the files that ``other`` changed."""
        added_there = other.lines
        if added_there:
            return not added_there.keys().isdisjoint(self.lines)
        return not {path.path for path in self.paths}.isdisjoint(path.path for path in other.paths)


class _Raw(NamedTuple):
    mode: int
    blob: str
    status: str
    path: str
    old_path: str | None


def read_changes(repository: Repository, commits: Sequence[str]) -> dict[str, CommitChanges]:
    """Read the changes of each of ``commits`` (full ids), in the given order. A root commit is compared with
    the empty tree. A commit whose parent or content is missing (a shallow clone's boundary, a partial clone)
    has no paths, because what it changed is unknown. Raises GitError when a commit itself is missing."""
    infos = {commit: repository.objects.commit(commit) for commit in commits}
    queries = [
        f"{commit} {info.parents[0]}" if info.parents else commit
        for commit, info in infos.items()
        if not info.parents or repository.objects.exists(info.parents[0])
    ]
    paths: dict[str, tuple[PathChange, ...]] = {}
    for at in range(0, len(queries), _BATCH):
        paths.update(_read_paths(repository, queries[at : at + _BATCH]))
    return {c: CommitChanges(c, i.parents, i.subject, paths.get(c, ()), i.time) for c, i in infos.items()}


def read_present(repository: Repository, commits: Collection[str]) -> dict[str, CommitChanges]:
    """Read the changes of those of ``commits`` that this clone has. Raises GitError."""
    return read_changes(repository, [c for c in commits if repository.objects.exists(c)])


def _read_paths(repository: Repository, queries: list[str]) -> dict[str, tuple[PathChange, ...]]:
    diff = repository.run(*_DIFF, input="".join(f"{query}\n" for query in queries).encode(), check=False)
    if diff.code == 0:
        return dict(_parse(diff.out))
    half = len(queries) // 2  # git exits at a missing object: halve until only its commit is left out
    if half == 0:
        return {}
    return _read_paths(repository, queries[:half]) | _read_paths(repository, queries[half:])


def _parse(data: bytes) -> Iterator[tuple[str, tuple[PathChange, ...]]]:
    at = 0
    while at < len(data):
        header = _HEADER.match(data, at)
        if header is None:
            raise GitError(f"git diff-tree wrote unexpected output: {data[at : at + 60]!r}")
        raws, at = _parse_raw(data, header.end())
        changes = []
        for raw in raws:
            added: list[tuple[int, bytes]] = []
            for _ in range(2 if raw.status == "T" else 1):  # a changed type is a deletion and an addition
                at = _parse_section(data, at, added)
            changes.append(_change(raw, added))
        yield header[1].decode(), tuple(changes)


def _parse_raw(data: bytes, at: int) -> tuple[list[_Raw], int]:
    raws = []
    while match := _RAW.match(data, at):
        at = match.end()
        mode, blob, status, first = int(match[1], 8), match[2].decode(), match[3].decode(), _text(match[4])
        if status == "R":
            second = _SECOND_PATH.match(data, at)
            assert second is not None  # noqa: S101 - a rename always has two names
            at = second.end()
            raws.append(_Raw(mode, blob, status, _text(second[1]), first))
        else:
            raws.append(_Raw(mode, blob, status, first, None))
    return raws, at + 1  # one more NUL is between the names and the patches


def _parse_section(data: bytes, at: int, added: list[tuple[int, bytes]]) -> int:
    """Read one ``diff --git`` section into ``added``; return the offset of the next."""
    if not data.startswith(_SECTION, at):
        raise GitError(f"git diff-tree wrote no patch where one was expected: {data[at : at + 60]!r}")
    at = data.index(b"\n", at) + 1
    while at < len(data) and not data.startswith(_SECTION, at) and not _HEADER.match(data, at):
        hunk = _HUNK.match(data, at)
        at = data.index(b"\n", at) + 1
        if hunk is not None:
            removed, first, new = (1 if n is None else int(n) for n in hunk.groups())
            at = _parse_hunk(data, at, [removed, first, new], added)
    return at


def _parse_hunk(data: bytes, at: int, counts: list[int], added: list[tuple[int, bytes]]) -> int:
    """Read a hunk's lines into ``added``; return the offset after them. ``counts`` are from the hunk's
    header: how many lines are removed, the number of the first new line, and how many lines are added. A hunk
    has no other lines (``-U0``)."""
    removed, number, new = counts
    while removed or new or data.startswith(b"\\ ", at):
        end = data.index(b"\n", at)
        sign = data[at : at + 1]
        if sign == b"+":
            added.append((number, data[at + 1 : end]))
            number += 1
            new -= 1
        elif sign == b"-":
            removed -= 1
        at = end + 1
    return at


def _change(raw: _Raw, added: list[tuple[int, bytes]]) -> PathChange:
    submodule = raw.mode == COMMIT
    keep = not submodule and sum(len(text) for _, text in added) + len(added) <= _ADDED_LIMIT
    return PathChange(
        path=raw.path,
        kind=_KINDS[raw.status],
        old_path=raw.old_path,
        blob=None if submodule or raw.status == "D" else raw.blob,
        added=tuple(_text(text) for _, text in added) if keep else (),
        line_numbers=tuple(number for number, _ in added) if keep else (),
    )


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def patch_ids(repository: Repository, changes: Iterable[str]) -> dict[str, str]:
    """The patch-ids of those changes that have one, computed by two processes per 200 changes. A change is a
    commit, or the ids of two trees (``BEFORE AFTER``). Merges, root commits, empty changes and those with a
    patch over 20 MB have none, nor has a change at which git stops, because an object is missing."""
    ids: dict[str, str] = {}
    remaining = iter(dict.fromkeys(changes))
    while chunk := list(islice(remaining, _AT_ONCE)):
        patch_id_process = repository.runner.start("patch-id", "--verbatim", stdin=True)
        assert patch_id_process.stdin is not None  # noqa: S101 - tells the type checker what PIPE means
        assert patch_id_process.stdout is not None  # noqa: S101
        width = len(chunk[0].partition(" ")[0])
        with patch_id_process:
            for change, patch in _read_patches(repository, chunk):
                # patch-id repeats a commit's id: the change's number is written as one
                patch_id_process.stdin.write(b"%0*x\n" % (width, chunk.index(change)) + patch)
            patch_id_process.stdin.close()
            pairs = (line.split() for line in patch_id_process.stdout)
            ids |= {chunk[int(number, 16)]: patch.decode() for patch, number in pairs}
    return ids


def _read_patches(repository: Repository, changes: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield (change, patch), except for merges, for which diff-tree prints nothing, and patches over the
    limit."""
    process = repository.runner.start(*_PATCH, "--stdin", stdin=True)
    assert process.stdin is not None  # noqa: S101
    assert process.stdout is not None  # noqa: S101
    headers = {f"{change}\n".encode(): change for change in changes}
    with process:
        process.stdin.write(b"".join(headers))
        process.stdin.close()
        yield from _split(process, headers)


def _split(process: subprocess.Popen[bytes], headers: Mapping[bytes, str]) -> Iterator[tuple[str, bytes]]:
    """Split diff-tree's output: a line with only the change comes before its patch, in which no line can be
    one of the ``headers``. If diff-tree stops at a missing object, its last patch is incomplete."""
    assert process.stdout is not None  # noqa: S101
    change: str | None = None
    lines: list[bytes] = []
    size = 0
    for line in chain(process.stdout, [b""]):
        if line and line not in headers:
            size += len(line)
            if size <= _PATCH_LIMIT:
                lines.append(line)
            continue
        if change is not None and 0 < size <= _PATCH_LIMIT and (line or process.wait() == 0):
            yield change, b"".join(lines)
        change, lines, size = headers.get(line), [], 0
