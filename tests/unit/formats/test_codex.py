"""Codex's rollouts of every version: each peculiarity of the format in a log of a few records."""

from __future__ import annotations

import base64
import io
import json
from dataclasses import replace
from typing import Any

import pytest

from gittraj.formats.codex import document
from gittraj.formats.codex import rollout as codex
from gittraj.model.session_items import Damage, Edit, Entry, Fact, Item, Mark, Spent, TurnEnd
from gittraj.model.values import (
    AnyEvent,
    Decided,
    Decision,
    Message,
    NoteEvent,
    PeerMessage,
    Prompt,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.unit.formats.reading import entries, written

SESSION = "01a1f988-389c-7c92-a12b-01806d82d2dc"
OLDER = "01a1f900-0000-7c92-a12b-01806d82d2dc"
NEWER = "01a1f999-0000-7c92-a12b-01806d82d2dc"


def line(kind: str, payload: dict[str, Any], time: str = "2026-02-11T05:53:33.335Z") -> dict[str, Any]:
    return {"timestamp": time, "type": kind, "payload": payload}


def item(kind: str, /, **payload: Any) -> dict[str, Any]:
    return line("response_item", {"type": kind, **payload})


def event(kind: str, /, **payload: Any) -> dict[str, Any]:
    return line("event_msg", {"type": kind, **payload})


def meta(**payload: Any) -> dict[str, Any]:
    return line("session_meta", {"id": SESSION, "cwd": "/w", "cli_version": "0.99.0", **payload})


def user(*texts: str, **payload: Any) -> dict[str, Any]:
    content = [{"type": "input_text", "text": text} for text in texts]
    return item("message", role="user", content=content, **payload)


def reply(text: str, **payload: Any) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text}]
    return item("message", role="assistant", content=content, **payload)


def call(name: str, call_id: str = "c1", **arguments: Any) -> dict[str, Any]:
    return item("function_call", name=name, arguments=json.dumps(arguments), call_id=call_id)


def output(given: Any, call_id: str = "c1") -> dict[str, Any]:
    return item("function_call_output", call_id=call_id, output=given)


def tokens(total: int, *, input: int = 10, cached: int = 4) -> dict[str, Any]:  # noqa: A002
    last = {"input_tokens": input, "cached_input_tokens": cached}
    last |= {"output_tokens": 3, "reasoning_output_tokens": 1}
    info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": last}
    return event("token_count", info=info)


def read(*records: dict[str, Any]) -> list[Item]:
    return list(codex.read(io.BytesIO(written(*records))))


def events(*records: dict[str, Any]) -> list[AnyEvent]:
    return [entry.event for entry in entries(read(*records))]


def prompts(*records: dict[str, Any]) -> list[str]:
    return [found.content for found in events(*records) if isinstance(found, Prompt)]


def result(*records: dict[str, Any]) -> ToolResult:
    (found,) = (found for found in events(*records) if isinstance(found, ToolResult))
    return found


# ---------------------------------------------------------------- prompts


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/w</cwd></environment_context>",
        "<user_instructions>\nbe brief</user_instructions>",
        "# AGENTS.md instructions for /w\n<INSTRUCTIONS>",
        "<turn_aborted>\nThe user interrupted</turn_aborted>",
        "<subagent_notification>\n{}</subagent_notification>",
        "<user_shell_command>ls</user_shell_command>",
    ],
)
def test_text_that_the_program_inserted_is_not_a_prompt(text: str) -> None:
    assert prompts(meta(), user(text), reply("x")) == []
    assert prompts(meta(), user(text, "and this"), reply("x")) == ["and this"]


def test_in_a_log_that_marks_typed_text_nothing_else_is_a_prompt() -> None:
    log = [
        meta(),
        item("message", role="developer", content=[{"type": "input_text", "text": "rules"}]),
        user("injected by a version to come"),
        user("fix it", id="msg_1"),
        event("user_message", message="fix it", images=[]),
        reply("done"),
        user("injected again"),
        reply("more"),
        user("and now"),
        event("item_completed", item={"type": "UserMessage", "content": [{"text": "and now"}]}),
        reply("done"),
    ]
    assert prompts(*log) == ["fix it", "and now"]
    assert [e.id for e in events(*log) if isinstance(e, Prompt)] == ["msg_1:0", "n8:0"]


