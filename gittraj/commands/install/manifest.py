"""The manifest of an installation: every change it made, so that each can be undone; and its report, a step
for each thing that it checked.

The manifest is the key ``undo`` of ``installed.json``; its keys ``time`` and ``reflogs`` mark where
recording began. Of a changed file it keeps the edit, never a copy: git's configuration may contain tokens.
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
    """One change of a file: at byte ``at``, ``inserted`` bytes replaced ``removed`` (Latin-1).

    ``digest`` is the SHA-256 of the file as we left it: the offsets are valid in that file only.
    """

    digest: str
    at: int
    inserted: int
    removed: str = ""

    @classmethod
    def between(cls, before: bytes, after: bytes) -> Splice:
        at = _same(before, after)
        end = min(_same(before[::-1], after[::-1]), len(before) - at, len(after) - at)
        return cls(
            digest=_digest(after),
            at=at,
            inserted=len(after) - end - at,
            removed=before[at : len(before) - end].decode("latin-1"),
        )

    def undo(self, now: bytes) -> bytes | None:
        """Return the file as it was; None when somebody changed it since."""
        if _digest(now) != self.digest:
            return None
        return now[: self.at] + self.removed.encode("latin-1") + now[self.at + self.inserted :]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdit:
    """The changes of a file, the latest last; ``made``: the file is ours."""

    made: bool
    splices: tuple[Splice, ...] = ()

    def undo(self, now: bytes) -> bytes:
        """Return the file as it was, or undone back to the first change that is not ours."""
        for splice in reversed(self.splices):
            undone = splice.undo(now)
            if undone is None:
                break
            now = undone
        return now


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """An instruction for an agent in a file of the work tree. ``made``: the file is ours; ``gap``: newlines
    inserted before it; ``digest``: SHA-256 of its lines as we wrote them."""

    made: bool
    gap: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """``hooks``: paths of our hooks; ``folders`` that we created; ``refspecs``: by remote, the values added
    to git's configuration; ``config``: the edits of that file, the latest last; ``settings``: agents'
    settings by path; ``told``: instructions by path; ``exclude``: git's exclude file; ``excluded``: our lines
    in it; ``outside``: files that it named before this repository was moved or copied, and that are not this
    repository's: they are left; ``fetch``: whether refspecs were wanted."""

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
    """Return None when nothing is installed or the manifest is unreadable. What it names that is outside this
    repository now is only in ``outside``."""
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
    """Write paths relative to the common git directory, which may be moved or copied. Raises StoreError."""
    local = LocalState.of(repository)
    undo = _rename(manifest, lambda path: _relative(path, repository.common_dir))
    local.write(FILE, {**local.read(FILE), "undo": to_json(undo)})


def _moved(path: str, first: Path | None, at: Path) -> str:
    """The current path of a manifest's ``path``, with the common git directory ``at``. An earlier version
    wrote absolute paths; the git directory was ``first`` then."""
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
    """Return ``manifest`` without what belongs to another repository now."""

    def own(path: str) -> bool:
        return repository.owns(Path(path))

    def own_entry(path: str) -> bool:  # a hook is replaced, and never written to through a link
        return repository.owns(Path(path).parent)

    left = [p for p in manifest.hooks if not own_entry(p)]
    left += [p for p in (*manifest.settings, *manifest.told) if not own(p)]
    return replace(
        manifest,
        hooks=tuple(filter(own_entry, manifest.hooks)),
        folders=tuple(filter(own_entry, manifest.folders)),
        settings={path: edit for path, edit in manifest.settings.items() if own(path)},
        told={path: told for path, told in manifest.told.items() if own(path)},
        outside=tuple(dict.fromkeys((*manifest.outside, *left))),
    )


def _rename(manifest: Manifest, name: Callable[[str], str]) -> Manifest:
    return replace(
        manifest,
        hooks=tuple(map(name, manifest.hooks)),
        folders=tuple(map(name, manifest.folders)),
        settings={name(path): edit for path, edit in manifest.settings.items()},
        told={name(path): told for path, told in manifest.told.items()},
        outside=tuple(map(name, manifest.outside)),
    )


def _same(one: bytes, other: bytes) -> int:
    """The length of the common prefix."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


What = Literal["state", "hook", "agent", "instruction", "refspec", "key", "config"]
Did = Literal["added", "renewed", "removed", "unchanged", "skipped", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """``name``: the hook, agent, remote, folder or instruction file; ``text``: the user-visible line without
    it."""

    what: What
    name: str
    did: Did
    text: str
