"""Claude Code's sessions: each peculiarity of the format in a log of a few records."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from typing import Any

import pytest

from gittraj.formats.claude import session as claude_code
from gittraj.model.session_items import Damage, Edit, Entry, Fact, Item, Mark, Spent, TurnEnd
from gittraj.model.values import (
    AnyEvent,
    Artifact,
    Decided,
    Decision,
    Foreign,
    Message,
    NoteEvent,
    PeerMessage,
    Prompt,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.unit.formats.reading import entries, facts

BASE = {
    "sessionId": "S",
    "cwd": "/w",
    "gitBranch": "main",
    "version": "2.1.197",
    "entrypoint": "cli",
    "timestamp": "2026-02-06T09:59:01.100Z",
}
NUMBERS = {"input_tokens": 3, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 5}


def user(uuid: str, content: Any, **more: Any) -> dict[str, Any]:
    return {**BASE, "type": "user", "uuid": uuid, "message": {"role": "user", "content": content}, **more}


def reply(uuid: str, *blocks: Any, id: str = "m1", output: int = 9, **more: Any) -> dict[str, Any]:  # noqa: A002
    usage = {**NUMBERS, "output_tokens": output}
    message = {"id": id, "role": "assistant", "model": "opus", "content": list(blocks), "usage": usage}
    message |= {k: more.pop(k) for k in ("stop_reason", "model") if k in more}
    return {**BASE, "type": "assistant", "uuid": uuid, "message": message, **more}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def call(tool: str, call_id: str = "c1", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}


def tool_result(uuid: str, content: Any, detail: Any = None, *, error: bool = False) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": "c1", "content": content, "is_error": error}
    return user(uuid, [block]) | ({} if detail is None else {"toolUseResult": detail})


def read(*records: dict[str, Any], session: str | None = None) -> list[Item]:
    data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    return list(claude_code.read(io.BytesIO(data), session=session))


def events(*records: dict[str, Any]) -> list[AnyEvent]:
    return [entry.event for entry in entries(read(*records))]


# ---------------------------------------------------------------- model calls


def test_records_of_one_message_are_one_model_call_and_its_last_cost_counts() -> None:
    items = read(
        reply("a", {"type": "thinking", "thinking": "hm", "signature": "s"}, output=1),
        reply("b", text("\n\n"), output=2),
        reply("c", call("Read", file_path="/w/x"), output=40),
    )
    thinking, reading = (entry.event for entry in entries(items))
    assert (thinking.id, reading.id) == ("a:0", "c:0")
    assert isinstance(thinking, Thinking)
    assert thinking.content == "hm"
    assert {thinking.response, reading.response} == {"m1"}
    assert thinking.model == "opus"
    spent = [item for item in items if isinstance(item, Spent)]
    assert [s.response for s in spent] == ["m1"] * 3
    assert spent[-1].usage == Usage(
        input_tokens=3, cache_read_tokens=20, cache_write_tokens=5, output_tokens=40
    )


def test_hidden_thinking_is_recorded_without_its_text() -> None:
    signed = {"type": "thinking", "thinking": "", "signature": "s"}
    record = reply("a", signed, {"type": "redacted_thinking", "data": "d"})
    assert [e.content for e in events(record) if isinstance(e, Thinking)] == ["", "[redacted]"]


def test_an_api_error_is_neither_a_message_nor_a_model() -> None:
    items = read(
        reply("a", text("API Error: 529"), model="<synthetic>", isApiErrorMessage=True),
        reply("b", text("No response requested."), model="<synthetic>"),
        {**BASE, "type": "system", "subtype": "api_error", "uuid": "c", "error": {"status": 529, "error": {
            "type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}}},
    )  # fmt: skip
    assert [(e.event.kind, e.event.content) for e in entries(items) if isinstance(e.event, NoteEvent)] == [
        ("error", "API Error: 529"),
        ("error", "API error 529 Overloaded"),
    ]
    assert "model" not in facts(items)
    assert not [item for item in items if isinstance(item, Spent)]


def test_a_turn_ends_with_its_last_message_or_the_programs_record() -> None:
    turn = [
        reply("a", {"type": "thinking", "thinking": "x"}, stop_reason="end_turn"),
        reply("b", text("done"), stop_reason="end_turn"),
        {**BASE, "type": "system", "subtype": "turn_duration", "uuid": "c", "durationMs": 4},
    ]
    kinds = [type(item) for item in read(*turn) if isinstance(item, Entry | TurnEnd)]
    assert kinds == [Entry, Entry, TurnEnd, TurnEnd]
    calling = reply("d", text("now"), call("Bash", command="ls"), stop_reason="end_turn")
    assert not [item for item in read(calling) if isinstance(item, TurnEnd)]


# ---------------------------------------------------------------- prompts


@pytest.mark.parametrize(
    "record",
    [
        user("u", "skill text", isMeta=True),
        user("u", "This session is being continued", isCompactSummary=True),
        user("u", "shown only", isVisibleInTranscriptOnly=True),
        user("u", "<command-name>/clear</command-name>"),
        user("u", [text("<command-message>init</command-message>")]),
        user("u", "<local-command-stdout>x</local-command-stdout>"),
        user("u", "<local-command-caveat>Caveat: x</local-command-caveat>"),
        user("u", "<bash-input>ls</bash-input>"),
        user("u", "<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>"),
        user("u", "  <task-notification>\n<task-id>1</task-id></task-notification>"),
        user("u", "Caveat: The messages below were generated by the user while running local commands."),
        user("u", "<system-reminder>be brief</system-reminder>\n"),
        user("u", ""),
        user("u", None),
        user("u", ["not a block"]),
        {**BASE, "type": "user", "uuid": "u", "message": "error"},
        {**BASE, "type": "user", "uuid": "u"},
    ],
)
def test_text_that_no_human_typed_is_not_a_prompt(record: dict[str, Any]) -> None:
    items = read(record)
    assert entries(items) == []
    assert not [item for item in items if isinstance(item, Mark | Damage)]


@pytest.mark.parametrize(
    ("content", "typed"),
    [
        ("  fix it \n", "fix it"),
        ("fix <system-reminder>a</system-reminder>it<system-reminder>b</system-reminder>", "fix it"),
        ("keep <system-reminder> open", "keep <system-reminder> open"),
        ([text("<ide_opened_file>The user opened x</ide_opened_file>"), text("and this")], "and this"),
        ([text("one"), text("two")], "one\ntwo"),
        ("what does <command-name> mean?", "what does <command-name> mean?"),
    ],
)
def test_a_prompt_is_the_typed_text(content: Any, typed: str) -> None:
    items = read(user("u", content))
    assert isinstance(items[0], Mark)
    (prompt,) = (entry.event for entry in entries(items))
    assert isinstance(prompt, Prompt)
    assert (prompt.id, prompt.content, prompt.ts) == ("u:0", typed, BASE["timestamp"])


def test_an_interruption_is_noted_and_ends_the_turn() -> None:
    items = read(user("u", [text("[Request interrupted by user for tool use]")]))
    (remark,) = (entry.event for entry in entries(items))
    assert isinstance(remark, NoteEvent)
    assert (remark.kind, remark.tags) == ("note", ("interrupted",))
    assert isinstance(items[-1], TurnEnd)


def test_records_of_other_kinds_or_without_a_kind_give_no_events() -> None:
    kinds = ("progress", "file-history-snapshot", "attachment", "queue-operation", "last-prompt", "of-2031")
    records = [{**BASE, "type": kind, "uuid": kind, "message": {"content": "x"}} for kind in kinds]
    items = read(*records, {**BASE, "type": 7, "uuid": []}, {})
    assert {type(item) for item in items} == {Fact}


def test_a_repeated_record_counts_once_and_a_broken_one_does_not_hide_its_copy() -> None:
    broken = {**BASE, "type": "user", "uuid": "u", "message": "error"}
    assert [e.id for e in events(broken, user("u", "hi"), user("u", "hi"), reply("a", text("x")))] == [
        "u:0",
        "a:0",
    ]


# ---------------------------------------------------------------- calls and their results


def test_a_shell_call_has_its_command_and_folder() -> None:
    (entry,) = entries(read(reply("a", call("Bash", command="git commit -m x", description="d"))))
    assert isinstance(entry.event, ToolCall)
    assert (entry.event.name, entry.event.call_id) == ("Bash", "c1")
    assert entry.event.arguments == {"command": "git commit -m x", "description": "d"}
    assert (entry.command, entry.folder, entry.paths) == ("git commit -m x", "/w", ())


@pytest.mark.parametrize(
    ("block", "edit"),
    [
        (
            call("Write", file_path="/w/n.py", content="a\n\nb\n"),
            Edit(path="/w/n.py", added=("a", "", "b"), whole="a\n\nb\n"),
        ),
        (
            call("Edit", file_path="/w/n.py", old_string="a\nb\nc", new_string="a\nB\nc\nc"),
            Edit(path="/w/n.py", added=("B", "c"), removed=("b",)),
        ),
        (
            call(
                "MultiEdit",
                file_path="n.py",
                edits=[{"old_string": "a", "new_string": "b"}, {"old_string": "", "new_string": "z"}],
            ),
            Edit(path="n.py", added=("b", "z"), removed=("a",)),
        ),
        (
            call("NotebookEdit", notebook_path="/w/n.ipynb", new_source="x = 1", cell_id="1"),
            Edit(path="/w/n.ipynb", added=("x = 1",)),
        ),
    ],
)
def test_an_edit_belongs_to_its_call(block: dict[str, Any], edit: Edit) -> None:
    (entry,) = entries(read(reply("a", block)))
    assert entry.edits == (edit,)
    assert entry.paths == (edit.path,)


def test_a_result_completes_its_edit_with_the_whole_new_text() -> None:
    changed = {"filePath": "/w/a", "oldString": "x", "newString": "y", "originalFile": "x x\n"}
    created = {"type": "create", "filePath": "/w/a", "content": "new\n", "originalFile": None}
    several = {
        "filePath": "/w/a",
        "originalFileContents": "1 2",
        "edits": [{"old_string": "1", "new_string": "2"}, {"old_string": "2 2", "new_string": "3"}],
    }
    expected = [
        (changed, (Edit(path="/w/a", whole="y x\n", before="x x\n"),)),
        (changed | {"replaceAll": True}, (Edit(path="/w/a", whole="y y\n", before="x x\n"),)),
        (changed | {"originalFile": "unlike"}, ()),
        (changed | {"originalFile": None}, ()),
        (changed | {"userModified": True}, ()),
        (created, (Edit(path="/w/a", kind="add", whole="new\n"),)),
        (several, (Edit(path="/w/a", whole="3", before="1 2"),)),
    ]
    for detail, edits in expected:
        (entry,) = entries(read(tool_result("r", "ok", detail)))
        assert entry.edits == edits
    (failed,) = entries(read(tool_result("r", "no", changed, error=True)))
    assert failed.edits == ()


def shell(content: Any, detail: Any = None, *, error: bool = False) -> Entry:
    return entries(
        read(reply("a", call("Bash", command="x")), tool_result("r", content, detail, error=error))
    )[1]


def test_commits_are_read_from_gits_output_and_the_programs_own_fields() -> None:
    printed = "[main 1a2b3c4] one\n[topic/x (root-commit) 5d6e7f8] two\n[detached HEAD 9a8b7c6] three\n"
    assert shell(printed + "[not a1b2c3d4 it]\n[x]: y").commits == ("1a2b3c4", "5d6e7f8", "9a8b7c6")
    marked = {"stdout": "", "gitOperation": {"commit": {"sha": "66f2694", "kind": "committed"}}}
    assert shell("(no output)", marked).commits == ("66f2694",)
    assert shell("[main 66f2694] x", marked).commits == ("66f2694",)
    reading = read(reply("a", call("Read", file_path="/w/log")), tool_result("r", "[main 1a2b3c4] one"))
    assert entries(reading)[1].commits == ()


@pytest.mark.parametrize(
    ("content", "detail", "error", "code"),
    [
        ("Exit code 127\nnot found", "Error: Exit code 127\nnot found", True, 127),
        ("ok", {"stdout": "ok", "stderr": "", "interrupted": False}, False, 0),
        ("none", {"stdout": "", "returnCodeInterpretation": "No matches found"}, False, None),
        ("started", {"stdout": "", "backgroundTaskId": "b1"}, False, None),
        ("stopped", {"stdout": "", "interrupted": True}, False, None),
        ("it says Exit code 3", {"stdout": ""}, False, 0),
        ("no detail", None, False, None),
    ],
)
def test_an_exit_code_is_set_only_if_it_is_known(
    content: str, detail: Any, error: bool, code: int | None
) -> None:
    event = shell(content, detail, error=error).event
    assert isinstance(event, ToolResult)
    assert (event.exit_code, event.is_error, event.call_id) == (code, error, "c1")


def test_an_image_is_never_kept_but_counted() -> None:
    data = b"\x89PNG pixels"
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(data).decode()}
    image = {"type": "image", "source": source}
    items = read(tool_result("r", [text("see"), image]), user("u", [text("and?"), image]))
    result, prompt = (entry.event for entry in entries(items))
    assert isinstance(result, ToolResult)
    assert result.artifact == Artifact(
        media_type="image/png", bytes=len(data), sha256=hashlib.sha256(data).hexdigest()
    )
    assert result.content == "see\n[image/png, 11 bytes]"
    assert prompt.content == "and?\n[image/png, 11 bytes]"
    (broken,) = events(
        tool_result("r", [{"type": "image", "source": {"data": "REDACTED!", "media_type": 1}}])
    )
    assert isinstance(broken, ToolResult)
    assert (broken.artifact, broken.content) == (None, "[image]")


def test_images_and_documents_are_shown_as_text_address_or_placeholder() -> None:
    plain = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "the rules"}}
    linked = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    filed = {"type": "document", "source": {"type": "file", "file_id": "f1"}}
    inline = {"type": "image", "source": {"type": "url", "url": "data:image/png;base64,eA=="}}
    (prompt,) = events(user("u", [text("see"), plain, linked, filed, inline]))
    assert prompt.content.splitlines() == [
        "see",
        "the rules",
        "[image https://example.com/a.png]",
        "[document]",
        "[image/png, 1 bytes]",
    ]
    assert prompt.artifact == Artifact(
        media_type="image/png", bytes=1, sha256=hashlib.sha256(b"x").hexdigest()
    )


def test_a_server_side_tool_is_a_call_with_a_result() -> None:
    asked = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}}
    hit = {"type": "web_search_result", "title": "T", "url": "https://example.com", "encrypted_content": "x"}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [hit]}
    failed = {"type": "web_search_tool_result_error", "error_code": "unavailable"}
    broken = {"type": "web_search_tool_result", "tool_use_id": "s2", "content": failed}
    ran = {"type": "code_execution_result", "stdout": "1", "stderr": "warned", "return_code": 0}
    executed = {"type": "code_execution_tool_result", "tool_use_id": "s3", "content": ran}
    unknown = {"type": "of_2031", "text": "new"}
    search, *results, foreign = events(reply("a", asked, found, broken, executed, unknown))
    assert isinstance(search, ToolCall)
    assert (search.name, search.call_id, search.response) == ("web_search", "s1", "m1")
    assert [(r.id, r.content, r.is_error) for r in results if isinstance(r, ToolResult)] == [
        ("a:1", "T https://example.com", False),
        ("a:2", "unavailable", True),
        ("a:3", "1\nwarned", False),
    ]
    assert isinstance(foreign, Foreign)
    assert (foreign.type, foreign.content) == ("of_2031", "new")


def test_an_output_stored_elsewhere_is_marked_as_cut() -> None:
    spilled = "<persisted-output>\nOutput too large (2MB). Preview:\nx"
    event = shell(spilled, {"stdout": spilled, "persistedOutputSize": 2_000_000}).event
    assert isinstance(event, ToolResult)
    assert (event.truncated, event.bytes) == (True, 2_000_000)


# ---------------------------------------------------------------- decisions


def decided(*records: dict[str, Any]) -> list[Decision]:
    return [event.decision for event in events(*records) if isinstance(event, Decided)]


def refused(*records: dict[str, Any]) -> list[str]:
    return [e.content for e in events(*records) if isinstance(e, NoteEvent) and e.kind == "refusal"]


def test_an_answered_question_is_a_human_decision() -> None:
    options = [{"label": "LRU"}, {"label": "dict"}, {"label": "none"}]
    questions = [
        {"question": "Which?", "options": options, "multiSelect": False},
        {"question": "What else?", "options": options, "multiSelect": True},
        {"question": "Unanswered?", "options": options},
    ]
    detail = {"questions": questions, "answers": {"Which?": "LRU", "What else?": "dict, my own"}}
    asked = reply("a", call("AskUserQuestion", questions=questions))
    assert decided(asked, tool_result("r", "User has answered", detail)) == [
        Decision(chosen="LRU", by="human", question="Which?", alternatives=("dict", "none")),
        Decision(chosen="dict, my own", by="human", question="What else?", alternatives=("LRU", "none")),
    ]
    ids = [e.id for e in events(asked, tool_result("r", "User has answered", detail))]
    assert ids == ["a:0", "r:0", "r:1", "r:2"]


def test_an_approved_plan_is_the_agents_decision_but_a_refused_one_is_not() -> None:
    plan = "# Cache the parser\n\n## Why\nA dict never evicts.\n\n## Steps\n1. do"
    planned = reply("a", call("ExitPlanMode", plan=plan))
    approved = Decision(chosen="Cache the parser", by="agent", reasoning="A dict never evicts.")
    assert decided(planned, tool_result("r", "User has approved your plan.")) == [approved]
    assert decided(reply("a", call("ExitPlanMode")), tool_result("r", "ok", {"plan": plan})) == [approved]
    unseen, human = call("ExitPlanMode"), Decision(chosen="approved the plan", by="human")
    filed = {"plan": None, "filePath": "/p.md"}
    assert decided(reply("a", unseen), tool_result("r", "User has approved exiting plan mode.", filed)) == [
        human
    ]
    waiting = {"plan": plan, "awaitingLeaderApproval": True}
    assert decided(planned, tool_result("r", "Your plan has been submitted", waiting)) == []
    steps = call("ExitPlanMode", plan="# Cache\n\nAdd a dict.\n\n## Why not a table\n## Steps\n1. do")
    assert decided(reply("a", steps), tool_result("r", "ok")) == [Decision(chosen="Cache", by="agent")]
    refusal = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. "
        "To tell you how to proceed, the user said:\nuse a dict"
    )
    later = refusal.replace("To tell you how to proceed, the user said:", "The reason for the rejection:")
    for words in (refusal, later):
        rejection = tool_result("r", words, "User rejected tool use", error=True)
        assert decided(planned, rejection) == []
        assert refused(planned, rejection) == [f"ExitPlanMode {' '.join(plan.split())}\nuse a dict"]
    asked = reply("a", call("Bash", command="x"))
    assert decided(asked, tool_result("r", "Exit code 1", error=True)) == []
    stop = "The user doesn't want to take this action right now. STOP what you are doing."
    assert refused(asked, tool_result("r", stop, error=True)) == ["Bash x"]
    by_rule = tool_result("r", "Permission to use Bash has been denied.", error=True)
    assert decided(asked, by_rule) == refused(asked, by_rule) == []


# ---------------------------------------------------------------- the session


def test_facts_are_reported_when_known_and_when_they_change() -> None:
    items = read(
        {"type": "queue-operation", "operation": "dequeue", "timestamp": "2026-02-06T09:58:00Z"},
        user("u", "hi"),
        reply("a", text("x"), gitBranch="topic"),
        reply("b", text("y"), gitBranch="topic", model="haiku"),
    )
    assert [(f.name, f.value) for f in items if isinstance(f, Fact)] == [
        ("started_at", "2026-02-06T09:58:00.000Z"),
        ("session", "S"),
        ("agent_version", "2.1.197"),
        ("folder", "/w"),
        ("branch", "main"),
        ("entrypoint", "cli"),
        ("branch", "topic"),
        ("model", "opus"),
        ("model", "haiku"),
    ]


def test_a_title_is_the_sessions_own_and_a_humans_title_is_preferred() -> None:
    other = {"type": "summary", "summary": "Another session", "leafUuid": "elsewhere"}
    early = {"type": "summary", "summary": "Early", "leafUuid": "a"}
    late = {"type": "summary", "summary": "Late", "leafUuid": "a"}
    custom = {"type": "custom-title", "customTitle": "Mine", "sessionId": "S"}
    ai = {"type": "ai-title", "aiTitle": "Its", "sessionId": "S"}
    words = reply("a", text("x"))
    assert "title" not in facts(read(other, words))
    assert facts(read(other, early, words))["title"] == "Early"
    assert facts(read(words, late))["title"] == "Late"
    assert facts(read(words, ai, late))["title"] == "Its"
    assert facts(read(words, custom, ai, late))["title"] == "Mine"


def test_the_file_name_is_the_session_and_copied_records_keep_their_own() -> None:
    items = read(user("u", "old", sessionId="P"), user("v", "new"), session="S")
    assert [entry.session for entry in entries(items)] == ["P", None]
    known = facts(items)
    assert (known["session"], known["parent_session"], known["parent_kind"]) == ("S", "P", "resumed")
    fork = read(user("u", "old", forkedFrom={"sessionId": "P", "messageUuid": "x"}), session="S")
    assert entries(fork)[0].session == "P"
    assert facts(fork)["parent_kind"] == "fork"


def test_a_subagents_file_belongs_to_the_session_that_started_it() -> None:
    items = read(user("u", "count the lines"), reply("a", text("6")), session="agent-a1b2")
    task, _ = (entry.event for entry in entries(items))
    assert isinstance(task, PeerMessage)
    assert (task.direction, task.content) == ("received", "count the lines")
    known = facts(items)
    assert [known[n] for n in ("session", "subagent", "parent_session", "parent_kind")] == [
        "S",
        "a1b2",
        "S",
        "subagent",
    ]
    assert not [item for item in items if isinstance(item, Mark)]
    nameless = facts(read(user("u", "count", isSidechain=True, agentId="a1b2")))
    assert (nameless["session"], nameless["subagent"]) == ("S", "a1b2")
    inline = facts(read(user("u", "count", isSidechain=True, agentId="a1b2"), session="S"))
    assert "subagent" not in inline


def test_a_compaction_helpers_file_is_recognized() -> None:
    assert facts(read(user("u", "summarise"), session="agent-acompact-9f"))["tag"] == "compaction"


UUID, OTHER = "0b1c2d3e-0000-4000-8000-000000000001", "0b1c2d3e-0000-4000-8000-000000000002"


@pytest.mark.parametrize(
    ("stem", "ids", "session", "parent"),
    [
        ("full", [UUID, UUID], UUID, None),  # a log that was renamed
        (UUID, [UUID, OTHER], UUID, OTHER),
        (UUID, [OTHER, UUID], UUID, OTHER),
        (None, [OTHER, UUID], OTHER, None),  # it is not known which of them is a copy
        ("full", [OTHER, UUID], OTHER, None),
        ("full", [None, None], "full", None),
    ],
)
def test_a_file_name_that_is_not_a_session_id_is_ignored(
    stem: str | None, ids: list[str | None], session: str, parent: str | None
) -> None:
    summary = {"type": "summary", "summary": "Another session", "leafUuid": "elsewhere"}
    records = [user(f"u{n}", "hi", sessionId=named) for n, named in enumerate(ids)]
    items = read(summary, *records, session=stem)
    known = facts(items)
    assert known["session"] == session
    assert known.get("parent_session") == parent
    assert [e.session for e in entries(items)] == [None if i in (session, None) else i for i in ids]


def test_a_session_begins_with_its_own_first_record() -> None:
    copied = user("u", "old", sessionId="P", timestamp="2026-02-05T00:00:00.000Z")
    assert facts(read(copied, user("v", "new"), session="S"))["started_at"] == BASE["timestamp"]


def test_a_sessions_links_and_tags_are_facts() -> None:
    link = {"type": "pr-link", "sessionId": "S", "prNumber": 7, "prUrl": "https://example.com/o/r/pull/7"}
    known = facts(read(user("u", "hi"), link, {"type": "tag", "tag": "spike", "sessionId": "S"}))
    assert (known["task_url"], known["tag"]) == ("https://example.com/o/r/pull/7", "spike")


# ---------------------------------------------------------------- prompts typed while the agent worked


def queue(operation: str, **more: Any) -> dict[str, Any]:
    return {**BASE, "type": "queue-operation", "operation": operation, **more}


def queued(uuid: str, prompt: Any, **more: Any) -> dict[str, Any]:
    given = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt", **more}
    return {**BASE, "type": "attachment", "uuid": uuid, "attachment": given}


@pytest.mark.parametrize("prompt", ["use tabs", [{"type": "text", "text": "use tabs"}]])
def test_a_prompt_that_the_agent_got_during_its_turn_is_a_prompt(prompt: Any) -> None:
    waited = (queue("enqueue", content="use tabs"), reply("a", text("x")), queue("remove"))
    found = events(user("u", "go"), *waited, queued("q", prompt), reply("b", text("y"), id="m2"))
    assert [(type(e), e.content) for e in found] == [
        (Prompt, "go"),
        (Message, "x"),
        (Prompt, "use tabs"),
        (Message, "y"),
    ]
    assert found[2].id == "q:0"
    both = (
        queue("enqueue", content="one"),
        queue("enqueue", content="two"),
        queue("remove"),
        queue("remove"),
    )
    found = events(*both, queued("q", "one"), queued("r", "two"), reply("a", text("x")))
    assert [e.content for e in found] == ["one", "two", "x"]
    assert events(queued("q", "done", commandMode="task-notification")) == []
    assert events(queued("q", "hook says", isMeta=True)) == []
    assert events(queued("q", "from a channel", origin={"kind": "channel"})) == []


def test_in_older_files_prompts_during_a_turn_are_read_from_the_queue() -> None:
    found = events(
        user("u", "go"),
        queue("enqueue", content="use tabs"),
        queue("remove"),
        reply("a", text("x")),
        queue("enqueue", content="/mcp"),
        queue("remove"),
        queue("enqueue", content="<task-notification>\n</task-notification>"),
        queue("remove"),
        queue("enqueue", content="taken back"),
        queue("popAll"),
        queue("enqueue", content="next"),
        queue("dequeue"),
        user("v", "next"),
    )
    assert [(type(e), e.content, e.tags) for e in found] == [
        (Prompt, "go", ()),
        (NoteEvent, "use tabs", ("queued",)),
        (Message, "x", ()),
        (Prompt, "next", ()),
    ]


def test_messages_of_other_agents_or_the_program_are_not_prompts() -> None:
    peer = user("u", '<teammate-message teammate_id="b">done</teammate-message>')
    (message,) = events(peer, user("v", "go on", origin={"kind": "auto-continuation"}))
    assert isinstance(message, PeerMessage)
    assert (message.direction, message.agent) == ("received", "b")


@pytest.mark.parametrize(
    ("content", "sender"),
    [
        ('<teammate-message teammate_id="ann" color="blue">a</teammate-message>', "ann"),
        ('<cross-session-message id="1" from="bob">a</cross-session-message>', "bob"),
        ('<teammate-message teammate_id="a">x</teammate-message>\n<teammate-message teammate_id="b">', None),
        ('<agent-message>it said <agent-message from="x">', None),
    ],
)
def test_a_message_that_names_its_sender_has_it(content: str, sender: str | None) -> None:
    (message,) = events(user("u", content))
    assert (type(message), message.agent) == (PeerMessage, sender)


def test_a_sidechain_in_the_main_file_is_linked_to_its_call() -> None:
    side = {"isSidechain": True}
    found = events(
        user("u", "hi"),
        reply("a", call("Task", prompt="count the lines", subagent_type="x")),
        user("s1", "count the lines", parentUuid=None, **side),
        reply("s2", text("6"), id="m2", parentUuid="s1", stop_reason="end_turn", **side),
        reply("b", text("it has 6")),
    )
    assert [(type(e), e.tags, e.parent) for e in found] == [
        (Prompt, (), None),
        (ToolCall, (), None),
        (PeerMessage, ("sidechain",), "a:0"),
        (Message, ("sidechain",), "a:0"),
        (Message, (), None),
    ]


def test_a_compaction_is_a_note() -> None:
    boundary = {**BASE, "type": "system", "subtype": "compact_boundary", "uuid": "c", "content": "Compacted"}
    (remark,) = events(boundary, user("s", "This session is being continued", isCompactSummary=True))
    assert isinstance(remark, NoteEvent)
    assert (remark.kind, remark.content) == ("compaction", "Compacted")
    small = {**BASE, "type": "system", "subtype": "microcompact_boundary", "uuid": "c"}
    assert [type(event) for event in events(small)] == [NoteEvent]


def test_reading_resumes_between_two_objects_on_one_line() -> None:
    one, two = (json.dumps(user(uuid, f"prompt é {uuid}"), ensure_ascii=False) for uuid in "uv")
    data = f"{one}{two}\n".encode()
    items = list(claude_code.read(io.BytesIO(data)))
    second = [item for item in items if isinstance(item, Mark)][1]
    assert data[second.cursor.offset :].decode() == two + "\n"
    rest = items[items.index(second) + 1 :]
    assert list(claude_code.read(io.BytesIO(data), cursor=second.cursor)) == rest
    assert [entry.event.content for entry in entries(rest)] == ["prompt é v"]
