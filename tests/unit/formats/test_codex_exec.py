"""The output of ``codex exec --json`` of every version, and independent counts of real ones."""

from __future__ import annotations

import functools
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.formats.codex import exec as codex
from gittraj.model.session_items import Edit, Fact, Item, Mark, Spent, TurnEnd
from gittraj.model.values import (
    AnyEvent,
    Foreign,
    Message,
    NoteEvent,
    Prompt,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.unit.formats.reading import entries, facts, spoiled, written

THREAD = "01a1f988-389c-7c92-a12b-01806d82d2dc"
OTHER = "01a1f999-0000-7c92-a12b-01806d82d2dc"
BEGIN: list[dict[str, Any]] = [{"type": "thread.started", "thread_id": THREAD}, {"type": "turn.started"}]


def started(kind: str, item_id: str = "item_0", /, **item: Any) -> dict[str, Any]:
    return {"type": "item.started", "item": {"id": item_id, "type": kind, **item, "status": "in_progress"}}


def completed(kind: str, item_id: str = "item_0", /, **item: Any) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"id": item_id, "type": kind, "status": "completed", **item}}


def message(text: str, item_id: str = "item_0") -> dict[str, Any]:
    return {"type": "item.completed", "item": {"id": item_id, "type": "agent_message", "text": text}}


def turn_end(input_tokens: int, cached: int = 0, output: int = 0) -> dict[str, Any]:
    usage = {"input_tokens": input_tokens, "cached_input_tokens": cached, "output_tokens": output}
    return {"type": "turn.completed", "usage": usage}


def old_record(kind: str, /, **message: Any) -> dict[str, Any]:
    return {"id": "0", "msg": {"type": kind, **message}}


def read_bytes(data: bytes, session: str | None = None) -> list[Item]:
    return list(codex.read(io.BytesIO(data), session=session))


def read(*records: dict[str, Any]) -> list[Item]:
    return read_bytes(written(*records))


def events(*records: dict[str, Any]) -> list[AnyEvent]:
    return [entry.event for entry in entries(read(*BEGIN, *records))]


def usage_of(items: list[Item]) -> dict[str, Usage]:
    return {item.response: item.usage for item in items if isinstance(item, Spent)}


# ---------------------------------------------------------------- calls


@pytest.mark.parametrize(
    ("written_as", "command"),
    [
        ("/bin/bash -lc 'ls -la && git log'", "ls -la && git log"),
        ("bash -lc ls", "ls"),
        ("/usr/bin/fish -c 'pytest -q'", "pytest -q"),
        ('/bin/zsh -lc "assert \'1\' && echo \\"a\\\\b\\" \\$HOME"', "assert '1' && echo \"a\\b\" $HOME"),
        ("bash -c 'echo '\\''a'\\'''", "echo 'a'"),
        ("bash -lc 'open", "'open"),
        ("pytest -q", "pytest -q"),
        ("bash run.sh -lc 'x'", "bash run.sh -lc 'x'"),
    ],
)
def test_a_command_is_shown_without_the_shell_that_runs_it(written_as: str, command: str) -> None:
    ran = {"command": written_as, "aggregated_output": "", "exit_code": None}
    (entry,) = entries(read(*BEGIN, started("command_execution", **ran)))
    assert isinstance(entry.event, ToolCall)
    assert (entry.command, entry.event.arguments) == (command, {"command": written_as})


@pytest.mark.parametrize(
    ("written_as", "command"),
    [
        (["/opt/homebrew/bin/bash", "-lc", "ls | wc"], "ls | wc"),
        (["/usr/bin/sh", "-c", "ls"], "ls"),
        (["/opt/homebrew/bin/fish", "-lc", "pytest -q"], "pytest -q"),
        (["C:\\Program Files\\Git\\bin\\bash.exe", "-lc", "git commit"], "git commit"),
        (["python3", "-c", "print(1)"], "python3 -c 'print(1)'"),
        (["git", "commit"], "git commit"),
    ],
)
def test_only_a_shell_is_left_out_of_a_list_of_words(written_as: list[str], command: str) -> None:
    begin = old_record("exec_command_begin", call_id="c1", command=written_as, cwd="/w")
    entry = entries(read(*OLD[:2], begin))[-1]
    assert entry.command == command


