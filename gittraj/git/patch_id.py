"""A commit's patch-id: the same for the same change on another parent.

The command is part of the record's format (``origin.patchId``): another option makes old records unmatchable.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from itertools import islice

from gittraj.git.repository import Repository

_LIMIT = 20 * 1024 * 1024  # bytes of patch
_DIFF = (
    *("-c", "diff.suppressBlankEmpty=false"),
    *("diff-tree", "-p", "--no-renames", "--full-index", "--no-ext-diff", "--no-textconv"),
)
_AT_ONCE = 200  # their ids fit into a pipe: patch-id answers while it is being written to


def patch_id(repository: Repository, commit: str) -> str | None:
    """The id of the change of ``commit``; None for a merge, a root or empty commit, or over 20 MB."""
    return patch_ids(repository, [commit]).get(commit)


def patch_ids(repository: Repository, commits: Sequence[str]) -> dict[str, str]:
    """The patch-ids of many commits, those that have one, with two processes for hundreds of them."""
    found: dict[str, str] = {}
    waiting = iter(dict.fromkeys(commits))
    while chunk := list(islice(waiting, _AT_ONCE)):
        counter = repository.runner.start("patch-id", "--verbatim", stdin=True)
        assert counter.stdin is not None  # noqa: S101 - tells the type checker what PIPE means
        assert counter.stdout is not None  # noqa: S101
        with counter:
            for commit, patch in _read_patches(repository, chunk):
                counter.stdin.write(commit + b"\n" + patch)
            counter.stdin.close()
            pairs = (line.split() for line in counter.stdout)
            found |= {commit.decode(): identity.decode() for identity, commit in pairs}
    return found


def _read_patches(repository: Repository, commits: Sequence[str]) -> Iterator[tuple[bytes, bytes]]:
    """Nothing for a merge, for which diff-tree without -m prints nothing, and for what is over the limit."""
    process = repository.runner.start(*_DIFF, "--stdin", stdin=True)
    assert process.stdin is not None  # noqa: S101
    assert process.stdout is not None  # noqa: S101
    with process:
        process.stdin.write("".join(f"{commit}\n" for commit in commits).encode())
        process.stdin.close()
        yield from _split(process, {commit.encode() for commit in commits})


def _split(process: subprocess.Popen[bytes], commits: set[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """diff-tree --stdin writes a commit's id on a line before its patch; no line of a patch is only an id."""
    assert process.stdout is not None  # noqa: S101
    commit: bytes | None = None
    lines: list[bytes] = []
    size = 0
    for line in process.stdout:
        if line[:-1] in commits:
            if commit is not None and lines and size <= _LIMIT:
                yield commit, b"".join(lines)
            commit, lines, size = line[:-1], [], 0
            continue
        size += len(line)
        if size <= _LIMIT:
            lines.append(line)
    if commit is not None and lines and size <= _LIMIT:
        yield commit, b"".join(lines)
