"""A3S Code's store, written from one that was read, from generated sessions and from every sample."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from gittraj.errors import FormatError
from gittraj.formats.a3s import store, write
from gittraj.formats.base.exported import Exported
from gittraj.model.session_items import Entry, Fact
from gittraj.model.values import AnyEvent, Message, Prompt, ToolCall, ToolResult
from gittraj.record.drain.open_log import find_sessions, read_items
from tests.conftest import SHARING
from tests.sizes import size
from tests.unit.formats import test_a3s as a3s
from tests.unit.formats.interchange.trajectories import build_trajectory, some_events


def keep(folder: Path, files: dict[str, Any]) -> Path:
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value) if not isinstance(value, str) else value)
    return folder


def events(folder: Path, session: str) -> list[AnyEvent]:
    return [item.event for item in store.read(folder, session) if isinstance(item, Entry)]


NEEDED = {
    "session": "id config state messages context_usage total_usage tool_names thinking_enabled created_at"
    " updated_at",
    "config": "name workspace max_context_length auto_compact",
    "context_usage": "used_tokens max_tokens percent turns",
    "total_usage": "prompt_tokens completion_tokens total_tokens",
    "messages": "role content",
    "text": "text",
    "tool_use": "id name input",
    "tool_result": "tool_use_id content",
    "artifacts": "artifact_id artifact_uri tool_name content original_bytes shown_bytes",
    "traces": "schema kind name success exit_code duration_ms output_bytes",
    "verification": "schema subject status checks",
    "checks": "id kind description status",
    "runs": "snapshot events",
    "snapshot": "id session_id status prompt created_at_ms updated_at_ms event_count",
    "workspace_change_set": "base_tree result_tree patch_digest patch_bytes patch_base64 observed_at_ms",
    "events": "sequence timestamp_ms event",
    "tool_start": "id name",
    "tool_end": "id name output exit_code",
    "subagent_tasks": "task_id parent_session_id child_session_id agent description status started_ms"
    " updated_ms progress",
    "loop_checkpoints": "run_id session_id turn messages total_usage tool_calls_count checkpoint_ms",
}
"""The required fields of the types in ``a3s-code-core``. Its store refuses a session if a required field is
missing or null in any of the session's files. ``test_exchange_tools`` reads such files with that library."""


def find_missing(kind: str, value: Any) -> Iterator[str]:
    """Yield the required fields that a value lacks, so that A3S Code would refuse it."""
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, dict):
            names = NEEDED.get(str(each.get("type", kind)), "").split()
            yield from (f"{kind}.{name}" for name in names if each.get(name) is None and name != "input")
            for name, inner in each.items():
                yield from find_missing(name, inner) if name not in ("input", "raw") else ()


def kind(name: str) -> str:
    """Return the kind of a file by its name; empty for artifacts, whose file is an object with a list."""
    folder = name.partition("/")[0] if "/" in name else "session"
    return "" if folder == "artifacts" else folder


def write_and_read(folder: Path, given_events: list[AnyEvent], session: str, **header: Any) -> list[AnyEvent]:
    trajectory = build_trajectory(given_events, agent="a3s", session=session, **header)
    written = dict(write.files(Exported(trajectories=[trajectory])))
    keep(folder, written)
    for name, text in written.items():
        assert not list(find_missing(kind(name), json.loads(text))), name
    (own,) = store.sessions(folder)
    return events(folder, own)


def texts_of(events: list[AnyEvent]) -> list[tuple[str, str]]:
    """Return the texts of the events that a round trip keeps; a lone surrogate, which a file cannot contain,
    is replaced."""
    texts = [
        ("call", e.name or "unknown") if isinstance(e, ToolCall) else (type(e).__name__, e.content)
        for e in events
        if isinstance(e, Prompt | Message | ToolResult | ToolCall)
    ]
    return [(kind, text.replace("\ud83d", "\ufffd")) for kind, text in texts if text or kind == "ToolResult"]


def test_the_sample_store_has_all_required_fields() -> None:
    for name, value in a3s.OLDER.items():
        assert not list(find_missing(kind(name), value)), name


def test_a_store_that_was_read_is_written_with_the_same_events(tmp_path: Path) -> None:
    """An exception is the run before the first prompt: only the written store has its messages."""
    given_ = keep(tmp_path / "given", a3s.OLDER)
    given_events = events(given_, "s/1")
    written = write_and_read(tmp_path / "again", given_events, "s/1", models=["kimi-k2.5"], title="Parser")
    kinds = [type(event).__name__ for event in given_events]
    assert sorted(kinds) == sorted(type(event).__name__ for event in written)
    for event in given_events:
        like = [e for e in written if (type(e), e.content) == (type(event), event.content)]
        assert like, event
        if isinstance(event, ToolResult):
            ended = [(e.exit_code, e.is_error, e.ts) for e in like if isinstance(e, ToolResult)]
            assert (event.exit_code, event.is_error, event.ts) in ended
    facts = {i.name: i.value for i in store.read(tmp_path / "again", "s/1") if isinstance(i, Fact)}
    assert (facts["title"], facts["model"]) == ("Parser", "kimi-k2.5")


@settings(SHARING, max_examples=30)
@given(some_events())
def test_prompts_messages_calls_and_results_survive_a_round_trip(
    tmp_path: Path, given_: list[AnyEvent]
) -> None:
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    assert texts_of(write_and_read(folder, given_, "S")) == texts_of(given_)


@pytest.mark.shared
def test_every_sample_survives_a_round_trip(samples: Path, tmp_path: Path) -> None:
    seen = 0
    for path in sorted(each for each in samples.rglob("*") if each.is_file()):
        if path.stat().st_size > size(20_000, 3_000_000):
            continue
        try:
            session, *_ = find_sessions(path)
        except FormatError:
            continue
        given_events = [item.event for item in read_items(session) if isinstance(item, Entry)]
        if given_events:
            written = write_and_read(
                tmp_path / str(seen), given_events, session.session or "S", id=session.trajectory
            )
            assert texts_of(written) == texts_of(given_events), path
            seen += 1
    assert seen > 20


def test_a_session_whose_id_cannot_be_a_file_name_uses_its_trajectorys(tmp_path: Path) -> None:
    both = [
        build_trajectory([Prompt(id="p", content="x")], id=f"traj_{n}", session="2024-08-05T19:33:02")
        for n in "ab"
    ]
    same = [build_trajectory([Prompt(id="p", content="x")], id=f"traj_{n}", session="s/1") for n in "cd"]
    names = [name for name, _ in write.files(Exported(trajectories=[*both, *same]))]
    assert names == ["traj_a.json", "traj_b.json", "s_1.json", "traj_d.json"]
