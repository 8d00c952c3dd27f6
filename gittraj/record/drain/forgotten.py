"""Finds forgotten trajectories, which were withdrawn from every commit: their sessions are not read again.

``git traj forget`` writes them to this clone's ``off.json``, and tombstones to the notes; tombstones that
came with a fetch are found here. Records that other clones had on further commits are withdrawn, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
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
    """All trajectories that are forgotten, and the tombstones that are missing, by commit.

    ``since`` is the tip at which the notes were last searched (None: never), ``known`` the trajectories that
    were found until then.
    """
    tip = notes.tip()
    if tip == since:
        return frozenset(known), []
    changed = _changed(notes, since, tip)
    bodies = (body for _, body in _read(notes, tip, changed))
    named = [_named(decode_note(body)) for body in bodies if _EVERYWHERE.search(body)]
    forgotten = frozenset(known).union(*named)
    looked = _read(notes, tip, changed if forgotten <= frozenset(known) else None) if forgotten else ()
    return forgotten, list(find_tombstones(looked, forgotten))


def find_tombstones(
    notes: Iterable[tuple[str, bytes]], forgotten: Collection[str]
) -> Iterator[tuple[str, Line]]:
    """Tombstones of ``forgotten`` trajectories for every note that has their records and no tombstone yet."""
    words = [name.encode() for name in forgotten]
    for commit, body in notes:
        if not any(word in body for word in words):
            continue
        lines = decode_note(body)
        records = [line for line in lines if isinstance(line, Record) and line.id in forgotten]
        for name in sorted({r.id for r in records} - _named(lines)):
            rev = max(r.rev for r in records if r.id == name)
            yield commit, Tombstone(id=name, rev=rev, deleted=WHY, scope="all")


def is_forgotten(file: SessionFile, forgotten: Collection[str]) -> bool:
    """Whether a log is a forgotten session's, or that of an agent which such a session started."""
    return file.trajectory in forgotten or trajectory_id(file.agent, file.session) in forgotten


def without_forgotten(commit: Commit, forgotten: Collection[str]) -> Commit:
    """The commit without the forgotten sessions that its hook named: their logs are not waited for."""
    kept = tuple(name for name in commit.sessions if trajectory_id(*name.split(":", 1)) not in forgotten)
    return commit if kept == commit.sessions else replace(commit, sessions=kept, call=None)


def _named(lines: Iterable[Line]) -> set[str]:
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
    """The notes of ``commits`` (None: all), in as many passes as it takes: only a note that is too large by
    itself may be skipped."""
    over: list[str] = []
    found = notes.items(tip, over=over) if commits is None else notes.pick(commits, over=over)
    while first := next(found, None):
        yield first
        yield from found
        rest, over = over, []
        found = notes.pick(rest, over=over)
