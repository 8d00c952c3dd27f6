"""Finds commits that a later commit reverted entirely and names in its message, as ``git revert`` does.

A message alone does not prove it: the later change must be the earlier change, backwards. An empty change
proves nothing, and neither does a binary file that had other content in between.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from gittraj.git import Repository

_SAID = "This reverts commit "
_NAMED = re.compile(rf"^{_SAID}([0-9a-f]{{40,64}})\b", re.MULTILINE)


class Reverts:
    """The reverts below ``head``, read back to the oldest commit to mark; if a later call has older commits,
    all reverts are read."""

    def __init__(self, repository: Repository, head: str = "HEAD") -> None:
        self._repository, self._head = repository, head
        self._since: datetime | None = None
        self._by: dict[str, str] = {}

    def mark(self, described: Iterable[dict[str, Any]]) -> None:
        """Set each commit's ``revertedBy``: a commit's id, or None."""
        entries = list(described)
        dated = ((datetime.fromisoformat(entry["date"]), entry["commit"]) for entry in entries)
        since, oldest = min(dated, default=(None, ""))
        if since and (self._since is None or since < self._since):
            self._read(*([f"^{oldest}"] if self._since is None else []))
            self._since = since
        for entry in entries:
            by = self._by.get(entry["commit"])
            entry["revertedBy"] = by if by and self._is_whole(entry["commit"], by) else None

    def _read(self, *limits: str) -> None:
        asked = ("log", "-z", "--fixed-strings", f"--grep={_SAID}", "--format=%H%x00%B", "--no-patch")
        where = ("--no-show-signature", "--no-notes", self._head, *limits, "--")
        listed = self._repository.run(*asked, *where, check=False)
        fields = listed.out.decode("utf-8", "replace").split("\0")
        self._by = {}
        undone = set()
        for commit, message in zip(fields[::2], fields[1::2], strict=False):  # the newest first
            named = _NAMED.findall(message)
            if commit not in undone:  # reverting a revert restores the first commit
                undone.update(named)
                self._by |= dict.fromkeys(named, commit)

    def _is_whole(self, commit: str, by: str) -> bool:
        """Whether the commit ``by`` undoes the whole change of ``commit``."""
        ours = self._raw(commit)
        theirs = {path: (new, old) for path, (old, new) in self._raw(by).items()}
        if not ours or ours == theirs:
            return bool(ours)
        return ours.keys() == theirs.keys() and self._change(commit, "-R") == self._change(by) != []

    def _raw(self, commit: str) -> dict[bytes, tuple[list[bytes], list[bytes]]]:
        """Return each path's mode and blob, before and after."""
        asked = ("diff-tree", "-r", "-z", "--root", "--no-commit-id", "--no-renames", commit)
        fields = self._repository.run(*asked, check=False).out.split(b"\0")
        rows = zip(fields[::2], fields[1::2], strict=False)
        raw = ((path, row[1:].split(b" ")) for row, path in rows)
        return {path: (row[0:3:2], row[1:4:2]) for path, row in raw}

    def _change(self, commit: str, *options: str) -> list[bytes]:
        """Return the patch with one line of context, without line numbers; empty if it has a binary file."""
        asked = ("diff-tree", "-p", "-U1", "--root", "--no-commit-id", "--no-renames", "--no-prefix")
        patch = self._repository.run(*asked, *options, commit, check=False).out
        lines = [line for line in patch.split(b"\n") if not line.startswith((b"@@ ", b"index "))]
        return [] if any(line.startswith(b"Binary files ") for line in lines) else lines
