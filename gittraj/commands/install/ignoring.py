"""Git's own list of what to ignore in this clone, so that a file of ours is no clutter in ``git status``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gittraj.commands.install.edits import edit, make_folder, restore
from gittraj.commands.install.manifest import Manifest
from gittraj.commands.install.report import Step
from gittraj.git import Repository


def ignore(repository: Repository, file: str, manifest: Manifest) -> Manifest:
    """Let git ignore ``file`` of the work tree, unless it does already. Raises OSError."""
    if repository.run("check-ignore", "--quiet", "--", file, check=False).code == 0:
        return manifest
    path, line = _path(repository), f"/{file}"
    if not repository.owns(path):
        return manifest
    manifest = make_folder(path.parent, manifest)
    now = path.read_bytes() if path.exists() else b""
    gap = b"\n" if now and not now.endswith(b"\n") else b""
    edited = edit(path, now + gap + line.encode() + b"\n", manifest.exclude)
    return replace(manifest, exclude=edited, excluded=(*manifest.excluded, line))


def stop_ignoring(repository: Repository, manifest: Manifest) -> Iterator[Step]:
    """The list as it was; of one that somebody changed since, only our lines go."""
    path = _path(repository)
    if not repository.owns(path):
        return
    try:
        restore(path, manifest.exclude, lambda now: _without(now, manifest.excluded))
    except OSError as error:
        yield Step(what="agent", name="exclude", did="failed", text=f"left: {path}: {error.strerror}")


def _path(repository: Repository) -> Path:
    return repository.common_dir / "info" / "exclude"


def _without(now: bytes, lines: tuple[str, ...]) -> bytes:
    ours = {line.encode() for line in lines}
    return b"".join(line for line in now.splitlines(keepends=True) if line.rstrip(b"\r\n") not in ours)
