"""Where a path that somebody typed lies in a repository."""

from __future__ import annotations

import os
from pathlib import Path

from gittraj.errors import TrajError
from gittraj.git.repository import Repository


def from_top(repository: Repository, path: str, cwd: Path | None) -> str:
    """``path`` as typed in ``cwd``, relative to the top. Raises TrajError when it lies outside."""
    top = repository.work_tree
    if top is None or cwd is None:
        return os.path.normpath(path)
    whole = Path(os.path.normpath(cwd.resolve() / path))
    # the last name is not resolved: a symbolic link is itself a file of the repository
    place = whole if whole == top.resolve() else whole.parent.resolve() / whole.name
    if not place.is_relative_to(top.resolve()):
        raise TrajError(f"'{path}' is outside the repository at {top}", hint="name a path inside it")
    return place.relative_to(top.resolve()).as_posix()
