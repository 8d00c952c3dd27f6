"""mini-swe-agent's runs of both versions: each peculiarity of the format in a log of a few messages."""

from __future__ import annotations

import copy
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.formats import HEAD, detect
from gittraj.formats.swe import ending, mini
from gittraj.model.session_items import Damage, Edit, Entry, Item, Spent, TurnEnd
from gittraj.model.values import (
    AnyEvent,
    Message,
    NoteEvent,
    Prompt,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.sizes import size
from tests.unit.formats.reading import facts, spoiled

DIFF = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
TASK = "Please solve this issue: Add c\nBecause.\n\nYou can execute bash commands and edit files."


def message(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def answer(text: str, number: int = 1, **extra: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 10, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}
    response = {"id": f"gen-{number}", "created": 1763510130 + number, "model": "m-1", "usage": usage}
    return message("assistant", text, extra={"response": {**response, "choices": ["dropped"]}, **extra})


def ran(output: str, code: int = 0) -> dict[str, Any]:
    return message("user", f"<returncode>{code}</returncode>\n<output>\n{output}</output>")


def tool(output: str, call: str, **extra: Any) -> dict[str, Any]:
    content = f"<returncode>0</returncode>\n<output>\n{output[:5]}</output>"
    extra = {"raw_output": output, "returncode": 0, "timestamp": 1780680349.5, **extra}
    return message("tool", content, tool_call_id=call, extra=extra)


def called(call: str, command: str, text: str = "", cost: float = 0.0, **more: Any) -> dict[str, Any]:
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    reply = answer(text, number=ord(call[-1]), cost=cost, timestamp=1780680348.25)
    return {**reply, "tool_calls": [{"id": call, "type": "function", "function": function}], **more}


SYSTEM = message("system", "Answer with one ```bash\nblock\n```")
START = [SYSTEM, message("user", TASK)]


def run(*messages: dict[str, Any], status: str | None = None, **info: Any) -> dict[str, Any]:
    model = {"model_name": "vendor/m"}
    known = {"exit_status": status, "mini_version": "1.15.0", "config": {"model": model, "environment": {}}}
    return {
        "info": known | info,
        "messages": [*START, *messages],
        "trajectory_format": "mini-swe-agent-1",
        "instance_id": "d__d-1",
    }


def read(value: Any, session: str | None = None) -> list[Item]:
    return list(mini.read(io.BytesIO(json.dumps(value).encode()), session=session))


def entries(value: Any) -> list[Entry]:
    return [item for item in read(value) if isinstance(item, Entry)]


def events(value: Any) -> list[AnyEvent]:
    return [entry.event for entry in entries(value)]


# ---------------------------------------------------------------- version 1


def test_a_run_of_version_1_is_read() -> None:
    value = run(
        answer("THOUGHT: I look.\n\n```bash\nls -la\n```"),
        ran("x.py\n"),
        answer("Done.\n```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff\n```", 2),
        message("user", DIFF),
        status="Submitted",
        submission=DIFF,
        model_stats={"instance_cost": 0.08934840000000001, "api_calls": 2},
    )
    prompt, thought, first, result, text, last, submission = events(value)
    assert isinstance(prompt, Prompt)
    assert prompt.content == "Add c\nBecause."
    assert isinstance(thought, Thinking)
    assert thought.content == "I look."
    assert thought.ts == "2025-11-18T23:55:31.000Z"
    assert isinstance(first, ToolCall)
    assert (first.name, first.arguments) == ("bash", {"command": "ls -la"})
    assert isinstance(result, ToolResult)
    assert (result.content, result.exit_code, result.call_id) == ("x.py\n", 0, first.call_id)
    assert isinstance(text, Message)
    assert text.content == "Done."
    assert isinstance(last, ToolCall)
    assert isinstance(submission, NoteEvent)
    assert (submission.content, submission.tags) == (DIFF, ("submission",))
    assert submission.artifact is not None
    assert submission.artifact.media_type == "text/x-diff"
    items = read(value)
    known = facts(items)
    assert known.pop("session")
    assert known == {
        "instance": "d__d-1",
        "agent_version": "1.15.0",
        "model": "vendor/m",
        "started_at": "2025-11-18T23:55:31.000Z",
        "title": "Add c",
        "messages": 6,
        "api_calls": 2,
        "cost_usd": 0.08934840000000001,
        "exit_status": "Submitted",
        "submission": DIFF,
        "status": "completed",
    }
    usage = Usage(input_tokens=6, cache_read_tokens=4, output_tokens=3)
    assert [i for i in items if isinstance(i, Spent)] == [
        Spent(response="gen-1", usage=usage),
        Spent(response="gen-2", usage=usage),
    ]
    assert isinstance(items[-1], TurnEnd)
    by_id = {e.event.id: e for e in entries(value)}
    assert by_id[last.id].edits == (Edit(path="x.py", added=("c",), removed=("b",)),)
    assert by_id[first.id].command == "ls -la"
    assert not by_id[first.id].edits


def test_an_answer_without_exactly_one_block_has_no_call_and_an_error() -> None:
    two = answer("THOUGHT: both\n```bash\na\n```\n```bash\nb\n```")
    complaint = message(
        "user", "Please always provide EXACTLY ONE action in triple backticks, found 2 actions."
    )
    thought, error = events(run(two, complaint))[1:]
    assert isinstance(thought, Thinking)
    assert "```bash\na\n```" in thought.content
    assert isinstance(error, NoteEvent)
    assert error.kind == "error"
    config = {"agent": {"format_error_template": "Exactly one, not {{n}}!"}}
    assert isinstance(events(run(two, message("user", "Exactly one, not 2!"), config=config))[-1], NoteEvent)


@pytest.mark.parametrize(
    ("text", "content", "code", "is_error", "truncated"),
    [
        ("<returncode>1</returncode>\n<output>\nno\n</output>", "no\n", 1, True, False),
        ("<returncode>-1</returncode>\n<output></output>", "", -1, True, False),
        ("<returncode>0</returncode>\n<output>\n<output>x</output>\n</output>",
         "<output>x</output>\n", 0, False, False),
        ("Observation: {'output': 'x'}", "Observation: {'output': 'x'}", None, False, False),
    ],
)  # fmt: skip
def test_an_observation_is_a_result(
    text: str, content: str, code: int | None, is_error: bool, truncated: bool
) -> None:
    result = events(run(answer("x\n```bash\nls\n```"), message("user", text)))[-1]
    assert isinstance(result, ToolResult)
    assert (result.content, result.exit_code) == (content, code)
    assert (result.is_error, result.truncated) == (is_error, truncated)


def test_a_long_output_is_cut_in_its_middle() -> None:
    text = (
        "<returncode>0</returncode>\n<warning>\nToo long.\n</warning>\n<output_head>\na\n</output_head>\n"
        "<elided_chars>\n99 characters elided\n</elided_chars>\n<output_tail>\nz\n</output_tail>"
    )
    result = events(run(answer("```bash\nls\n```"), message("user", text)))[-1]
    assert isinstance(result, ToolResult)
    assert result.truncated
    assert "99 characters elided" in result.content


def test_a_command_that_timed_out_failed() -> None:
    text = "The last command <command>sleep 99</command> timed out and has been killed.\nThe output was:"
    result = events(run(answer("```bash\nsleep 99\n```"), message("user", text)))[-1]
    assert isinstance(result, ToolResult)
    assert (result.call_id, result.is_error) == ("m2:0", True)


def test_messages_of_an_interactive_runs_user_are_read() -> None:
    refused = "Command not executed. The user rejected your command with the following message:\nuse rg"
    value = run(
        answer("```bash\ngrep\n```"),
        message("user", refused),
        message("user", "Interrupted by user: and faster"),
        message("user", "Interrupted by user: Temporary interruption caught."),
        message("user", "The user added a new task: and d"),
    )
    call, result, refusal, more, note, task = events(value)[1:]
    assert isinstance(call, ToolCall)
    assert isinstance(result, ToolResult)
    assert (result.call_id, result.is_error) == (call.call_id, True)
    assert isinstance(refusal, NoteEvent)
    assert (refusal.kind, refusal.content) == ("refusal", "bash grep\nuse rg")
    assert (type(more), more.content) == (Prompt, "and faster")
    assert (type(note), type(task), task.content) == (NoteEvent, Prompt, "and d")


@pytest.mark.parametrize(
    ("status", "expected", "errors"),
    [
        ("Submitted", "completed", 0),
        ("LimitsExceeded", "abandoned", 0),
        ("TimeExceeded", "abandoned", 0),
        ("RepeatedFormatError", "failed", 1),
        ("ContextWindowExceededError", "failed", 1),
        (None, None, 0),
    ],
)
def test_the_exit_status_gives_the_sessions_status(
    status: str | None, expected: str | None, errors: int
) -> None:
    value = run(answer("```bash\nls\n```"), ran("x"), status=status)
    assert facts(read(value)).get("status") == expected
    remarks = [e for e in events(value) if isinstance(e, NoteEvent)]
    assert [e.kind for e in remarks] == ["error"] * errors
    assert any(isinstance(item, TurnEnd) for item in read(value)) == (status is not None)


def test_the_text_of_an_exception_ends_a_run_of_version_1() -> None:
    value = run(answer("```bash\nls\n```"), message("user", "no such host"), status="ConnectError",
                traceback="File /home/somebody/x.py")  # fmt: skip
    error = events(value)[-1]
    assert isinstance(error, NoteEvent)
    assert (error.kind, error.content) == ("error", "no such host")
    assert facts(read(value))["exit_error"] == "no such host"
    assert "somebody" not in repr(read(value))


def test_a_bare_list_of_messages_is_read() -> None:
    value = [
        *START,
        answer("x\n```bash\nls\n```"),
        ran("x.py\n"),
        message("assistant", [{"type": "text", "text": "```bash\necho MICRO_SWE_AGENT_FINAL_OUTPUT\n```"}]),
        message("user", [{"type": "text", "text": DIFF, "cache_control": {}}]),
    ]
    known = facts(read(value))
    assert (known["submission"], known["status"], known["messages"]) == (DIFF, "completed", 6)
    assert [type(e).__name__ for e in events(value)][-2:] == ["ToolCall", "NoteEvent"]
    assert [e.edits for e in entries(value) if e.edits] == [
        (Edit(path="x.py", added=("c",), removed=("b",)),)
    ]
    going_on = value[:-2]
    assert "status" not in facts(read(going_on))
    assert [e.id for e in events(going_on)] == [e.id for e in events(value)][: len(events(going_on))]


# ---------------------------------------------------------------- version 2


def test_a_run_of_version_2_is_read() -> None:
    costs = [8.551199999999999e-05, 0.0010815]
    exit_ = message("exit", DIFF, extra={"exit_status": "Submitted", "submission": DIFF})
    value = run(
        called("call_a", "ls", "I look.", costs[0], reasoning_content="Where is it?"),
        tool("everything\n", "call_a"),
        called("call_b", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", cost=costs[1]),
        exit_,
        model_stats={"instance_cost": sum(costs), "api_calls": 2},
    )
    thought, text, call, result, last, submission = events(value)[1:]
    assert (type(thought), thought.content) == (Thinking, "Where is it?")
    assert (type(text), text.content, text.ts) == (Message, "I look.", "2026-06-05T17:25:48.250Z")
    assert isinstance(call, ToolCall)
    assert isinstance(result, ToolResult)
    assert (result.content, result.call_id, result.exit_code) == ("everything\n", "call_a", 0)
    assert isinstance(last, ToolCall)
    assert last.call_id == "call_b"
    assert isinstance(submission, NoteEvent)
    items = read(value)
    assert [i.cost for i in items if isinstance(i, Spent)] == costs
    assert "cost_usd" not in facts(items)
    assert facts(items)["exit_status"] == "Submitted"


def test_incomplete_costs_per_call_are_replaced_by_the_total() -> None:
    value = run(called("call_a", "ls", cost=0.001), model_stats={"instance_cost": 0.017876})
    items = read(value)
    assert facts(items)["cost_usd"] == 0.017876
    assert [i.cost for i in items if isinstance(i, Spent)] == [None]


def test_a_cost_that_is_not_stated_is_unknown() -> None:
    items = read(run(answer("x"), model_stats={"instance_cost": 0.0}))
    assert facts(items)["cost_usd"] == 0.0
    assert [i.cost for i in items if isinstance(i, Spent)] == [None]
    assert "cost_usd" not in facts(read(run(answer("x"))))
    assert [i.cost for i in read(run(answer("x"))) if isinstance(i, Spent)] == [None]


def test_several_calls_of_one_answer_have_their_results() -> None:
    both = called("call_a", "ls")
    both["tool_calls"] += called("call_b", "pwd")["tool_calls"]
    refused = {"raw_output": "", "returncode": -1, "exception_info": "action was not executed"}
    value = run(both, tool("x", "call_a"), tool("", "call_b", **refused))
    results = [e for e in events(value) if isinstance(e, ToolResult)]
    assert [(e.call_id, e.exit_code, e.is_error) for e in results] == [
        ("call_a", 0, False),
        ("call_b", -1, True),
    ]
    assert results[1].content == "action was not executed"
    assert len({e.id for e in events(value)}) == len(events(value))


def test_the_submitting_call_did_not_fail() -> None:
    """Version 2.4 records the command that submits as not executed."""
    refused = {"raw_output": "", "returncode": -1, "exception_info": "action was not executed"}
    last = called("call_a", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")
    handed_in, stopped = (
        run(last, tool("", "call_a", **refused), message("exit", "", extra={"exit_status": status}))
        for status in ("Submitted", "LimitsExceeded")
    )
    for value, failed in ((handed_in, False), (stopped, True)):
        (result,) = (e for e in events(value) if isinstance(e, ToolResult))
        assert (result.is_error, result.exit_code) == (failed, -1 if failed else None)


def test_messages_of_the_program_and_the_user_between_calls_are_read() -> None:
    value = run(
        answer("no call"),
        message("user", "Tool call error: none", extra={"interrupt_type": "FormatError"}),
        called("call_a", "rm -rf x"),
        tool("", "call_a", returncode=-1, exception_info="action was not executed"),
        message("user", "Commands not executed. "
                "The user rejected your commands with the following message: no",
                extra={"interrupt_type": "UserRejection"}),
        message("user", "User command: \n```bash\nls\n```", extra={"actions": [{"command": "ls"}]}),
        message("user", "<returncode>0</returncode>", extra={"raw_output": "x", "returncode": 0}),
    )  # fmt: skip
    text, error, _, _, refusal, command, result = events(value)[1:]
    assert isinstance(text, Message)
    assert isinstance(error, NoteEvent)
    assert error.kind == "error"
    assert isinstance(refusal, NoteEvent)
    assert (refusal.kind, refusal.content) == ("refusal", "bash\nno")
    assert isinstance(command, ToolCall)
    assert command.tags == ("human",)
    assert isinstance(result, ToolResult)
    assert result.call_id == command.call_id


def test_calls_in_the_text_instead_of_tool_calls_are_read() -> None:
    text = "THOUGHT: so\n```mswea_bash_command\ncat <<'E'\n```bash\nE\n```"
    value = run(answer(text, actions=[{"command": "ls"}], cost=0.5), ran("x"))
    thought, call, result = events(value)[1:]
    assert isinstance(thought, Thinking)
    assert thought.content.startswith("so")
    assert isinstance(call, ToolCall)
    assert call.arguments == {"command": "ls"}
    assert isinstance(result, ToolResult)
    assert result.call_id == call.call_id


def test_a_response_in_place_of_a_message_is_read() -> None:
    response = {
        "object": "response",
        "id": "resp_1",
        "created_at": 1780680348,
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "message", "content": [{"type": "output_text", "text": "I look."}]},
            {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": '{"command": "ls"}'},
        ],
        "usage": {
            "input_tokens": 9,
            "input_tokens_details": {"cached_tokens": 2},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 1},
        },
        "extra": {"cost": 0.25, "actions": [{"command": "ls", "tool_call_id": "c1"}]},
    }
    seen = "<returncode>0</returncode>\n<output>\nx</output>"
    output = {"type": "function_call_output", "call_id": "c1", "output": seen}
    value = run(response, output, model_stats={"instance_cost": 0.25})
    thought, text, call, result = events(value)[1:]
    assert [type(e) for e in (thought, text)] == [Thinking, Message]
    assert isinstance(call, ToolCall)
    assert call.ts == "2026-06-05T17:25:48.000Z"
    assert isinstance(result, ToolResult)
    assert (result.call_id, result.content) == ("c1", "x")
    usage = Usage(input_tokens=7, cache_read_tokens=2, output_tokens=5, reasoning_tokens=1)
    assert [i for i in read(value) if isinstance(i, Spent)] == [
        Spent(response="resp_1", usage=usage, cost=0.25)
    ]


def test_an_empty_answer_has_its_cost() -> None:
    value = run(answer(""), message("user", "Tool call error: none"))
    responses = {e.response for e in events(value)}
    assert {i.response for i in read(value) if isinstance(i, Spent)} <= responses


# ---------------------------------------------------------------- names and ids


@pytest.mark.parametrize(
    ("stem", "solve", "run_id"),
    [
        ("s1_r1_20260102_030405", "s1", "r1"),
        ("my_solve-a_run_7-b_20260102_030405", "my_solve-a", "run_7-b"),
        ("d__d-1_x_y_20260102_030405", "d__d-1", "x_y"),
        ("solve-1_run-2_20260102_030405", "solve-1", "run-2"),
    ],
)
def test_a_file_name_of_two_ids_and_a_time_names_the_run(stem: str, solve: str, run_id: str) -> None:
    known = facts(read(run(), session=stem))
    assert (known["session"], known["solve"], known["run"]) == (stem, solve, run_id)
    assert known["started_at"] == "2026-01-02T03:04:05.000Z"


@pytest.mark.parametrize(
    "stem", [None, "d__d-1", "a_b_20269999_030405", "20260102_030405", "a_20260102_030405"]
)
def test_other_file_names_do_not_name_a_run(stem: str | None) -> None:
    known = facts(read(run(), session=stem))
    assert known["session"] == facts(read(run()))["session"]
    assert "run" not in known


def test_runs_of_one_task_have_different_ids_and_a_growing_run_keeps_its_id() -> None:
    first, second = answer("```bash\nls\n```", 1), answer("```bash\nls\n```", 2)
    ids = {str(facts(read(run(a)))["session"]) for a in (first, second, answer("```bash\nls -l\n```", 1))}
    assert len(ids) == 3
    assert facts(read(run(first, ran("x"), second)))["session"] == facts(read(run(first)))["session"]
    other = copy.deepcopy(run(first))
    other["messages"][1]["content"] = TASK.replace("Add c", "Add d")
    assert facts(read(other))["session"] == facts(read(run(first)))["session"]  # not made from text


def test_a_local_folder_is_a_fact_and_a_containers_is_not() -> None:
    def configured(kind: str) -> dict[str, Any]:
        return run(
            answer("```bash\nls\n```"), config={"environment": {"cwd": "/w"}, "environment_type": kind}
        )

    local = configured("minisweagent.environments.local.LocalEnvironment")
    assert facts(read(local))["folder"] == "/w"
    assert [e.folder for e in entries(local) if e.command] == ["/w"]
    contained = facts(read(configured("minisweagent.environments.docker.DockerEnvironment")))
    assert "folder" not in contained
    assert (contained["container_folder"], facts(read(local)).get("container_folder")) == ("/w", None)


def test_commits_are_read_from_the_output() -> None:
    value = run(answer("```bash\ngit commit -m x\n```"), ran("[main 1a2b3c4] x\n 1 file changed\n"))
    assert [e.commits for e in entries(value) if e.commits] == [("1a2b3c4",)]


# ---------------------------------------------------------------- diffs


def test_a_diff_with_all_kinds_of_changes_is_read() -> None:
    text = "\r\n".join(
        [
            "",
            "diff --git a/new.py b/new.py", "new file mode 100644", "--- /dev/null", "+++ b/new.py",
            "@@ -0,0 +1,2 @@", "+--- not a header", "+b",
            "diff --git a/old.py b/old.py", "deleted file mode 100644", "--- a/old.py", "+++ /dev/null",
            "@@ -1 +0,0 @@", "-gone", "\\ No newline at end of file",
            "diff --git a/p q.py b/r s.py", "rename from p q.py", "rename to r s.py",
            'diff --git "a/\\303\\244.py" "b/\\303\\244.py"',
            '--- "a/\\303\\244.py"', '+++ "b/\\303\\244.py"',
            "@@ -1,1 +1,1 @@", "-x", "+y",
            "diff --git a/empty b/empty", "new file mode 100644",
            "",
        ]
    )  # fmt: skip
    assert ending.diff_edits(text) == (
        Edit(path="new.py", kind="add", added=("--- not a header", "b"), whole="--- not a header\nb\n"),
        Edit(path="old.py", kind="delete", removed=("gone",)),
        Edit(path="p q.py", kind="delete"),
        Edit(path="r s.py", kind="rename"),
        Edit(path="ä.py", added=("y",), removed=("x",)),
        Edit(path="empty", kind="add"),
    )


def test_a_models_diff_without_git_lines_and_with_wrong_counts_is_read() -> None:
    text = "--- a/x.py\n+++ b/x.py\n@@ -242,7 +242,7 @@ def f\n a\n-b\n+c\n"
    text += "--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-d\n+e"
    added = {
        edit.path: edit.added for edit in ending.diff_edits(text.replace("-242,7 +242,7", "-242,2 +242,2"))
    }
    assert added == {"x.py": ("c",), "y.py": ("e",)}
    assert ending.diff_edits(text[: text.index("--- a/y.py")])[0].added == ("c",)
    assert ending.diff_edits("flag{x}") == ()


# ---------------------------------------------------------------- any content, and real runs


@pytest.mark.parametrize(
    "value",
    [
        {"info": {}, "messages": [], "trajectory_format": "mini-swe-agent-1.1"},
        {"info": {"model_stats": {}}, "messages": [message("system", "x")]},
        [*START, ran("x")],
        [message("user", "x"), message("exit", "", extra={"exit_status": "Submitted"})],
    ],
)
def test_a_run_is_recognized_by_its_content(value: Any) -> None:
    assert mini.detect(json.dumps(value).encode())


@pytest.mark.parametrize(
    "value",
    [
        [],
        {},
        [message("user", "run ```bash\nls\n``` for me"), message("assistant", "```bash\nls\n```")],
        {"info": {"id": "ses_1"}, "messages": [{"info": {}, "parts": []}]},
        {"info": {}, "trajectory": [], "history": []},
        {"schema_version": "ATIF-v1.7", "info": {}, "messages": []},
    ],
)
def test_other_files_are_not_claimed(value: Any) -> None:
    assert not mini.detect(json.dumps(value).encode())


EVERYTHING = run(
    answer("THOUGHT: x\n```bash\nls\n```"),
    ran("x"),
    called("call_a", "ls", "y", 0.5, thinking_blocks=[{"thinking": "hm"}]),
    tool("x", "call_a", exception_info="e"),
    {"object": "response", "id": "r", "output": [{"type": "reasoning", "summary": [{"text": "x"}]},
     {"type": "function_call", "arguments": "{}"}],
     "usage": {"input_tokens_details": {}}, "extra": {"actions": []}},
    {"type": "function_call_output", "call_id": "c", "output": [{"text": "x"}]},
    message("user", [{"type": "image_url", "image_url": {"url": "data:a/b;base64,eA=="}}],
            extra={"actions": [{}]}),
    message("exit", "x", extra={"exit_status": "Submitted", "submission": DIFF, "exception_str": "x"}),
    model_stats={"instance_cost": 1, "api_calls": 2},
)  # fmt: skip


@given(data=st.data())
def test_no_value_of_an_unexpected_type_raises(data: st.DataObject) -> None:
    strange = spoiled(data, EVERYTHING)
    head = json.dumps(strange).encode()
    mini.detect(head)
    list(mini.read(io.BytesIO(head)))
    mini.detect(json.dumps(strange.get("messages", [])).encode())


def runs(samples: Path) -> dict[str, bytes]:
    paths = sorted(samples.glob("mini-swe-agent-v*/*.json"))
    return {str(path.relative_to(samples)): path.read_bytes() for path in paths}


@pytest.mark.shared
def test_real_runs_agree_with_the_independent_count(samples: Path) -> None:
    counted = json.loads((samples / "FACTS.json").read_text())
    assert len(runs(samples)) == 9
    for name, data in runs(samples).items():
        count, items = counted[name], list(mini.read(io.BytesIO(data)))
        known = facts(items)
        raw = json.loads(data)
        messages = raw if isinstance(raw, list) else raw["messages"]
        assert known["messages"] == count["messages"], name
        if "roles" in count:
            assert Counter(m["role"] for m in messages) == count["roles"], name
            assert known["exit_status"] == count["exit_status"], name
            assert known["agent_version"] == count["mini_version"], name
            assert known["model"] == count["model"], name
            assert known["api_calls"] == count["model_stats"]["api_calls"], name
            assert known.get("instance") == count["instance_id"], name
            assert len(str(known.get("submission", ""))) == count["submission_chars"], name
            costs = [i.cost for i in items if isinstance(i, Spent) and i.cost is not None]
            assert ("cost_usd" in known) != bool(costs), name
            assert known.get("cost_usd", sum(costs)) == count["model_stats"]["instance_cost"], name
        assert not [item for item in items if isinstance(item, Damage)], name


@pytest.mark.shared
def test_every_message_of_a_real_run_becomes_events(samples: Path) -> None:
    for name, data in runs(samples).items():
        raw = json.loads(data)
        messages = raw if isinstance(raw, list) else raw["messages"]
        read_events = [item.event for item in mini.read(io.BytesIO(data)) if isinstance(item, Entry)]
        ids = {event.id.partition(":")[0] for event in read_events}
        silent = [m for n, m in enumerate(messages) if f"m{n}" not in ids]
        last = messages[-1]
        assert all(m["role"] == "system" or m is last for m in silent), name
        calls = [e.call_id for e in read_events if isinstance(e, ToolCall)]
        results = [e.call_id for e in read_events if isinstance(e, ToolResult)]
        assert len(set(calls)) == len(calls), name
        assert set(results) <= set(calls), name
        assert set(calls) - set(results) <= set(calls[-1:]), name  # the last one submits
        assert len({event.id for event in read_events}) == len(read_events), name
        responses = [m["extra"]["response"] for m in messages if "response" in m.get("extra", {})]
        spent = [item for item in mini.read(io.BytesIO(data)) if isinstance(item, Spent)]
        assert {s.response for s in spent} == {r["id"] for r in responses}, name
        total = sum((s.usage for s in spent), Usage())
        prompt = total.input_tokens + total.cache_read_tokens + total.cache_write_tokens
        assert prompt == sum(r["usage"]["prompt_tokens"] for r in responses), name
        assert total.output_tokens == sum(r["usage"]["completion_tokens"] for r in responses), name


@pytest.mark.shared
def test_real_runs_are_detected_and_a_cut_never_raises(samples: Path) -> None:
    for name, data in runs(samples).items():
        detected = detect(data[:HEAD])
        assert detected is not None, name
        assert detected.name == "mini-swe-agent", name
        all_ids = [i.event.id for i in mini.read(io.BytesIO(data)) if isinstance(i, Entry)]
        for cut in range(0, len(data), max(1, len(data) // size(8, 25))):
            mini.detect(data[:cut])
            part = [i.event.id for i in mini.read(io.BytesIO(data[:cut])) if isinstance(i, Entry)]
            numbered = [event_id for event_id in part if event_id.startswith("m")]
            assert numbered == all_ids[: len(numbered)], name
