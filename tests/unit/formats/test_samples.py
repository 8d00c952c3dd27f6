"""Readers against real sessions: what an independent count found, cuts at any byte, and reading on."""

from __future__ import annotations

import functools
import io
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gittraj.formats import FORMATS, HEAD, Reader, detect
from gittraj.log import Damage, Entry, Fact, Item, Mark, Spent
from gittraj.model import Prompt, Thinking, ToolCall, ToolResult, Usage

pytestmark = pytest.mark.shared

CLAUDE, CODEX = FORMATS["claude-code"], FORMATS["codex-rollout"]
FOLDERS = {"claude-code": CLAUDE, "codex-rollout": CODEX}
SMALL = 60_000
"""Bytes of a sample that is cut at many places."""
COPIED_OR_RESTARTED = ("v0.40-318k", "01a1f988-bd06")
"""Rollouts whose total goes on from a parent's, or began anew in a resumed run."""


@pytest.fixture
def facts(samples: Path) -> dict[str, dict[str, Any]]:
    counted: dict[str, dict[str, Any]] = json.loads((samples / "FACTS.json").read_text())
    return counted


def family_of(path: Path, samples: Path) -> str:
    folder = path.relative_to(samples).parts[0]
    return path.name.partition("--")[0] if folder == "derived" else folder


def own(samples: Path) -> Iterator[tuple[str, Reader, bytes]]:
    """The sessions of both agents: name, reader, bytes."""
    for path in sorted(samples.rglob("*.jsonl")):
        if (family := family_of(path, samples)) in FOLDERS:
            yield str(path.relative_to(samples)), FOLDERS[family], path.read_bytes()


def read(reader: Reader, data: bytes) -> list[Item]:
    return list(reader.read(io.BytesIO(data)))


def total(items: list[Item]) -> Usage:
    last = {item.response: item.usage for item in items if isinstance(item, Spent)}
    return functools.reduce(Usage.__add__, last.values(), Usage())


def models(items: list[Item]) -> set[str | float]:
    return {item.value for item in items if isinstance(item, Fact) and item.name == "model"}


def test_claude_code_agrees_with_the_independent_count(samples: Path, facts: dict[str, Any]) -> None:
    names = [name for name, reader, _ in own(samples) if reader is CLAUDE]
    assert len(names) > 20
    for name in names:
        count, items = facts[name], read(CLAUDE, (samples / name).read_bytes())
        events = [item.event for item in items if isinstance(item, Entry)]
        results = [event for event in events if isinstance(event, ToolResult)]
        responses = {e.response for e in events} | {i.response for i in items if isinstance(i, Spent)}
        spent, usage = total(items), count["usage_last_line_per_message_id"]
        found = {
            "tool_calls": sum(isinstance(event, ToolCall) for event in events),
            "tool_results": len(results),
            "tool_errors": sum(result.is_error for result in results),
            "thinking_blocks": sum(isinstance(event, Thinking) for event in events),
            "assistant_message_ids": len(responses - {None}),
        }
        assert found == {key: count[key] for key in found}, name
        assert models(items) == set(count["models"]), name
        assert spent == Usage(
            input_tokens=usage.get("input_tokens", 0),
            output_tokens=usage.get("output_tokens", 0),
            cache_read_tokens=usage.get("cache_read_input_tokens", 0),
            cache_write_tokens=usage.get("cache_creation_input_tokens", 0),
        ), name
        assert not [item for item in items if isinstance(item, Damage)], name
        assert len({event.id for event in events}) == len(events), name


def test_codex_agrees_with_the_independent_count(samples: Path, facts: dict[str, Any]) -> None:
    names = [name for name, reader, _ in own(samples) if reader is CODEX and name in facts]
    assert len(names) > 10
    for name in names:
        count, items = facts[name], read(CODEX, (samples / name).read_bytes())
        events = [item.event for item in items if isinstance(item, Entry)]
        calls = {e.call_id for e in events if isinstance(e, ToolCall) and e.name != "web_search"}
        results = {e.call_id for e in events if isinstance(e, ToolResult)}
        assert (len(calls), len(results)) == (count["calls"], count["outputs"]), name
        assert len(calls - results) == count["calls_without_output"], name
        assert models(items) == set(count["models"]), name
        assert Fact(name="session", value=count["session"]["id"]) in items, name
        assert len({event.id for event in events}) == len(events), name
        last = count["last_total_token_usage"]
        if last and not any(part in name for part in COPIED_OR_RESTARTED):
            spent = total(items)
            assert spent.input_tokens + spent.cache_read_tokens == last["input_tokens"], name
            assert spent.cache_read_tokens == last["cached_input_tokens"], name
            assert spent.output_tokens == last["output_tokens"], name
            assert spent.reasoning_tokens == last["reasoning_output_tokens"], name


