"""The events as ``git traj show`` prints them."""

from __future__ import annotations

from typing import Any

import pytest

from gittraj.render.events import Detail
from gittraj.render.text.chapters import render_commit, render_timeline
from gittraj.render.text.terminal import Page
from tests.unit.render.headers import (
    HOSTILE,
    NOW,
    bare_header,
    call,
    chapter,
    entry,
    event,
    full_header,
    hostile_header,
    result,
)

WHOLE: dict[str, Any] = {"completeness": {"present": [], "missing": []}}
PAGE = Page(columns=72)
WORK = chapter(
    "Retry with backoff",
    event("prompt", "Retry with backoff,\nand add no dependency.", ts="2026-03-01T08:55:00.000Z"),
    event("thinking", "A queue would need a worker."),
    event("message", "I look at the client first.", ts="2026-03-01T08:55:04.000Z"),
    call("Bash", command="rg -n 'def request' src", ts="2026-03-01T08:55:05.000Z"),
    result("src/client.py:14:def request("),
    call("Bash", command="pytest -q"),
    result("F.....\n\nE   assert 1.0 == 0.5\n1 failed, 5 passed", code=1),
    event("decision", decision={"chosen": "full jitter", "alternatives": ["a fixed delay"], "by": "agent"}),
    event("message", "The clock is injected now:\n\n    retry(clock=fake)", ts="2026-03-02T00:00:01.000Z"),
)
HEADER = {**full_header(), "chapters": [WORK], "also": [], **WHOLE}


def shown(page: Page = PAGE, *, everything: bool = False, thinking: bool = False) -> str:
    text = "".join(
        render_commit(None, [HEADER], page, NOW, detail=Detail(everything=everything, thinking=thinking))
    )
    return text[text.index("»") :]


def test_a_trajectory_is_shown_with_its_chapters() -> None:
    text = "".join(render_commit(entry(), [HEADER], PAGE, NOW, detail=Detail()))
    assert (
        text
        == """\
9b440cb Retry in the client, with jitter  3 days ago by Ada Lovelace

Retry with backoff
traj_one · 3 days ago · completed
  asked    The API answers 429 in bursts.
           Retry with backoff, and add no dependency.
  why      Fixed delays would re-align the bursts, so retries are spread
           out.
  result   The client retries.
  overall  Bursts are spread out.
  decided  full jitter over a fixed delay, because fixed delays re-align
           the bursts (inferred) id 4c6c9800
           retry in the client over a queue (90% sure)
  doubts   Retry-After given as a date is not tested.
  tests    12 passed, 1 failed (last of 3 runs, before the commit was
           rewritten)
  claude-code · claude-sonnet-4-5 · 4m
  12.3k in + 98k cached / 1.2k out · $0.04 · 80% sure · part 1 of 2
  carried from fffffff · thinking dropped · 3 secrets redacted

» Retry with backoff,
  and add no dependency.

  I look at the client first.

  → Bash rg -n 'def request' src
  → Bash pytest -q
    exit 1 …
    E   assert 1.0 == 0.5
    1 failed, 5 passed
  decided: full jitter over a fixed delay

  The clock is injected now:

      retry(clock=fake)

to mark an inferred decision as wrong: git traj strike 9b440cb ID
"""
    )


def test_everything_is_shown_on_request() -> None:
    text = shown(everything=True, thinking=True)
    assert "    A queue would need a worker.\n" in text
    assert "    src/client.py:14:def request(\n" in text
    assert "    exit 1\n    F.....\n    E   assert 1.0 == 0.5\n" in text
    assert text.endswith("\nthinking: 2 pieces dropped when recorded\n")


def test_the_command_that_opens_sealed_thinking_is_shown() -> None:
    header = {**bare_header(), "chapters": [], "also": [], "thinking": "sealed"}
    for thinking in (False, True):
        detail = Detail(thinking=thinking)
        shown = "".join(render_commit(None, [header], PAGE, NOW, detail=detail)).replace("\n", " ")
        assert (f"git traj show {header['id']} --show-thinking " in shown) is not thinking


def test_all_arguments_of_a_call_are_shown_on_request() -> None:
    given = {"file_path": "/w/a.py", "old_string": "x = 1", "new_string": "x = 2\ny = 3", "limit": 4}
    work = chapter("Edit", call("Edit", **given), call("Bash", command="make lint"))
    header = {**bare_header(), "chapters": [work], "also": [], **WHOLE}
    few, all_of_it = (
        "".join(render_commit(None, [header], PAGE, NOW, detail=Detail(everything=everything)))
        for everything in (False, True)
    )
    assert "x = 2" not in few
    for line in ("old_string: x = 1", "new_string: x = 2", "y = 3", "limit: 4"):
        assert f"\n    {line}\n" in all_of_it
    assert all_of_it.count("make lint") == 1


def test_thinking_is_shown_only_on_request() -> None:
    assert "queue would need" not in shown(everything=True)


