"""The object database through libgit2: the fast path, in this process.

It must not be used when git's own configuration or index matters: libgit2 ignores ``GIT_*`` and does not
know sha256 or reftable.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pygit2

from gittraj import limits
from gittraj.errors import GitError, unwritable
from gittraj.git.encoding import KINDS, ObjectFormat
from gittraj.git.interface import Objects, is_oid
from gittraj.git.loose import LooseObjects, TooLargeError

_KINDS = {number: name for name, number in KINDS.items()}
# libgit2 raises any of these for a lost race, a taken lock and a bad name; AlreadyExistsError is a ValueError
_REFUSED = (pygit2.GitError, OSError, KeyError, ValueError)


class Libgit2Objects(Objects):
    """The backend for repositories that libgit2 can open. Raises GitError for others (sha256, reftable,
    unknown extensions)."""

    def __init__(
        self, git_dir: Path, common_dir: Path, *, object_format: ObjectFormat, identity: Callable[[], str]
    ) -> None:
        super().__init__(object_format=object_format, identity=identity)
        try:
            self._repo = pygit2.Repository(str(git_dir))
        except _REFUSED as error:
            raise GitError(f"libgit2 cannot open {git_dir}: {error}") from error
        self._loose = LooseObjects(common_dir / "objects", object_format)

    def resolve(self, ref: str) -> str | None:
        try:
            return str(self._repo.lookup_reference(ref).resolve().target)
        except _REFUSED:
            return None

    def kind(self, oid: str) -> str | None:
        stored = self.read(oid)
        return stored[0] if stored else None

    def read(self, oid: str, limit: int = limits.OBJECT) -> tuple[str, bytes] | None:
        if not is_oid(oid):
            return None
        try:
            if loose := self._loose.read(oid, limit):
                return loose
            if self._repo.odb.read_header(oid)[1] > limit:
                return None
            kind, data, *_ = self._repo.read(oid)
        except _REFUSED:  # KeyError: missing, or promised in a partial clone; GitError: a damaged pack
            return None
        return _KINDS[kind], data

    def fits(self, oid: str, limit: int) -> bool:
        try:
            if self._loose.read(oid, limit):
                return True
        except TooLargeError:
            return False
        except ValueError:
            return True  # damaged
        try:
            return bool(self._repo.odb.read_header(oid)[1] <= limit)
        except _REFUSED:
            return True

    def write(self, kind: str, data: bytes) -> str:
        try:
            return str(self._repo.write(KINDS[kind], data))
        except (pygit2.GitError, OSError) as error:
            raise unwritable(self._repo.path, str(error)) from error

    def swap_ref(self, ref: str, *, new: str, old: str | None, message: str) -> bool:
        try:
            if old is None:
                self._repo.create_reference_direct(ref, pygit2.Oid(hex=new), False, message)
                return True
            reference = self._repo.lookup_reference(ref)
            if str(reference.target) != old:
                return False
            # under the lock, set_target compares the ref with the id read at lookup: this is compare-and-swap
            reference.set_target(pygit2.Oid(hex=new), message)
        except _REFUSED:
            return False
        return True

    def close(self) -> None:
        self._repo.free()
