"""Opens a session's log and reads what is new in it, in the form that ``capture`` needs."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import cast

from gittraj.agents import SessionFile, all_agents
from gittraj.capture.outside import Outside
from gittraj.capture.repo_paths import RepoPaths
from gittraj.capture.session import Log, Place, assemble
from gittraj.config import Config
from gittraj.decisions.derivation import Recall, derive
from gittraj.errors import FormatError, TrajError
from gittraj.formats import (
    HEAD,
    NAMING,
    Reader,
    Store,
    describe,
    detect,
    detect_store,
    formats,
    is_store,
    reader_of,
    store_of,
)
from gittraj.model.session_items import START, Cursor, Entry, Fact, Item
from gittraj.model.times import seconds
from gittraj.model.values import Message
from gittraj.record.drain.excluded import without_diffs
from gittraj.state.changed import size_of, written_at
from gittraj.state.cursors import NEVER_AWAY, Away

RESTS = 3.0
"""Seconds without growth after which a final message ends its turn. If the log marks the ends of turns, this
does not apply: an agent may think for longer, and the message belongs to the commit that it makes then."""
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_NAMED = re.compile(r"^agent-|_\d{8}_\d{6}$")
"""File names of the logs of subagents and of benchmark runs."""
_ITEMS_WITH_FACTS = 400
"""How many items of a log are searched for its first facts: whose session it is, where it worked."""
_LAST = 20
_DATABASE = b"SQLite format 3\0"
_PAUSED = "paused"
"""A fact that marks a log of which something was left out: the log's title may reveal that text."""


def find_sessions(path: Path, *, form: str | None = None) -> list[SessionFile]:
    """Find the sessions at ``path``, detected by content unless ``form`` names the format. Raises
    FormatError, which says what is at ``path`` instead, and OSError."""
    if form is not None and form not in formats():
        raise FormatError(f"unknown format '{form}'; known: {', '.join(formats())}")
    with _isolate_failure(path):
        reader = _reader(path, form)
        if reader is not None:
            return [_identify(path, reader)]
        store = store_of(form) if form else detect_store(path)
        if store is None:
            raise FormatError(f"{path}: {_describe(path)}", "git-traj reads the logs that agents write")
        sessions = [_of_store(path, store, name) for name in store.sessions(path)]
    if not sessions:
        raise FormatError(f"{path}: no session in it")
    return sessions


def _of_store(path: Path, store: Store, name: str) -> SessionFile:
    facts = first_facts(store.read(path, name)) if store.name in NAMING else {}
    agent, own = facts.get("agent", store.agent), facts.get("trajectory")
    return SessionFile(agent=agent, session=name, path=path, format=store.name, own=own)


def first_facts(items: Iterable[Item]) -> dict[str, str]:
    """Return the first value of each fact among a log's first items."""
    facts: dict[str, str] = {}
    for item in islice(items, _ITEMS_WITH_FACTS):
        if isinstance(item, Fact):
            facts.setdefault(item.name, str(item.value))
    return facts


def _identify(path: Path, reader: Reader) -> SessionFile:
    """The session of a file: a UUID in the file's name, else the session that its log names."""
    named = _named(path)
    with path.open("rb") as stream:
        facts = first_facts(reader.read(stream, session=named))
    subagent = facts.get("subagent")
    session = facts.get("session") or named or path.stem
    if named and not subagent and _UUID.fullmatch(named):
        session = named
    agent, own = facts.get("agent", reader.agent), facts.get("trajectory")
    return SessionFile(
        agent=agent, session=session, path=path, subagent=subagent, format=reader.name, own=own
    )


def _named(path: Path) -> str | None:
    """The session that a file's name contains, if any."""
    stem = re.sub(r"\.(?:traj\.json|traj|jsonl?)$", "", path.name)
    if uuid := _UUID.search(stem):
        return uuid[0]
    return stem if _NAMED.search(stem) else None


