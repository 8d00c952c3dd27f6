"""Finds records that other rules than the present ones redacted. It must not load the rules, because listings
use it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from gittraj.git import Repository
from gittraj.model.codec import decode_note
from gittraj.model.values import Key, Record
from gittraj.notes.merge import standing
from gittraj.notes.store import NotesRef
from gittraj.notes.unjoined import COPIES, may_have_copies

_STAMP = re.compile(rb'"ruleset":"([^"]*)"')


def unstamped(
    repository: Repository, ruleset: str, *, commits: Iterable[str] | None = None
) -> Iterator[tuple[str, Record]]:
    """Yield, with their commits, the records on ``commits`` (None: all) that count, that no remote is known
    to have, and that other rules than ``ruleset`` redacted."""
    remotes = [NotesRef(repository, ref) for ref in remote_tips(repository)]
    for commit, body in _notes(NotesRef(repository), commits):
        stamps = _STAMP.findall(body)
        if len(stamps) == body.count(b"\n") and set(stamps) == {ruleset.encode()}:
            continue
        old = [r for r in standing(commit, decode_note(body)) if r.range and r.figures.ruleset != ruleset]
        if old:
            pushed = _keys(commit, remotes)
            yield from ((commit, record) for record in old if (record.key, record.rev) not in pushed)


def _notes(notes: NotesRef, commits: Iterable[str] | None) -> Iterator[tuple[str, bytes]]:
    if commits is None:
        yield from notes.items()
        return
    for commit in commits:
        if body := notes.read(commit):
            yield commit, body


def remote_tips(repository: Repository) -> dict[str, str]:
    """The tips of the copies of remotes' records, by ref."""
    if not may_have_copies(repository):
        return {}
    query = ("for-each-ref", "--format=%(refname) %(objectname)", COPIES)
    rows = (line.split() for line in repository.run(*query).text.splitlines())
    return {ref: tip for ref, tip in rows if ref.endswith("/traj")}


def _keys(commit: str, refs: Collection[NotesRef]) -> frozenset[tuple[Key, int]]:
    lines = (line for ref in refs for line in decode_note(ref.read(commit) or b""))
    return frozenset((line.key, line.rev) for line in lines if isinstance(line, Record))
