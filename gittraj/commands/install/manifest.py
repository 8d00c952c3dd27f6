"""The manifest of an installation: every change it made, so that each can be undone.

It is the key ``undo`` of ``installed.json``; ``time`` and ``reflogs`` beside it mark where recording began.
Of a changed file it keeps the edit, never a copy: git's configuration may contain tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from gittraj.errors import FormatError
from gittraj.frozen import dataclass
from gittraj.model.codec import from_json, to_json
from gittraj.state.folder import LocalState

FILE = "installed.json"


def _digest(data: bytes) -> str:
    import hashlib  # noqa: PLC0415 - it takes 3 ms to load

    return hashlib.sha256(data).hexdigest()


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
    in it."""

    hooks: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    refspecs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    config: tuple[Splice, ...] = ()
    settings: Mapping[str, FileEdit] = field(default_factory=dict)
    told: Mapping[str, Instruction] = field(default_factory=dict)
    exclude: FileEdit | None = None
    excluded: tuple[str, ...] = ()


def read_manifest(local: LocalState) -> Manifest | None:
    """Return None when nothing is installed or the manifest is unreadable."""
    value = local.read(FILE)
    try:
        return from_json(Manifest, value.get("undo", {})) if isinstance(value, dict) else None
    except FormatError:
        return None


def write_manifest(local: LocalState, manifest: Manifest) -> None:
    """Raises StoreError."""
    local.write(FILE, {**local.read(FILE), "undo": to_json(manifest)})


def _same(one: bytes, other: bytes) -> int:
    """The length of the common prefix."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
