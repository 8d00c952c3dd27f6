"""The summary of a part's events."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.events.part_summary import PROMPT_LIMIT, SUMMARY_LIMIT, shorten, summarize_part
from gittraj.model.values import (
    AnyEvent,
    CaveatSource,
    Counts,
    Decided,
    Decision,
    FileChanged,
    FileTouched,
    Json,
    Message,
    NoteEvent,
    PartSummary,
    Prompt,
    Summary,
    TestRuns,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.unit.strategies import events


def summary_of(*found: AnyEvent, prompt: str | None = None, calls: Sequence[ToolCall] = ()) -> PartSummary:
    return summarize_part(found, prompt=prompt, files=(), thinking="none", calls=calls)


def test_a_part_is_summarized() -> None:
    files = (FileChanged(path="a"),)
    stated = Decision(chosen="A", by="agent")
    found = summarize_part(
        [
            Prompt(id="1", content="Fix it", ts="2026-01-01T00:00:02.000Z"),
            Thinking(id="2", content="I am not sure of this thought", usage=Usage(input_tokens=1)),
            Decided(id="3", decision=stated),
            ToolCall(id="4", name="Task", call_id="c", ts="2026-01-01T00:00:01.000Z"),
            ToolResult(id="5", call_id="c", is_error=True),
            NoteEvent(id="6", kind="error", content="overloaded"),
            Message(
                id="7",
                content="I used ruff instead of flake8 for speed. It is untested.",
                usage=Usage(output_tokens=2),
            ),
            Message(id="8", content="  \n"),
        ],
        prompt="of the turn",
        files=files,
        thinking="clear",
        dropped=3,
    )
    assert found == PartSummary(
        prompt="Fix it",
        summary=Summary(text="I used ruff instead of flake8 for speed. It is untested.", by="agent"),
        started_at="2026-01-01T00:00:01.000Z",
        ended_at="2026-01-01T00:00:02.000Z",
        usage=Usage(input_tokens=1, output_tokens=2),
        counts=Counts(
            prompts=1, messages=2, thinking=1, tool_calls=1, api_calls=2, errors=2, subagents=1, dropped=3
        ),
        decisions=(
            stated,
            Decision(
                chosen="ruff",
                by="inferred",
                alternatives=("flake8",),
                reasoning="for speed",
                quote="I used ruff instead of flake8 for speed.",
                event="7",
            ),
        ),
        caveats=("It is untested.",),
        caveat_sources=(CaveatSource(event="7", by="inferred"),),
        why="I used ruff instead of flake8 for speed.",
        files=files,
        thinking="clear",
    )


def test_a_part_without_events_has_an_empty_summary() -> None:
    assert summary_of() == PartSummary()


def test_a_part_without_a_prompt_has_that_of_its_turn() -> None:
    assert summary_of(Message(id="m"), prompt="of the turn").prompt == "of the turn"
    assert summary_of(Prompt(id="p", content=""), prompt="of the turn").prompt is None


def test_long_texts_are_cut() -> None:
    found = summary_of(Prompt(id="p", content="x" * 9_999), Message(id="m", content="y" * 9_999))
    assert found.prompt and found.summary
    assert (len(found.prompt), len(found.summary.text)) == (PROMPT_LIMIT, SUMMARY_LIMIT)
    assert found.prompt.endswith("x…")


@given(st.text(max_size=30), st.integers(1, 30))
def test_a_shortened_text_ends_with_an_ellipsis(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert len(short) <= limit
    assert short == text or (short.endswith("…") and text.startswith(short[:-1]))


def ran(command: Json, output: str = "", code: int | None = 0) -> list[AnyEvent]:
    return [
        ToolCall(id="c", name="sh", arguments={"command": command}, call_id="c"),
        ToolResult(id="r", call_id="c", content=output, exit_code=code),
    ]


def run_as(command: str, output: str) -> list[AnyEvent]:
    """Like ``ran``, with an id for each command."""
    call = ToolCall(id=f"c{command}", name="sh", arguments={"command": command}, call_id=command)
    return [call, ToolResult(id=f"r{command}", call_id=command, content=output, exit_code=0)]


@pytest.mark.parametrize(
    "command", ["ls tests", "git commit -m tested", "cat contest.py", "echo latest", 7, None]
)
def test_other_commands_are_not_test_runs(command: Json) -> None:
    assert summary_of(*ran(command, "3 passed")).tests is None


def test_a_test_run_is_summarized() -> None:
    found = summary_of(*ran(["bash", "-lc", "pytest -q"], "Exit code 1\n1 failed, 3 passed in 1s", 1)).tests
    assert found == TestRuns(
        runs=1,
        ran=True,
        kind="test",
        outcome="failed",
        last_passed=3,
        last_failed=1,
        last_skipped=0,
        last_errors=0,
        last_exit=1,
    )


def test_a_run_that_failed_before_the_last_is_counted() -> None:
    texts = ("1 failed in 1s", "no tests ran in 0.1s", "1 error in 1s", "3 passed in 1s")
    found = summary_of(*(event for text in texts for event in ran("pytest -q", text))).tests
    assert found is not None
    assert (found.runs, found.outcome, found.failed_before) == (4, "passed", 1)
    alone = summary_of(*ran("pytest -q", texts[-1])).tests
    assert alone is not None
    assert alone.failed_before is None


def test_the_result_of_a_test_call_in_another_part_counts() -> None:
    call, result = ran("pytest -q && git commit -m x", "3 passed in 1s")
    assert isinstance(call, ToolCall)
    assert summary_of(call).tests is None
    found = summary_of(result, calls=[call]).tests
    assert found is not None
    assert (found.runs, found.outcome, found.last_passed) == (1, "passed", 3)


def test_a_call_that_a_person_refused_ran_nothing() -> None:
    refused = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    assert summary_of(*ran("pytest", refused, None)).tests is None


OLD = "git worktree add -q ../old HEAD~4 && cd ../old && pytest -q; cd ../new; git worktree remove ../old"
STASHED = "git stash push -q a.py && pytest -q; git stash pop -q"


@pytest.mark.parametrize(
    ("commands", "outcome", "runs"),
    [
        (["pytest -q a", STASHED], "passed", 1),
        ([STASHED], "unknown", 1),
        (["pytest -q a", "git checkout -q HEAD~1 && pytest -q; git checkout -q main"], "passed", 1),
        ([OLD], "unknown", 1),
        (["pytest -q a", OLD], "passed", 1),
        (["pytest -q a", "git worktree add -b x ../x && cd ../x && pytest -q"], "failed", 2),
        (["pytest -q a", "git stash", "pytest -q", "git stash pop"], "passed", 1),
        (["pytest -q a", "git stash", "edit", "pytest -q"], "failed", 2),
        (["pytest -q a", "git stash", "git stash pop && pytest -q"], "failed", 2),
        (["pytest -q a", "git stash list; pytest -q"], "failed", 2),
        (["pytest -q a", "pytest -q; git stash -q"], "failed", 2),
        (["pytest -q a", "git stash drop; pytest -q"], "failed", 2),
        (["pytest -q a", "git checkout -b x && pytest -q; git checkout main"], "failed", 2),
        (["pytest -q a", "git checkout main && pytest -q"], "failed", 2),
        (["pytest -q a", "git commit -m 'git stash'", "pytest -q"], "failed", 2),
    ],
)
def test_a_result_while_the_work_is_stashed_is_ignored(commands: list[str], outcome: str, runs: int) -> None:
    events: list[AnyEvent] = []
    for name, command in enumerate(map(str, commands)):
        touched = (FileTouched(path="a.py"),) if command == "edit" else ()
        call = ToolCall(
            id=f"c{name}", name="sh", arguments={"command": command}, call_id=f"{name}", files=touched
        )
        text = "3 passed in 1s" if command.endswith(" a") else "1 failed in 1s"
        events += [call, ToolResult(id=f"r{name}", call_id=f"{name}", content=text, exit_code=0)]
    found = summary_of(*events).tests
    assert found is not None
    assert (found.outcome, found.runs) == (outcome, runs)


def test_a_line_in_place_of_an_empty_output_is_not_output() -> None:
    found = summary_of(*ran("python test_a.py", "(Bash completed with no output)")).tests
    assert found is not None
    assert found.outcome == "unknown"


def test_an_edit_after_the_last_run_is_recorded() -> None:
    edit = ToolCall(id="9", name="Edit", files=(FileTouched(path="a.py"),))
    run = ran("pytest -q", "3 passed in 1s")
    for found, edited in (([*run, edit], True), ([edit, *run], None), ([*run, edit, *run], None)):
        tests = summary_of(*found).tests
        assert tests is not None
        assert tests.edited_after is edited


@pytest.mark.parametrize(
    ("commands", "edited"),
    [
        (["pytest -q && sed -i s/1/2/ a.py && git commit -qam x"], True),
        (["pytest -q; sed -i s/1/2/ a.py", "git commit -qam x"], True),
        (["pytest -q", "mv new.py a.py", "git commit -qam x"], True),
        (["pytest -q", "git reset -q --hard", "git commit -qam x"], True),
        (["pytest -q; git checkout -q -- a.py", "git commit -qam x"], True),
        (["pytest -q; git diff > /tmp/p; git checkout -q a.py", "git commit -qam x"], True),
        (["pytest -q", "sed s/1/2/ p | git apply; git commit -qam x"], True),
        (["git checkout HEAD~1 -- a.py; pytest -q; cp /tmp/a.bak a.py; git commit -qam x"], True),
        (["pytest -q", "cat > a.py <<'E'\nx = 1\nE\ngit commit -qam x"], True),
        (["bash -lc 'pytest -q && echo x >> a.py'"], True),
        (["pytest -q; sed -i s/1/2/ a.py; ruff check ."], True),
        (["sed -i s/1/2/ a.py; pytest -q && git commit -qam x"], None),
        (["pytest -q > out.txt 2>&1; tail out.txt"], None),
        (["pytest -q 2>&1 | tee out.txt | tail", "git commit -qam x"], None),
        (["(cd a && pytest -q) > out.txt"], None),
        (
            ["pytest -q", "echo text > /tmp/message && git commit -qF /tmp/message; ls 2> errors >/dev/null"],
            None,
        ),
        (["pytest -q && git commit -qm 'a > b' && sed -i s/1/2/ a.py"], None),
        (["pytest -q", "git commit -qm \"$(cat <<'E'\nmv a b\n\nBy: A <a@b>\nE\n)\""], None),
        (["pytest -q || git checkout -- a.py"], None),
        (
            [
                "pytest -q",
                "git diff > /tmp/p; git restore --staged a.py; git apply --check /tmp/p; cp a.py /tmp/",
            ],
            None,
        ),
        (
            [
                "pytest -q",
                "sed -n 1p a.py; git checkout --quiet v1.2; git reset --soft HEAD~1; echo 'is -> was'",
            ],
            None,
        ),
    ],
)
def test_a_command_that_edits_after_the_last_run_is_recorded(
    commands: list[str], edited: bool | None
) -> None:
    events = [event for command in commands for event in run_as(command, "3 passed in 1s")]
    tests = summary_of(*events).tests
    assert tests is not None
    assert (tests.outcome, tests.edited_after) == ("passed", edited)


def test_a_command_that_was_not_reached_after_the_last_run_is_no_edit() -> None:
    command = "pytest -q && sed -i s/1/2/ a.py"
    for code, edited in ((1, None), (0, True), (None, True)):
        tests = summary_of(*ran(command, "1 failed in 1s", code)).tests
        assert tests is not None
        assert tests.edited_after is edited


def test_a_linter_after_the_tests_does_not_replace_their_result() -> None:
    lint = [
        ToolCall(id="l", name="sh", arguments={"command": "ruff check ."}, call_id="l"),
        ToolResult(id="lr", call_id="l", content="All checks passed!", exit_code=0),
    ]
    found = summary_of(*ran("pytest", "1 failed, 3 passed in 1s", 1), *lint).tests
    assert found is not None
    assert (found.kind, found.outcome, found.runs) == ("test", "failed", 1)
    alone = summary_of(*lint).tests
    assert alone is not None
    assert (alone.kind, alone.outcome) == ("lint", "passed")


def test_of_several_runs_the_last_one_with_a_result_counts() -> None:
    def run(name: str, output: str | None) -> list[AnyEvent]:
        call = ToolCall(id=name, name="sh", arguments={"cmd": "pytest"}, call_id=name)
        return [call] if output is None else [call, ToolResult(id=f"{name}r", call_id=name, content=output)]

    a, b, c = run("a", "1 failed, 1 passed in 1s"), run("b", "2 passed in 1s"), run("c", None)
    found = summary_of(*a, *b, *c).tests
    assert found is not None
    assert (found.runs, found.outcome, found.last_passed, found.last_failed) == (2, "passed", 2, 0)


@given(st.lists(events(), max_size=6))
def test_any_events_can_be_summarized(found: list[AnyEvent]) -> None:
    counts = summary_of(*found).counts
    assert counts.prompts + counts.messages + counts.thinking + counts.tool_calls <= len(found)


@pytest.mark.parametrize("unit", [" ", "mvn ", "mvn x", "npm run ", "; "])
def test_a_hostile_command_is_read_quickly(unit: str) -> None:
    start = time.process_time()
    commands: list[Json] = [f"mvn{unit * 50_000}", ["mvn" + unit * 50_000]]
    for command in commands:
        summary_of(*ran(command))
    assert time.process_time() - start < 10.0


def test_a_report_of_checks_is_a_test_run() -> None:
    def report(name: str, *statuses: str) -> NoteEvent:
        checks: list[Json] = [{"id": name, "status": status} for status in statuses]
        return NoteEvent(id=name, kind="verification", raw={"subject": "x", "checks": checks})

    call = ToolCall(id="c", name="bash", arguments={"command": "pytest"}, call_id="c")
    answer = ToolResult(id="r", call_id="c", content="3 passed in 1s", exit_code=0)
    reports = [report("1", "passed", "failed", "failed"), report("2", "needs_review"), report("3")]
    found = [
        summary_of(*events).tests for events in (reports, [call, answer, *reports], [*reports, call, answer])
    ]
    assert [(t.runs, t.outcome, t.last_passed, t.last_failed) for t in found if t] == [
        (1, "failed", 1, 2),
        (2, "failed", 1, 2),
        (2, "passed", 3, 0),
    ]
    assert (
        summary_of(report("2", "skipped"), NoteEvent(id="4", kind="verification", content="ok")).tests is None
    )


def test_an_error_that_is_reported_again_counts_once() -> None:
    repeated = [NoteEvent(id=str(n), kind="error", content="overloaded") for n in range(3)]
    call = ToolResult(id="r", call_id="c", is_error=True, content="no such file")
    same = NoteEvent(id="e", kind="error", content="no such file")
    assert summary_of(*repeated, call, same).counts.errors == 2


def test_the_result_of_abandoned_work_is_the_reason_given() -> None:
    assert summary_of(NoteEvent(id="1", kind="note", content="too slow", tags=("abandoned",))).result == (
        "Abandoned: too slow"
    )
