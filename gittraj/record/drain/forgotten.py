"""Finds forgotten trajectories, which were withdrawn from every commit: their sessions are not read again.

``git traj forget`` writes their ids to this clone's ``off.json``, and tombstones to the notes; this module
finds tombstones that came with a fetch. Records that other clones had on further commits are withdrawn, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from gittraj.agents import SessionFile
from gittraj.capture.session import Commit
from gittraj.errors import GitError
from gittraj.model.codec import decode_note
from gittraj.model.session_items import trajectory_id
from gittraj.model.values import Line, Record, Tombstone
from gittraj.notes.store import NotesRef

WHY = "forgotten"
_EVERYWHERE = re.compile(rb'"scope"\s*:\s*"all"')


def read_forgotten(
    notes: NotesRef, since: str | None, known: Collection[str]
) -> tuple[frozenset[str], list[tuple[str, Line]]]:
    """Return all forgotten trajectories, and the tombstones that are missing, each with its commit.

    ``since`` is the tip at which the notes were last searched (None: never), ``known`` are the trajectories
    that were found until then.
    """
    tip = notes.tip()
    if tip == since:
        return frozenset(known), []
    changed = _changed(notes, since, tip)
    bodies = (body for _, body in _read(notes, tip, changed))
    named = [_withdrawn(decode_note(body)) for body in bodies if _EVERYWHERE.search(body)]
    forgotten = frozenset(known).union(*named)
    searched = _read(notes, tip, changed if forgotten <= frozenset(known) else None) if forgotten else ()
    return forgotten, list(find_tombstones(searched, forgotten))


def find_tombstones(
    notes: Iterable[tuple[str, bytes]], forgotten: Collection[str]
) -> Iterator[tuple[str, Line]]:
    """Yield tombstones of ``forgotten`` trajectories for each note with their records and no tombstone
    yet."""
    words = [name.encode() for name in forgotten]
    for commit, body in notes:
        if any(word in body for word in words):
            for tombstone in _missing_tombstones(decode_note(body), forgotten):
                yield commit, tombstone


def _missing_tombstones(lines: Sequence[Line], forgotten: Collection[str]) -> Iterator[Tombstone]:
    revs: dict[str, int] = {}
    for line in lines:
        if isinstance(line, Record) and line.id in forgotten:
            revs[line.id] = max(line.rev, revs.get(line.id, line.rev))
    for name in sorted(revs.keys() - _withdrawn(lines)):
        yield Tombstone(id=name, rev=revs[name], deleted=WHY, scope="all")


def is_forgotten(file: SessionFile, forgotten: Collection[str]) -> bool:
    """Whether a log is that of a forgotten session, or of an agent which such a session started."""
    return file.trajectory in forgotten or trajectory_id(file.agent, file.session) in forgotten


def without_forgotten(commit: Commit, forgotten: Collection[str]) -> Commit:
    """Return the commit without the forgotten sessions that its hook named: no drain waits for their logs."""
    kept = tuple(name for name in commit.sessions if trajectory_id(*name.split(":", 1)) not in forgotten)
    return commit if kept == commit.sessions else replace(commit, sessions=kept, call=None)


def _withdrawn(lines: Iterable[Line]) -> set[str]:
    """The trajectories that a note's tombstones withdraw from every commit."""
    tombstones = (line for line in lines if isinstance(line, Tombstone))
    return {t.id for t in tombstones if t.scope == "all" and t.first is None}


def _changed(notes: NotesRef, since: str | None, tip: str | None) -> list[str] | None:
    """The commits whose notes changed; None if all may have changed."""
    try:
        return list(notes.changed(since, tip)) if since else None
    except GitError:
        return None  # that tip was purged


def _read(notes: NotesRef, tip: str | None, commits: list[str] | None) -> Iterator[tuple[str, bytes]]:
    """Yield the notes of ``commits`` (None: all), in several passes: only a note that alone is too large is
    skipped."""
    left: list[str] = []
    pairs = notes.items(tip, over=left) if commits is None else notes.pick(commits, over=left)
    while first := next(pairs, None):
        yield first
        yield from pairs
        again, left = left, []
        pairs = notes.pick(again, over=left)
