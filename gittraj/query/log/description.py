"""How git is asked to describe commits. It must import next to nothing: see ``gittraj.index.fast_open``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gittraj.git import Repository

FIELDS = 6
_FORMAT = "%x00".join(("%H", "%h", "%s", "%aN", "%aE", "%aI"))
DESCRIBE = (
    *("log", "--no-walk=unsorted", "--stdin", "-z", f"--format={_FORMAT}", "--encoding=UTF-8"),
    *("--no-show-signature", "--no-notes", "--no-patch"),
)
BATCH = 500
"""Commits described by one process."""


def describe_all(repository: Repository, commits: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Commits as ``log --json`` has them, without files and trajectories, with one process. Raises GitError
    when one of them is not here."""
    if not commits:
        return {}  # git would describe HEAD
    listed = repository.run(*DESCRIBE, input="".join(f"{c}\n" for c in commits).encode()).out
    values = listed.decode("utf-8", "replace").split("\0")
    rows = (values[at : at + FIELDS] for at in range(0, len(values) - 1, FIELDS))
    return {
        commit: {
            "commit": commit,
            "short": short,
            "subject": subject,
            "author": {"name": name, "email": email},
            "date": date,
        }
        for commit, short, subject, name, email, date in rows
    }