def test_a_command_is_a_call_at_its_start_and_a_result_at_its_end() -> None:
    ran = {"command": "git commit -m x", "exit_code": 0, "aggregated_output": "[main 5fe8fa4] x\n"}
    items = read(
        *BEGIN,
        started("command_execution", command="git commit -m x"),
        message("meanwhile", "item_1"),
        completed("command_execution", **ran),
    )
    call, meanwhile, result = entries(items)
    assert isinstance(call.event, ToolCall)
    assert isinstance(meanwhile.event, Message)
    assert isinstance(result.event, ToolResult)
    assert call.event.call_id == result.event.call_id
    assert (result.event.content, result.event.exit_code) == ("[main 5fe8fa4] x\n", 0)
    assert result.commits == ("5fe8fa4",)


@pytest.mark.parametrize(
    ("ending", "code"),
    [({"exit_code": 1, "status": "failed"}, 1), ({"exit_code": 2}, 2), ({"status": "failed"}, None)],
)
def test_a_command_that_failed_is_an_error(ending: dict[str, Any], code: int | None) -> None:
    _, result = events(completed("command_execution", command="x", aggregated_output="no", **ending))
    assert isinstance(result, ToolResult)
    assert (result.is_error, result.exit_code, result.content) == (True, code, "no")


def test_a_declined_command_is_an_error_and_not_a_decision() -> None:
    _, result = events(completed("command_execution", command="rm -rf x", status="declined"))
    assert isinstance(result, ToolResult)
    assert result.is_error


def test_changed_files_are_edits_unless_they_failed() -> None:
    changes = [{"path": "/w/a.py", "kind": "add"}, {"path": "b.py", "kind": "update"}]
    failed = [{"path": "c.py", "kind": "delete"}]
    calls = entries(
        read(
            *BEGIN,
            completed("file_change", changes=changes),
            completed("file_change", "item_1", changes=failed, status="failed"),
        )
    )
    assert [entry.edits for entry in calls] == [
        (Edit(path="/w/a.py", kind="add"), Edit(path="b.py", kind="update")),
        (),
        (),
        (),
    ]
    assert calls[0].paths == ("/w/a.py", "b.py")
    assert [e.event.is_error for e in calls if isinstance(e.event, ToolResult)] == [False, True]


def test_a_servers_tool_has_a_result_in_blocks() -> None:
    tool = {"server": "github", "tool": "search", "arguments": {"q": "x"}}
    image = {"type": "image", "data": "eHh4", "mimeType": "image/png"}
    blocks = [{"type": "text", "text": "Found 3."}, image]
    found = events(
        started("mcp_tool_call", **tool, result=None),
        completed("mcp_tool_call", **tool, result={"content": blocks, "structured_content": {"n": 3}}),
        completed("mcp_tool_call", "item_1", **tool, result={"content": [], "structured_content": {"n": 3}}),
        completed("mcp_tool_call", "item_2", **tool, error={"message": "tool timeout"}, status="failed"),
    )
    assert {(e.name, str(e.arguments)) for e in found if isinstance(e, ToolCall)} == {
        ("mcp__github__search", "{'q': 'x'}")
    }
    results = [e for e in found if isinstance(e, ToolResult)]
    assert [(e.content, e.is_error) for e in results] == [
        ("Found 3.\n[image/png, 3 bytes]", False),
        ('{"n": 3}', False),
        ("tool timeout", True),
    ]
    assert results[0].artifact is not None


def test_other_agents_are_calls() -> None:
    task = {"tool": "spawn_agent", "sender_thread_id": THREAD, "prompt": "count"}
    states = {OTHER: {"status": "completed", "message": "6 lines"}}
    call, result = events(
        started("collab_tool_call", **task, receiver_thread_ids=[], agents_states={}),
        completed("collab_tool_call", **task, receiver_thread_ids=[OTHER], agents_states=states),
    )
    assert isinstance(call, ToolCall)
    assert (call.name, call.arguments) == ("spawn_agent", {"prompt": "count"})
    assert result.content == f"{OTHER}: completed: 6 lines"


