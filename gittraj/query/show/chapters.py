"""The events of a trajectory's parts, read from their segments, as chapters of docs/json.md.

Events come by reference: a part names its segments, and those of earlier parts that wrote files of its
commit. A missing segment is reported, never fatal: the record is still shown. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import field
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
"""The event type that each field belongs to: in other types, of a later version, it could be anything."""
_TOOL = {"name": None, "arguments": None, "callId": None}
_RESULT = {"callId": None, "exitCode": None, "isError": False, "truncated": False, "bytes": None}


@dataclass(slots=True)
class Segments:
    """Reads segments; ``missing`` collects those that could not be read, ``months`` their months. ``opener``
    decrypts sealed thinking."""

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
    """The chapters of these parts, in the order of the log, each event once, split at each prompt and at
    the author's chapter marks."""
    refs = [ref for record in records for ref in record.segments]
    recorded = list(segments.read(header["id"], dict.fromkeys(refs)))
    if segments.opener is not None:
        # before duplicates of two parts are dropped: a seal opens only with all of its events
        seals = {name: headers for record in records for name, headers in record.seals.items()}
        recorded = open_events(header["id"], recorded, seals, segments.opener)
    events = {event.id: event for event in recorded}
    chapters: list[list[AnyEvent]] = []
    for event in events.values():
        if isinstance(event, Prompt) or _begins_chapter(event) or not chapters:
            chapters.append([])
        chapters[-1].append(event)
    return [_chapter(found, header) for found in chapters]


def read_earlier(
    segments: Segments, records: Sequence[Record], header: Header, *, files: Set[str], known: Set[str]
) -> Header | None:
    """A chapter of the calls of earlier parts that wrote ``files``, with their results; None without any.
    They are counted in their own part. ``known`` are the ids of the events shown already."""
    refs = [ref for record in records for ref in record.also]
    events = [e for e in segments.read(header["id"], dict.fromkeys(refs)) if e.id not in known]
    calls = [e for e in events if isinstance(e, ToolCall) and not files.isdisjoint(f.path for f in e.files)]
    ids, answered = {call.id for call in calls}, {call.call_id for call in calls} - {None, ""}
    found = {e.id: e for e in events if e.id in ids or (isinstance(e, ToolResult) and e.call_id in answered)}
    return _chapter(list(found.values()), header) | {"title": EARLIER} if found else None


def spell_event(event: AnyEvent, agent: str | None) -> Header:
    """An EVENT of docs/json.md."""
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
    times = sorted(event.ts for event in events if event.ts)
    return {
        "id": first.id,
        "title": shorten(line, TITLE_LIMIT),
        "agentName": (None if received else first.agent) or header["agent"],
        "startedAt": times[0] if times else None,
        "endedAt": times[-1] if times else None,
        "events": [spell_event(event, header["agent"]) for event in events],
    }


def read_seal(repository: Repository, name: str) -> bytes:
    """The seal whose name has this prefix. Raises TrajError unless there is exactly one, and it is here."""
    found: dict[str, Record] = {}
    for commit, body in NotesRef(repository).items():
        for record in records_on(commit, body) if b'"seals"' in body else ():
            for seal in record.seals:
                if seal.startswith(name) and record.rev >= found.setdefault(seal, record).rev:
                    found[seal] = record
    if len(found) != 1:
        what = "is ambiguous: several seals have names that start with it" if found else "is not a seal here"
        raise TrajError(f"'{name}' {what}", "git traj show --json lists the seals of events")
    ((seal, record),) = found.items()
    segments = Segments(repository)
    for event in segments.read(record.id, record.segments):
        if isinstance(event, Thinking) and event.seal == seal and event.payload:
            return record.seals[seal][0].encode() + event.payload
    raise TrajError(f"the text of seal {seal} is not here", "git traj fetch")
