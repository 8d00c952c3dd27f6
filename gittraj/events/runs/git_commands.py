"""Finds the git commands in a shell command that can make a commit.

Commands come from an agent, and a regular expression can run for ever: no pattern here can match the same
text in two ways.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"])++"
GIT = rf"\bgit(?:\s+-[cC]\s+{_WORD}|\s+-(?![cC]\s)[\w-]+(?:={_WORD})?)*+\s+"
"""A pattern for ``git`` with its own options, up to the verb."""
_COMMITS = re.compile(
    GIT + r"(commit|cherry-pick|revert|am|merge|rebase|pull)(?![\w-])(?![^;&|\n]*--dry-run)"
)
_BEGINS_WITH_COMMIT = re.compile(
    r"(?:^|[;&|(\n]|-\w*c ')[ \t]*" + GIT + r"commit(?![\w-])(?![^;&|\n]{0,200}--dry-run)"
)
_END_OF_COMMAND = 5_000


@lru_cache(maxsize=1024)
def git_verbs(command: str) -> tuple[str, ...]:
    """Return the verbs of the git commands that can make a commit, also if they may be quoted text."""
    return tuple(_COMMITS.findall(both_ends(command, _END_OF_COMMAND)))


def runs_commit(command: str) -> bool:
    """Whether a command, or a line of it, begins with ``git commit``."""
    return _BEGINS_WITH_COMMIT.search(command) is not None


def both_ends(command: str, limit: int) -> str:
    """Return the two ends of a command that is longer, each of at most ``limit`` characters: between them is
    the text of a file that it writes."""
    return command if len(command) <= 2 * limit else f"{command[:limit]}\n{command[-limit:]}"
