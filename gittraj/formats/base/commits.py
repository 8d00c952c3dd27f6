"""Ids of the commits that a command reports.

What git prints after ``git commit``, ``git cherry-pick``, ``git revert`` and ``git merge --squash``
(``print_commit_summary`` in git's sequencer.c): ``[branch 1a2b3c4] subject``, also with
``(root-commit)``, and ``detached HEAD`` for the branch. Whether such a commit exists is not decided here.
"""

from __future__ import annotations

import re

_SUMMARY = re.compile(
    r"^\[(?:detached HEAD|[^\s\[\]]+)(?: \(root-commit\))? ([0-9a-f]{4,64})\] ", re.MULTILINE
)


def printed(output: str) -> tuple[str, ...]:
    """The (mostly short) ids in ``output``, in its order, each once."""
    return tuple(dict.fromkeys(_SUMMARY.findall(output)))
