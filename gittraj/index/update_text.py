"""Keeps the text index current with the refs of the records and of the monthly events.

Changes are found by comparing trees; the trajectories concerned are queued and indexed in batches, the newest
first, each in its own transaction: an interrupted run keeps what is done. Listings do not wait for it, as it
is a separate file.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from gittraj.errors import GitError, TrajError
from gittraj.git import Repository
from gittraj.index import file, text
from gittraj.index.answers import open_index
from gittraj.index.ref_tips import RECORDS, Refs, made_by, read_refs
from gittraj.index.text import TEXTS, Part
from gittraj.index.text_fields import distinct_records, read_part
from gittraj.index.update import Progress
from gittraj.index.words import sound
from gittraj.notes.store import NotesRef
from gittraj.notes.tree import changed_trajectories
from gittraj.query.notes import NotesInMemory, named_ids
from gittraj.query.records import Recorded
from gittraj.query.show.chapters import Segments

_BATCH = 64
"""The most trajectories in one transaction."""
_TEXT = 2_000_000
"""About the most characters in one transaction: they are in memory at the same time."""
T = TypeVar("T")


class TextStore(Protocol):
    """A store of the text index."""

    def reading(self) -> AbstractContextManager[sqlite3.Connection]: ...
    def writing(self) -> AbstractContextManager[sqlite3.Connection]: ...


class OnDisk:
    """A text index in the folder of the index. All methods raise UnusableError."""

    def __init__(self, common_dir: Path) -> None:
        self.reading = partial(file.reading, common_dir, TEXTS)
        self.writing = partial(file.writing, common_dir, TEXTS)
        self.drop = partial(file.drop, common_dir, TEXTS)


class InMemory:
    """A text index for one query, if none can be kept on disk."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self._connection.executescript(TEXTS.tables)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        yield self._connection

    writing = reading


def ask_updated(
    repository: Repository,
    ask: Callable[[sqlite3.Connection], T],
    *,
    seconds: float,
    tell: Progress | None = None,
) -> T:
    """Update the text index, and query it. A damaged one is built again; if none can be kept, one is built in
    memory for this query."""
    for store in (OnDisk(repository.common_dir),) * (0 if repository.is_partial() else 2):
        try:
            update_text(repository, store, seconds=seconds, tell=tell)
            with store.reading() as connection:
                return ask(connection)
        except file.UnusableError:
            continue
        except (sqlite3.Error, ValueError, TypeError):  # damage shows in any query
            with suppress(file.UnusableError):
                store.drop()
    try:
        memory = InMemory()
        update_text(repository, memory, seconds=seconds, tell=tell)
        with memory.reading() as connection:
            return ask(connection)
    except sqlite3.OperationalError as error:
        raise TrajError(
            f"nothing can be searched: {error}", hint="Python's SQLite needs FTS5, and some memory"
        ) from error


def update_text(
    repository: Repository, store: TextStore, *, seconds: float, tell: Progress | None = None
) -> None:
    """Index what is new, for about ``seconds``. Raises UnusableError if no index can be kept.

    No text from before a purge may be added after it: a purge moves the refs and then drops the file. So the
    refs are read under the write lock, and their text is written only while they are unchanged.
    """
    end = time.monotonic() + seconds
    with open_index(repository) as index:  # listings first
        with store.writing() as connection:
            refs = read_refs(repository)
            tip = refs.get(RECORDS)
            known = index if index and index.tip == tip else None
            held = known.notes if known else NotesInMemory(NotesRef(repository).items(tip) if tip else ())
            _find_changed(connection, repository, refs, known.latest if known else held.ids)
        done = 0
        while time.monotonic() < end:
            with store.reading() as connection:
                waiting = text.waiting(connection, _BATCH)
                _, left = text.count(connection)
            if not waiting:
                break
            if tell:
                tell("reading events", done, done + left)
            read = dict(_read(repository, Recorded(held), waiting))
            with store.writing() as connection:
                if file.read_source(connection).get("refs") != json.dumps(refs):
                    return  # another process is ahead, or purged it
                done += len(read)
                if text.replace_parts(connection, read):
                    file.write_source(connection, went="yes")
    with store.writing() as connection:
        if "went" in file.read_source(connection):
            text.sweep(connection)


def _read(
    repository: Repository, recorded: Recorded, trajectories: Iterable[str]
) -> Iterator[tuple[str, list[Part]]]:
    """The parts of the first ``trajectories``, as many as may be in memory."""
    size = 0
    for trajectory in trajectories:
        parts = []
        for record, commits in distinct_records(recorded.parts(trajectory)):
            segments = Segments(repository)
            part = read_part(record, segments.read(record.id, record.segments), commits)
            parts.append(replace(part, away={sound(month) for month in segments.months}))
        yield trajectory, parts
        size += sum(len(piece.text) for part in parts for piece in part.fields)
        if size > _TEXT:
            return


# ---------------------------------------------------------------- what changed


def _find_changed(
    connection: sqlite3.Connection, repository: Repository, refs: Refs, ids: Callable[[], Iterable[str]]
) -> None:
    """Queue the trajectories that changed in the refs."""
    source = file.read_source(connection)
    if source.get("made_by", made_by()) != made_by():
        raise sqlite3.DatabaseError("made by other code")
    now = json.dumps(refs)
    if source.get("refs") == now:
        return
    before: Refs = json.loads(source.get("refs", "{}"))
    try:
        changed = list(_changed(connection, repository, before, refs) if before else ids())
    except GitError:  # an old tip is gone: purged, or garbage-collected
        changed = [*ids(), *text.indexed(connection)]
    text.let_wait(connection, list(dict.fromkeys(changed)))
    file.write_source(connection, refs=now, made_by=made_by())


def _changed(
    connection: sqlite3.Connection, repository: Repository, before: Refs, after: Refs
) -> Iterator[str]:
    notes = NotesRef(repository)
    tips = before.get(RECORDS), after.get(RECORDS)
    for commit in notes.changed(*tips) if tips[0] != tips[1] else ():
        yield from text.carried_by(connection, commit)
        yield from named_ids((notes.read(commit, tips[1]) if tips[1] else None) or b"")
    objects = repository.objects
    for ref in sorted({*before, *after} - {RECORDS}):
        old, new = (objects.commit(tip).tree if (tip := each.get(ref)) else None for each in (before, after))
        yield from changed_trajectories(objects, old, new)
