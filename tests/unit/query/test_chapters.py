"""Events in the form that docs/json.md describes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from gittraj.decisions.wording import parse_event
from gittraj.model.codec import event_from_json
from gittraj.model.values import AnyEvent, Link, Record, SegmentRef, Thinking, ToolResult
from gittraj.query.show.chapters import event_to_document, read_chapters
from gittraj.seal.events import seal_events


def test_a_result_without_details_has_default_values() -> None:
    bare = event_from_json({"id": "e", "type": "tool_result", "content": "out"})
    assert isinstance(bare, ToolResult)
    nothing = {"callId": None, "exitCode": None, "isError": False, "truncated": False}
    assert nothing.items() <= event_to_document(bare, None)["result"].items()


def test_a_received_message_is_credited_to_its_sender() -> None:
    """It is not credited to the agent of the session whose log has it."""
    named = event_from_json({"id": "e", "type": "message_received", "content": "Go on", "agent": "lead"})
    assert event_to_document(named, "codex")["agent"] == "lead"
    assert event_to_document(replace(named, agent=None), "codex")["agent"] is None
    sent = event_from_json({"id": "e", "type": "message_sent", "content": "Go on"})
    assert event_to_document(sent, "codex")["agent"] == "codex"
    data = {"content": "Go on", "from": "lead", "agentName": "worker"}
    received = parse_event("message_received", data, by="agent", id="e")
    assert (received.agent, received.content) == ("lead", "Go on")


class _Plain:
    """Seals without encryption, and opens a seal only for exactly the events that were sealed."""

    def seal(self, _: str, texts: Mapping[str, str]) -> tuple[str, bytes]:
        return "header", repr(dict(texts)).encode()

    def open(
        self, _: str, events: Collection[str], headers: Sequence[str], payload: bytes
    ) -> Mapping[str, str] | None:
        texts: dict[str, str] = eval(payload)
        return texts if headers and texts.keys() == set(events) else None


def test_seals_of_parts_that_share_events_are_all_opened() -> None:
    thoughts = [Thinking(id=f"t{n}", content=f"thought {n}") for n in range(3)]
    stored: dict[SegmentRef, Sequence[AnyEvent]] = {}
    records = []
    for part in (thoughts, thoughts[1:]):
        ref = SegmentRef(name=part[0].id, month="2026-01", bytes=1, sha256="")
        stored[ref], seals = seal_events("traj_a", part, _Plain().seal)
        records.append(Record(id="traj_a", link=Link(evidence="manual"), segments=(ref,), seals=seals))

    def read(_: str, refs: Iterable[SegmentRef]) -> Iterator[AnyEvent]:
        return (event for ref in refs for event in stored[ref])

    header: dict[str, Any] = {"id": "traj_a", "prompt": None, "title": None, "agent": None}
    segments = cast(Any, SimpleNamespace(opener=_Plain(), read=read))
    (chapter,) = read_chapters(segments, records, header)
    assert [event["content"] for event in chapter["events"]] == ["thought 0", "thought 1", "thought 2"]
