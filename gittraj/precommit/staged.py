"""Reads what is staged when a commit's hook runs, and replaces entries in every index that will be used.

This module must not know why an entry is replaced. For ``git commit -- PATH`` git makes the commit from one
index and keeps another; an entry that was replaced only in the first would come back with the next commit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gittraj.git import Repository

_FILES = ("100644", "100755")
_ONLY = re.compile(r"next-index-\d+\.lock")
_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A mode in octal and an object's id, as git writes them; both are zeros if there is no file."""

    mode: str
    blob: str

    @property
    def is_file(self) -> bool:
        return self.mode in _FILES


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A file that the commit would add or change: its entry now, and HEAD's."""

    path: str
    now: Entry
    before: Entry


class Staging:
    """The indexes of a commit that is being made: ``index`` is the one that git passes to its hook."""

    def __init__(self, repository: Repository, index: Path) -> None:
        self._repository = repository
        kept = index.with_name("index.lock")
        only = _ONLY.fullmatch(index.name) and kept.is_file()
        self._indexes = (index, kept) if only else (index,)

    def read(self, pathspecs: Sequence[str] = ()) -> list[Staged]:
        """The regular files that differ from HEAD and, in a merge, also from what is merged.

        Raises GitError.
        """
        head = self._repository.head() or self._repository.objects.write_tree(())
        self._repository.objects.flush()
        staged = {each.path: each for each in self._against(head, pathspecs)}
        for merged in self._merged():
            others = {(each.path, each.now) for each in self._against(merged, pathspecs)}
            staged = {path: each for path, each in staged.items() if (path, each.now) in others}
        return [each for each in staged.values() if each.now.is_file]

    def contents(self, staged: Sequence[Staged], *, largest: int) -> Iterator[tuple[Staged, bytes]]:
        """Yield each file with its content; if it has over ``largest`` bytes, with ``largest`` + 1 zeros
        instead. Raises GitError."""
        ids = "".join(f"{each.now.blob}\n" for each in staged).encode()
        sizes = self._run("cat-file", "--batch-check=%(objectsize)", input=ids).splitlines()
        for each, size in zip(staged, sizes, strict=True):
            too_large = size.isdigit() and int(size) > largest
            yield each, bytes(largest + 1) if too_large else self._repository.objects.read_blob(each.now.blob)

    def content_before(self, staged: Staged) -> bytes:
        """HEAD's content of the file; empty if it is not a regular file there, or not in this clone."""
        blob = self._repository.objects.read(staged.before.blob) if staged.before.is_file else None
        return blob[1] if blob else b""

    def differing(self, pathspecs: Sequence[str]) -> frozenset[str]:
        """The paths whose file in the worktree differs from the staged one. Raises GitError."""
        listed = self._run("diff-files", "-z", "--name-only", "--", *pathspecs)
        return frozenset(_split(listed))

    def replace(self, entries: Mapping[Staged, Entry], *, rewrite: Iterable[str]) -> None:
        """Replace the keys of ``entries`` by their values, and check out the paths of ``rewrite``.

        Raises GitError: nothing may be committed then.
        """
        for index in self._indexes:
            present = self._entries(index, [staged.path for staged in entries])
            lines = [
                f"{new.mode} {new.blob} 0\t{staged.path}\0"
                for staged, new in entries.items()
                if present.get(staged.path) == staged.now
            ]
            self._run("update-index", "-z", "--index-info", input=_bytes("".join(lines)), index=index)
        paths = _bytes("".join(f"{path}\0" for path in rewrite))
        if paths:
            checkout = ("checkout-index", "--force", "--index", "--quiet", "-z", "--stdin")
            self._run(*checkout, input=paths, index=self._indexes[-1])

    def _against(self, tree: str, pathspecs: Sequence[str]) -> Iterator[Staged]:
        options = ("--cached", "--raw", "-z", "--no-renames", "--no-abbrev")
        fields = iter(_split(self._run("diff-index", *options, tree, "--", *pathspecs)))
        for header in fields:
            old_mode, mode, old_blob, blob, _ = header.lstrip(":").split(" ")
            before, now = Entry(mode=old_mode, blob=old_blob), Entry(mode=mode, blob=blob)
            yield Staged(path=next(fields), now=now, before=before)

    def _merged(self) -> list[str]:
        try:
            return (self._repository.git_dir / "MERGE_HEAD").read_text("ascii").split()
        except FileNotFoundError:
            return []

    def _entries(self, index: Path, paths: Iterable[str]) -> dict[str, Entry]:
        wanted = set(paths)
        listed = _split(self._run("ls-files", "-s", "-z", index=index))
        split = (line.partition("\t") for line in listed)
        return {path: _entry(info) for info, _, path in split if path in wanted}

    def _run(self, *args: str, input: bytes | None = None, index: Path | None = None) -> bytes:  # noqa: A002
        env = {"GIT_INDEX_FILE": str(index or self._indexes[0])}
        return self._repository.run(*args, input=input, env=env, timeout=_SECONDS).out


def _entry(info: str) -> Entry:
    mode, blob, _ = info.split(" ")
    return Entry(mode=mode, blob=blob)


def _split(listed: bytes) -> list[str]:
    return listed.decode("utf-8", "surrogateescape").split("\0")[:-1]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
