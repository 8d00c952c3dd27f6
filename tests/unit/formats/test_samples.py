"""Readers on real sessions: compared with independent counts, cut at any byte, and resumed at marks."""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.formats import HEAD, Reader, detect, reader_of
from gittraj.formats.base import coerce
from gittraj.model.session_items import Damage, Entry, Fact, Item, Mark, Spent, TurnEnd
from gittraj.model.values import Message, Prompt, Thinking, ToolCall, ToolResult, Usage
from tests.conftest import SHARING

pytestmark = pytest.mark.shared

CLAUDE, CODEX = reader_of("claude-code"), reader_of("codex-rollout")
FOLDERS = {"claude-code": CLAUDE, "codex-rollout": CODEX}
SMALL = 60_000
"""A sample up to this size in bytes is cut at many offsets."""


@pytest.fixture
def facts(samples: Path) -> dict[str, dict[str, Any]]:
    counted: dict[str, dict[str, Any]] = json.loads((samples / "FACTS.json").read_text())
    return counted


def family_of(path: Path, samples: Path) -> str:
    folder = path.relative_to(samples).parts[0]
    return path.name.partition("--")[0] if folder == "derived" else folder


def sessions(samples: Path) -> Iterator[tuple[str, Reader, bytes]]:
    """Yield the sessions of Claude Code and Codex: name, reader, bytes."""
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
    names = [name for name, reader, _ in sessions(samples) if reader is CLAUDE]
    assert len(names) > 20
    for name in names:
        count, items = facts[name], read(CLAUDE, (samples / name).read_bytes())
        events = [item.event for item in items if isinstance(item, Entry)]
        results = [event for event in events if isinstance(event, ToolResult)]
        responses = {e.response for e in events} | {i.response for i in items if isinstance(i, Spent)}
        spent, usage = total(items), count["usage_last_line_per_message_id"]
        result = {
            "tool_calls": sum(isinstance(event, ToolCall) for event in events),
            "tool_results": len(results),
            "tool_errors": sum(result.is_error for result in results),
            "thinking_blocks": sum(isinstance(event, Thinking) for event in events),
            "assistant_message_ids": len(responses - {None}),
        }
        assert result == {key: count[key] for key in result}, name
        assert models(items) == set(count["models"]), name
        assert spent == Usage(
            input_tokens=usage.get("input_tokens", 0),
            output_tokens=usage.get("output_tokens", 0),
            cache_read_tokens=usage.get("cache_read_input_tokens", 0),
            cache_write_tokens=usage.get("cache_creation_input_tokens", 0),
        ), name
        assert sum(isinstance(i, Damage) for i in items) == count["non_object_values"], name
        assert len({event.id for event in events}) == len(events), name


PROMPTS = {
    "agentcmd-askuser": 1,
    "agentcmd-summaries": 1,
    "edge-cases": 3,
    "entire-commit-bash": 4,
    "entire-glued-objects": 5,
    "entire-grown/1-early": 1,
    "entire-grown/2-mid": 3,
    "entire-grown/3-late": 5,
    "entire-huge-4mb": 22,
    "entire-images": 2,
    "real-145k": 1,
    "representative": 4,
    "thinking-signature": 1,
    "tiny-simonw-sample": 2,
    "v2-large-with-subagents/ae4a77f8-aedd-4bc1-888f-c94edc91af04": 2,
    "v2-short": 1,
    "v2-subagent-inline": 1,
    "v2-tool-heavy": 2,
    "viewer-27k": 0,
}
"""The number of texts that a human typed, counted by hand in each file."""
STARTED_LATER = ("agentcmd-askuser", "edge-cases")
"""Sessions whose records are not sorted by time."""


def test_claude_code_prompts_are_those_that_a_human_typed(samples: Path) -> None:
    for name, expected in PROMPTS.items():
        items = read(CLAUDE, (samples / "claude-code" / f"{name}.jsonl").read_bytes())
        assert sum(isinstance(i, Entry) and isinstance(i.event, Prompt) for i in items) == expected, name