def test_a_result_is_shown_below_its_call_even_if_another_call_is_between() -> None:
    lint, test = call("Bash", command="make lint"), call("Bash", command="pytest -q")
    test["tool"]["callId"] = "c2"
    work = chapter("Two at once", lint, test, result("lint: 2 warnings", code=1))
    header = {**bare_header(), "chapters": [work], "also": [], **WHOLE}
    text = "".join(render_commit(None, [header], PAGE, NOW, detail=Detail()))
    assert text.index("make lint") < text.index("2 warnings") < text.index("pytest -q")


@pytest.mark.parametrize("shared", [None, "c1"])
def test_no_result_is_lost_if_its_call_has_no_id_or_a_shared_one(shared: str | None) -> None:
    events = [call("Bash", command="make"), result("first broke", code=1), result("second broke", code=1)]
    for each in events:
        (each.get("tool") or each["result"])["callId"] = shared
    header = {**bare_header(), "chapters": [chapter("Results", *events)], "also": [], **WHOLE}
    text = "".join(render_commit(None, [header], PAGE, NOW, detail=Detail()))
    assert "make" in text
    assert text.index("first broke") < text.index("second broke")
    assert (text.count("first broke"), text.count("second broke")) == (1, 1)


def test_a_chapter_without_anything_to_show_is_left_out() -> None:
    header = {**bare_header(), "chapters": [chapter("Before", result("fine"))], "also": [], **WHOLE}
    assert "Before" not in "".join(render_commit(None, [header], PAGE, NOW, detail=Detail()))


def test_the_timeline_is_ordered_by_time() -> None:
    other = chapter("Other", event("message", "Meanwhile.", ts="2026-03-01T08:55:02.000Z"))
    headers = [HEADER, {**bare_header(), "chapters": [{**other, "agentName": "codex"}], "also": [], **WHOLE}]
    assert (
        "".join(render_timeline(headers, PAGE, detail=Detail()))
        == """\
2026-03-01
08:55:00  claude-code  ● asked       Retry with backoff, and add no dep…
08:55:02  codex        ○ said        Meanwhile.
08:55:04  claude-code  ○ said        I look at the client first.
08:55:05  claude-code  · Bash        rg -n 'def request' src
08:55:05  claude-code  · Bash        pytest -q
08:55:05  claude-code  ✗ result      exit 1 F..... E assert 1.0 == 0.5…
08:55:05  claude-code  ◆ decided     full jitter over a fixed delay
2026-03-02
00:00:01  claude-code  ○ said        The clock is injected now: retry(c…
"""
    )


def test_hostile_events_are_escaped() -> None:
    kinds = ("prompt", "message", "thinking", "note", "error", HOSTILE)
    events = [event(kind, HOSTILE, ts=HOSTILE) for kind in kinds]
    events += [call(HOSTILE, command=HOSTILE), call(HOSTILE, **{HOSTILE: HOSTILE}), result(HOSTILE, code=1)]
    wild = chapter(HOSTILE, *events) | {"agentName": HOSTILE}
    header = {**hostile_header(), "chapters": [wild, chapter("two", *events[1:])], "also": [], **WHOLE}
    detail = Detail(everything=True, thinking=True)
    for text in (
        "".join(render_commit(entry(), [header], PAGE, NOW, detail=detail)),
        "".join(render_timeline([header, header], PAGE, detail=detail)),
    ):
        assert not {"\x1b", "\x07", "\r", "\u202e"} & set(text)
        assert "^[]0;owned^G^M<script>" in text


def test_the_prompt_is_shown_once() -> None:
    asked = chapter("x", event("prompt", "Fix the  bug\nand test"), event("message", "Done."))
    header = {**bare_header(), "chapters": [asked], "also": [], **WHOLE}
    header |= {"title": "Fix the bug and test", "prompt": "Fix the bug\nand test"}
    text = "".join(render_commit(None, [header], PAGE, NOW, detail=Detail()))
    assert text.count("Fix the") == 1
    assert "» as asked above\n\n  Done.\n" in text


def test_thinking_has_a_label() -> None:
    assert "  thinking:\n    A queue would need a worker.\n" in shown(thinking=True)


def test_a_call_keeps_its_lines() -> None:
    heredoc = "git commit -F - <<'END'\nFix it\n\n  indented\nEND"
    header = {**bare_header(), "chapters": [chapter("x", call("Bash", command=heredoc))], "also": [], **WHOLE}
    short, full = (
        "".join(render_commit(None, [header], PAGE, NOW, detail=Detail(everything=all_of_it)))
        for all_of_it in (False, True)
    )
    assert "  → Bash git commit -F - <<'END' …\n" in short
    assert "  → Bash git commit -F - <<'END'\n         Fix it\n\n           indented\n         END\n" in full


@pytest.mark.parametrize(
    "cause",
    ["x.c:3: error: 'y' undeclared", "ValueError: no", "FAILED tests/a.py::b", "fatal: not a git repository"],
)
def test_a_cut_output_keeps_the_line_with_the_error(cause: str) -> None:
    output = f"building\n{cause}\nnote: see above\nmake: *** [all] 2\nbye"
    header = {**bare_header(), "chapters": [chapter("x", result(output, code=2))], "also": [], **WHOLE}
    text = "".join(render_commit(None, [header], PAGE, NOW, detail=Detail()))
    assert text.endswith(f"    exit 2 …\n    {cause}\n    bye\n")
