"""Reads the events of a trajectory's parts from their segments, as ``chapters`` in docs/json.md.

A part's record names the segments with its events, and the segments of earlier parts that wrote files of its
commit. A missing segment is reported, never fatal: the record is still shown. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import field
from itertools import chain
from typing import Any

from gittraj.errors import FormatError, GitError, TrajError
from gittraj.events.part_summary import shorten
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.model.codec import decode_segment, event_to_json, segment_path
from gittraj.model.header import Header
from gittraj.model.values import (
    AnyEvent,
    Decided,
    Event,
    NoteEvent,
    PeerMessage,
    Prompt,
    Record,
    RetrospectiveEvent,
    SegmentRef,
    Thinking,
    ToolCall,
    ToolResult,
)
from gittraj.notes.merge import records_on
from gittraj.notes.store import DataRefs, NotesRef
from gittraj.seal.events import Opener, open_events

TITLE_LIMIT = 80
EARLIER = "Earlier in the session, for this commit"

_ONLY = {
    "tool": ToolCall,
    "result": ToolResult,
    "sealed": Thinking,
    "decision": Decided,
    "retrospective": RetrospectiveEvent,
    "recipient": PeerMessage,
}
"""The event type that each field belongs to: a later version may use the field differently in other types."""
_TOOL = {"name": None, "arguments": None, "callId": None}
_RESULT = {"callId": None, "exitCode": None, "isError": False, "truncated": False, "bytes": None}


@dataclass(slots=True)
class Segments:
    """Reads segments; ``missing`` collects the segments that could not be read, and ``months`` their months.
    ``opener`` decrypts sealed thinking."""

    repository: Repository
    opener: Opener | None = None
    missing: list[str] = field(default_factory=list)
    months: set[str] = field(default_factory=set)

    def read(self, trajectory: str, refs: Iterable[SegmentRef]) -> Iterator[AnyEvent]:
        data = DataRefs(self.repository)
        for ref in refs:
            path = segment_path(trajectory, ref.name)
            try:
                body = data.read(ref.month, path)
                if body is None:
                    self.months.add(ref.month)
                    self.missing.append(f"{data.prefix}{ref.month}:{path}")
                else:
                    yield from decode_segment(body, path)
            except (GitError, FormatError) as error:
                self.months.add(ref.month)
                self.missing.append(f"{data.prefix}{ref.month}:{path} ({error.message})")


def read_chapters(segments: Segments, records: Sequence[Record], header: Header) -> list[Header]:
    """Return the chapters of these parts, in the order of the log, each event once; a chapter begins at each
    prompt and at each chapter mark of the author."""
    refs = [ref for record in records for ref in record.segments]
    recorded = list(segments.read(header["id"], dict.fromkeys(refs)))
    if segments.opener is not None:
        # done before events that two parts share are dropped: a seal opens only with all of its events
        seals = {name: headers for record in records for name, headers in record.seals.items()}
        recorded = open_events(header["id"], recorded, seals, segments.opener)
    events = {event.id: event for event in recorded}
    chapters: list[list[AnyEvent]] = []
    for event in events.values():
        if isinstance(event, Prompt) or _begins_chapter(event) or not chapters:
            chapters.append([])
        chapters[-1].append(event)
    return [_chapter(chapter, header) for chapter in chapters]


def read_earlier(
    segments: Segments, records: Sequence[Record], header: Header, *, files: Set[str], known: Set[str]
) -> Header | None:
    """Return a chapter of the calls of earlier parts that wrote ``files``, with their results, or None.
    Statistics count them only in their own part. ``known`` are the ids of events that are already shown."""
    refs = dict.fromkeys(chain.from_iterable(record.also for record in records))
    events = [e for e in segments.read(header["id"], refs) if e.id not in known]
    earlier = {e.id: e for e in _select_calls(events, files)}
    return _chapter(list(earlier.values()), header) | {"title": EARLIER} if earlier else None


def _writes(call: ToolCall, files: Set[str]) -> bool:
    return any(file.path in files for file in call.files)


def _select_calls(events: Sequence[AnyEvent], files: Set[str]) -> list[AnyEvent]:
    """Return the calls that wrote one of ``files``, and their results."""
    calls = [call for call in events if isinstance(call, ToolCall) and _writes(call, files)]
    ids, answered = {call.id for call in calls}, {call.call_id for call in calls} - {None, ""}
    return [e for e in events if e.id in ids or (isinstance(e, ToolResult) and e.call_id in answered)]


def event_to_document(event: AnyEvent, agent: str | None) -> Header:
    """Return an event as an EVENT object (see docs/json.md)."""
    fields = {k: v for k, v in event_to_json(event).items() if isinstance(event, _ONLY.get(k, Event))}
    defaults: dict[str, Any] = {
        "id": event.id,
        "ts": None,
        "type": fields["type"],
        # the sender of a received message is not this trajectory's agent
        "agent": None if fields["type"] == "message_received" else agent,
        "content": "",
    }
    if "tool" in fields:
        fields["tool"] = _TOOL | fields["tool"]
    if fields["type"] == "tool_result":
        fields["result"] = _RESULT | fields.get("result", {})
    if "sealed" in fields:
        fields["sealed"] = {key: fields["sealed"].get(key) for key in ("bytes", "name")}
    if "files" in fields:
        fields["files"] = [{"path": f.path, "kind": f.kind} for f in event.files]
    return defaults | fields


def _begins_chapter(event: AnyEvent) -> bool:
    return isinstance(event, NoteEvent) and event.kind == "chapter"


def _chapter(events: Sequence[AnyEvent], header: Header) -> Header:
    first = events[0]
    titled = isinstance(first, Prompt) or _begins_chapter(first)
    prompt = first.content if titled else header["prompt"] or header["title"]
    line = next(filter(None, map(str.strip, (prompt or "").splitlines())), "")
    received = isinstance(first, PeerMessage) and first.direction == "received"
    times = sorted(filter(None, (event.ts for event in events)))
    return {
        "id": first.id,
        "title": shorten(line, TITLE_LIMIT),
        "agentName": (None if received else first.agent) or header["agent"],
        "startedAt": min(times, default=None),
        "endedAt": max(times, default=None),
        "events": [event_to_document(event, header["agent"]) for event in events],
    }


def read_seal(repository: Repository, name: str) -> bytes:
    """Return the seal whose name has this prefix. Raises TrajError unless there is exactly one, and this
    clone has its text."""
    sealed = _find_sealed(repository, name)
    if len(sealed) != 1:
        what = "is ambiguous: several seals have names that start with it" if sealed else "matches no seal"
        raise TrajError(f"'{name}' {what}", "git traj show --json lists the seals of events")
    ((seal, record),) = sealed.items()
    segments = Segments(repository)
    for event in segments.read(record.id, record.segments):
        if isinstance(event, Thinking) and event.seal == seal and event.payload:
            return record.seals[seal][0].encode() + event.payload
    raise TrajError(f"the text of seal {seal} is not in this clone", "git traj fetch")


def _find_sealed(repository: Repository, prefix: str) -> dict[str, Record]:
    """Return the latest record of each seal whose name has this prefix."""
    latest: dict[str, Record] = {}
    for commit, body in NotesRef(repository).items():
        for record in records_on(commit, body) if b'"seals"' in body else ():
            for seal in record.seals:
                if seal.startswith(prefix) and record.rev >= latest.setdefault(seal, record).rev:
                    latest[seal] = record
    return latest
