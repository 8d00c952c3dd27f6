"""Search results as shown in a terminal."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from gittraj.index.excerpts import Excerpt
from gittraj.index.text import WEIGHTS
from gittraj.render.text.search import LABELS, render_hit
from gittraj.render.text.terminal import Page

NOW = datetime(2026, 3, 2, tzinfo=UTC)
COMMIT = {
    "short": "1f442bd",
    "subject": "Parse durations",
    "date": "2026-03-01T00:00:00+00:00",
    "author": {"name": "A"},
}


@dataclass(frozen=True)
class Found:
    trajectory: str = "traj_one"
    agent: str | None = "codex"
    about: dict[str, Any] = field(default_factory=lambda: {"title": "Durations", "role": "produced"})
    excerpts: tuple[Excerpt, ...] = (Excerpt("prompt", "p", ("the ", "rate", " of\n  the ", "limit", "")),)


def test_a_result_shows_the_commit_the_words_and_their_author() -> None:
    assert render_hit(Found(), COMMIT, Page(80), NOW).splitlines() == [
        "1f442bd Parse durations  24 hours ago by A",
        "  asked    the rate of the limit",
        "  codex · traj_one · Durations",
    ]
    other = Found(excerpts=(Excerpt("decision", None, ("a ", "window"), rejected=True),))
    assert render_hit(other, COMMIT, Page(80), NOW).splitlines()[1] == "  rejected a window"
    painted = render_hit(Found(), COMMIT, Page(80, colour=True), NOW)
    assert "the \x1b[1;31mrate\x1b[0m of the \x1b[1;31mlimit\x1b[0m\n" in painted


def test_a_result_without_a_commit_is_marked() -> None:
    hit = Found(about={"title": None, "role": "explored"})
    assert render_hit(hit, None, Page(), NOW).splitlines()[::2] == [
        "traj_one",
        "  codex · counts for no commit",
    ]


def test_no_text_controls_the_terminal() -> None:
    evil = "\x1b]0;owned\x07\u202e"
    hit = Found(evil, evil, {"title": evil, "role": evil}, (Excerpt("output", None, (evil, evil, evil)),))
    shown = render_hit(hit, {**COMMIT, "subject": evil}, Page(80), NOW)
    assert not set(shown) & set("\x1b\x07\u202e")


def test_every_kind_of_text_has_a_label() -> None:
    assert LABELS.keys() == WEIGHTS.keys()