def test_claude_codes_session_facts_agree_with_the_independent_count(
    samples: Path, facts: dict[str, Any]
) -> None:
    for name, reader, data in sessions(samples):
        if reader is not CLAUDE:
            continue
        count, items = facts[name], read(CLAUDE, data)
        events = [item.event for item in items if isinstance(item, Entry)]
        known = [(item.name, item.value) for item in items if isinstance(item, Fact)]
        ids = {value for key, value in known if key == "session"}
        assert ids | {i.session for i in items if isinstance(i, Entry) and i.session} == {
            *count["session_ids"]
        }, name
        assert {value for key, value in known if key == "agent_version"} == {*count["versions"]}, name
        assert sum(event.artifact is not None for event in events) == count["images"], name
        answered = {event.call_id for event in events if isinstance(event, ToolResult)}
        open_calls = [e for e in events if isinstance(e, ToolCall) and e.call_id not in answered]
        assert len(open_calls) == count["calls_without_result"], name
        times = [event.ts for event in events if event.ts]
        first, last = coerce.stamp(count["first_ts"]), coerce.stamp(count["last_ts"])
        assert first is not None
        assert last is not None
        assert first <= min(times), name
        assert max(times) <= last, name
        if not any(part in name for part in STARTED_LATER):
            assert ("started_at", first) in known, name


def test_every_text_of_claude_codes_model_is_read_once(samples: Path) -> None:
    for name, reader, data in sessions(samples):
        if reader is not CLAUDE or "glued" in name or "invalid" in name:
            continue
        expected: dict[str, list[str]] = {}
        for line in data.decode("utf-8-sig").splitlines():
            with contextlib.suppress(ValueError):  # a cut line
                record = json.loads(line)
                if isinstance(record, dict) and record.get("type") == "assistant":
                    expected.setdefault(record["uuid"], texts(record["message"]))
        messages = [i.event for i in read(CLAUDE, data) if isinstance(i, Entry)]
        result = [e.content for e in messages if isinstance(e, Message)]
        assert result == [text for each in expected.values() for text in each], name


def texts(message: dict[str, Any]) -> list[str]:
    """Return the model's texts in a message; none if Claude Code wrote the message itself."""
    if message.get("model") == "<synthetic>":
        return []
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return [block["text"] for block in blocks if block["type"] == "text" and block["text"].strip()]


def test_text_typed_while_the_agent_worked_is_recorded(samples: Path) -> None:
    items = read(CLAUDE, (samples / "claude-code" / "entire-images.jsonl").read_bytes())
    noted = [i.event for i in items if isinstance(i, Entry) and i.event.tags == ("queued",)]
    assert [event.content[:9] for event in noted] == ["context: ", "I've also", "I've also"]


def test_every_cost_of_a_claude_code_session_belongs_to_events(samples: Path) -> None:
    for name, reader, data in sessions(samples):
        if reader is CLAUDE:
            items = read(reader, data)
            responses = {item.event.response for item in items if isinstance(item, Entry)}
            assert {item.response for item in items if isinstance(item, Spent)} <= responses, name


def test_codex_agrees_with_the_independent_count(samples: Path, facts: dict[str, Any]) -> None:
    names = [name for name, reader, _ in sessions(samples) if reader is CODEX and name in facts]
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
        if last := count["last_total_token_usage"]:
            runs = spent_by(samples / name)
            assert runs[-1] == {key: last[key] for key in COUNTED}, name
            before = base_of(samples / name)
            spent = total(items)
            result = [spent.input_tokens + spent.cache_read_tokens, spent.cache_read_tokens]
            result += [spent.output_tokens, spent.reasoning_tokens]
            assert result == [sum(run[key] for run in runs) - before[key] for key in COUNTED], name


COUNTED = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")


def spent_by(path: Path, end: int | None = None) -> list[dict[str, int]]:
    """Return the last total of each run in a rollout: Codex 0.40 counts from 0 again after a resume."""
    runs: list[dict[str, int]] = []
    for line in path.read_bytes()[:end].splitlines():
        info = json.loads(line)["payload"].get("info") or {}
        if total := info.get("total_token_usage"):
            if runs and runs[-1]["input_tokens"] <= total["input_tokens"]:
                runs.pop()
            runs.append({key: total[key] for key in COUNTED})
    return runs


def base_of(path: Path) -> dict[str, int]:
    """Return the usage of a fork's parent at the fork, if its history was not copied."""
    meta = json.loads(path.read_bytes().partition(b"\n")[0])["payload"]
    if not (base := meta.get("history_base")):
        return dict.fromkeys(COUNTED, 0)
    (parent,) = path.parent.glob(f"rollout-*-{base['thread_id']}.jsonl")
    return spent_by(parent, base["end_byte_offset"])[-1]