def test_a_log_that_does_not_mark_typed_text_has_prompts_too() -> None:
    log = [meta(), user("one"), reply("x"), user("two")]
    assert prompts(*log) == ["one", "two"]
    assert prompts(meta(), user("one")) == []  # the record that marks it may still be written
    assert prompts(meta(), line("response_item", {"role": "user", "content": "bare"}), reply("x")) == ["bare"]


def test_typed_text_may_come_first_or_alone() -> None:
    typed = event("user_message", message="fix it", kind="plain")
    context = event("user_message", message="<environment_context>", kind="environment_context")
    assert prompts(meta(), context, typed, user("fix it"), reply("x")) == ["fix it"]
    assert prompts(meta(), typed, reply("x")) == ["fix it"]


def test_an_editors_wrapping_is_removed_from_a_prompt() -> None:
    wrapped = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nfix it\n"
    assert prompts(meta(), user(wrapped), event("user_message", message=wrapped)) == ["fix it"]
    assert prompts(meta(), user(wrapped), reply("x")) == ["fix it"]


def test_reading_on_from_the_mark_before_a_prompt_gives_the_same() -> None:
    log = written(
        meta(),
        user("injected"),
        user("one"),
        line("turn_context", {"cwd": "/w/sub", "model": "gpt"}),
        event("user_message", message="one"),
        call("shell", command=["ls"]),
        tokens(13),
        output("x"),
        user("two"),
        event("user_message", message="two"),
        tokens(13),
        reply("done"),
        tokens(26),
    )
    items = list(codex.read(io.BytesIO(log)))
    marks = [n for n, found in enumerate(items) if isinstance(found, Mark)]
    assert len(marks) == 2
    for n in marks:
        mark, prompt = items[n : n + 2]
        assert isinstance(mark, Mark)
        assert isinstance(prompt, Entry)
        assert isinstance(prompt.event, Prompt)
        assert list(codex.read(io.BytesIO(log), cursor=mark.cursor)) == items[n + 1 :]


# ---------------------------------------------------------------- calls and their results


@pytest.mark.parametrize(
    ("record", "command", "folder"),
    [
        (call("exec_command", cmd="ls -a", workdir="/x"), "ls -a", "/x"),
        (call("exec_command", cmd="ls"), "ls", "/w"),
        (call("shell", command=["bash", "-lc", "ls | wc"], workdir="sub"), "ls | wc", "/w/sub"),
        (call("shell", command=["git", "commit", "-m", "a b"], workdir="."), "git commit -m 'a b'", "/w"),
        (call("shell_command", command="ls"), "ls", "/w"),
        (
            item(
                "local_shell_call",
                call_id="c1",
                action={"type": "exec", "command": ["ls"], "working_directory": "/y"},
            ),
            "ls",
            "/y",
        ),
        (call("update_plan", plan=[]), None, "/w"),
    ],
)
def test_a_shell_call_is_recognized_under_all_its_names(
    record: dict[str, Any], command: str | None, folder: str
) -> None:
    (entry,) = entries(read(meta(), record))
    assert isinstance(entry.event, ToolCall)
    assert (entry.command, entry.folder, entry.event.call_id) == (command, folder, "c1")


def test_arguments_that_do_not_parse_stay_as_they_are() -> None:
    raw = item("function_call", name="exec_command", arguments="[REDACTED]", call_id="c1")
    search = item("web_search_call", id="ws_1", status="completed", action={"type": "search", "query": "q"})
    tool = item("function_call", name="get", namespace="mcp__docs__", arguments="{}", call_id="c2")
    calls = [e for e in events(meta(), raw, search, tool) if isinstance(e, ToolCall)]
    assert [(e.id, e.name, e.arguments, e.call_id) for e in calls] == [
        ("n1:0", "exec_command", "[REDACTED]", "c1"),
        ("ws_1:0", "web_search", {"type": "search", "query": "q"}, "ws_1"),
        ("n3:0", "mcp__docs__get", {}, "c2"),
    ]


PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+it's\n*** End Patch"


@pytest.mark.parametrize(
    ("record", "folder"),
    [
        (item("custom_tool_call", name="apply_patch", input=PATCH, call_id="c1"), "/w"),
        (call("apply_patch", input=PATCH), "/w"),
        (call("apply_patch", patch=PATCH), "/w"),
        (call("shell", command=["apply_patch", PATCH], workdir="sub"), "/w/sub"),
        (call("shell", command=["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF\n"]), "/w"),
        (call("exec_command", cmd=f"cd 'lib dir' && apply_patch <<'EOF'\n{PATCH}\nEOF"), "/w/lib dir"),
    ],
)
def test_a_patch_is_an_edit_however_it_was_applied(record: dict[str, Any], folder: str) -> None:
    (entry,) = entries(read(meta(), record))
    assert entry.edits == (Edit(path="a.py", added=("it's",), removed=("x",)),)
    assert (entry.paths, entry.folder) == (("a.py",), folder)


@pytest.mark.parametrize(
    ("given", "text", "code", "error"),
    [
        ('{"output":"a\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}', "a\n", 0, False),
        ('{"output":"","metadata":{"exit_code":2}}', "", 2, True),
        ("Exit code: 1\nWall time: 0.2 seconds\nOutput:\nno\n", "no\n", 1, True),
        (
            "Chunk ID: 1889c8\nWall time: 0.0 seconds\nProcess exited with code 0\nOriginal token count: 2\n"
            "Output:\nExit code: 7\n",
            "Exit code: 7\n",
            0,
            False,
        ),
        ("Chunk ID: 1\nWall time: 1 s\nProcess running with session ID 7\nOutput:\n..", "..", None, False),
        ("Process exited with code 0\nOutput:\nx", "x", 0, False),
        ("Plan updated", "Plan updated", None, False),
        ("unsupported call: update_plan", "unsupported call: update_plan", None, True),
        ('{"agent_id":"01","nickname":"D"}', '{"agent_id":"01","nickname":"D"}', None, False),
        ({"content": "no", "success": False}, "no", None, True),
        ([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}], "a\nb", None, False),
        (None, "", None, False),
    ],
)
def test_an_output_is_read_in_every_form(given: Any, text: str, code: int | None, error: bool) -> None:
    found = result(meta(), call("exec_command", cmd="x"), output(given))
    assert (found.content, found.exit_code, found.is_error) == (text, code, error)
    assert (found.call_id, found.truncated, found.id) == ("c1", False, "n2:0")


@pytest.mark.parametrize(
    "given",
    [
        "Exit code: 0\nWall time: 1 s\nTotal output lines: 900\nOutput:\na",
        "a\n…1234 tokens truncated…\nz",
        "a\n[... omitted 12 of 300 lines ...]\nz",
    ],
)
def test_a_cut_output_is_marked(given: str) -> None:
    assert result(meta(), output(given)).truncated


def test_an_image_in_an_output_is_never_kept() -> None:
    uri = "data:image/png;base64," + base64.b64encode(b"pixels").decode()
    found = result(meta(), output([{"type": "input_image", "image_url": uri}]))
    assert found.content == "[image/png, 6 bytes]"
    assert found.artifact is not None
    assert (found.artifact.media_type, found.artifact.bytes) == ("image/png", 6)


def test_a_record_next_to_the_output_gives_the_calls_exit_code() -> None:
    ended = event("exec_command_end", call_id="c1", exit_code=3)
    failed = event("item_completed", item={"type": "FileChange", "id": "c1", "status": "failed"})
    for beside, code in ((ended, 3), (failed, None)):
        found = result(meta(), call("exec_command", cmd="x"), beside, output("text"))
        assert (found.exit_code, found.is_error) == (code, True)


