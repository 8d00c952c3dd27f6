"""The output of ``git traj log``, in full, as people see it."""

from __future__ import annotations

import pytest

from gittraj.render.text.log import render_decision, render_entry, render_oneline, render_row, render_small
from gittraj.render.text.terminal import Page
from tests.unit.render.headers import NOW, bare_header, entry, full_header, hostile_header

PAGE = Page(columns=72)


def test_a_commit_with_everything_known_is_shown() -> None:
    assert (
        render_entry(entry(full_header()), PAGE, NOW)
        == """\
9b440cb Retry in the client, with jitter  3 days ago by Ada Lovelace
  asked    The API answers 429 in bursts. Retry with backoff, and add no
           dependency.
  why      Fixed delays would re-align the bursts, so retries are spread
           out.
  result   The client retries.
  decided  full jitter over a fixed delay, because fixed delays re-align
           the bursts (inferred)
           retry in the client over a queue (90% sure)
  doubts   Retry-After given as a date is not tested.
  tests    12 passed, 1 failed (last of 3 runs, before the commit was
           rewritten)
  claude-code · claude-sonnet-4-5 · 4m
  12.3k in + 98k cached / 1.2k out · $0.04 · 80% sure · part 1 of 2
  carried from fffffff · thinking dropped · 3 secrets redacted
"""
    )


def test_a_commit_without_known_fields_is_shown() -> None:
    assert (
        render_entry(entry(bare_header(), subject=""), PAGE, NOW)
        == """\
9b440cb   3 days ago by Ada Lovelace
  committed by the agent
"""
    )


def test_headings_and_tables_are_left_out_of_a_line() -> None:
    summary = (
        "## Beads\n\nEpic `b-1` is set up.\n\n| Bead | Task |\n|---|---|\n| b-1 | Do |\n\n**Next**\nRun it."
    )
    header = {**bare_header(), "summary": summary, "summaryBy": "agent"}
    assert "\n  said     Epic `b-1` is set up. Run it.\n" in render_entry(entry(header), PAGE, NOW)
    bare = {**bare_header(), "summary": "## Done", "summaryBy": "agent"}
    assert "\n  said     ## Done\n" in render_entry(entry(bare), PAGE, NOW)


def test_a_long_subject_and_several_trajectories_are_shown() -> None:
    subject = "Cap retries at five attempts so that the thirty seconds of a caller are always enough"
    assert (
        render_entry(entry(bare_header(), bare_header(), subject=subject), PAGE, NOW)
        == """\
9b440cb Cap retries at five attempts so that the thirty seconds of a
        caller are always enough  3 days ago by Ada Lovelace
  committed by the agent

  committed by the agent
"""
    )


def test_each_commit_is_shown_on_one_line() -> None:
    header = full_header(commits=["a"])
    assert render_oneline(entry(header), render_small([header]), PAGE) == (
        "9b440cb Retry in the client, with jitter  claude-code · 4m · $0.04 · 80…\n"
    )
    assert render_oneline(entry(header), render_small([header]), Page()) == (
        "9b440cb Retry in the client, with jitter  claude-code · 4m · $0.04 · 80% sure · 2 decisions\n"
    )
    assert render_row(header, Page(), NOW) == (
        "traj_one Retry with backoff  claude-code · completed · 1 commit · 4m · $0.04 · 3 days ago\n"
    )


@pytest.mark.parametrize("page", [PAGE, Page(), Page(columns=72, colour=True)])
def test_hostile_text_is_escaped(page: Page) -> None:
    header = {**hostile_header(), "commits": []}
    hostile_entry = entry(header, subject=header["title"])
    hostile_entry["author"]["name"] = header["title"]
    small = render_small([header])
    for text in (
        render_entry(hostile_entry, page, NOW),
        render_oneline(hostile_entry, small, page),
        render_row(header, page, NOW),
    ):
        assert not {"\x07", "\r", "\u202e"} & set(text)
        assert "\x1b]" not in text
        assert page.colour or "\x1b" not in text
    assert "^[]0;owned^G^M<script>" in render_entry(hostile_entry, page, NOW)


def test_colours_end_on_every_line() -> None:
    text = render_entry(entry(full_header()), Page(columns=72, colour=True), NOW)
    for line in text.splitlines():
        assert line.count("\x1b[0m") * 2 == line.count("\x1b[")


def test_a_choice_that_is_only_a_rejection_names_it_once() -> None:
    against = {"chosen": "I decided against caching", "alternatives": ["caching"], "by": "agent"}
    text = render_decision({**against, "reasoning": "the data changes", "confidence": None}, Page(None))
    assert text == "I decided against caching, because the data changes"
