"""Reads the file whose lines are to be explained; if it is missing, suggests what may be meant."""

from __future__ import annotations

import os
from functools import partial

from gittraj.errors import GitError
from gittraj.git import Repository

_COMPARED = 5000  # file names that are compared with a missing one
_SEARCHED = 8000  # bytes: where git itself looks for a NUL to call a file binary


def read_lines(repository: Repository, path: str, rev: str | None) -> list[str]:
    """Return the lines of ``path`` (from the top) at ``rev``, or (None) in the work tree, without line ends.

    Bytes that are not UTF-8 become surrogate escapes. Raises GitError if it is not a text file.
    """
    body = _read_here(repository, path) if rev is None else _read_at(repository, path, rev)
    if b"\0" in body[:_SEARCHED]:
        raise GitError(f"'{path}' is a binary file", hint=f"git traj log --file {path} lists its records")
    lines = body.decode("utf-8", "surrogateescape").split("\n")
    return [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]


def _read_here(repository: Repository, path: str) -> bytes:
    assert repository.work_tree is not None  # noqa: S101 - in a bare repository there is always a revision
    file = repository.work_tree / path
    try:
        if file.is_symlink():
            return os.fsencode(file.readlink())  # as git stores it
        if file.is_dir():
            raise _folder(path)
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise GitError(f"there is no file '{path}' in the work tree", hint=_find(repository, path)) from None


def _find(repository: Repository, path: str) -> str:
    """Return a hint for a missing file: the commit that deleted or renamed it, or files with a similar
    name."""
    from difflib import get_close_matches  # noqa: PLC0415 - most files exist

    run = partial(repository.run, check=False)
    last = run("log", "-1", "--diff-filter=D", "--no-renames", "--format=%h", "--", path).out.decode().strip()
    if last:
        moved = run("show", "-M", "--diff-filter=R", "--name-status", "-z", "--format=", last).out.split(
            b"\0"
        )
        names = dict(zip(moved[1::3], moved[2::3], strict=False))
        new = names.get(os.fsencode(path))
        return f"{last} renamed it to {os.fsdecode(new)}" if new else f"{last} deleted it: --rev {last}~1"
    tracked = run("ls-files", "-z", "--full-name", "--", ":/").out.decode("utf-8", "replace").split("\0")
    name = path.rpartition("/")[2]
    near = [each for each in tracked if each.rpartition("/")[2] == name]
    near = near or get_close_matches(path, tracked[:_COMPARED], n=2)
    if 0 < len(near) <= 2 and repository.work_tree:
        shown = " or ".join(os.path.relpath(repository.work_tree / each) for each in near)
        return f"did you mean {shown}?"
    if repository.find_commit(path):
        return f"git traj show {path} explains a commit"
    if path.isidentifier():
        return f"for a function: git traj why FILE:{path}; git ls-files lists the files"
    return "git ls-files lists the files; --rev names a commit that has it"


def _read_at(repository: Repository, path: str, rev: str) -> bytes:
    read = repository.run("cat-file", "blob", f"{rev}:{path}", check=False)
    if read.code == 0:
        return read.out
    if repository.run("rev-parse", "-q", "--verify", f"{rev}^{{commit}}", check=False).code != 0:
        raise GitError(f"'{rev}' is not a commit here", hint="git log --oneline lists them")
    if repository.run("cat-file", "-e", f"{rev}:{path}", check=False).code == 0:
        raise _folder(path)
    raise GitError(f"{rev} has no file '{path}'", hint=f"git ls-tree -r {rev} lists its files")


def _folder(path: str) -> GitError:
    return GitError(
        f"'{path}' is a folder, not a file", hint=f"name a file in it, or: git traj log --file {path}"
    )