def test_a_refused_call_names_its_command_and_is_not_a_decision() -> None:
    found = events(meta(), call("shell", command=["rm"]), output("exec command rejected by user"))
    assert [e.id for e in found] == ["n1:0", "n2:0", "n2:1"]
    assert isinstance(found[2], NoteEvent)
    assert (found[2].kind, found[2].content) == ("refusal", "shell rm")
    printed = output("Exit code: 0\nWall time: 0 seconds\nOutput:\nexec command rejected by user")
    assert len(events(meta(), call("shell", command=["cat"]), printed)) == 2


def test_a_result_has_its_duration_and_the_size_of_the_cut() -> None:
    framed = result(meta(), output("Exit code: 0\nWall time: 0.25 seconds\nOutput:\na"))
    assert (framed.duration_ms, framed.bytes) == (250, None)
    within = result(meta(), output('{"output":"a","metadata":{"exit_code":0,"duration_seconds":1.5}}'))
    assert within.duration_ms == 1500
    ran = {"type": "CommandExecution", "id": "c1", "status": "completed", "aggregated_output": "é" * 50}
    beside = event("item_completed", item=ran | {"duration": {"secs": 2, "nanos": 5_000_000}})
    found = result(meta(), call("exec_command", cmd="x"), beside, output("é…40 chars truncated…é"))
    assert (found.duration_ms, found.bytes, found.truncated) == (2005, 100, True)


def test_a_call_that_the_record_next_to_it_calls_declined_was_refused() -> None:
    beside = event("item_completed", item={"type": "CommandExecution", "id": "c1", "status": "declined"})
    found = events(meta(), call("exec_command", cmd="rm"), beside, output("no"))
    assert [type(e) for e in found] == [ToolCall, ToolResult, NoteEvent]


def test_commits_are_read_from_gits_output() -> None:
    printed = "Exit code: 0\nWall time: 1 s\nOutput:\n[main 5fe8fa4] Add\n"
    (entry,) = entries(read(meta(), output(printed)))
    assert entry.commits == ("5fe8fa4",)


def test_reasoning_without_words_gives_no_text() -> None:
    words = [{"type": "summary_text", "text": "**One**"}, {"type": "summary_text", "text": "two"}]
    raw = [{"type": "reasoning_text", "text": "raw"}]
    found = events(
        meta(),
        item("reasoning", id="r1", summary=words, encrypted_content="secret"),
        item("reasoning", summary=[], content=None, encrypted_content="secret"),
        item("reasoning", summary=[], content=raw),
    )
    assert [(type(e), e.id, e.content) for e in found] == [
        (Thinking, "r1:0", "**One**\n\ntwo"),
        (Thinking, "n3:0", "raw"),
    ]


# ---------------------------------------------------------------- usage


def usage_of(items: list[Item]) -> dict[str, Usage]:
    return {found.response: found.usage for found in items if isinstance(found, Spent)}


def calls_of(items: list[Item]) -> list[str | None]:
    return [entry.event.response for entry in entries(items) if not isinstance(entry.event, ToolResult)]


COST = Usage(input_tokens=6, cache_read_tokens=4, output_tokens=3, reasoning_tokens=1)


def test_a_cost_before_the_items_of_its_call_belongs_to_them() -> None:
    items = read(
        meta(),
        event("agent_reasoning", text="a"), tokens(13), item("reasoning", summary=[{"text": "a"}]),
        call("shell", command=["ls"]), output("x"),
        event("agent_message", message="b"), tokens(26), reply("b"),
    )  # fmt: skip
    assert calls_of(items) == ["resp-1", "resp-1", "resp-6"]
    assert usage_of(items) == {"resp-1": COST, "resp-6": COST}


def test_a_cost_after_the_items_and_repeated_counts_once() -> None:
    items = read(
        meta(), event("token_count", info=None),
        reply("a"), call("shell", command=["ls"]), tokens(13), output("x"), tokens(13),
        reply("b"), tokens(26), tokens(26),
    )  # fmt: skip
    assert calls_of(items) == ["resp-2", "resp-2", "resp-7"]
    assert usage_of(items) == {"resp-2": COST, "resp-7": COST}