def test_every_cost_of_a_rollout_falls_to_events(samples: Path) -> None:
    for name, reader, data in own(samples):
        if reader is CODEX:
            items = read(reader, data)
            responses = {item.event.response for item in items if isinstance(item, Entry)}
            assert {item.response for item in items if isinstance(item, Spent)} <= responses, name


def test_prompts_are_those_that_the_rollout_says_were_typed(samples: Path) -> None:
    for name, reader, data in own(samples):
        typed = data.count(b'"type":"user_message"') + data.count(b'"item":{"type":"UserMessage"')
        if reader is CODEX and typed and b'"thread_source":"subagent"' not in data:
            items = read(reader, data)
            assert sum(isinstance(i, Entry) and isinstance(i.event, Prompt) for i in items) == typed, name


def test_reading_on_from_a_mark_is_reading_through(samples: Path) -> None:
    marks = 0
    for name, reader, data in own(samples):
        items = read(reader, data)
        for at, item in enumerate(items):
            if isinstance(item, Mark):
                marks += 1
                cursor = json.loads(json.dumps(item.cursor.state))
                assert cursor == item.cursor.state, f"{name}: the state of a cursor is stored as JSON"
                assert list(reader.read(io.BytesIO(data), cursor=item.cursor)) == items[at + 1 :], name
    assert marks > 50


def test_a_mark_stands_before_every_prompt_and_counts_the_events_before(samples: Path) -> None:
    for name, reader, data in own(samples):
        entries = 0
        waiting = False
        for item in read(reader, data):
            if isinstance(item, Mark):
                assert item.cursor.ordinal == entries, name
                waiting = True
            elif isinstance(item, Entry):
                assert isinstance(item.event, Prompt) == waiting, name
                entries, waiting = entries + 1, False


@functools.cache
def small(samples: Path) -> list[tuple[Reader, bytes]]:
    return [(reader, data) for _, reader, data in own(samples) if len(data) < SMALL]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_session_cut_anywhere_gives_a_beginning_of_the_whole(samples: Path, data: st.DataObject) -> None:
    reader, content = data.draw(st.sampled_from(small(samples)))
    part = read(reader, content[: data.draw(st.integers(0, len(content)))])
    assert part == read(reader, content)[: len(part)]


def test_a_grown_session_only_adds(samples: Path) -> None:
    grown = [p.read_bytes() for p in sorted((samples / "claude-code" / "entire-grown").glob("*.jsonl"))]
    events = [[i.event for i in read(CLAUDE, data) if isinstance(i, Entry)] for data in grown]
    assert len(events) == 3
    for early, late in itertools.pairwise(events):
        assert late[: len(early)] == early


def test_damage_that_was_done_to_a_file_changes_nothing_it_says(samples: Path) -> None:
    source = read(CLAUDE, (samples / "claude-code" / "v2-tool-heavy.jsonl").read_bytes())
    events = [item.event for item in source if isinstance(item, Entry)]
    windows = read(CLAUDE, (samples / "derived" / "claude-code--crlf-bom.jsonl").read_bytes())
    assert [item.event for item in windows if isinstance(item, Entry)] == events
    invalid = read(CLAUDE, (samples / "derived" / "claude-code--invalid-utf8.jsonl").read_bytes())
    assert [i.event.id for i in invalid if isinstance(i, Entry)] == [event.id for event in events]


def test_a_reader_claims_its_own_files_and_no_others(samples: Path) -> None:
    for path in sorted(samples.rglob("*")):
        if not path.is_file() or path.suffix not in (".json", ".jsonl", ".traj"):
            continue
        found = detect(path.read_bytes()[:HEAD])
        expected = FOLDERS.get(family_of(path, samples))
        assert (found if found in FOLDERS.values() else None) is expected, path.name
