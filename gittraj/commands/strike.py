"""Strikes an inferred decision or doubt if a person says that it is wrong.

The strike is a part of its own, on the commits of the part with the statement, so that everybody who fetches
these gets it. The stored statement is not removed: views leave out struck statements.
"""

from __future__ import annotations

from gittraj.commands.link import find_commit
from gittraj.commands.record import author
from gittraj.config import Environ, read_config
from gittraj.errors import TrajError
from gittraj.events.given_later import STRUCK
from gittraj.git import Repository
from gittraj.model.values import NoteEvent, Record
from gittraj.notes.merge import records_on
from gittraj.notes.store import NotesRef
from gittraj.notes.unjoined import find_hint
from gittraj.query.account import statements
from gittraj.record.add_later import carriers, draft_addition, locked, new_event_id, now
from gittraj.record.drain.composition import make_pipeline


def strike(
    repository: Repository, rev: str, name: str, why: str | None, *, environ: Environ
) -> tuple[str, str]:
    """Strike the inferred statement whose id begins with ``name``, on a commit. Returns its id and text."""
    if author(environ) != "human":
        raise TrajError("only a person can strike an inferred statement", "run it in a shell of your own")
    commit = find_commit(repository, rev)
    with locked(repository, environ):
        record, statement, quote = _find(repository, commit, name)
        pipeline = make_pipeline(repository, read_config(repository), environ)
        links = carriers(repository, record.key)
        event = NoteEvent(
            id=new_event_id(),
            ts=now(),
            kind="note",
            content=why or "An inferred statement was struck.",
            tags=(STRUCK,),
            raw={STRUCK: statement},
        )
        written = pipeline.write([draft_addition(record.id, event, links, record)])
        if written.parked:
            raise TrajError(f"not recorded: {written.parked[0].why}", "git traj doctor says more")
    return statement, quote


def _find(repository: Repository, commit: str, name: str) -> tuple[Record, str, str]:
    """Return the statement's record, id and text. Raises TrajError."""

    def choose(notes: NotesRef) -> list[tuple[Record, str, str]]:
        return [
            (record, each, quote)
            for record in records_on(commit, notes.read(commit))
            for each, quote in statements(record)
            if name and each.startswith(name)
        ]

    matching = choose(NotesRef(repository))
    if not matching:
        hint = f"git traj show {commit[:12]} prints their ids; what was stated on purpose is not struck"
        hint = find_hint(repository, choose, hint)
        raise TrajError(f"no inferred decision or doubt '{name}' is on {commit[:12]}", hint)
    if len(ids := sorted({each for _, each, _ in matching})) > 1:
        raise TrajError(f"'{name}' is ambiguous: {' or '.join(ids[:3])}", "give more of the id")
    return matching[0]