def test_a_cost_after_the_outputs_belongs_to_the_call() -> None:
    items = read(
        meta(), call("shell", command=["ls"]), output("x"), tokens(13), reply("b"), tokens(26)
    )  # fmt: skip
    assert calls_of(items) == ["resp-1", "resp-4"]
    assert usage_of(items) == {"resp-1": COST, "resp-4": COST}


def test_usage_records_per_call_replace_the_totals() -> None:
    usage = {"input_tokens": 10, "cached_input_tokens": 4, "cache_write_input_tokens": 1, "output_tokens": 3}
    cost = line("token_usage_record", {"response_id": "resp_x", "usage": usage})
    items = read(
        meta(), call("shell", command=["ls"]), cost, output("x"), tokens(13), reply("b"), cost, tokens(26)
    )
    each = Usage(input_tokens=5, cache_read_tokens=4, cache_write_tokens=1, output_tokens=3)
    assert calls_of(items) == ["resp-1", "resp-5"]
    assert usage_of(items) == {"resp-1": each, "resp-5": each}
    assert all(found.beside for found in items if isinstance(found, Spent))


# ---------------------------------------------------------------- turns and sessions


def test_turns_end_at_the_programs_records() -> None:
    items = read(
        meta(),
        reply("a"),
        event("task_complete", turn_id=SESSION),
        reply("b"),
        event("turn_aborted", reason="interrupted"),
    )
    kinds = [type(found.event) if isinstance(found, Entry) else type(found) for found in items]
    assert [k for k in kinds if k is not Fact] == [Message, TurnEnd, Message, NoteEvent, TurnEnd]


def test_the_last_turn_gives_the_sessions_status() -> None:
    done, aborted = event("task_complete"), event("turn_aborted", reason="interrupted")
    for log, status in (([reply("a")], None), ([done], "completed"), ([done, aborted], "abandoned")):
        known = {found.name: found.value for found in read(meta(), *log) if isinstance(found, Fact)}
        assert known.get("status") == status


def test_the_cost_of_an_aborted_call_belongs_to_the_abort() -> None:
    items = read(meta(), event("agent_reasoning", text="a"), tokens(13), event("turn_aborted", reason="x"))
    (remark,) = entries(items)
    assert usage_of(items) == {"resp-1": COST}
    assert remark.event.response == "resp-1"


def test_a_review_ends_with_its_findings() -> None:
    place = {"absolute_file_path": "/w/a.py", "line_range": {"start": 3, "end": 4}}
    finding = {"title": "Wrong sign", "body": "It subtracts.", "priority": 1, "code_location": place}
    review = {"findings": [finding], "overall_correctness": "incorrect", "overall_explanation": "See there."}
    found = entries(
        read(
            meta(),
            event("entered_review_mode", target={"type": "custom"}, user_facing_hint="the last commit"),
            event("exited_review_mode", review_output=review),
            event("exited_review_mode", review_output=None),
        )
    )
    assert [(e.event.id, e.event.content) for e in found] == [
        ("n1:0", "Review: the last commit"),
        ("n2:0", "Wrong sign\n/w/a.py:3\nIt subtracts."),
        ("n2:1", "incorrect\nSee there."),
        ("n3:0", "Review ended"),
    ]
    assert [e.event.kind for e in found if isinstance(e.event, NoteEvent)] == [
        "note",
        "finding",
        "note",
        "note",
    ]
    assert found[1].paths == ("/w/a.py",)


def test_a_guardians_decision_is_not_a_humans() -> None:
    action = {"type": "command", "command": "rm -rf build"}
    judged = [
        event("guardian_assessment", status=status, rationale="It can be built again.", action=action)
        for status in ("in_progress", "denied")
    ]
    (decided,) = events(meta(), *judged)
    assert isinstance(decided, Decided)
    assert decided.decision == Decision(
        chosen="declined rm -rf build", by="agent", reasoning="It can be built again."
    )


