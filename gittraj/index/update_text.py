"""Keeps the text index current with the refs of the records and of the monthly events.

It finds changes by comparing trees, queues the trajectories that changed, and indexes them in batches, the
newest first. Each batch has its own transaction, so that an interrupted run keeps the batches that are done.
The text index is a separate file, so that listings do not wait for it.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from gittraj.errors import GitError, TrajError
from gittraj.frozen import dataclass
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
"""The maximum number of trajectories in one transaction."""
_TEXT = 2_000_000
"""Approximate maximum number of characters in one transaction, which are in memory at once."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TextStore:
    """How a text index is opened, for reading and for writing; both may raise UnusableError."""

    reading: Callable[[], AbstractContextManager[sqlite3.Connection]]
    writing: Callable[[], AbstractContextManager[sqlite3.Connection]]


def on_disk(common_dir: Path) -> TextStore:
    """The text index in the folder of the index."""
    return TextStore(partial(file.reading, common_dir, TEXTS), partial(file.writing, common_dir, TEXTS))


def open_in_memory() -> sqlite3.Connection:
    """Make a text index for one query."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(TEXTS.tables)
    return connection


def ask_updated(
    repository: Repository,
    ask: Callable[[sqlite3.Connection], T],
    *,
    seconds: float,
    tell: Progress | None = None,
) -> T:
    """Update the text index, and query it with ``ask``. A damaged index is built again; if no index can be
    kept, one is built in memory for this query."""
    store = on_disk(repository.common_dir)
    for _ in range(0 if repository.is_partial() else 2):
        try:
            update_text(repository, store, seconds=seconds, tell=tell)
            with store.reading() as connection:
                return ask(connection)
        except file.UnusableError:
            continue
        except (sqlite3.Error, ValueError, TypeError):  # any query may find damage
            with suppress(file.UnusableError):
                file.drop(repository.common_dir, TEXTS)
    try:
        with closing(open_in_memory()) as connection:
            memory = TextStore(lambda: nullcontext(connection), lambda: nullcontext(connection))
            update_text(repository, memory, seconds=seconds, tell=tell)
            return ask(connection)
    except sqlite3.OperationalError as error:
        raise TrajError(
            f"nothing can be searched: {error}", hint="Python's SQLite needs FTS5, and some memory"
        ) from error


def update_text(
    repository: Repository, store: TextStore, *, seconds: float, tell: Progress | None = None
) -> None:
    """Index new text for about ``seconds``. Raises UnusableError if no index can be kept. A purge moves the
    refs and then drops the file, and no text from before it may be added after it. So the refs are read under
    the write lock, and their text is written only if they are still the same."""
    end = time.monotonic() + seconds
    with open_index(repository) as index:  # listings first
        with store.writing() as connection:
            refs = read_refs(repository)
            tip = refs.get(RECORDS)
            current = index if index and index.tip == tip else None
            notes = (
                current.notes if current else NotesInMemory(NotesRef(repository).items(tip) if tip else ())
            )
            _queue_changed(connection, repository, refs, current.latest if current else notes.ids)
        done = 0
        while time.monotonic() < end:
            with store.reading() as connection:
                waiting = text.waiting(connection, _BATCH)
                _, left = text.count(connection)
            if not waiting:
                break
            if tell:
                tell("reading events", done, done + left)
            parts_of = dict(_read(repository, Recorded(notes), waiting))
            if not _write(store, refs, parts_of):
                return
            done += len(parts_of)
    with store.writing() as connection:
        if "went" in file.read_source(connection):
            text.sweep(connection)


def _write(store: TextStore, refs: Refs, parts_of: Mapping[str, list[Part]]) -> bool:
    """Write parts that were read at ``refs``. Returns False if another process has indexed other refs since,
    or a purge dropped the file."""
    with store.writing() as connection:
        if file.read_source(connection).get("refs") != json.dumps(refs):
            return False
        if text.replace_parts(connection, parts_of):
            file.write_source(connection, went="yes")
    return True


def _read(
    repository: Repository, recorded: Recorded, trajectories: Iterable[str]
) -> Iterator[tuple[str, list[Part]]]:
    """Yield the first of ``trajectories`` with their parts, as many as may be in memory."""
    size = 0
    for trajectory in trajectories:
        parts = []
        for record, commits in distinct_records(recorded.parts(trajectory)):
            segments = Segments(repository)
            part = read_part(record, segments.read(record.id, record.segments), commits)
            parts.append(replace(part, away={sound(month) for month in segments.months}))
        yield trajectory, parts
        size += sum(len(field.text) for part in parts for field in part.fields)
        if size > _TEXT:
            return


# ---------------------------------------------------------------- what changed


def _queue_changed(
    connection: sqlite3.Connection, repository: Repository, refs: Refs, ids: Callable[[], Iterable[str]]
) -> None:
    """Queue the trajectories that changed in the refs; all of them, which ``ids`` returns, in a new index."""
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
    text.enqueue(connection, list(dict.fromkeys(changed)))
    file.write_source(connection, refs=now, made_by=made_by())


def _changed(
    connection: sqlite3.Connection, repository: Repository, before: Refs, after: Refs
) -> Iterator[str]:
    notes = NotesRef(repository)
    tips = before.get(RECORDS), after.get(RECORDS)
    for commit in notes.changed(*tips) if tips[0] != tips[1] else ():
        yield from text.trajectories_on(connection, commit)
        yield from named_ids((notes.read(commit, tips[1]) if tips[1] else None) or b"")
    objects = repository.objects
    for ref in sorted({*before, *after} - {RECORDS}):
        old, new = (objects.commit(tip).tree if (tip := each.get(ref)) else None for each in (before, after))
        yield from changed_trajectories(objects, old, new)