def read_log(
    file: SessionFile,
    cursor: Cursor,
    *,
    facts: Mapping[str, Sequence[str]],
    territory: RepoPaths,
    config: Config,
    off: Away = NEVER_AWAY,
    skip: Collection[str] = (),
    recall: Recall = lambda _: None,
    now: float,
) -> tuple[Log, int, float]:
    """Read the log from the cursor on; return it, its size in bytes, and the seconds since it grew.

    ``facts`` are those from before the cursor; ``off`` is what is not read; ``skip`` are ids of events that
    belong to another trajectory; ``recall`` returns, in full, an event that a command recorded. A log that
    was rewritten before the cursor is read from its start. Raises FormatError if the log has no known format,
    OSError if it cannot be read.
    """
    size, written = size_of(file.path), written_at(file.path)
    untitled = bool(off.spans) or _PAUSED in facts
    excluded = partial(config.excludes, agent=file.agent, agents=all_agents()) if config.exclude else None

    def read(start: Cursor) -> Log:
        known = [Fact(name=name, value=value) for name, values in facts.items() for value in values]
        items = _allowed(read_items(file, replace(start, added=0)), off, written, untitled=untitled)
        items = (without_diffs(item, excluded) for item in items) if excluded else items
        return assemble(
            derive(chain(known, items), start, recall),
            agent=file.agent,
            session=file.session,
            trajectory=file.trajectory,
            subagent=file.subagent,
            start=start.ordinal + start.added,
            place=_placing(territory, excluded),
            relative=territory.relative,
            outside=Outside(territory).reads,
            skip=skip,
        )

    try:
        log = read(cursor)
    except FormatError:
        if cursor.offset == 0:
            raise
        log = read(Cursor())
    if file.changed is not None or _reader(file.path, file.format) is None:  # others write to a store
        size, written = file.changed or size, _last_event(log) or written
    age = now - written
    return replace(log, quiet=age >= RESTS and _ends_with_message(log)), size, age


def _ends_with_message(log: Log) -> bool:
    """Whether a log, which does not mark the ends of turns, ends with a message."""
    last = log.entries[-1].event if log.entries else None
    return isinstance(last, Message) and not log.fact("turns")


def _placing(territory: RepoPaths, excluded: Callable[[str], bool] | None) -> Callable[[Entry], Place]:
    """A function that says where an entry worked; ``excluded`` paths count as elsewhere."""

    def place(entry: Entry) -> Place:
        if excluded and any(map(excluded, territory.touched(entry))):
            return "elsewhere"
        return cast(Place, territory.place(entry))

    return place


def _last_event(log: Log) -> float | None:
    """When the latest of the last events was, in seconds since the epoch; None if none has a time."""
    times = [seconds(entry.event.ts) for entry in log.entries[-_LAST:]]
    return max((at for at in times if at is not None), default=None)


def read_items(file: SessionFile, start: Cursor = START) -> Iterator[Item]:
    """The items that a reader yields for a session. Raises FormatError, OSError."""
    with _isolate_failure(file.path):
        reader = _reader(file.path, file.format)
        if reader is not None:
            with file.path.open("rb") as stream:
                stem = file.path.stem if file.subagent else file.session
                yield from reader.read(stream, session=stem, cursor=start)
            return
        store = store_of(file.format) if file.format else detect_store(file.path)
        if store is None:
            raise FormatError(f"{file.path}: {_describe(file.path)}")
        yield from store.read(file.path, file.session)


@contextmanager
def _isolate_failure(path: Path) -> Iterator[None]:
    """If a reader fails on a log, that log counts as unreadable, and the other logs are still read."""
    try:
        yield
    except (OSError, TrajError):
        raise
    except Exception as error:  # noqa: BLE001 - a reader's mistake over one log must not stop the others
        # without its cause, whose message may quote the log
        raise FormatError(f"{path}: its reader failed: {type(error).__name__}", "report it") from None


def end_of(path: Path) -> int:
    """The position at which a log ends now, in the unit of an entry's ``end``: bytes, or in a store, whose
    sessions are interleaved, milliseconds since 1970. Raises OSError."""
    if path.is_dir():
        return int(time.time() * 1000)
    with path.open("rb") as stream:
        database = stream.read(len(_DATABASE)) == _DATABASE
    return int(time.time() * 1000) if database else path.stat().st_size


def _reader(path: Path, form: str | None) -> Reader | None:
    """The reader of a file; None for a store, and for a file that is not a log."""
    if form is not None:
        return None if is_store(form) else reader_of(form)
    if path.is_dir():
        return None
    with path.open("rb") as stream:
        return detect(stream.read(HEAD))


def _describe(path: Path) -> str:
    if path.is_dir():
        return "no sessions in this folder"
    with path.open("rb") as stream:
        return describe(stream.read(HEAD))


def _allowed(items: Iterable[Item], off: Away, written: float, *, untitled: bool) -> Iterator[Item]:
    """The items without entries written while git-traj was off. After the first such entry (if ``untitled``,
    from the start), also without the title, which may reveal them. An entry without a time has the time of
    the one before it; the first has ``written``."""
    at = written
    for item in items:
        if isinstance(item, Entry):
            at = seconds(item.event.ts) or at
            if _is_away(item, off, at):
                if not untitled:
                    yield Fact(name=_PAUSED, value="yes")
                untitled = True
                continue
        elif untitled and isinstance(item, Fact) and item.name == "title":
            continue
        yield item


def _is_away(entry: Entry, off: Away, at: float) -> bool:
    written = any(
        span.start < entry.end and (span.end is None or entry.end <= span.end) for span in off.spans
    )
    return written or any(pause.covers(at) for pause in off.pauses)
