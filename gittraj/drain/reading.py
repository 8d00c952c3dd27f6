"""Opens a session's log and reads what is new in it, as ``capture`` wants it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

from gittraj.agents import SessionFile
from gittraj.capture.session import Log, Place, assemble
from gittraj.capture.state import Span
from gittraj.config import Config
from gittraj.drain.territory import Territory
from gittraj.errors import FormatError
from gittraj.formats import FORMATS, HEAD, Reader, detect
from gittraj.log import Cursor, Entry, Fact, Item
from gittraj.model import Message

RESTS = 3.0
"""Seconds without growth after which a last message without a call ends its turn."""
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


def recognise(path: Path) -> tuple[str | None, str]:
    """The agent that wrote a log, decided on its content, and the session that its name gives."""
    with path.open("rb") as stream:
        reader = detect(stream.read(HEAD))
    named = _UUID.search(path.stem)
    return (reader.agent if reader else None), named[0] if named else path.stem


def read_log(
    file: SessionFile,
    cursor: Cursor,
    *,
    facts: Mapping[str, Sequence[str]],
    territory: Territory,
    config: Config,
    off: Sequence[Span] = (),
    skip: Collection[str] = (),
    now: float,
) -> tuple[Log, int, float]:
    """What stands in the log from the cursor on, the log's size in bytes, and the seconds since it grew.

    ``facts`` are those that stand above the cursor, ``skip`` events that are another trajectory's. A log
    that was rewritten above the cursor is read from its start. Raises FormatError when the log has no
    known format, OSError when it cannot be read.
    """
    status = file.path.stat()

    def place(entry: Entry) -> Place:
        if config.exclude and any(
            config.excludes(agent=file.agent, path=path) for path in territory.touched(entry)
        ):
            return "elsewhere"
        return cast(Place, territory.place(entry))

    def read(start: Cursor) -> Log:
        with file.path.open("rb") as stream:
            reader = FORMATS.get(file.agent) or _detected(stream)
            stem = file.path.stem if file.subagent else file.session
            known = [Fact(name=name, value=value) for name, values in facts.items() for value in values]
            items = reader.read(stream, session=stem, cursor=start)
            return assemble(
                [*known, *_allowed(items, off)],
                agent=file.agent,
                session=file.session,
                trajectory=file.trajectory,
                subagent=file.subagent,
                start=start.ordinal,
                place=place,
                relative=territory.relative,
                skip=skip,
            )

    try:
        log = read(cursor)
    except FormatError:
        if cursor.offset == 0:
            raise
        log = read(Cursor())
    age = now - status.st_mtime
    last = log.entries[-1].event if log.entries else None
    return replace(log, quiet=isinstance(last, Message) and age >= RESTS), status.st_size, age


def _detected(stream: BinaryIO) -> Reader:
    reader = detect(stream.read(HEAD))
    if reader is None:
        raise FormatError(f"{stream.name}: not the log of a session")
    return reader


def _allowed(items: Iterable[Item], off: Sequence[Span]) -> Iterator[Item]:
    """Without what was written while switched off, nor a title that may tell of it."""
    for item in items:
        if off and isinstance(item, Fact) and item.name == "title":
            continue
        if isinstance(item, Entry) and any(
            span.start < item.end and (span.end is None or item.end <= span.end) for span in off
        ):
            continue
        yield item