def test_a_search_with_two_ids_is_one_call() -> None:
    lines = [
        b'{"type":"item.started","item":{"id":"item_3","type":"web_search","id":"ws_1","query":""}}\n',
        b'{"type":"item.completed","item":{"id":"item_3","type":"web_search","id":"ws_1","query":"q"}}\n',
    ]
    (entry,) = entries(read_bytes(written(*BEGIN) + b"".join(lines)))
    assert isinstance(entry.event, ToolCall)
    assert entry.event.name == "web_search"


def test_output_of_wrappers_is_read() -> None:
    found = read(
        {"type": "item.completed", "item": {"type": "reasoning", "text": "hm"}},
        {
            "type": "item.completed",
            "item": {"type": "function_call", "name": "shell", "arguments": '{"command":"ls"}'},
        },
        {
            "type": "item.completed",
            "item": {"type": "function_call_output", "output": "Exit code: 1\nOutput:\nno"},
        },
        {"type": "task.completed"},
        {"type": "done"},
    )
    _, call, result = entries(found)
    assert isinstance(call.event, ToolCall)
    assert isinstance(result.event, ToolResult)
    assert (call.command, call.event.call_id) == ("ls", result.event.call_id)
    assert (result.event.content, result.event.exit_code, result.event.is_error) == ("no", 1, True)
    assert [type(item) for item in found].count(TurnEnd) == 1
    assert facts(found)["status"] == "completed"


# ---------------------------------------------------------------- messages


def test_a_plan_is_noted_once_in_its_last_state() -> None:
    plans = [[{"text": "a", "completed": n > 0}, {"text": "b", "completed": n > 1}] for n in range(3)]
    kinds = ("item.started", "item.updated", "item.completed")
    log = [
        {"type": kind, "item": {"id": "item_0", "type": "todo_list", "items": items}}
        for kind, items in zip(kinds, plans, strict=True)
    ]
    (note,) = events(*log)
    assert isinstance(note, NoteEvent)
    assert (note.kind, note.tags, note.content) == ("note", ("plan",), "[x] a\n[x] b")
    (note,) = events(*log[:2], turn_end(1))
    assert note.content == "[x] a\n[ ] b"
    assert events(*log[:2]) == []


def test_an_error_before_the_first_turn_is_about_the_configuration() -> None:
    warning = {"type": "item.completed", "item": {"id": "item_0", "type": "error", "message": "trust"}}
    again = {"type": "item.completed", "item": {"id": "item_1", "type": "error", "message": "trust"}}
    found = entries(read(BEGIN[0], warning, again, BEGIN[1], warning))
    remarks = [entry.event for entry in found if isinstance(entry.event, NoteEvent)]
    assert [(r.kind, r.tags) for r in remarks] == [("note", ("configuration",)), ("error", ())]


def test_a_failure_reported_twice_is_one_error() -> None:
    message = '{"error":{"message":"model not found","code":404}}'
    failed = {"type": "turn.failed", "error": {"message": message}}
    items = read(*BEGIN, {"type": "error", "message": message}, failed, {"type": "error", "message": "other"})
    assert [entry.event.content for entry in entries(items)] == ["model not found", "other"]
    assert facts(items)["status"] == "failed"
    assert [type(item) for item in items].count(TurnEnd) == 1


def test_unknown_items_with_text_are_kept() -> None:
    (foreign,) = events(
        completed("hologram", text="look"), completed("void"), {"type": "item.plan.delta", "delta": "x"}
    )
    assert isinstance(foreign, Foreign)
    assert (foreign.type, foreign.content) == ("codex.hologram", "look")


# ---------------------------------------------------------------- runs


def test_a_killed_run_is_abandoned() -> None:
    assert facts(read(*BEGIN, message("x")))["status"] == "abandoned"
    assert facts(read(*BEGIN, message("x"), turn_end(1)))["status"] == "completed"