def test_an_answered_question_is_a_decision() -> None:
    options = [{"label": "Yes", "description": ""}, {"label": "No", "description": ""}]
    questions = [
        {"id": "q1", "header": "H", "question": "Go on?", "options": options},
        {"id": "q2", "header": "Key", "question": "Which key?", "isSecret": True},
        {"id": "q3", "header": "H", "question": "Unanswered?"},
    ]
    given = {"answers": {"q1": {"answers": ["Yes", "user_note: soon"]}, "q2": {"answers": ["x"]}}}
    found = events(meta(), call("request_user_input", questions=questions), output(json.dumps(given)))
    assert [e.decision for e in found if isinstance(e, Decided)] == [
        Decision(question="Go on?", chosen="Yes, soon", by="human", alternatives=("No",))
    ]


def test_messages_between_agents_have_a_direction() -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": OLDER, "agent_path": "/root/one"}}}
    mail = [
        line("inter_agent_communication", {"author": author, "recipient": "x", "content": text})
        for author, text in (("/root", "do"), ("/root/one", "done"), ("/root", ""))
    ]
    direct = item("agent_message", author="/root", content=[{"type": "input_text", "text": "more"}])
    found = [e for e in events(meta(source=spawn), *mail, direct) if isinstance(e, PeerMessage)]
    assert [(e.direction, e.content) for e in found] == [
        ("received", "do"),
        ("sent", "done"),
        ("received", "more"),
    ]


def test_errors_and_compactions_are_notes() -> None:
    found = events(
        meta(),
        event("error", message="stream closed"),
        line("compacted", {"message": "so far", "replacement_history": [{"type": "message"}]}),
        event("context_compacted"),
    )
    assert [(e.kind, e.content) for e in found if isinstance(e, NoteEvent)] == [
        ("error", "stream closed"),
        ("compaction", "so far"),
    ]
    assert len(found) == 2


def test_facts_come_from_the_first_meta_and_the_turns() -> None:
    git = {"commit_hash": "d002f64f", "branch": "main", "repository_url": "https://example.com/r.git"}
    first = meta(timestamp="2026-02-11T05:53:33.266Z", originator="codex_exec", git=git)
    turns = [line("turn_context", {"cwd": cwd, "model": "gpt"}) for cwd in ("/w", "/w/sub")]
    found = [(f.name, f.value) for f in read(first, *turns, meta(cwd="/other")) if isinstance(f, Fact)]
    assert found == [
        ("session", SESSION),
        ("started_at", "2026-02-11T05:53:33.266Z"),
        ("agent_version", "0.99.0"),
        ("folder", "/w"),
        ("branch", "main"),
        ("start_commit", "d002f64f"),
        ("repository", "https://example.com/r.git"),
        ("entrypoint", "codex_exec"),
        ("model", "gpt"),
        ("folder", "/w/sub"),
    ]


def parent_facts(items: list[Item]) -> tuple[Any, Any]:
    known = {found.name: found.value for found in items if isinstance(found, Fact)}
    return known.get("parent_session"), known.get("parent_kind")


def test_a_fork_names_its_parent() -> None:
    base = {"thread_id": OLDER, "end_ordinal_exclusive": 75, "end_byte_offset": 204_269}
    assert parent_facts(read(meta(forked_from_id=OLDER, history_base=base))) == (OLDER, "fork")
    assert parent_facts(read(meta(session_id=SESSION))) == (None, None)


def test_prompts_of_reviewers_and_guardians_are_not_a_humans() -> None:
    for source in ("review", {"other": "guardian"}):
        items = read(meta(source={"subagent": source}), user("judge"), reply("fine"))
        assert parent_facts(items) == (None, "subagent")
        assert isinstance(entries(items)[0].event, PeerMessage)


@pytest.mark.parametrize(
    "more",
    [
        {"parent_thread_id": OLDER, "session_id": OLDER},
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": OLDER, "depth": 1}}}},
        {"source": {"subagent": "review"}, "session_id": OLDER},
    ],
)
def test_a_subagents_task_is_not_a_prompt(more: dict[str, Any]) -> None:
    items = read(meta(**more), user("count"), event("user_message", message="count"), reply("6"))
    assert parent_facts(items) == (OLDER, "subagent")
    task = entries(items)[0].event
    assert isinstance(task, PeerMessage)
    assert (task.direction, task.content) == ("received", "count")
    assert not [found for found in items if isinstance(found, Mark)]