def test_two_known_rollouts_have_a_total_that_is_not_their_own(samples: Path) -> None:
    rollouts = samples / "codex-rollout"
    restarted = spent_by(rollouts / "v0.40-318k.jsonl")
    assert [run["input_tokens"] for run in restarted] == [1355071, 37208]
    (fork,) = (rollouts / "v0.169-resume-fork").glob("*01a1f988-bd06*")
    assert base_of(fork)["input_tokens"] == 15600
    usage = total(read(CODEX, fork.read_bytes()))
    assert usage == Usage(input_tokens=400, cache_read_tokens=2000, output_tokens=100, reasoning_tokens=24)


def test_a_rollout_gives_the_same_whether_or_not_every_record_is_decoded(samples: Path) -> None:
    for name, reader, data in sessions(samples):
        if reader is CODEX:
            spaced = b"".join(json.dumps(record).encode() + b"\n" for record in records(data))
            result, decoded = (
                [item.event if isinstance(item, Entry) else item for item in read(reader, log)]
                for log in (data, spaced)
            )
            kept = [item for item in result if not isinstance(item, Mark | TurnEnd)]
            assert kept == [item for item in decoded if not isinstance(item, Mark | TurnEnd)], name


def records(data: bytes) -> Iterator[Any]:
    for line in data.splitlines():
        with contextlib.suppress(ValueError):
            yield json.loads(line)


def test_a_rollouts_status_is_that_of_its_last_turn(samples: Path) -> None:
    for name, reader, data in sessions(samples):
        if reader is CODEX:
            last = max(data.rfind(b'"type":"task_complete"'), data.rfind(b'"type":"turn_aborted"'))
            known = {item.name: item.value for item in read(reader, data) if isinstance(item, Fact)}
            assert known.get("status") == ("completed" if last > 0 else None), name


def test_every_cost_of_a_rollout_belongs_to_events(samples: Path) -> None:
    for name, reader, data in sessions(samples):
        if reader is CODEX:
            items = read(reader, data)
            responses = {item.event.response for item in items if isinstance(item, Entry)}
            assert {item.response for item in items if isinstance(item, Spent)} <= responses, name


def test_prompts_are_those_that_the_rollout_marks_as_typed(samples: Path) -> None:
    for name, reader, data in sessions(samples):
        typed = data.count(b'"type":"user_message"') + data.count(b'"item":{"type":"UserMessage"')
        if reader is CODEX and typed and b'"thread_source":"subagent"' not in data:
            items = read(reader, data)
            assert sum(isinstance(i, Entry) and isinstance(i.event, Prompt) for i in items) == typed, name


@pytest.mark.nightly
def test_reading_on_from_a_mark_gives_the_same(samples: Path) -> None:
    marks = 0
    for name, reader, data in sessions(samples):
        items = read(reader, data)
        for at, item in enumerate(items):
            if isinstance(item, Mark):
                marks += 1
                cursor = json.loads(json.dumps(item.cursor.state))
                assert cursor == item.cursor.state, f"{name}: the state of a cursor is stored as JSON"
                assert list(reader.read(io.BytesIO(data), cursor=item.cursor)) == items[at + 1 :], name
    assert marks > 50


def test_a_mark_comes_before_every_prompt_and_counts_the_events_before(samples: Path) -> None:
    for name, reader, data in sessions(samples):
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
    return [(reader, data) for _, reader, data in sessions(samples) if len(data) < SMALL]


@SHARING
@given(st.data())
def test_a_session_cut_anywhere_gives_a_beginning_of_the_whole(samples: Path, data: st.DataObject) -> None:
    reader, content = data.draw(st.sampled_from(small(samples)))
    part = read(reader, content[: data.draw(st.integers(0, len(content)))])
    assert part == read(reader, content)[: len(part)]


def test_a_growing_session_only_adds_events(samples: Path) -> None:
    grown = [p.read_bytes() for p in sorted((samples / "claude-code" / "entire-grown").glob("*.jsonl"))]
    events = [[i.event for i in read(CLAUDE, data) if isinstance(i, Entry)] for data in grown]
    assert len(events) == 3
    for early, late in itertools.pairwise(events):
        assert late[: len(early)] == early


def test_other_line_ends_and_invalid_bytes_change_no_event(samples: Path) -> None:
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
        result = detect(path.read_bytes()[:HEAD])
        expected = FOLDERS.get(family_of(path, samples))
        assert (result if result in FOLDERS.values() else None) is expected, path.name