def test_the_tokens_of_a_thread_are_counted_once_within_a_file() -> None:
    turn = {"type": "turn.started"}
    again = [{"type": "thread.started", "thread_id": THREAD}, turn]
    items = read(
        *BEGIN,
        message("a"),
        turn_end(100, 40, 7),
        turn,
        message("bb"),
        turn_end(150, 50, 9),
        *again,
        message("c"),
        turn_end(160, 50, 9),
    )
    assert list(usage_of(items).values()) == [
        Usage(input_tokens=60, cache_read_tokens=40, output_tokens=7),
        Usage(input_tokens=40, cache_read_tokens=10, output_tokens=2),
        Usage(input_tokens=10),
    ]
    assert usage_of(items).keys() == {entry.event.response for entry in entries(items)}


def test_the_tokens_of_a_turn_without_words_are_counted_for_the_next() -> None:
    items = read(*BEGIN, turn_end(10), {"type": "turn.started"}, message("x"), turn_end(30))
    assert list(usage_of(items).values()) == [Usage(input_tokens=30)]


def test_a_count_that_restarted_belongs_to_the_turn() -> None:
    items = read(*BEGIN, message("a"), turn_end(100), {"type": "turn.started"}, message("bb"), turn_end(30))
    assert sorted(usage.input_tokens for usage in usage_of(items).values()) == [30, 100]


def test_another_thread_in_the_file_keeps_its_name_and_its_tokens() -> None:
    other = [{"type": "thread.started", "thread_id": OTHER}, {"type": "turn.started"}]
    items = read(*BEGIN, message("a"), turn_end(100), *other, message("b"), turn_end(120))
    assert [entry.session for entry in entries(items)] == [None, OTHER]
    assert [usage.input_tokens for usage in usage_of(items).values()] == [100, 120]
    assert facts(items)["session"] == THREAD


def test_two_runs_of_a_thread_have_different_ids_and_a_growing_run_keeps_its_ids() -> None:
    first = [*BEGIN, message("one"), message("three", "item_1"), turn_end(1)]
    second = [*BEGIN, message("seven"), message("three", "item_1"), turn_end(2)]
    ids = [[entry.event.id for entry in entries(read(*log))] for log in (first, second, first[:3])]
    assert all(item_id.startswith("exec.") for item_id in ids[0])
    assert not set(ids[0]) & set(ids[1])
    assert ids[0][:1] == ids[2]


def test_a_run_without_a_thread_gets_an_id_from_its_structure() -> None:
    log = [{"type": "turn.started"}, message("one"), message("more", "item_1"), turn_end(1)]
    session = facts(read(*log))["session"]
    assert session == facts(read(*log[:2]))["session"]
    assert session != facts(read({"type": "turn.started"}, message("other")))["session"]
    assert len(session) == 20
    named = read_bytes(written(*log), session=THREAD)
    assert facts(named)["session"] == THREAD
    assert facts(read_bytes(written(*log), session="turn_1"))["session"] == session
    assert read(log[0]) == []


# ---------------------------------------------------------------- the older form

OLD: list[dict[str, Any]] = [
    {"workdir": "/w", "model": "o4-mini", "provider": "openai", "approval": "never", "sandbox": "read-only"},
    {"prompt": "fix it"},
    old_record("task_started", model_context_window=1),
    old_record("agent_reasoning", text="hm"),
    old_record("exec_command_begin", call_id="c1", command=["bash", "-lc", "ls | wc"], cwd="/w/sub"),
    old_record("exec_command_output_delta", call_id="c1", stream="stdout", chunk="Mwo="),
    old_record("exec_command_end", call_id="c1", stdout="3\n", stderr="", exit_code=0),
    old_record("token_count", input_tokens=10, cached_input_tokens=4, output_tokens=3),
    old_record("patch_apply_begin", call_id="c2", changes={"/w/a": {"add": {"content": "x\ny\n"}}}),
    old_record("patch_apply_end", call_id="c2", stdout="ok", stderr="", success=True),
    old_record("mcp_tool_call_begin", call_id="c3", invocation={"server": "s", "tool": "t", "arguments": {}}),
    old_record(
        "mcp_tool_call_end", call_id="c3", invocation={"server": "s", "tool": "t"}, result={"Err": "no"}
    ),
    old_record(
        "plan_update", plan=[{"step": "a", "status": "completed"}, {"step": "b", "status": "pending"}]
    ),
    old_record("agent_message", message="done"),
    old_record("token_count", input_tokens=20, cached_input_tokens=4, output_tokens=5),
    old_record("task_complete", last_agent_message="done"),
]


