"""The operations on git's object database and refs that the rest of git-traj may use.

Two backends implement it (``libgit2``: fast; ``plumbing``: opens every repository that git opens). A backend
supplies raw objects and refs; trees and commits are encoded here, once, so both write the same bytes.
It must not know what a note is.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

from gittraj import limits
from gittraj.errors import GitError, LargeObjectError
from gittraj.git.encoding import (
    CommitInfo,
    Entry,
    ObjectFormat,
    decode_commit,
    decode_tree,
    encode_commit,
    encode_tree,
)

T = TypeVar("T")
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_TREES_KEPT = 2048


def is_oid(text: str) -> bool:
    """Whether ``text`` is a full object id in lower-case hex."""
    return _OID.fullmatch(text) is not None


class Objects(ABC):
    """The object database and the refs of one repository. Not for use by several threads at once.

    ``identity`` is called for each commit that is written; it returns ``Name <email> seconds zone``.
    Object ids are full lower-case hex, ref names are full (``refs/notes/traj``, ``HEAD``).
    """

    def __init__(self, *, object_format: ObjectFormat, identity: Callable[[], str]) -> None:
        self.object_format: ObjectFormat = object_format
        self._identity = identity
        self._trees: dict[str, tuple[Entry, ...]] = {}

    @abstractmethod
    def resolve(self, ref: str) -> str | None:
        """The id that ``ref`` points to (a tag is not peeled), None when there is no such ref."""

    @abstractmethod
    def kind(self, oid: str) -> str | None:
        """``commit``, ``tree``, ``blob``, ``tag``, or None when the object is missing."""

    @abstractmethod
    def read(self, oid: str, limit: int = limits.OBJECT) -> tuple[str, bytes] | None:
        """Kind and content, or None when the object is missing, or has more than ``limit`` bytes."""

    @abstractmethod
    def fits(self, oid: str, limit: int) -> bool:
        """Whether an object has at most ``limit`` bytes; also True for one that is missing. Reads no more
        than its header."""

    @abstractmethod
    def write(self, kind: str, data: bytes) -> str:
        """Store an object and return its id. Raises StoreError when the repository cannot be written. A
        backend may buffer objects until ``swap_ref``: to lose objects that no ref reaches does no harm."""

    def flush(self) -> None:  # noqa: B027 - most backends buffer nothing
        """Make the objects that were written visible to other processes."""

    @abstractmethod
    def swap_ref(self, ref: str, *, new: str, old: str | None, message: str) -> bool:
        """Compare and swap: point ``ref`` to ``new`` if it still points to ``old`` (None: does not exist).

        Returns False when another process moved it or has locked it; then read it again.
        """

    @abstractmethod
    def close(self) -> None:
        """Close files and end processes. Harmless when repeated; a later read opens them again."""

    def exists(self, oid: str) -> bool:
        return self.kind(oid) is not None

    def commit(self, oid: str) -> CommitInfo:
        """Read a commit. Raises GitError when it is missing or damaged."""
        return self._decoded(oid, "commit", decode_commit)

    def read_tree(self, oid: str) -> tuple[Entry, ...]:
        """Read a tree. Raises GitError when it is missing, damaged, or larger than ``limits.TREE``."""
        known = self._trees.get(oid)
        if known is None:
            known = self._decoded(oid, "tree", partial(decode_tree, form=self.object_format))
            if len(self._trees) >= _TREES_KEPT:
                self._trees.clear()
            self._trees[oid] = known
        return known

    def read_blob(self, oid: str) -> bytes:
        """Read a blob. Raises GitError when it is missing."""
        return self._content(oid, "blob")

    def read_blobs(self, oids: Iterable[str], limit: int = limits.OBJECT) -> Iterator[bytes | None]:
        """The contents of many blobs, in order; None for one that is missing, too large, or not a blob."""
        for oid in oids:
            stored = self.read(oid, limit)
            yield stored[1] if stored and stored[0] == "blob" else None

    def write_blob(self, data: bytes) -> str:
        return self.write("blob", data)

    def write_tree(self, entries: Iterable[Entry]) -> str:
        return self.write("tree", encode_tree(entries))

    def write_commit(self, *, tree: str, parents: Iterable[str], message: str) -> str:
        data = encode_commit(tree=tree, parents=parents, message=message, identity=self._identity())
        return self.write("commit", data)

    def _decoded(self, oid: str, kind: str, decode: Callable[[bytes], T]) -> T:
        try:
            return decode(self._content(oid, kind))
        except (ValueError, LookupError) as error:
            raise GitError(f"{kind} {oid} is damaged", hint="git fsck says more") from error

    def _content(self, oid: str, kind: str) -> bytes:
        limit = limits.TREE if kind == "tree" else limits.OBJECT
        stored = self.read(oid, limit)
        if stored is None and not self.fits(oid, limit):
            raise LargeObjectError(f"{kind} {oid} has more than {limit:,} bytes")
        if stored is None:
            raise GitError(f"{kind} {oid} is missing", hint="git fsck lists all missing objects")
        if stored[0] != kind:
            raise GitError(f"{oid} is a {stored[0]}, not a {kind}")
        return stored[1]
