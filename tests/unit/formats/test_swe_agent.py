"""SWE-agent's runs of both versions: each peculiarity of the format in a log of a few steps."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.formats import HEAD, detect
from gittraj.formats.swe import swe_agent
from gittraj.model.session_items import Damage, Edit, Entry, Item, Spent, TurnEnd
from gittraj.model.values import AnyEvent, NoteEvent, Prompt, Thinking, ToolCall, ToolResult, Usage
from tests.unit.formats.reading import facts, spoiled

DIFF = "\r\ndiff --git a/x.py b/x.py\r\n--- a/x.py\r\n+++ b/x.py\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n"
ASKED = "Here's the issue text:\nISSUE:\nFix b\nIt is a.\n\n\nINSTRUCTIONS:\nNow, you're going to"
HISTORY = [
    {"role": "system", "content": "SETTING", "agent": "main"},
    {"role": "user", "content": "Here is a demonstration of how to do it", "agent": "main", "is_demo": True},
    {"role": "user", "content": ASKED, "agent": "main"},
]


def step(action: str, observation: str | None, thought: str = "", **more: Any) -> dict[str, Any]:
    state = {"open_file": "n/a", "working_dir": "/repo"}
    response = f"{thought}\n```\n{action}```"
    known = {"action": action, "observation": observation, "thought": thought, "response": response}
    return {**known, "state": state, "query": [{"role": "user", "content": "dropped"}], **more}


def run(*steps: dict[str, Any], status: str | None = "submitted", **more: Any) -> dict[str, Any]:
    info = {"exit_status": status, **more.pop("info", {})}
    return {"environment": "e", "trajectory": list(steps), "history": HISTORY, "info": info, **more}


def read(value: Any) -> list[Item]:
    return list(swe_agent.read(io.BytesIO(json.dumps(value).encode())))


def entries(value: Any) -> list[Entry]:
    return [item for item in read(value) if isinstance(item, Entry)]


def events(value: Any) -> list[AnyEvent]:
    return [entry.event for entry in entries(value)]


def test_a_run_is_read() -> None:
    stats = {"instance_cost": 0.53839, "tokens_sent": 100, "tokens_received": 7, "api_calls": 2}
    value = run(
        step("ls -F\n", "x.py\r\ny.py\r\n", "I look.", execution_time=0.1161),
        step("submit\n", DIFF, "Done."),
        info={"submission": DIFF, "model_stats": stats, "swe_agent_version": "1.1.0"},
    )
    prompt, thought, call, result, _, last, shown, submission = events(value)
    assert isinstance(prompt, Prompt)
    assert prompt.content == "Fix b\nIt is a."
    assert isinstance(thought, Thinking)
    assert thought.content == "I look."
    assert isinstance(call, ToolCall)
    assert (call.name, call.arguments) == ("bash", {"command": "ls -F"})
    assert isinstance(result, ToolResult)
    assert (result.content, result.call_id, result.duration_ms) == ("x.py\ny.py\n", call.call_id, 116)
    assert isinstance(shown, ToolResult)
    assert isinstance(submission, NoteEvent)
    assert submission.artifact is not None
    assert submission.artifact.media_type == "text/x-diff"
    items = read(value)
    assert facts(items) | {"session": ""} == {
        "session": "",
        "agent_version": "1.1.0",
        "title": "Fix b",
        "messages": 3,
        "api_calls": 2,
        "cost_usd": 0.53839,
        "exit_status": "submitted",
        "submission": DIFF,
        "status": "completed",
    }
    usage = Usage(input_tokens=100, output_tokens=7)
    assert [i for i in items if isinstance(i, Spent)] == [
        Spent(response="s1", usage=usage, beside=True)  # only the total is known
    ]
    assert last.response == "s1"
    assert isinstance(items[-1], TurnEnd)
    assert [e.edits for e in entries(value) if e.edits] == [
        (Edit(path="x.py", added=("b",), removed=("a",)),)
    ]
    assert "dropped" not in repr(items)


def test_a_demonstration_is_not_part_of_the_run() -> None:
    shown = [
        {"role": "user", "content": "an example", "agent": "a", "message_type": "demonstration"},
        {"role": "assistant", "content": "x", "action": "ls", "agent": "a", "is_demo": True},
        *HISTORY[1:],
        {"role": "assistant", "content": "y", "action": "pwd\n", "thought": "y", "agent": "a"},
        {"role": "user", "content": "/repo", "agent": "a"},
    ]
    read_events = events({"history": shown})
    assert [e.content for e in read_events] == ["Fix b\nIt is a.", "y", "", "/repo"]
    assert [e.arguments for e in read_events if isinstance(e, ToolCall)] == [{"command": "pwd"}]


def test_in_a_file_with_only_a_history_calls_are_paired_by_ids() -> None:
    below = "\n(Open file: /repo/x.py)\n(Current directory: /repo)\nbash-$"

    def called(name: str, call: str, **arguments: str) -> dict[str, Any]:
        function = {"name": name, "arguments": json.dumps(arguments)}
        calls = [{"id": call, "type": "function", "function": function}]
        return {"role": "assistant", "content": "t", "action": "", "agent": "m", "tool_calls": calls}

    def answered(text: str, call: str) -> dict[str, Any]:
        return {"role": "tool", "content": text, "agent": "m", "tool_call_ids": [call]}

    history = [
        *HISTORY,
        called("open", "c1", path="x.py"),
        answered("[File: x.py]" + below, "c1"),
        called("edit", "c2", search="a\nk", replace="b\nk"),
        answered("Text replaced." + below, "c2"),
        called("bash", "c3", command="python x.py"),
        answered("1" + below, "c3"),
    ]
    read_entries = entries({"history": history})
    calls = [e for e in read_entries if isinstance(e.event, ToolCall)]
    assert [e.event.name for e in calls if isinstance(e.event, ToolCall)] == ["open", "edit", "bash"]
    assert [e.edits for e in calls] == [(), (Edit(path="x.py", added=("b",), removed=("a",)),), ()]
    assert [e.command for e in calls] == [None, None, "python x.py"]
    assert [e.event.call_id for e in read_entries if isinstance(e.event, ToolResult)] == ["c1", "c2", "c3"]


@pytest.mark.parametrize(
    ("action", "edits"),
    [
        ("create y.py\n", (Edit(path="y.py", kind="add"),)),
        ("edit 1:2\nb\nc\nend_of_edit\n", (Edit(path="x.py", added=("b", "c")),)),
        ("edit 'a' 'b\nc'", (Edit(path="x.py", added=("b", "c"), removed=("a",)),)),
        ("insert 'b' 4", (Edit(path="x.py", added=("b",)),)),
        (
            "str_replace_editor create /repo/y.py --file_text 'a\nb'",
            (Edit(path="y.py", kind="add", added=("a", "b"), whole="a\nb"),),
        ),
        (
            "str_replace_editor str_replace /repo/d/y.py --old_str 'a' --new_str 'b'",
            (Edit(path="d/y.py", added=("b",), removed=("a",)),),
        ),
        ("str_replace_editor insert /y.py --insert_line 3 --new_str z", (Edit(path="/y.py", added=("z",)),)),
        ("str_replace_editor view /repo/y.py", ()),
        ("edit 'unclosed", ()),
        ("sed -i s/a/b/ x.py", ()),
    ],
)
def test_edits_by_commands_of_its_shell_are_read(action: str, edits: tuple[Edit, ...]) -> None:
    opened = {"open_file": "/repo/x.py", "working_dir": "/repo"}
    value = run(step("open x.py", "[File: /repo/x.py]", state=opened), step(action, "ok"))
    assert entries(value)[-2].edits == edits


def test_an_older_state_is_the_one_before_the_action() -> None:
    def state(file: str) -> str:
        return json.dumps({"open_file": file, "working_dir": "/repo"}) + "\n"

    value = run(
        step("open y.py\n", "[File: /repo/y.py]", state=state("/repo/x.py")),
        step("edit 1:1\nb\nend_of_edit\n", "ok", state=state("/repo/y.py")),
    )
    assert [e.edits for e in entries(value) if e.edits] == [(Edit(path="y.py", added=("b",)),)]


def test_a_file_that_a_call_edited_is_not_also_an_edit_of_the_submitting_call() -> None:
    opened = {"open_file": "/repo/x.py", "working_dir": "/repo"}
    refused = "Your proposed edit has introduced new syntax error(s)."
    edit = step("edit 1:1\nb\nend_of_edit", "ok", state=opened)
    failed = step("edit 1:1\nb\nend_of_edit", refused, state=opened)
    for tried, expected in ((edit, 0), (failed, 1)):
        value = run(
            step("open x.py", "", state=opened), tried, step("submit", DIFF), info={"submission": DIFF}
        )
        (last,) = (e for e in entries(value) if e.command == "submit")
        assert len(last.edits) == expected


def test_incomplete_steps_are_read() -> None:
    value = run(
        step("rm y.py", ""),
        step("submit", None),
        step("", "Exit due to cost limit"),
        step("sleep 9", "The command 'sleep 9' was cancelled because it took more than 3 seconds."),
        step("python x.py", "\nEXECUTION TIMED OUT"),
    )
    assert [type(e) for e in events(value)][1:] == [
        *(ToolCall, ToolResult),
        ToolCall,
        NoteEvent,
        *(ToolCall, ToolResult, ToolCall, ToolResult),
    ]
    results = [e for e in events(value) if isinstance(e, ToolResult)]
    assert [e.is_error for e in results] == [False, True, True]
    assert [e.content for e in events(value) if isinstance(e, NoteEvent)] == ["Exit due to cost limit"]


@pytest.mark.parametrize(
    ("status", "expected", "errors"),
    [
        ("submitted", "completed", 0),
        ("submitted (exit_cost)", "abandoned", 0),
        ("submitted (exit_format)", "failed", 1),
        ("exit_context", "abandoned", 0),
        ("early_exit", "abandoned", 0),
        ("exit_error", "failed", 1),
        ("exit_environment_error", "failed", 1),
        (None, None, 0),
    ],
)
def test_the_exit_status_gives_the_sessions_status(
    status: str | None, expected: str | None, errors: int
) -> None:
    value = run(step("ls", "x"), status=status)
    assert facts(read(value)).get("status") == expected
    assert sum(isinstance(e, NoteEvent) for e in events(value)) == errors


def test_the_configuration_gives_the_task() -> None:
    config = {
        "problem_statement": {"type": "text", "text": "Round it\nPlease.", "id": "m__m-1"},
        "env": {"repo": {"base_commit": "b" * 40, "github_url": "https://example.org/m"}},
        "agent": {"model": {"name": "vendor/m"}},
    }
    for written in (config, json.dumps(config)):
        value = run(step("ls", "x"), replay_config=written)
        known = facts(read(value))
        assert events(value)[0].content == "Round it\nPlease."
        assert (known["title"], known["instance"], known["model"]) == ("Round it", "m__m-1", "vendor/m")
        assert (known["start_commit"], known["repository"]) == ("b" * 40, "https://example.org/m")


def test_attempts_are_read_once_each_with_their_reviews() -> None:
    review = {"accept": False, "outputs": ["It still fails."], "messages": [{"content": "dropped"}]}
    one = run(step("ls", "x"), step("submit", "d1"), info={"submission": "d1", "review": review})
    two = run(step("ls", "y"), step("submit", DIFF), info={"submission": DIFF})
    retried = {"attempts": [one, two], **two}  # the best attempt is repeated outside the list
    read_events = events(retried)
    assert sum(isinstance(e, ToolCall) for e in read_events) == 4
    assert sum(isinstance(e, Prompt) for e in read_events) == 1
    assert len({e.id for e in read_events}) == len(read_events)
    (verdict,) = (e for e in read_events if isinstance(e, NoteEvent) and e.kind == "verification")
    assert (verdict.content, verdict.tags) == ("It still fails.", ("rejected",))
    submissions = [e.content for e in read_events if e.tags == ("submission",)]
    assert submissions == ["d1", DIFF]
    assert facts(read(retried))["submission"] == DIFF
    assert facts(read({"attempts": [one]}))["submission"] == "d1"


def test_a_review_in_any_form_is_read() -> None:
    for review, content in (("good", "good"), ({"accept": 0.5}, "accept: 0.5"), (["x", "y"], "x\n\ny")):
        value = run(step("ls", "x"), info={"review": review})
        assert [e.content for e in events(value) if isinstance(e, NoteEvent)] == [content]


EVERYTHING = run(
    step("edit 1:1\nb\nend_of_edit", "x", "y", execution_time=1, state='{"open_file": "/repo/x"}'),
    step("str_replace_editor create /x --file_text a", "x"),
    info={
        "submission": DIFF,
        "review": {"outputs": ["x"], "accept": True},
        "model_stats": {"tokens_sent": 1, "instance_cost": 2},
    },
    replay_config={
        "problem_statement": {"text": "x"},
        "agent": {"templates": {"instance_template": "{{task}}"}},
    },
    attempts=[
        run(step("ls", "x")),
        {
            "history": [
                *HISTORY,
                {"role": "assistant", "tool_calls": [{"function": {}}]},
                {"role": "tool", "tool_call_ids": ["c"], "content": [{"text": "x"}]},
            ]
        },
    ],
)


@given(data=st.data())
def test_no_value_of_an_unexpected_type_raises(data: st.DataObject) -> None:
    strange = spoiled(data, EVERYTHING)
    head = json.dumps(strange).encode()
    swe_agent.detect(head)
    list(swe_agent.read(io.BytesIO(head)))


def runs(samples: Path) -> dict[str, bytes]:
    return {str(p.relative_to(samples)): p.read_bytes() for p in sorted(samples.glob("swe-agent/*.traj"))}


@pytest.mark.shared
def test_real_runs_agree_with_the_independent_count(samples: Path) -> None:
    counted = json.loads((samples / "FACTS.json").read_text())
    assert len(runs(samples)) == 5
    for name, data in runs(samples).items():
        count, items = counted[name], list(swe_agent.read(io.BytesIO(data)))
        known, stats = facts(items), count["model_stats"] or {}
        read_events = [item.event for item in items if isinstance(item, Entry)]
        calls = [e for e in read_events if isinstance(e, ToolCall)]
        results = [e for e in read_events if isinstance(e, ToolResult)]
        raw = json.loads(data)
        spoken = [h for h in raw["history"] if h["role"] == "assistant" and not h.get("is_demo")]
        assert len(calls) == (count["steps"] or len(spoken)), name
        assert [e.call_id for e in results] == [e.call_id for e in calls], name
        thoughts = [s for s in raw.get("trajectory", spoken) if s["thought"].strip()]
        assert sum(isinstance(e, Thinking) for e in read_events) == len(thoughts), name
        assert sum(isinstance(e, Prompt) for e in read_events) == 1, name
        assert known["messages"] == count["history"], name
        assert known.get("exit_status") == count["exit_status"], name
        assert len(str(known.get("submission", ""))) == count["submission_chars"], name
        assert known.get("api_calls") == stats.get("api_calls"), name
        assert known.get("cost_usd") == stats.get("instance_cost"), name
        usage = sum((i.usage for i in items if isinstance(i, Spent)), Usage())
        assert usage.input_tokens == stats.get("tokens_sent", 0), name
        assert usage.output_tokens == stats.get("tokens_received", 0), name
        assert {i.response for i in items if isinstance(i, Spent)} <= {e.response for e in read_events}, name
        assert len({e.id for e in read_events}) == len(read_events), name
        assert not [item for item in items if isinstance(item, Damage)], name


@pytest.mark.shared
def test_the_files_of_a_real_submission_belong_to_its_calls(samples: Path) -> None:
    for name, path in (
        ("pydicom-1458", "pydicom/pixel_data_handlers/numpy_handler.py"),
        ("test-repo-i1", "tests/missing_colon.py"),
        ("marshmallow-replay-v1-391k", "src/marshmallow/fields.py"),
        ("function-calling-history-only", "tests/missing_colon.py"),
    ):
        value = json.loads((samples / "swe-agent" / f"{name}.traj").read_bytes())
        assert path in {edit.path for entry in entries(value) for edit in entry.edits}, name


@pytest.mark.shared
def test_real_runs_are_detected_and_a_cut_never_raises(samples: Path) -> None:
    for name, data in runs(samples).items():
        detected = detect(data[:HEAD])
        assert detected is not None, name
        assert detected.name == "swe-agent", name
        for cut in range(0, len(data), max(1, len(data) // 25)):
            swe_agent.detect(data[:cut])
            list(swe_agent.read(io.BytesIO(data[:cut])))
