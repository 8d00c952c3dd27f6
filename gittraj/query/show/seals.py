"""A seal as a plain age file, to decrypt without git-traj."""

from __future__ import annotations

from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.model.codec import decode_note
from gittraj.model.values import Record, Thinking
from gittraj.notes.merge import standing
from gittraj.notes.store import NotesRef
from gittraj.query.show.chapters import Segments


def read_seal(repository: Repository, name: str) -> bytes:
    """The seal whose name has this prefix. Raises TrajError unless there is exactly one, and it is here."""
    found: dict[str, Record] = {}
    for commit, body in NotesRef(repository).items():
        for record in standing(commit, decode_note(body)) if b'"seals"' in body else ():
            for seal in record.seals:
                if seal.startswith(name) and record.rev >= found.setdefault(seal, record).rev:
                    found[seal] = record
    if len(found) != 1:
        what = "begins the names of several seals" if found else "is not a seal here"
        raise TrajError(f"'{name}' {what}", "git traj show --json names those of events")
    ((seal, record),) = found.items()
    segments = Segments(repository)
    for event in segments.read(record.id, record.segments):
        if isinstance(event, Thinking) and event.seal == seal and event.payload:
            return record.seals[seal][0].encode() + event.payload
    raise TrajError(f"the text of seal {seal} is not here", "git traj fetch")
