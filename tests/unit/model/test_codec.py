"""Canonical JSON: what is written is read back, with fields of later versions and with damaged lines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.errors import FormatError
from gittraj.model.codec import (
    SEGMENT_LIMIT,
    camel,
    decode_line,
    decode_note,
    decode_segment,
    dump,
    encode_line,
    encode_note,
    encode_segments,
    event_from_json,
    event_to_json,
    from_json,
    segment_path,
    to_json,
)
from gittraj.model.values import (
    AnyEvent,
    Decided,
    Decision,
    ForeignLine,
    Line,
    Link,
    Message,
    NoteEvent,
    Origin,
    PartSummary,
    PeerMessage,
    Range,
    Record,
    SessionInfo,
    Summary,
    Thinking,
    Tombstone,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.unit.strategies import EVENTS, events, jsons, values_of

LINES = values_of(Record) | values_of(Tombstone)


@given(LINES)
def test_a_line_is_read_as_it_was_written(line: Line) -> None:
    text = encode_line(line)
    assert b"\n" not in text
    assert decode_line(text) == line
    assert encode_line(decode_line(text)) == text


@pytest.mark.parametrize("cls", EVENTS, ids=lambda cls: cls.__name__)
@given(data=st.data())
def test_an_event_is_read_as_it_was_written(cls: type, data: st.DataObject) -> None:
    event = data.draw(values_of(cls))
    written = dump(event_to_json(event))
    read = event_from_json(json.loads(written))
    assert read == event
    assert type(read) is type(event)
    assert dump(event_to_json(read)) == written


@given(LINES, st.randoms(use_true_random=False))
def test_canonical_bytes_do_not_depend_on_the_order_or_spaces_of_the_source(line: Line, random: Any) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            pairs = list(value.items())
            random.shuffle(pairs)
            return {key: shuffled(inner) for key, inner in pairs}
        return [shuffled(inner) for inner in value] if isinstance(value, list) else value

    text = encode_line(line)
    other = json.dumps(shuffled(json.loads(text)), indent=random.randrange(3), ensure_ascii=True)
    assert encode_line(decode_line(other.encode())) == text


@given(LINES, st.dictionaries(st.text("xyz", min_size=2, max_size=3), jsons(), max_size=3))
def test_fields_of_a_later_version_survive(line: Line, later: dict[str, Any]) -> None:
    value = json.loads(encode_line(line)) | later
    assert json.loads(encode_line(decode_line(dump(value)))) == value


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"type": "tool_call", "tool": {"name": "sh", "sandbox": {"id": 1}}}, id="in a tool"),
        pytest.param({"type": "tool_call", "tool": {"name": "sh", "id": "x"}}, id="named like an outer one"),
        pytest.param({"type": "tool_result", "result": {"callId": "c", "signal": 9}}, id="in a result"),
        pytest.param({"type": "thinking", "sealed": {"bytes": 3, "readers": ["r"]}}, id="in a seal"),
        pytest.param({"type": "prompt", "kind": "slash", "direction": "in"}, id="another type's field"),
        pytest.param({"type": "prompt", "tool": {"name": "sh"}, "sealed": {"bytes": 1}, "": 0}, id="objects"),
        pytest.param({"type": "hologram", "kind": "k", "tool": {"name": "sh"}, "x": None}, id="a type"),
        pytest.param({"type": "note", "direction": "up"}, id="in a remark"),
        pytest.param({"type": "message_sent", "kind": "k"}, id="in a peer message"),
    ],
)
def test_fields_of_a_later_version_survive_in_events_at_their_position(value: dict[str, Any]) -> None:
    value = {"id": "e", **value}
    event = event_from_json(value)
    assert event.id == "e"
    assert event_to_json(event) == value


def test_the_json_of_a_record_for_other_tools() -> None:
    record = Record(
        id="traj_a",
        range=Range(first="1.0", last="9.0", n=9, at=0),
        link=Link(evidence="agent", carried_from=("b" * 40,)),
        origin=Origin(commit="a" * 40, patch_id="c" * 40),
        figures=PartSummary(
            prompt="Fix it – bitte",
            summary=Summary(text="Fixed.", by="agent"),
            usage=Usage(input_tokens=5),
            decisions=(Decision(chosen="A", by="inferred", alternatives=("B",)),),
        ),
        whole=SessionInfo(title="T", models=("m",)),
        extra={"laterField": [1, None]},
    )
    assert encode_line(record).decode() == (
        '{"decisions":[{"alternatives":["B"],"by":"inferred","chosen":"A"}],"id":"traj_a","laterField":[1,null],'
        f'"link":{{"carriedFrom":["{"b" * 40}"],"evidence":"agent"}},"models":["m"],'
        f'"origin":{{"commit":"{"a" * 40}","patchId":"{"c" * 40}"}},"prompt":"Fix it – bitte",'
        '"range":{"at":0,"first":"1.0","last":"9.0","n":9},"rev":1,'
        '"summary":{"by":"agent","text":"Fixed."},"title":"T","usage":{"inputTokens":5},"v":1}'
    )


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (
            ToolCall(id="e", name="sh", arguments={"command": "ls"}, call_id="c"),
            {"type": "tool_call", "tool": {"name": "sh", "arguments": {"command": "ls"}, "callId": "c"}},
        ),
        (
            ToolResult(id="e", call_id="c", exit_code=0, is_error=True, content="out"),
            {
                "type": "tool_result",
                "content": "out",
                "result": {"callId": "c", "exitCode": 0, "isError": True},
            },
        ),
        (Thinking(id="e", sealed_bytes=7), {"type": "thinking", "sealed": {"bytes": 7}}),
        (NoteEvent(id="e", kind="finding"), {"type": "finding"}),
        (PeerMessage(id="e", direction="received"), {"type": "message_received"}),
        (
            Decided(id="e", decision=Decision(chosen="x", by="agent")),
            {"type": "decision", "decision": {"chosen": "x", "by": "agent"}},
        ),
    ],
)
def test_the_json_of_an_event_for_other_tools(event: AnyEvent, expected: dict[str, Any]) -> None:
    assert event_to_json(event) == {"id": "e", **expected}


RECORD = b'{"id":"t","link":{"evidence":"agent"}'


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"Reviewed-by: somebody", "note: not JSON"),
        (b'{"id":"t","li', "note: not JSON"),
        (b"\xff\xfe{}", "note: not JSON"),
        (b"[" * 50_000, "note: not JSON"),
        (b"[" * 100_000, "larger than 64 kB"),
        (b"9" * 5_000, "note: not JSON"),
        (b"[]", "not a record"),
        (b'{"v":1}', "not a record"),
        (b'{"id":7}', "not a record"),
        (b'{"id":"t"}', "link: missing"),
        (b'{"id":"t","link":{"evidence":7}}', "link.evidence: expected one of"),
        (b'{"id":"t","deleted":"unlink","scope":"forever"}', "scope: expected one of"),
        (b'{"id":"t","link":[]}', "link: expected an object, found a list"),
        (RECORD + b',"range":{"first":"a","last":"b","n":"2"}}', "range.n: expected a whole number"),
        (RECORD + b',"range":{"first":"a","last":"b","n":true}}', "range.n: expected a whole number"),
        (RECORD + b',"files":[{"path":"a"},{}]}', "files[1].path: missing"),
        (RECORD + b',"seals":{"reader":"header"}}', "seals.reader: expected a list"),
        (RECORD + b',"costUsd":NaN}', "note: not JSON"),
        (RECORD + b',"later":[1e999]}', "note: not JSON"),
        (b'{"id":"t","deleted":1}', "deleted: expected a string"),
    ],
)
def test_a_damaged_line_is_kept_byte_for_byte_with_the_reason(line: bytes, why: str) -> None:
    read = decode_line(line)
    assert isinstance(read, ForeignLine)
    assert read.why.startswith(why)
    assert encode_line(read) == line


@given(st.binary(max_size=40) | LINES.map(encode_line), st.data())
def test_no_line_raises_and_every_line_that_was_read_can_be_written(line: bytes, data: st.DataObject) -> None:
    if line and data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(line) - 1))
        line = line[:at] + data.draw(st.binary(max_size=3)) + line[at + data.draw(st.integers(0, 3)) :]
    encode_note(decode_note(line))
    encode_line(decode_line(line))


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    record = decode_line(RECORD + rb',"title":"a\ud83d"}')
    assert json.loads(encode_line(record))["title"] == "a�"
    assert json.loads(encode_line(decode_line(RECORD + rb',"title":"\ud83d\ude00"}')))["title"] == "😀"


@given(st.lists(LINES, max_size=4))
def test_a_note_is_sorted_lines_each_once(lines: list[Line]) -> None:
    body = encode_note(lines + lines)
    assert encode_note(reversed(lines)) == body
    assert body.splitlines() == sorted(set(body.splitlines()))
    assert encode_note(decode_note(b"\n  \n" + body + body)) == body


@given(st.lists(events(), max_size=8), st.integers(0, 10**7), st.integers(1, 2_000))
def test_segments_have_every_event_in_order(stored: list[AnyEvent], start: int, limit: int) -> None:
    placed = [(start + i, event) for i, event in enumerate(stored)]
    segments = encode_segments(placed, limit=limit)
    assert segments == encode_segments(placed, limit=limit)
    assert [e for name, body in segments for e in decode_segment(body, name)] == stored
    at = start
    for name, body in segments:
        assert int(name.partition("-")[0]) == at
        count = body.count(b"\n")
        assert len(body) <= limit or count == 1
        at += count


def test_more_than_a_megabyte_is_split() -> None:
    message = Message(id="e", content="x" * 300_000)
    segments = encode_segments((i, message) for i in range(10))
    assert [name[:7] for name, _ in segments] == ["000000-", "000003-", "000006-", "000009-"]
    assert max(len(body) for _, body in segments) <= SEGMENT_LIMIT


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"id":"e"}', "s:2.type: missing"),
        (b'{"type":"prompt"}', "s:2.id: missing"),
        (b'{"type":"tool_call","id":"e","tool":"sh"}', "s:2.tool: expected an object, found a string"),
        (b'{"type":"tool_result","id":"e","result":5}', "s:2.result: expected an object"),
        (b'{"type":"thinking","id":"e","sealed":true}', "s:2.sealed: expected an object"),
        (b"[1]", "s:2.type: missing"),
        (b"{", "s:2: not JSON"),
    ],
)
def test_a_damaged_segment_names_its_line(line: bytes, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        list(decode_segment(b'{"id":"a","type":"prompt"}\n' + line, "s"))
    assert caught.value.message.startswith(message)


def test_the_path_of_a_segment_is_below_that_of_its_trajectory() -> None:
    assert segment_path("traj_a", "000000-12345678") == "s/f8/traj_a/000000-12345678"


def test_names_are_in_camel_case() -> None:
    assert [camel(n) for n in ("id", "cache_read_tokens")] == ["id", "cacheReadTokens"]


def test_defaults_are_left_out_except_version_and_revision() -> None:
    assert to_json(Record(id="t", link=Link(evidence="output"))) == {
        "v": 1,
        "rev": 1,
        "id": "t",
        "link": {"evidence": "output"},
    }
    assert from_json(Usage, {"inputTokens": None}) == Usage()


def test_a_word_of_a_later_version_keeps_the_record_and_its_bytes() -> None:
    line = (
        b'{"figures2":1,"files":[{"kind":"copy","path":"a"}],"id":"t","link":{"evidence":"order"},"rev":1,'
        b'"role":"reviewed","thinking":"shredded","v":1}'
    )
    read = decode_line(line)
    assert isinstance(read, Record)
    assert (read.link.evidence, read.role, read.figures.thinking) == ("order", "reviewed", "shredded")
    assert encode_line(read) == line
