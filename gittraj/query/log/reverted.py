"""Commits whose whole change a later one takes back, as ``git revert`` says in its message.

A message alone proves nothing: the later change must be the earlier one, backwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from gittraj.git import Repository

_SAID = "This reverts commit "
_NAMED = re.compile(rf"^{_SAID}([0-9a-f]{{40,64}})\b", re.MULTILINE)


class Reverts:
    """The reverts below ``head``, read back to the oldest commit that was asked for; at the second time
    all."""

    def __init__(self, repository: Repository, head: str = "HEAD") -> None:
        self._repository, self._head = repository, head
        self._since: str | None = None
        self._by: dict[str, str] = {}

    def mark(self, described: Iterable[dict[str, Any]]) -> None:
        """Give each of these commits its ``revertedBy``: a commit's id, or None."""
        entries = list(described)
        oldest = min((entry["date"] for entry in entries), default="")
        if oldest and (self._since is None or oldest < self._since):
            self._read(oldest if self._since is None else "")
        for entry in entries:
            by = self._by.get(entry["commit"])
            entry["revertedBy"] = by if by and self._is_whole(entry["commit"], by) else None

    def _read(self, since: str) -> None:
        self._since = since
        asked = ("log", "-z", "--fixed-strings", f"--grep={_SAID}", "--format=%H%x00%B", "--no-patch")
        limits = [f"--since={since}"] if since else []
        found = self._repository.run(
            *asked, "--no-show-signature", "--no-notes", *limits, self._head, check=False
        )
        fields = found.out.decode("utf-8", "replace").split("\0")
        self._by = {}
        undone = set()
        for commit, message in zip(fields[::2], fields[1::2], strict=False):  # the newest first
            named = _NAMED.findall(message)
            if commit not in undone:  # who reverts a revert brings the first back
                undone.update(named)
                self._by |= dict.fromkeys(named, commit)

    def _is_whole(self, commit: str, by: str) -> bool:
        return self._change(commit, "-R") == self._change(by)

    def _change(self, commit: str, *options: str) -> list[bytes]:
        """Its lines, wherever they stand."""
        asked = ("diff-tree", "-p", "-U0", "--root", "--no-commit-id", "--no-renames", "--no-prefix")
        patch = self._repository.run(*asked, *options, commit, check=False).out
        return [line for line in patch.split(b"\n") if not line.startswith((b"@@ ", b"index "))]
