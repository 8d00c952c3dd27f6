"""Defines the manifest of an installation, which contains every change to be undone, and the steps that an
installation reports.

The manifest is the key ``undo`` of ``installed.json``; the keys ``time`` and ``reflogs`` mark where recording
began. The manifest contains the edits of changed files, never a copy: git's configuration may contain tokens.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Literal

from gittraj.errors import FormatError
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.model.codec import from_json, to_json
from gittraj.startup import sha256
from gittraj.state.folder import LocalState

FILE = "installed.json"


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Splice:
    """One change of a file: at offset ``at``, ``inserted`` bytes replaced the bytes ``removed`` (as Latin-1).

    ``digest`` is the SHA-256 of the changed file: the offsets are valid only in this content.
    """

    digest: str
    at: int
    inserted: int
    removed: str = ""

    @classmethod
    def between(cls, before: bytes, after: bytes) -> Splice:
        at = _common_prefix(before, after)
        end = min(_common_prefix(before[::-1], after[::-1]), len(before) - at, len(after) - at)
        return cls(
            digest=_digest(after),
            at=at,
            inserted=len(after) - end - at,
            removed=before[at : len(before) - end].decode("latin-1"),
        )

    def undo(self, now: bytes) -> bytes | None:
        """Return the content before the change; None if somebody changed the file since."""
        if _digest(now) != self.digest:
            return None
        return now[: self.at] + self.removed.encode("latin-1") + now[self.at + self.inserted :]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdit:
    """The changes of a file, the latest last. ``made``: git-traj made the file."""

    made: bool
    splices: tuple[Splice, ...] = ()

    def undo(self, now: bytes) -> bytes:
        """Undo the changes, the latest first. Stop at one after which somebody else changed the file."""
        for splice in reversed(self.splices):
            undone = splice.undo(now)
            if undone is None:
                break
            now = undone
        return now


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """An instruction for an agent in a file of the work tree. ``made``: git-traj made the file; ``gap``
    counts the newlines inserted before the lines; ``digest`` is the lines' SHA-256."""

    made: bool
    gap: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """All changes of an installation.

    ``hooks`` are the paths of git-traj's hooks; ``folders`` are those that it created; ``refspecs`` are the
    values added to git's configuration, by remote; ``config`` are the edits of the configuration file, the
    latest last; ``settings`` are the edits of agents' settings files, by path; ``told`` are the instructions
    for agents, by path; ``exclude`` is the edit of git's exclude file, ``excluded`` the lines added to it;
    ``outside`` are files that belong to another repository, because this one was moved or copied: they are
    not changed; ``fetch``: whether refspecs were wanted."""

    hooks: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    refspecs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    config: tuple[Splice, ...] = ()
    settings: Mapping[str, FileEdit] = field(default_factory=dict)
    told: Mapping[str, Instruction] = field(default_factory=dict)
    exclude: FileEdit | None = None
    excluded: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    fetch: bool = True


def read_manifest(repository: Repository) -> Manifest | None:
    """Return the manifest; None if git-traj is not installed or the manifest is unreadable. If the repository
    was moved or copied, files that are outside of it now are only in ``outside``."""
    value = LocalState.of(repository).read(FILE)
    if not isinstance(value, dict):
        return None
    try:
        known = from_json(Manifest, value.get("undo", {}))
        names = value.get("reflogs", {})
    except FormatError:
        return None
    at = repository.common_dir
    first = min((name for name in names if Path(name).is_absolute()), key=len, default=None)
    return _own(repository, _rename(known, lambda path: _moved(path, Path(first) if first else None, at)))


def write_manifest(repository: Repository, manifest: Manifest) -> None:
    """Write the manifest, its paths relative to the common git directory, which may move. Raises
    StoreError."""
    local = LocalState.of(repository)
    undo = _rename(manifest, lambda path: _relative(path, repository.common_dir))
    local.write(FILE, {**local.read(FILE), "undo": to_json(undo)})


def _moved(path: str, first: Path | None, at: Path) -> str:
    """Return the current path for a manifest's ``path``. ``at`` is the common git directory. An earlier
    version wrote absolute paths; ``first`` is the git directory at that time."""
    if Path(path).is_absolute():
        if first is None:
            return path
        path = _relative(path, first)
    return os.path.normpath(at / path)


def _relative(path: str, at: Path) -> str:
    try:
        return Path(os.path.relpath(path, at)).as_posix()
    except ValueError:  # on another drive
        return path


def _own(repository: Repository, manifest: Manifest) -> Manifest:
    """Return ``manifest`` without the files that belong to another repository now."""

    def own(path: str) -> bool:
        return repository.owns(Path(path))

    def own_entry(path: str) -> bool:  # a hook that is a link is replaced: its target does not matter
        return repository.owns(Path(path).parent)

    others = [p for p in manifest.hooks if not own_entry(p)]
    others += [p for p in (*manifest.settings, *manifest.told) if not own(p)]
    return replace(
        manifest,
        hooks=tuple(filter(own_entry, manifest.hooks)),
        folders=tuple(filter(own_entry, manifest.folders)),
        settings={path: edit for path, edit in manifest.settings.items() if own(path)},
        told={path: told for path, told in manifest.told.items() if own(path)},
        outside=tuple(dict.fromkeys((*manifest.outside, *others))),
    )


def _rename(manifest: Manifest, name: Callable[[str], str]) -> Manifest:
    """Return ``manifest`` with ``name(path)`` for each path."""
    return replace(
        manifest,
        hooks=tuple(map(name, manifest.hooks)),
        folders=tuple(map(name, manifest.folders)),
        settings={name(path): edit for path, edit in manifest.settings.items()},
        told={name(path): told for path, told in manifest.told.items()},
        outside=tuple(map(name, manifest.outside)),
    )


def _common_prefix(one: bytes, other: bytes) -> int:
    """Return the length of the common prefix."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


What = Literal["state", "hook", "agent", "instruction", "refspec", "key", "config"]
Did = Literal["added", "renewed", "removed", "unchanged", "skipped", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that was checked or changed. ``name`` is the hook, agent, remote, folder or instruction file;
    ``text`` is the line for the user without the name."""

    what: What
    name: str
    did: Did
    text: str
