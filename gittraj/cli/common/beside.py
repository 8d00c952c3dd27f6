"""Our records with those of remotes beside them, for commands that read."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from gittraj.git import Repository
from gittraj.query.notes import Notes

if TYPE_CHECKING:
    from gittraj.query.records import Recorded


def read_records(
    repository: Repository,
    notes: Notes | None = None,
    *,
    commits: Collection[str] | None = None,
    unjoined: Mapping[str, str] | None = None,
) -> Recorded:
    """As ``gittraj.index.beside.read_records``; stderr is told what is left out."""
    from gittraj.index.beside import read_records as read

    return read(repository, notes, commits=commits, unjoined=unjoined, tell=say_left_out)


def say_left_out(text: str) -> None:
    from gittraj.render.text.terminal import escape_line

    sys.stderr.write(f"git-traj: {escape_line(text)}\n")
