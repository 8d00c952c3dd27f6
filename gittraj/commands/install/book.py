"""What the installation changed, remembered so that it can be undone.

It stands in ``installed.json`` beside ``time`` and ``reflogs``, which say from where on this clone records.
A changed file is remembered by what was put into it, never by a copy: git's configuration may hold tokens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from gittraj.errors import FormatError
from gittraj.model.codec import from_json, to_json
from gittraj.state.folder import LocalState

FILE = "installed.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Splice:
    """One change of a file: at byte ``at``, ``inserted`` bytes stand where ``removed`` (Latin-1) stood.

    ``digest`` is the SHA-256 of the file as we left it: in any other file the bytes mean nothing.
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
            digest=hashlib.sha256(after).hexdigest(),
            at=at,
            inserted=len(after) - end - at,
            removed=before[at : len(before) - end].decode("latin-1"),
        )

    def undo(self, now: bytes) -> bytes | None:
        """The file as it was; None when somebody changed it since."""
        if hashlib.sha256(now).hexdigest() != self.digest:
            return None
        return now[: self.at] + self.removed.encode("latin-1") + now[self.at + self.inserted :]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """How a file was changed, the latest change last; ``made``: it was not there."""

    made: bool
    splices: tuple[Splice, ...] = ()

    def undo(self, now: bytes) -> bytes:
        """The file as it was, or as near to it as can be when somebody changed it since."""
        for splice in reversed(self.splices):
            undone = splice.undo(now)
            if undone is None:
                break
            now = undone
        return now


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An instruction for an agent in a file of the work tree. ``made``: the file was not there; ``gap``: line
    ends that were put before it; ``digest``: SHA-256 of its lines as we wrote them."""

    made: bool
    gap: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """``hooks``: paths of hooks that are ours; ``folders``: those made for all these files; ``refspecs``: by
    remote, the values that we added to the configuration; ``config``: how, the latest change last;
    ``settings``: agents' settings by path; ``told``: instructions by path; ``exclude``: git's own list;
    ``excluded``: our lines in it."""

    hooks: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    refspecs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    config: tuple[Splice, ...] = ()
    settings: Mapping[str, Edited] = field(default_factory=dict)
    told: Mapping[str, Told] = field(default_factory=dict)
    exclude: Edited | None = None
    excluded: tuple[str, ...] = ()


def read_book(local: LocalState) -> Book | None:
    """None when nothing is installed, or nothing can be read."""
    value = local.read(FILE)
    try:
        return from_json(Book, value.get("undo", {})) if isinstance(value, dict) else None
    except FormatError:
        return None


def write_book(local: LocalState, book: Book) -> None:
    """Raises StoreError."""
    local.write(FILE, {**local.read(FILE), "undo": to_json(book)})


def _same(one: bytes, other: bytes) -> int:
    """How many bytes are the same at the start of both."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
