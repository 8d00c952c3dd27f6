"""The output of ``git traj why`` for one entry; the integration tests have whole outputs."""

from __future__ import annotations

from typing import Any

import pytest

from gittraj.render.text.terminal import Page
from gittraj.render.text.why import render_porcelain, render_reason
from tests.unit.render.headers import HOSTILE, NOW, call, entry, event, full_header, hostile_header

LINES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def reason(header: Any, **fields: Any) -> dict[str, Any]:
    given = {key: value for key, value in entry().items() if key not in ("files", "trajectories")}
    values = {"prompt": header["prompt"], "decisions": header["decisions"], "said": None, "change": []}
    values |= {"changeMore": 0, "beside": [], "events": [], "movedBy": [], "nearest": None}
    values |= {"doubts": [], "respaced": []}
    return {"lines": [[1, 1]], **given, "trajectory": header, **values} | fields


def test_many_lines_are_shortened_and_gaps_are_shown() -> None:
    beside = [{"id": "traj_a", "prompt": full_header()["prompt"], "read": True}]
    text = reason(full_header(), lines=[[1, 2], [5, 10]], decisions=[], beside=beside)
    text = render_reason(text, LINES, Page(72), NOW)
    assert text.startswith(
        """\
 1  one
 2  two
 …
 5  five
 6  six
 7  seven
 8  eight
 …  and 2 more of 1-2, 5-10
9b440cb Retry in the client, with jitter  3 days ago by Ada Lovelace
  written  no recorded edit matches these lines; who wrote them is not
           known
  the commit also has:
  asked    The API answers 429 in bursts. Retry with backoff, and add no
           dependency.
  tests    12 passed, 1 failed (last of 3 runs, before the commit was
           rewritten)
  doubts   of the commit: Retry-After given as a date is not tested.
"""
    )


def test_with_several_sessions_no_line_is_credited_to_one() -> None:
    beside = [{"id": f"traj_{n}", "prompt": f"Do {n}", "read": n > 1} for n in range(5)]
    text = render_reason(
        reason(full_header(), decisions=[], prompt=None, beside=beside[2:]), LINES, Page(72), NOW
    )
    assert (
        text.split("\n", 2)[2]
        == """\
  written  no recorded edit matches these lines; who wrote them is not
           known
  the commit also has 3 sessions; which wrote these lines, if any, is
  not known:
  asked    Do 2
           Do 3
           Do 4
  git traj show 9b440cb has more
"""
    )
    text = render_reason(
        reason(full_header(), decisions=[], prompt=None, beside=beside), LINES, Page(72), NOW
    )
    assert "events are not here" in text
    assert "           … and 2 more\n" in text


def test_lines_of_an_edit_that_are_not_shown_are_counted() -> None:
    edit = {**call("x"), "ts": None}
    entry = reason(full_header(), decisions=[], events=[edit], change=["+a", "+b"], changeMore=3)
    assert "           +b\n           … 3 more lines\n" in render_reason(entry, LINES, Page(72), NOW)


def test_decisions_that_are_not_shown_are_hinted_at() -> None:
    header = full_header()
    assert "has more" not in render_reason(reason(header), LINES, Page(72), NOW)
    text = render_reason(reason(header, decisions=header["decisions"][:1]), LINES, Page(72), NOW)
    assert text.endswith("\n  git traj show 9b440cb has more\n")


@pytest.mark.parametrize("form", ["text", "porcelain"])
def test_hostile_words_are_escaped(form: str) -> None:
    header = hostile_header()
    edit = {**call(HOSTILE), "id": HOSTILE, "ts": HOSTILE}
    evil = reason(
        header,
        subject=HOSTILE,
        author={"name": HOSTILE, "email": HOSTILE},
        events=[event("prompt", HOSTILE), edit],
        change=[f"+{HOSTILE}\ncommit 0", f"-{HOSTILE}"],
        doubts=[HOSTILE],
        respaced=[{"short": "9b440cb", "subject": HOSTILE, "lines": [[1, 1]], "recorded": True}],
        nearest=None,
    )
    if form == "text":
        text = render_reason(evil, [HOSTILE], Page(72), NOW)
    else:
        text = render_porcelain(evil, [HOSTILE], HOSTILE)
        keys = {line.split(" ")[0] for line in text.splitlines()[1:] if not line.startswith("\t")}
        assert keys <= {
            *("lines", "path", "short", "author", "author-mail", "date", "summary", "trajectory", "agent"),
            *("model", "session", "evidence", "prompt", "decision", "event", "change", "doubt"),
        }
    assert not {"\x1b", "\x07", "\r", "\u202e"} & set(text)
