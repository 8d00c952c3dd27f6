"""Reads agent-trace: which lines of which files an agent wrote, as one record or as JSON Lines of records, in
the dialects that exist (https://agent-trace.dev; ``trail``'s traces; the flat lines of some hooks).

A record has no messages: each of its files becomes an event that names the lines. The records of one session
become one trajectory; a record that does not name a session becomes a separate one. Invalid ranges are left
out and counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gittraj.errors import FormatError
from gittraj.formats.base import carried, coerce, document, lines
from gittraj.formats.base.document import peek, read_head
from gittraj.formats.base.lines import Fragment, Lines
from gittraj.formats.base.position import facts
from gittraj.model.session_items import Damage, Entry, Fact, Item, TurnEnd
from gittraj.model.values import FileTouched, Foreign

name = "agent-trace"
agent = "agent-trace"

_FLAT = "agent-trace/"
_PSEUDO = frozenset((".sessions", ".shell-history"))
"""Names that are not files: with them the reference hook notes that a session began or a command ran."""
_TYPE = "attribution"


def detect(path: Path) -> bool:
    """Whether the file at ``path`` begins with a record, and is not the trace of a trajectory next to it."""
    stem = path.name.removesuffix(".trace.json")
    trajectories = (path.parent / stem / "trajectory.json", path.parent / f"{stem}.json")
    head = read_head(path)
    try:
        if not head or (stem != path.name and any(file.exists() for file in trajectories)):
            return False
    except OSError:
        return False
    objects = lines.head(head, 3) or [coerce.mapping(peek(head))]
    return all(_is_record(record) for record in objects)


def _is_record(record: dict[str, Any]) -> bool:
    if str(record.get("schema", "")).startswith(_FLAT):
        return "file_path" in record
    files = record.get("files")
    first = coerce.mapping(files[0]) if isinstance(files, list) and files else {}
    return "version" in record and "timestamp" in record and (files == [] or "conversations" in first)


def sessions(path: Path) -> Iterator[str]:
    """The sessions' ids, in the order in which they first appear. Raises OSError."""
    yield from dict.fromkeys(_session(record) for record in _records(path) if not isinstance(record, Damage))


def read(path: Path, session: str) -> Iterator[Item]:
    end = path.stat().st_size
    reported = False
    for record in _records(path):
        if isinstance(record, Damage):
            yield record
        elif _session(record) == session:
            if not reported:
                yield from _facts(record, session)
            reported = True
            yield from _flat(record, end) if "file_path" in record else _items(record, end)
    if not reported:
        raise FormatError(f"{path} contains no session {session}", hint="list its sessions again")
    yield TurnEnd(end=end)


def _records(path: Path) -> Iterator[dict[str, Any] | Damage]:
    with path.open("rb") as stream:
        value, _ = document.load(stream)
        if isinstance(value, dict) and _is_record(value):
            yield value
            return
        stream.seek(0)
        for fragment in Lines(stream, trusted=frozenset(("timestamp",))):
            if isinstance(fragment, Fragment) and _is_record(fragment.value):
                yield fragment.value
            elif isinstance(fragment, Damage):
                yield fragment


def _session(record: dict[str, Any]) -> str:
    """The record's session; else the trajectory whose trace it is; else its own id."""
    named = coerce.either(record.get("session_id"), coerce.at(record, "metadata", "session_id"))
    trace = coerce.text(record.get("trajectory"))
    return named or (f"trace of {trace}" if trace else None) or coerce.text(record.get("id")) or "unknown"


def _facts(record: dict[str, Any], session: str) -> Iterator[Fact]:
    yield from facts(
        session=session,
        title="Lines that an agent wrote",
        agent_version=coerce.text(coerce.at(record, "tool", "version")),
        started_at=coerce.stamp(record.get("timestamp")),
        start_commit=_revision(record),
    )
    yield from carried.parent(record.get("trajectory"))


def _revision(record: dict[str, Any]) -> str | None:
    if revision := coerce.text(coerce.at(record, "vcs", "revision")):
        return revision
    ranges = (
        item
        for file in coerce.objects(record.get("files"))
        for conversation in coerce.objects(file.get("conversations"))
        for item in coerce.objects(conversation.get("ranges"))
    )
    return next((commit for item in ranges if (commit := coerce.text(item.get("revision")))), None)


def _items(record: dict[str, Any], end: int) -> Iterator[Item]:
    record_id, ts = coerce.text(record.get("id")) or "record", coerce.stamp(record.get("timestamp"))
    for number, file in enumerate(coerce.objects(record.get("files"))):
        path = _path(file.get("path"))
        if path is None or path in _PSEUDO:
            continue
        for ordinal, conversation in enumerate(coerce.objects(file.get("conversations"))):
            ranges, invalid = _ranges(conversation.get("ranges"))
            if invalid:
                yield Damage(at=end, why=f"{invalid} invalid ranges of lines")
            if ranges:
                model = _model(conversation)
                if model:
                    yield Fact(name="model", value=model)
                event_id = f"{record_id}:{number}.{ordinal}"
                raw = {key: value for key, value in conversation.items() if key != "ranges"}
                yield _entry(event_id, path, ranges, end, ts=ts, model=model, raw=raw)


def _model(conversation: dict[str, Any]) -> str | None:
    model = coerce.first(conversation.get("contributor"), "model_id", "model")
    return None if model == "unknown" else model


def _flat(record: dict[str, Any], end: int) -> Iterator[Item]:
    path = _path(record.get("file_path"))
    ranges, invalid = _ranges([record])
    if path is None or invalid:
        yield Damage(at=end, why="an invalid range of lines")
        return
    call = coerce.text(record.get("tool_use_id")) or "line"
    stamp = coerce.stamp(record.get("timestamp"))
    raw = {key: record[key] for key in ("tool", "confidence", "tool_use_id") if key in record}
    yield _entry(f"{call}:{path}:{ranges}:{stamp}", path, ranges, end, ts=stamp, raw=raw)


def _entry(event_id: str, path: str, ranges: str, end: int, **fields: Any) -> Entry:
    files = (FileTouched(path=path),) if carried.is_inside(path) else ()
    content = f"{path}:{ranges}"
    return Entry(
        event=Foreign(id=event_id, type=_TYPE, content=content, files=files, **fields), end=end, paths=(path,)
    )


def _path(value: Any) -> str | None:
    path = coerce.text(value)
    return path.replace("\\", "/") if path else None


def _ranges(value: Any) -> tuple[str, int]:
    """Return the valid ranges as text, such as ``1-4,9``, and the number of invalid ranges."""
    ranges = coerce.objects(value)
    pairs = [(coerce.number(item.get("start_line")), coerce.number(item.get("end_line"))) for item in ranges]
    valid = [(first, last) for first, last in pairs if first and last and 0 < first <= last]
    text = ",".join(f"{first}-{last}" if first != last else str(first) for first, last in valid)
    return text, len(pairs) - len(valid)