def test_the_oldest_form_gives_the_same_events() -> None:
    items = read(*OLD)
    found = [(type(entry.event), entry.event.content) for entry in entries(items)]
    assert found == [
        (Prompt, "fix it"),
        (Thinking, "hm"),
        (ToolCall, ""),
        (ToolResult, "3\n"),
        (ToolCall, ""),
        (ToolResult, "ok"),
        (ToolCall, ""),
        (ToolResult, "no"),
        (Message, "done"),
        (NoteEvent, "[x] a\n[ ] b"),
    ]
    ran, patched = (entry for entry in entries(items)[2:6] if isinstance(entry.event, ToolCall))
    assert (ran.command, ran.folder) == ("ls | wc", "/w/sub")
    assert patched.edits == (Edit(path="/w/a", kind="add", added=("x", "y"), whole="x\ny\n"),)
    assert list(usage_of(items).values()) == [Usage(input_tokens=22, cache_read_tokens=8, output_tokens=8)]
    known = facts(items)
    assert (known["folder"], known["model"], known["status"]) == ("/w", "o4-mini", "completed")
    assert len(known["session"]) == 20


def test_the_oldest_form_may_count_the_whole_thread() -> None:
    total = {"input_tokens": 30, "cached_input_tokens": 8, "output_tokens": 8}
    items = read(
        old_record("session_configured", session_id=THREAD, model="gpt"),
        old_record("task_started"),
        old_record("agent_message", message="a"),
        old_record("token_count", info={"total_token_usage": total, "last_token_usage": total}),
        old_record("turn_aborted", reason="interrupted"),
    )
    assert list(usage_of(items).values()) == [Usage(input_tokens=22, cache_read_tokens=8, output_tokens=8)]
    known = facts(items)
    assert (known["session"], known["model"], known["status"]) == (THREAD, "gpt", "abandoned")


# ---------------------------------------------------------------- any content

ALL: list[dict[str, Any]] = [
    *BEGIN,
    started("todo_list", items=[{"text": "a", "completed": False}]),
    completed("command_execution", "item_1", command="bash -lc 'ls'", aggregated_output="x", exit_code=1),
    completed(
        "file_change", "item_2", changes=[{"path": "a", "kind": {"type": "update"}, "diff": "@@\n-a\n+b"}]
    ),
    completed("mcp_tool_call", "item_3", server="s", tool="t", result={"content": [{"text": "x"}]}, error={}),
    completed("collab_tool_call", "item_4", tool="wait", receiver_thread_ids=["x"], agents_states={"y": {}}),
    completed("web_search", "item_5", query="q", action={"type": "search"}),
    completed("function_call", "item_6", name="shell", arguments="{}", call_id="c"),
    completed(
        "function_call_output",
        "item_7",
        output=[{"type": "input_image", "image_url": "data:a/b;base64,eA=="}],
    ),
    completed("error", "item_8", message="x"),
    message("x", "item_9"),
    turn_end(1),
    {"type": "turn.failed", "error": {"message": "{}"}},
    {"type": "request_user_input", "questions": [{"question": "q"}]},
]


@given(data=st.data())
def test_no_value_of_an_unexpected_type_raises(data: st.DataObject) -> None:
    strange = spoiled(data, data.draw(st.sampled_from([ALL, OLD])))
    read(*strange)


@given(data=st.data())
def test_a_run_cut_anywhere_gives_a_beginning_of_the_whole(data: st.DataObject) -> None:
    whole = written(*data.draw(st.sampled_from([ALL, OLD])))
    part = [item for item in read_bytes(whole[: data.draw(st.integers(0, len(whole)))]) if not _is_end(item)]
    assert part == [item for item in read_bytes(whole) if not _is_end(item)][: len(part)]


