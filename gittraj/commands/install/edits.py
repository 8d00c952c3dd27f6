"""Edits files of the user and restores them: atomically, and without changing their modes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from gittraj.commands.install.manifest import FileEdit, Manifest, Splice, Step
from gittraj.errors import StoreError
from gittraj.git import Repository


def edit(path: Path, after: bytes, known: FileEdit | None) -> FileEdit:
    """Write ``after``, and return how to undo this and the earlier edits ``known``. Raises OSError."""
    existed = path.exists()
    splice = Splice.between(path.read_bytes() if existed else b"", after)
    write_file(path, after)
    if known is None or not existed:
        return FileEdit(made=not existed, splices=(splice,))
    return replace(known, splices=(*known.splices, splice))


def read_own(tree: Path, path: Path) -> bytes | None:
    """Return the content of ``path`` in the work tree; None if there is no such file. Raises StoreError if
    the path leads out of the tree, or the file cannot be read or is not UTF-8."""
    try:
        if not path.resolve().is_relative_to(tree.resolve()):
            raise StoreError(f"{path} leads out of this repository")
        before = path.read_bytes() if path.exists() else None
        (before or b"").decode("utf-8")
    except UnicodeError:
        raise StoreError(f"{path} is not UTF-8") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read ({error.strerror})") from None
    return before


def restore(
    path: Path, edited: FileEdit | None, take_out: Callable[[bytes], bytes], *, dry_run: bool = False
) -> bool:
    """Undo git-traj's edits of the file. ``take_out`` removes git-traj's text from the content if somebody
    changed the file since.

    Returns whether the file was changed, or would be. Raises OSError, and what ``take_out`` raises.
    """
    if not path.is_file():
        return False
    now = path.read_bytes()
    before = edited.undo(now) if edited else now
    before = take_out(before) if before.strip() else before
    if before == now or dry_run:
        return before != now
    if edited and edited.made and before.strip() in (b"", b"{}"):
        path.unlink()
    else:
        write_file(path, before)
    return True


def write_file(path: Path, content: bytes) -> None:
    """Write a file atomically; if it is a link, write its target. Raises OSError."""
    path = path.resolve()
    fresh = path.with_name(f"{path.name}.{os.getpid()}.traj-new")
    try:
        fresh.write_bytes(content)
        if path.exists():
            fresh.chmod(path.stat().st_mode & 0o7777)
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def make_folder(path: Path, manifest: Manifest) -> Manifest:
    """Make a folder with its parents, and record in the manifest which were made. Raises OSError."""
    missing = [str(folder) for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True)
    return replace(manifest, folders=(*manifest.folders, *reversed(missing)))


def ignore(repository: Repository, file: str, manifest: Manifest) -> Manifest:
    """Let git ignore ``file`` of the work tree, unless git ignores it already. Raises OSError."""
    if repository.run("check-ignore", "--quiet", "--", file, check=False).code == 0:
        return manifest
    path, line = _exclude_file(repository), f"/{file}"
    if not repository.owns(path):
        return manifest
    manifest = make_folder(path.parent, manifest)
    now = path.read_bytes() if path.exists() else b""
    gap = b"\n" if now and not now.endswith(b"\n") else b""
    edited = edit(path, now + gap + line.encode() + b"\n", manifest.exclude)
    return replace(manifest, exclude=edited, excluded=(*manifest.excluded, line))


def stop_ignoring(repository: Repository, manifest: Manifest) -> Iterator[Step]:
    """Restore git's exclude file; if somebody changed it since, remove only git-traj's lines."""
    path = _exclude_file(repository)
    if not repository.owns(path):
        return
    try:
        restore(path, manifest.exclude, lambda now: _without(now, manifest.excluded))
    except OSError as error:
        yield Step(what="agent", name="exclude", did="failed", text=f"kept: {path}: {error.strerror}")


def _exclude_file(repository: Repository) -> Path:
    return repository.common_dir / "info" / "exclude"


def _without(now: bytes, lines: tuple[str, ...]) -> bytes:
    ours = {line.encode() for line in lines}
    return b"".join(line for line in now.splitlines(keepends=True) if line.rstrip(b"\r\n") not in ours)
