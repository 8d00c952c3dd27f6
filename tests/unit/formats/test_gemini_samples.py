"""Gemini CLI's readers on real sessions and outputs: compared with independent counts, and cut."""

from __future__ import annotations

import functools
import io
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gittraj.formats import HEAD, detect
from gittraj.formats.gemini import output, session, stream
from gittraj.model.session_items import Damage, Entry, Fact, Item, Mark, Spent
from gittraj.model.values import AnyEvent, Message, Prompt, Thinking, ToolCall, ToolResult, Usage

pytestmark = pytest.mark.shared


def read(path: Path) -> list[Item]:
    return list(session.read(io.BytesIO(path.read_bytes())))


def events(items: Sequence[Item]) -> list[AnyEvent]:
    return [item.event for item in items if isinstance(item, Entry)]


def total(items: Sequence[Item]) -> Usage:
    last = {item.response: item.usage for item in items if isinstance(item, Spent)}
    return functools.reduce(Usage.__add__, last.values(), Usage())


@pytest.fixture
def sessions(samples: Path) -> list[Path]:
    found = sorted((samples / "gemini").iterdir())
    assert len(found) >= 8
    return found


def test_sessions_agree_with_the_independent_count(samples: Path, sessions: list[Path]) -> None:
    facts: dict[str, Any] = json.loads((samples / "FACTS.json").read_text())
    for path in sessions:
        count, items = facts[f"gemini/{path.name}"], read(path)
        found, spent = events(items), total(items)
        results = [event for event in found if isinstance(event, ToolResult)]
        status: dict[str, int] = count["tool_status"]
        assert sum(isinstance(e, ToolCall) for e in found) == count["tool_calls"], path.name
        assert len(results) == count["tool_calls"] - status.get("null", 0), path.name
        failed = [r for r in results if r.is_error and r.exit_code in (None, 0)]
        assert len(failed) == status.get("error", 0) + status.get("cancelled", 0), path.name
        assert sum(isinstance(e, Thinking) for e in found) == count["thoughts"], path.name
        tokens = {
            name: count["token_sums"].get(name, 0) for name in ("input", "output", "cached", "thoughts")
        }
        assert tokens == {
            "input": spent.input_tokens + spent.cache_read_tokens,
            "output": spent.output_tokens - spent.reasoning_tokens,
            "cached": spent.cache_read_tokens,
            "thoughts": spent.reasoning_tokens,
        }, path.name
        assert {i.response for i in items if isinstance(i, Spent)} <= {e.response for e in found}, path.name
        responses = {event.response for event in found} - {None}
        assert len(responses) == count["by_type"]["gemini"], path.name
        assert len({event.id for event in found}) == len(found), path.name
        assert not [item for item in items if isinstance(item, Damage)], path.name


PROMPTS = {
    "agentsview-standard_session.json": 2,
    "entire-gemini-33k.jsonl": 1,
    "hello-2.0-flash.json": 1,
    "json-63k.json": 3,
    "json-9k.json": 1,
    "jsonl-set-lastupdated.jsonl": 1,
    "v0.61-950k.jsonl": 1,
    "v0.61-resumed.jsonl": 2,
}
"""The number of prompts that a human typed, counted by hand."""


def test_prompts_are_those_that_a_human_typed(samples: Path) -> None:
    for name, expected in PROMPTS.items():
        found = events(read(samples / "gemini" / name))
        assert sum(isinstance(event, Prompt) for event in found) == expected, name


def test_each_files_format_is_recognized(samples: Path, sessions: list[Path]) -> None:
    named = dict.fromkeys(sessions, "gemini-cli")
    named[samples / "gemini-stream-json" / "v0.61-stream.jsonl"] = "gemini-stream-json"
    named[samples / "gemini-stream-json" / "v0.61-output.json"] = "gemini-output"
    for path, name in named.items():
        found = detect(path.read_bytes()[:HEAD])
        assert found is not None, path.name
        assert found.name == name, path.name
    for path in samples.rglob("*.json*"):
        if "gemini" not in str(path.relative_to(samples)):
            head = path.read_bytes()[:HEAD]
            assert not any(reader.detect(head) for reader in (session, stream, output)), path


def test_a_cut_document_gives_the_events_before_the_cut(samples: Path) -> None:
    items = read(samples / "derived" / "gemini--truncated.json")
    assert len([item for item in items if isinstance(item, Damage)]) == 1
    whole = [event.id for event in events(read(samples / "gemini" / "json-9k.json"))]
    assert [type(event) for event in events(items)].count(ToolResult) == 2
    assert {event.id for event in events(items)} < set(whole)  # in a document, thoughts come after calls


def test_a_session_cut_anywhere_gives_a_beginning_of_the_whole(sessions: list[Path]) -> None:
    for path in sessions:
        data = path.read_bytes()
        whole = [event.id for event in events(list(session.read(io.BytesIO(data))))]
        for end in range(0, min(len(data), 30_000), 397):
            found = [event.id for event in events(list(session.read(io.BytesIO(data[:end]))))]
            # the last message of a document may be cut between its calls and their results
            assert set(found) <= set(whole), (path.name, end)


def test_reading_on_from_a_mark_gives_the_same(sessions: list[Path]) -> None:
    marks = 0
    for path in sessions:
        data = path.read_bytes()
        items = list(session.read(io.BytesIO(data)))
        for place, item in enumerate(items):
            if isinstance(item, Mark):
                marks += 1
                assert list(session.read(io.BytesIO(data), cursor=item.cursor)) == items[place + 1 :], (
                    path.name
                )
    assert marks == 4


def test_a_stream_gives_the_printed_text(samples: Path) -> None:
    data = (samples / "gemini-stream-json" / "v0.61-stream.jsonl").read_bytes()
    records = [json.loads(line) for line in data.splitlines()]
    items = list(stream.read(io.BytesIO(data)))
    found, spent, stats = events(items), total(items), records[-1]["stats"]
    kinds = [record["type"] for record in records]
    assert sum(isinstance(e, ToolCall) for e in found) == kinds.count("tool_use") == stats["tool_calls"] == 6
    assert sum(isinstance(e, ToolResult) for e in found) == kinds.count("tool_result") == 6
    spoken = [r["content"] for r in records if r.get("role") == "assistant"]
    assert [e.content for e in found if isinstance(e, Message)] == spoken
    assert sum(isinstance(e, Prompt) for e in found) == 1
    assert spent.input_tokens == stats["input"]
    assert spent.cache_read_tokens == stats["cached"]
    assert spent.output_tokens == stats["total_tokens"] - stats["input_tokens"]
    assert all(event.id.startswith("stream.") for event in found)
    # the session file of the same run: its messages after the same prompt
    log = events(read(samples / "gemini" / "v0.61-resumed.jsonl"))
    run = itertools.takewhile(lambda e: not (isinstance(e, Prompt) and e.content.startswith("What")), log)
    assert [e.call_id for e in run if isinstance(e, ToolCall)] == [
        e.call_id for e in found if isinstance(e, ToolCall)
    ]


def test_an_output_gives_its_tokens(samples: Path) -> None:
    data = (samples / "gemini-stream-json" / "v0.61-output.json").read_bytes()
    items = list(output.read(io.BytesIO(data)))
    assert [event.content for event in events(items)] == [json.loads(data)["response"]]
    assert total(items) == Usage(input_tokens=1100, cache_read_tokens=5000, output_tokens=8)
    assert Fact(name="session", value="a2c9c27d-2f5d-4a38-b64a-1c85f1e5ccfc") in items
