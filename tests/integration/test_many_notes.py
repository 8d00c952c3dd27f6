"""Notes that together exceed what one pass reads: none is skipped without a message."""

from __future__ import annotations

import pytest

from gittraj import limits
from gittraj.model.codec import encode_line
from gittraj.model.values import Tombstone
from gittraj.notes.store import NotesRef
from gittraj.record.drain.forgotten import read_forgotten
from tests.integration.repository import Git

COMMITS = [f"{n:040x}" for n in range(40)]


def test_notes_over_the_total_limit_are_reported(git: Git) -> None:
    with git.open() as repository:
        notes = NotesRef(repository)
        notes.write(dict.fromkeys(COMMITS[:4], lambda _: b"x" * 100))
        over: list[str] = []
        found = notes.pick(COMMITS, most=250, each=0, over=over)
        assert [commit for commit, _ in found] == COMMITS[:2]
        assert over == COMMITS[2:4], "those without a note are not among them"


@pytest.mark.parametrize("changed", [True, False])
def test_a_tombstone_behind_many_notes_is_read(git: Git, changed: bool) -> None:
    last = encode_line(Tombstone(id="traj_gone", rev=1, deleted="forgotten", scope="all")) + b"\n"
    with git.open() as repository:
        notes = NotesRef(repository)
        since = notes.write({"f" * 40: lambda _: b"first\n"})
        notes.write({COMMITS[-1]: lambda _: last})
        body = b"x" * (limits.NOTE - 1) + b"\n"
        notes.write(dict.fromkeys(COMMITS[:-1], lambda _: body))
        assert len(body) * (len(COMMITS) - 1) > limits.NOTES
        forgotten, _ = read_forgotten(notes, since if changed else None, ())
    assert forgotten == {"traj_gone"}