@pytest.mark.parametrize(
    ("turn", "time"), [(NEWER, "2026-02-11T05:53:33.400Z"), ("turn-1", "2026-02-11T05:53:50.000Z")]
)
def test_history_copied_by_a_fork_belongs_to_the_parent(turn: str, time: str) -> None:
    copied = [
        line("session_meta", {"id": OLDER, "cwd": "/w"}),
        event("task_started", turn_id=OLDER),
        user("old"),
        event("user_message", message="old"),
        reply("old answer"),
        tokens(13),
    ]
    mine = [line("event_msg", {"type": "task_started", "turn_id": turn}, time)]
    mine += [user("new") | {"timestamp": time}, event("user_message", message="new") | {"timestamp": time}]
    mine += [reply("new answer") | {"timestamp": time}, tokens(26) | {"timestamp": time}]
    items = read(meta(forked_from_id=OLDER), *copied, *mine)
    assert [(entry.event.content, entry.session) for entry in entries(items)] == [
        ("old", OLDER),
        ("old answer", OLDER),
        ("new", None),
        ("new answer", None),
    ]
    assert list(usage_of(items).values()) == [COST]
    assert usage_of(items).keys() == {entries(items)[-1].event.response}


def test_a_resumed_session_continues_in_its_file() -> None:
    items = read(meta(), user("a"), reply("b"), meta(), user("c"), reply("d"))
    assert {entry.session for entry in entries(items)} == {None}
    assert len([found for found in items if isinstance(found, Fact) and found.name == "session"]) == 1


def test_the_oldest_form_has_no_envelope() -> None:
    first = {"id": SESSION, "timestamp": "2025-07-01T10:00:00Z", "instructions": None, "git": {"branch": "x"}}
    log: list[dict[str, Any]] = [
        first,
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "x"},
    ]
    assert codex.detect(written(*log))
    items = read(*log)
    assert [type(entry.event) for entry in entries(items)] == [Prompt, ToolCall, ToolResult]
    assert Fact(name="session", value=SESSION) in items
    assert Fact(name="branch", value="x") in items


def test_the_oldest_form_never_marks_typed_text() -> None:
    first = {"id": SESSION, "timestamp": "2025-07-01T10:00:00Z", "git": {}}
    bare = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    assert [e.content for e in events(first, {"record_type": "state"}, bare)] == ["hi"]


def test_a_log_without_its_beginning_still_has_an_id() -> None:
    log = written(reply("a"), reply("b"))
    (session,) = (f.value for f in codex.read(io.BytesIO(log)) if isinstance(f, Fact))
    assert len(str(session)) == 20
    named = codex.read(io.BytesIO(log), session=SESSION)
    assert [f.value for f in named if isinstance(f, Fact)] == [SESSION]


DOCUMENT: dict[str, Any] = {
    "session": {"id": SESSION, "timestamp": "2025-05-01T10:00:00.000Z", "instructions": "be {brief}"},
    "items": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "duration_ms": 5},
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "c1",
            "name": "shell",
            "arguments": '{"command":["bash","-lc","ls"],"workdir":"/w"}',
        },
        {"type": "function_call_output", "call_id": "c1", "output": '{"output":"x","metadata":{}}'},
        {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"text": "it"}]},
    ],
}


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_of_the_first_version_is_read_completely(indent: int | None) -> None:
    data = json.dumps(DOCUMENT, indent=indent).encode()
    assert document.detect(data)
    items = list(document.read(io.BytesIO(data)))
    assert [(type(e.event), e.event.id, e.event.content) for e in entries(items)] == [
        (Prompt, "n1:0", "hi"),
        (ToolCall, "fc_1:0", ""),
        (ToolResult, "n4:0", "x"),
        (Message, "msg_1:0", "it"),
    ]
    assert entries(items)[1].command == "ls"
    assert {entry.end for entry in entries(items)} == {len(data)}
    assert Fact(name="session", value=SESSION) in items
    assert Fact(name="started_at", value="2025-05-01T10:00:00.000Z") in items
    assert not [found for found in items if isinstance(found, Mark)]


