"""Lists of chat messages, and datasets of them: each peculiarity of the format in a few messages."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.errors import FormatError
from gittraj.formats import detect
from gittraj.formats.openai import dataset as openai_dataset
from gittraj.formats.openai import messages as openai_messages
from gittraj.model.session_items import Entry, Fact, Item, Spent, TurnEnd
from gittraj.model.values import AnyEvent, Message, Prompt, Thinking, ToolCall, ToolResult, Usage
from tests.unit.formats.reading import spoiled

PNG = "data:image/png;base64,iVBORw0KGgo="
SYSTEM = {"role": "system", "content": "You help."}
ASKED = {"role": "user", "content": "hi"}


def called(name: str, arguments: Any, call: str = "c1", content: str | None = None) -> dict[str, Any]:
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": name, "arguments": written}
    calls = [{"id": call, "type": "function", "function": function}]
    return {"role": "assistant", "content": content, "tool_calls": calls}


def answered(content: Any, call: str = "c1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call, "content": content}


def read(*messages: dict[str, Any]) -> list[Item]:
    return list(openai_messages.read(io.BytesIO(json.dumps(messages).encode())))


def entries(*messages: dict[str, Any]) -> list[Entry]:
    return [item for item in read(*messages) if isinstance(item, Entry)]


def events(*messages: dict[str, Any]) -> list[AnyEvent]:
    return [entry.event for entry in entries(*messages)]


def session(items: list[Item]) -> str:
    return next(str(item.value) for item in items if isinstance(item, Fact) and item.name == "session")


def test_a_conversation_is_read() -> None:
    developer = {"role": "developer", "content": "be brief"}
    log: list[dict[str, Any]] = [SYSTEM, developer, ASKED, called("look", {"zoom": 2}), answered("a cat"),
           {"role": "assistant", "content": "A cat.", "refusal": None}]  # fmt: skip
    prompt, call, result, answer = events(*log)
    assert isinstance(prompt, Prompt)
    assert prompt.content == "hi"
    assert isinstance(call, ToolCall)
    assert (call.name, call.arguments, call.call_id) == ("look", {"zoom": 2}, "c1")
    assert isinstance(result, ToolResult)
    assert (result.content, result.call_id) == ("a cat", "c1")
    assert isinstance(answer, Message)
    assert answer.content == "A cat."
    assert isinstance(read(*log)[-1], TurnEnd)


def test_an_image_is_never_in_a_text() -> None:
    parts = [{"type": "text", "text": "what?"}, {"type": "image_url", "image_url": {"url": PNG}}]
    (prompt,) = events({"role": "user", "content": parts})
    assert prompt.content == "what?\n[image/png, 8 bytes]"
    assert prompt.artifact is not None
    assert prompt.artifact.bytes == 8


def test_other_content_parts_leave_a_placeholder() -> None:
    parts = [
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "input_audio", "input_audio": {"data": "eA==", "format": "wav"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,eA=="}},
        {"type": "file", "file": {"file_id": "file-1"}},
        {"type": "refusal", "refusal": "no"},
        {"type": "of a later version"},
    ]
    (prompt,) = events({"role": "user", "content": parts})
    assert prompt.content.splitlines() == [
        "[image https://example.org/a.png]",
        "[audio/wav, 1 bytes]",
        "[application/pdf, 1 bytes]",
        "[file file-1]",
        "no",
    ]


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_thinking_comes_before_its_message(key: str) -> None:
    thought, answer = events({"role": "assistant", "content": "x", key: "hm"})
    assert (type(thought), thought.content) == (Thinking, "hm")
    assert (type(answer), answer.content) == (Message, "x")


def test_arguments_that_do_not_parse_stay_text() -> None:
    (call,) = events(called("look", '{"zoom": '))
    assert isinstance(call, ToolCall)
    assert call.arguments == '{"zoom": '


def test_calls_and_results_of_the_legacy_form_are_paired_by_order() -> None:
    function = {"name": "look", "arguments": "{}"}
    log: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "function_call": function},
        {"role": "function", "name": "look", "content": "a"},
        {"role": "assistant", "content": None, "function_call": function},
        {"role": "function", "name": "look", "content": "b"},
    ]
    first, one, second, two = events(*log)
    assert isinstance(first, ToolCall)
    assert isinstance(one, ToolResult)
    assert isinstance(second, ToolCall)
    assert isinstance(two, ToolResult)
    assert first.call_id != second.call_id
    assert (one.call_id, two.call_id) == (first.call_id, second.call_id)


def test_results_out_of_order_are_paired_by_id() -> None:
    both = called("a", {})
    both["tool_calls"] += called("b", {}, "c2")["tool_calls"]
    results = [e for e in events(both, answered("2", "c2"), answered("1")) if isinstance(e, ToolResult)]
    assert [e.call_id for e in results] == ["c2", "c1"]


def test_a_refusal_is_a_message() -> None:
    (answer,) = events({"role": "assistant", "content": None, "refusal": "I can't."})
    assert answer.content == "I can't."


def test_shells_and_editors_are_recognized_by_their_arguments() -> None:
    made = called("str_replace_editor", {"command": "create", "path": "/w/x", "file_text": "a\n"}, "c2")
    ran, _, wrote = entries(
        called("execute_bash", {"command": "git commit -m x"}), answered("[main 1a2b3c4] x"), made
    )
    assert ran.command == "git commit -m x"
    assert wrote.command is None
    assert [(e.path, e.kind, e.whole) for e in wrote.edits] == [("/w/x", "add", "a\n")]
    assert entries(called("bash", {}), answered("[main 1a2b3c4] x"))[1].commits == ("1a2b3c4",)


def test_usage_that_a_tool_added_is_counted() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 5}}
    items = read(ASKED, {"role": "assistant", "content": "x", "model": "m-1", "usage": usage})
    expected = Usage(input_tokens=4, cache_read_tokens=5, output_tokens=2)
    assert [i for i in items if isinstance(i, Spent)] == [Spent(response="m1", usage=expected)]
    assert Fact(name="model", value="m-1") in items


def test_an_id_is_made_from_the_structure_and_stays_when_the_list_grows() -> None:
    log: list[dict[str, Any]] = [SYSTEM, ASKED, {"role": "assistant", "content": "x"}]
    grown = [*log, ASKED]
    assert session(read(*grown)) == session(read(*log))
    assert events(*grown)[: len(events(*log))] == events(*log)
    assert session(read(SYSTEM, {"role": "user", "content": "ho"}, log[2])) == session(read(*log))
    assert session(read(SYSTEM, ASKED, {"role": "assistant", "content": "longer"})) != session(read(*log))


@pytest.mark.parametrize(
    ("value", "claimed"),
    [
        ([SYSTEM, ASKED], True),
        ([ASKED, called("look", {})], True),
        ([ASKED, {"role": "assistant", "content": "```bash\nls\n```"}], True),
        ([], False),
        ({}, False),
        ([1], False),
        ([{"role": "user", "parts": []}], False),
        ([{"role": "model", "content": "x"}], False),
        ([{"role": ["user"], "content": "x"}], False),
        ([SYSTEM, ASKED, {"role": "user", "content": "<returncode>0</returncode>"}], False),
        ([{"id": 0, "timestamp": "t", "source": "user", "action": "message"}], False),
        ({"messages": [SYSTEM, ASKED]}, False),
    ],
)
def test_a_list_is_recognized_by_its_content(value: Any, claimed: bool) -> None:
    head = json.dumps(value).encode()
    assert openai_messages.detect(head) == claimed
    found = detect(head)
    assert (found is not None and found.name == "openai-messages") == claimed


def test_a_head_that_ends_within_a_message_is_recognized() -> None:
    head = json.dumps([ASKED, {"role": "assistant", "content": "x, {y}, " * 999}]).encode()
    assert openai_messages.detect(head[:4000])


# ---------------------------------------------------------------- datasets


def dataset(tmp_path: Path, *conversations: list[dict[str, Any]]) -> Path:
    path = tmp_path / "train.jsonl"
    lines = [json.dumps({"messages": messages, "parallel_tool_calls": False}) for messages in conversations]
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_every_line_of_a_dataset_is_a_session(tmp_path: Path) -> None:
    answers = [{"role": "assistant", "content": text} for text in ("x", "y", "é")]
    path = dataset(tmp_path, *([SYSTEM, ASKED, answer] for answer in answers))
    assert openai_dataset.detect(path)
    ids = list(openai_dataset.sessions(path))
    assert len(set(ids)) == 3
    for session_id, answer in zip(ids, answers, strict=True):
        items = list(openai_dataset.read(path, session_id))
        assert session(items) == session_id
        assert [i.event.content for i in items if isinstance(i, Entry)] == ["hi", answer["content"]]


def test_a_dataset_that_grew_keeps_its_ids(tmp_path: Path) -> None:
    path = dataset(tmp_path, [ASKED], [SYSTEM, ASKED])
    before = list(openai_dataset.sessions(path))
    with path.open("a") as stream:
        stream.write("\n" + json.dumps({"messages": [ASKED]}) + '\n{"messages": [')
    after = list(openai_dataset.sessions(path))
    assert after[:2] == before
    assert len(after) == 3


def test_a_session_that_a_dataset_lost_is_an_error(tmp_path: Path) -> None:
    path = dataset(tmp_path, [ASKED])
    (session_id,) = openai_dataset.sessions(path)
    path.write_text(json.dumps({"messages": [SYSTEM]}))
    for lost in (session_id, "nonsense", "x-99999999999999999999", "x-7"):
        with pytest.raises(FormatError, match="no conversation"):
            list(openai_dataset.read(path, lost))


def test_broken_lines_of_a_dataset_leave_the_others_readable(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    good = json.dumps({"messages": [ASKED]}).encode()
    path.write_bytes(b"\xef\xbb\xbf" + good + b"\r\n{broken}\n\n" + good + good + b"\n\xff\n")
    assert openai_dataset.detect(path)
    ids = list(openai_dataset.sessions(path))
    assert len(ids) == 3
    for session_id in ids:
        assert len([i for i in openai_dataset.read(path, session_id) if isinstance(i, Entry)]) == 1


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b'{"messages":[]}',
        b'{"info":{},"messages":[{"role":"user","content":"x"}]}',
        b'{"sessionId":"s","messages":[{"role":"user","content":"x"}]}',
        b'{"type":"user","message":{"role":"user"}}',
    ],
)
def test_other_files_are_not_datasets(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(line + b"\n")
    assert not openai_dataset.detect(path)
    assert not openai_dataset.detect(tmp_path)
    assert not openai_dataset.detect(tmp_path / "missing")


def test_a_first_line_longer_than_the_head_is_recognized(tmp_path: Path) -> None:
    assert openai_dataset.detect(dataset(tmp_path, [{"role": "user", "content": "x" * 100_000}]))


# ---------------------------------------------------------------- any content, and a real list

EVERYTHING: list[dict[str, Any]] = [
    SYSTEM,
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": PNG}}, {"type": "input_audio",
     "input_audio": {"data": "eA==", "format": "x"}}, {"type": "file", "file": {"filename": "x"}}]},
    {**called("bash", {"command": "ls"}), "usage": {"prompt_tokens_details": {}}, "model": "m",
     "thinking_blocks": [{"thinking": "x"}]},
    answered([{"type": "text", "text": "x"}]),
    called("edit", {"command": "create", "path": "x", "file_text": "y"}),
    {"role": "assistant", "content": "x", "function_call": {"name": "x"}, "audio": {"transcript": "x"}},
]  # fmt: skip


@given(data=st.data())
def test_no_value_of_an_unexpected_type_raises(data: st.DataObject) -> None:
    strange = spoiled(data, EVERYTHING)
    head = json.dumps(strange).encode()
    openai_messages.detect(head)
    list(openai_messages.read(io.BytesIO(head)))


def test_a_list_cut_anywhere_gives_a_beginning() -> None:
    data = json.dumps(EVERYTHING).encode()
    whole = [e.id for e in events(*EVERYTHING)]
    for cut in range(len(data)):
        openai_messages.detect(data[:cut])
        found = [i.event.id for i in openai_messages.read(io.BytesIO(data[:cut])) if isinstance(i, Entry)]
        assert len(found) <= len(whole)


@pytest.mark.shared
def test_a_sample_list_is_read(samples: Path) -> None:
    data = (samples / "constructed" / "openai-messages--list.json").read_bytes()
    found = [i.event for i in openai_messages.read(io.BytesIO(data)) if isinstance(i, Entry)]
    assert [type(e) for e in found] == [Prompt, ToolCall, ToolResult, Message]
    assert b"iVBOR" not in repr(found).encode()
    claimed = [
        path.name
        for path in sorted(samples.rglob("*"))
        if path.is_file() and openai_messages.detect(path.read_bytes()[:65536])
    ]
    assert claimed == ["openai-messages--list.json"]
    assert not [p for p in sorted(samples.rglob("*")) if p.is_file() and openai_dataset.detect(p)]
