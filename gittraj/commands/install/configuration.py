"""Changes the repository's configuration through git, and takes the changes back byte for byte.

What was done is recorded as splices in the manifest: an undone removal brings back what was removed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gittraj.commands.install.manifest import FileEdit, Manifest, Splice
from gittraj.commands.install.report import Step
from gittraj.errors import StoreError
from gittraj.git import Repository


def change(repository: Repository, manifest: Manifest, *arguments: str) -> Manifest:
    """``git config --local ARGUMENTS``, remembered. Raises GitError."""
    path = _file(repository)
    before = path.read_bytes()
    repository.run("config", "--local", *arguments)
    after = path.read_bytes()
    return (
        replace(manifest, config=(*manifest.config, Splice.between(before, after)))
        if after != before
        else manifest
    )


def undo(repository: Repository, manifest: Manifest) -> None:
    """All of it, back to where somebody else changed the file. Raises StoreError when it is locked."""
    path = _file(repository)
    now = path.read_bytes() if path.exists() else b""
    before = FileEdit(made=False, splices=manifest.config).undo(now)
    if before != now:
        write_locked(path, before)


def forget_answers(repository: Repository) -> Iterator[Step]:
    """Take out what git-traj wrote down of its user's answers: which list of readers is trusted, and which
    remotes may be pushed to or joined. Raises GitError."""
    pattern = r"^(traj\.trust|remote\..*\.traj(push|fetch))$"
    found = repository.run("config", "--local", "-z", "--name-only", "--get-regexp", pattern, check=False)
    for key in dict.fromkeys(found.out.decode("utf-8", "surrogateescape").split("\0")[:-1]):
        repository.run("config", "--local", "--unset-all", key)
        yield Step(what="config", name=key, did="removed", text="removed from git's configuration")


def write_locked(path: Path, content: bytes) -> None:
    """Under git's own lock of that file. Raises StoreError when it is held."""
    lock = path.with_name(path.name + ".lock")
    try:
        descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        hint = f"if no git process runs, remove {lock}"
        raise StoreError(f"{path} cannot be changed: {error.strerror}", hint) from None
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        lock.chmod(stat.S_IMODE(path.stat().st_mode))
        lock.replace(path)
    except OSError as error:
        lock.unlink(missing_ok=True)
        raise StoreError(f"{path} cannot be changed: {error.strerror}") from None


def _file(repository: Repository) -> Path:
    return (repository.common_dir / "config").resolve()
