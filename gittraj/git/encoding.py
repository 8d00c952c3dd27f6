"""Encodes and decodes git's trees and commits, and encodes packs.

The two backends (libgit2, and the git program) exchange raw objects, so that a tree written through one is
byte for byte the tree written through the other. The formats are those of gitformat-pack(5) and of git's
``tree-walk.c`` and ``commit.c``. This module does no I/O.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from gittraj.frozen import dataclass

ObjectFormat = Literal["sha1", "sha256"]

TREE, BLOB, SYMLINK, COMMIT = 0o040000, 0o100644, 0o120000, 0o160000
_TIME = re.compile(rb"-?\d{1,15}")
_NO_NAMES = frozenset((b"", b".", b"..", b".git"))
KINDS = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}


class Entry(NamedTuple):  # a tuple: 50,000 of them are built to list the notes of a big repository
    """One line of a tree: ``mode`` as git's number, ``name`` undecoded, ``oid`` in hex."""

    mode: int
    name: bytes
    oid: str

    @property
    def is_tree(self) -> bool:
        return self.mode == TREE


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """A commit as it is stored: grafts and replacements are ignored.

    ``author`` is ``Name <email>``, ``time`` the committer's, in seconds since 1970.
    """

    tree: str
    parents: tuple[str, ...]
    author: str
    time: int
    message: bytes
    charset: str = "utf-8"

    @property
    def text(self) -> str:
        """The message, decoded."""
        try:
            return self.message.decode(self.charset, "replace")
        except LookupError:  # an `encoding` header may say anything
            return self.message.decode("utf-8", "replace")

    @property
    def subject(self) -> str:
        """The first paragraph on one line, as ``git log --format=%s`` shows it."""
        paragraph = self.text.lstrip("\n").split("\n\n", 1)[0]
        return " ".join(line.strip() for line in paragraph.split("\n")).strip()


def object_id(kind: str, data: bytes, form: ObjectFormat) -> str:
    stored = b"%s %d\0" % (kind.encode(), len(data)) + data
    import hashlib  # noqa: PLC0415 - OpenSSL takes 4 ms to load, and readers do not need it

    return hashlib.new(form, stored, usedforsecurity=False).hexdigest()


def decode_tree(data: bytes, form: ObjectFormat) -> tuple[Entry, ...]:
    """Parse a tree; entries with a name that git does not allow are left out. Raises ValueError for data that
    is not a tree."""
    width = 20 if form == "sha1" else 32
    entries = []
    at = 0
    while at < len(data):
        space = data.index(b" ", at)
        nul = data.index(b"\0", space)
        end = nul + 1 + width
        if end > len(data):
            raise ValueError("the last entry is truncated")
        name = data[space + 1 : nul]
        if name not in _NO_NAMES and b"/" not in name:
            entries.append(Entry(int(data[at:space], 8), name, data[nul + 1 : end].hex()))
        at = end
    return tuple(entries)


def encode_tree(entries: Iterable[Entry]) -> bytes:
    """Encode a tree in git's order, in which a folder's name compares as if it ended in ``/``. Raises
    ValueError for a name that git does not allow."""
    ordered = sorted(entries, key=lambda e: e.name + b"/" if e.is_tree else e.name)
    for entry in ordered:
        if entry.name in _NO_NAMES or b"/" in entry.name or b"\0" in entry.name:
            raise ValueError(f"a tree cannot contain the name {entry.name!r}")
    return b"".join(b"%o %s\0%s" % (e.mode, e.name, bytes.fromhex(e.oid)) for e in ordered)


def decode_commit(data: bytes) -> CommitInfo:
    """Parse a commit. Raises ValueError or KeyError for data that is not a commit."""
    head, _, message = data.partition(b"\n\n")
    fields: dict[bytes, list[bytes]] = {}
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")  # a folded line (a signature) has the empty name
        fields.setdefault(name, []).append(value)
    author = fields.get(b"author", [b""])[0].rpartition(b">")[0] + b">"
    moment = fields.get(b"committer", [b""])[0].rpartition(b">")[2].split()
    return CommitInfo(
        tree=fields[b"tree"][0].decode(),
        parents=tuple(p.decode() for p in fields.get(b"parent", ())),
        author=author.decode("utf-8", "replace"),
        time=int(moment[0]) if moment and _TIME.fullmatch(moment[0]) else 0,
        message=message,
        charset=fields.get(b"encoding", [b"utf-8"])[0].decode("ascii", "replace"),
    )


def encode_commit(*, tree: str, parents: Iterable[str], message: str, identity: str) -> bytes:
    """Encode a commit; ``identity`` (``Name <email> seconds zone``) is both author and committer."""
    lines = [f"tree {tree}", *(f"parent {p}" for p in parents), f"author {identity}", f"committer {identity}"]
    return "\n".join([*lines, "", message.rstrip("\n") + "\n"]).encode("utf-8", "surrogateescape")


def encode_pack(objects: Iterable[tuple[str, bytes]], form: ObjectFormat) -> bytes:
    """Encode (kind, data) as a version 2 pack without deltas. With it, one run of git stores many objects."""
    import hashlib  # noqa: PLC0415 - readers write no packs
    import zlib  # noqa: PLC0415

    chunks = []
    for kind, data in objects:
        size = len(data)
        head = bytearray([KINDS[kind] << 4 | size & 15])
        size >>= 4
        while size:
            head[-1] |= 0x80
            head.append(size & 0x7F)
            size >>= 7
        chunks += [bytes(head), zlib.compress(data, 1)]
    pack = b"".join((b"PACK", (2).to_bytes(4), (len(chunks) // 2).to_bytes(4), *chunks))
    return pack + hashlib.new(form, pack, usedforsecurity=False).digest()
