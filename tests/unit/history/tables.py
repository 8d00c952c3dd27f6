"""Histories as tables: one line per commit, oldest first."""

from __future__ import annotations

from gittraj.git import ReflogEntry
from gittraj.history.history import Commit, History


def table(rows: str, *, reachable: str = "") -> History:
    """Parse rows of ``id parents tree subject [authored [committed]]``; ``-`` for no parents,
    otherwise their ids with commas between them."""
    commits = {}
    for row in rows.split("\n"):
        if not row.strip():
            continue
        name, parents, tree, subject, authored, committed = [*row.split(), "1", "1"][:6]
        commits[name] = Commit(
            id=name,
            parents=() if parents == "-" else tuple(parents.split(",")),
            tree=tree,
            author="A <a@example.com>",
            authored=f"{authored} +0000",
            committed=int(committed),
            message=f"{subject}\n",
        )
    history = History(dict(reversed(commits.items())), frozenset(), "empty")
    return History(history.commits, frozenset(history.ancestors(reachable.split())), "empty")


def log(rows: str) -> list[ReflogEntry]:
    """Parse a reflog's rows of ``old new message``."""
    return [ReflogEntry(*row.split(maxsplit=2)) for row in rows.strip().split("\n")]