def test_a_cut_document_gives_its_complete_records() -> None:
    data = json.dumps(DOCUMENT).encode()
    whole = [entry.event for entry in entries(list(document.read(io.BytesIO(data))))]
    for end in range(len(data)):
        items = list(document.read(io.BytesIO(data[:end])))
        found = [entry.event for entry in entries(items)]
        ids = [found.id for found in found]
        assert ids == [found.id for found in whole][: len(ids)]
        assert [found for found in items if isinstance(found, Damage)]


def test_other_documents_are_not_claimed() -> None:
    for other in (
        {"session": "x", "items": []},
        {"sessionId": "x", "items": []},
        {"items": [], "session": {}},
    ):
        assert not document.detect(json.dumps(other).encode())
    long = {"session": {"id": "x", "instructions": "y" * 70_000}, "items": []}
    assert document.detect(json.dumps(long).encode()[:65536])


# ---------------------------------------------------------------- records that need no decoding

SETTINGS = {"cwd": "/w/sub", "model": "gpt"}
REPETITIVE = [
    meta(),
    line("turn_context", SETTINGS),
    item("message", role="developer", content=[{"type": "input_text", "text": "rules"}]),
    event("task_started", turn_id="t"),
    user("one"),
    event("user_message", message="one"),
    line("turn_context", SETTINGS),
    event("agent_reasoning", text="a"),
    event("token_count", info=None, rate_limits={}),
    tokens(13),
    tokens(13),
    call("shell", command=["ls"]),
    line("turn_context", SETTINGS),
    output("x"),
    event("agent_message", message="b"),
    reply("b"),
    line("turn_context", SETTINGS | {"model": "other"}),
    tokens(26),
    line("turn_context", SETTINGS),
    reply("c"),
]


def written_compactly(*records: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)


def without_offsets(items: list[Item]) -> list[Item]:
    """Return the items without their byte offsets."""
    kept = [found for found in items if not isinstance(found, Mark | TurnEnd)]
    return [replace(found, end=0) if isinstance(found, Entry) else found for found in kept]


def test_records_that_are_not_decoded_would_give_nothing() -> None:
    limits = {"primary": {"used_percent": 1.0}}
    log = [record | {"payload": record["payload"] | {"rate_limits": limits}} for record in REPETITIVE]
    decoded = list(codex.read(io.BytesIO(written(*log))))
    assert without_offsets(list(codex.read(io.BytesIO(written_compactly(*log))))) == without_offsets(decoded)


def test_two_records_on_one_line_are_read_even_if_the_first_gives_nothing() -> None:
    begin, glued = (
        written_compactly(meta(), reply("a")),
        written_compactly(event("task_started", turn_id="t"), reply("b")),
    )
    log = begin + glued.replace(b"\n", b"", 1)
    assert [entry.event.content for entry in entries(list(codex.read(io.BytesIO(log))))] == ["a", "b"]


def test_a_forks_copy_of_its_parents_usage_does_not_count() -> None:
    base = {"thread_id": OLDER, "end_ordinal_exclusive": 75}
    items = read(meta(history_base=base), tokens(1300), user("go"), reply("a"), tokens(1313))
    assert list(usage_of(items).values()) == [COST]
    assert usage_of(items).keys() <= {entry.event.response for entry in entries(items)}


def test_records_of_unknown_kinds_and_shapes_give_nothing() -> None:
    strange: list[dict[str, Any]] = [
        {"timestamp": 1, "type": 2, "payload": 3},
        {"payload": {"type": "message"}},
        line("world_state", {"state": {}}),
        line("response_item", {"type": ["x"], "role": 1}),
        event("item_completed", item=None),
        event("token_count", info={"last_token_usage": 5}),
        item("ghost_snapshot", ghost_commit={"id": "x"}),
        item("compaction", encrypted_content="x"),
        item("message", role="user", content=7),
    ]
    assert entries(read(meta(), *strange)) == []
