"""Finds the repository that a folder belongs to, in one git process, and resolves a typed path in it.

It must not read the process's own ``GIT_DIR``, because inside a hook that is often another repository's. A
caller that wants to honour the variable passes it as ``start``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gittraj.errors import GitError, NotARepository, TrajError
from gittraj.git.process import Result, Runner, clean_environment
from gittraj.git.repository import Backend, Repository, find_work_tree

_QUESTIONS = (
    "--is-bare-repository",
    # the answer is on a line of its own and so separates the folders, whose names may contain newlines
    "--show-object-format",
    "--git-dir",
    "--show-object-format",
    "--git-common-dir",
    "--show-object-format",
    "--show-toplevel",  # last, because in a git directory it fails, after git has printed the other answers
)


def open_repository(
    start: Path,
    *,
    environ: Mapping[str, str] | None = None,
    backend: Backend = "auto",
) -> Repository:
    """Open the repository around ``start``: a folder in a work tree, or a git directory.

    ``environ`` (None: the process's own) is what git inherits, after git's own variables were removed.
    Raises NotARepository, or GitError when git is missing or refuses (``safe.directory``).
    """
    clean = clean_environment(environ)
    runner = Runner(("-C", str(start)), None, clean)
    result = runner.run("rev-parse", "--path-format=absolute", *_QUESTIONS, check=False)
    for form in ("sha1", "sha256"):
        answers = result.out.split(f"\n{form}\n".encode())
        if len(answers) == 4:
            break
    else:
        raise _refusal(start, result)
    git_dir, common_dir = _path(answers[1]), _path(answers[2])
    if answers[3]:
        work_tree: Path | None = _path(answers[3].removesuffix(b"\n"))
    elif answers[0] == b"true":
        work_tree = None
    else:
        work_tree = find_work_tree(git_dir, runner)
    return Repository(git_dir, common_dir, work_tree, form, clean, backend)


def open_for_hook(
    git_dir: Path, folder: Path, *, environ: Mapping[str, str] | None = None, backend: Backend = "auto"
) -> Repository:
    """Open the repository of ``git_dir``, for a process that a hook started in ``folder``. If another user
    owns the repository, git trusts the work tree that ``safe.directory`` names, but not the git directory
    alone. Raises the same errors as ``open_repository``."""
    try:
        return open_repository(git_dir, environ=environ, backend=backend)
    except GitError as refused:
        try:
            repository = open_repository(folder, environ=environ, backend=backend)
        except NotARepository:
            raise refused from None
        if git_dir.resolve() not in (repository.git_dir.resolve(), repository.common_dir.resolve()):
            raise
    return replace(repository, git_dir=git_dir, work_tree=find_work_tree(git_dir, repository.runner))


def _refusal(start: Path, result: Result) -> GitError:
    words = result.err.decode(errors="replace")
    if "dubious ownership" in words:
        command = next((line.strip() for line in words.splitlines() if line.startswith("\t")), None)
        return GitError(result.complaint, hint=command and f"if you trust it: {command}")
    if "not a git repository" in words or "cannot change to" in words:
        return NotARepository(f"{start} is not in a git repository", hint="run it inside a clone")
    return GitError(f"git refuses {start}: {result.complaint}")


def _path(raw: bytes) -> Path:
    return Path(raw.decode("utf-8", "surrogateescape"))


def from_top(repository: Repository, path: str, cwd: Path | None) -> str:
    """Return a path that was typed in ``cwd``, relative to the top of the work tree. Raises TrajError when it
    is outside."""
    top = repository.work_tree
    if top is None or cwd is None:
        return os.path.normpath(path)
    typed = Path(os.path.normpath(cwd.resolve() / path))
    # the last name is not resolved: a symbolic link is itself a file of the repository
    resolved = typed if typed == top.resolve() else typed.parent.resolve() / typed.name
    if not resolved.is_relative_to(top.resolve()):
        raise TrajError(f"'{path}' is outside the repository at {top}", hint="name a path inside it")
    return resolved.relative_to(top.resolve()).as_posix()