def _is_end(item: Item) -> bool:
    """Whether an item depends on the end of the file, so that a longer file may revoke it."""
    return isinstance(item, Fact) and item.name == "status"


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (BEGIN[0], True),
        (BEGIN[1], True),
        ({"type": "session.created", "session_id": THREAD}, True),
        (message("x"), True),
        (OLD[0], True),
        (OLD[2], True),
        ({"type": "item.completed"}, False),
        ({"prompt": "x"}, False),
        ({"type": "init", "session_id": "S", "model": "m"}, False),
        ({"timestamp": "t", "type": "session_meta", "payload": {"id": "i"}}, False),
        ({"id": "i", "timestamp": "t", "instructions": None}, False),
    ],
)
def test_a_run_is_recognized_by_its_records(head: dict[str, Any], claimed: bool) -> None:
    assert codex.detect(written(head)) is claimed


# ---------------------------------------------------------------- real outputs


def samples_of(samples: Path) -> list[Path]:
    return sorted((samples / "codex-exec").glob("*.jsonl"))


@pytest.mark.shared
def test_real_outputs_agree_with_the_independent_count(samples: Path) -> None:
    counted = json.loads((samples / "FACTS.json").read_text())
    assert len(samples_of(samples)) == 7
    for path in samples_of(samples):
        count, items = counted[str(path.relative_to(samples))], read_bytes(path.read_bytes())
        types, found = count["types"], [entry.event for entry in entries(items)]
        kinds = ("command_execution", "file_change", "mcp_tool_call", "collab_tool_call")
        ends = sum(types.get(f"item.completed/{kind}", 0) for kind in kinds)
        searches = types.get("item.completed/web_search", 0)
        assert sum(isinstance(event, ToolResult) for event in found) == ends, path.name
        assert sum(isinstance(event, ToolCall) for event in found) == ends + searches, path.name
        assert sum(isinstance(e, Thinking) for e in found) == types.get("item.completed/reasoning", 0)
        assert sum(isinstance(e, Message) for e in found) == types.get("item.completed/agent_message", 0)
        ran = {e.call_id for e in found if isinstance(e, ToolCall) and e.name == "command_execution"}
        failed = [e for e in found if isinstance(e, ToolResult) and e.is_error and e.call_id in ran]
        assert len(failed) == count["failed_commands"], path.name
        assert facts(items)["session"] == count["thread"]
        last, total = count["usages"][-1], functools.reduce(Usage.__add__, usage_of(items).values())
        assert total.input_tokens + total.cache_read_tokens == last["input_tokens"], path.name
        assert total.cache_read_tokens == last["cached_input_tokens"], path.name
        assert total.output_tokens == last["output_tokens"], path.name
        assert total.reasoning_tokens == last.get("reasoning_output_tokens", 0), path.name
        assert len({event.id for event in found}) == len(found), path.name
        assert usage_of(items).keys() <= {event.response for event in found}, path.name
        assert not [item for item in items if isinstance(item, Mark)]
        assert codex.detect(path.read_bytes()[:65536])


@pytest.mark.shared
def test_a_real_resumed_run_shares_only_warnings_with_the_run_before(samples: Path) -> None:
    runs = [
        {entry.event.id: entry.event for entry in entries(read_bytes(path.read_bytes()))}
        for path in samples_of(samples)
        if path.stem in ("v0.169-build-and-commit", "v0.169-resume")
    ]
    shared = runs[0].keys() & runs[1].keys()
    assert {runs[0][item_id].tags for item_id in shared} == {("configuration",)}
    assert all(runs[0][item_id] == runs[1][item_id] for item_id in shared)


@pytest.mark.shared
def test_no_other_sample_is_claimed(samples: Path) -> None:
    for path in samples.rglob("*"):
        if path.is_file() and path.parent.name != "codex-exec":
            assert not codex.detect(path.read_bytes()[:65536]), path
