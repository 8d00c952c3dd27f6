"""Search results in the terminal: the commit, and excerpts with the matches marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from gittraj.model.words import NO_COMMIT
from gittraj.render.text.log import render_title
from gittraj.render.text.terminal import Page, cut, escape, escape_line

_INDENT = 2
_LABEL = 11  # columns that a label takes, margin included
_LINES = 3
LABELS = {
    "title": "named",  # also tags, tasks, and the names of runs
    "prompt": "asked",
    "decision": "decision",
    "retrospective": "summary",
    "doubt": "doubt",
    "message": "said",
    "thinking": "thought",
    "tool": "ran",
    "file": "file",
    "output": "output",
}
_SPACE = re.compile(r"\s+")


class Excerpt(Protocol):
    """A text of a ``kind``, a key of ``LABELS``, in fragments: every second one in ``marked`` is a match."""

    @property
    def kind(self) -> str: ...
    @property
    def marked(self) -> Sequence[str]: ...
    @property
    def rejected(self) -> bool: ...


class Hit(Protocol):
    @property
    def trajectory(self) -> str: ...
    @property
    def agent(self) -> str | None: ...
    @property
    def about(self) -> Mapping[str, Any]: ...
    @property
    def excerpts(self) -> Sequence[Excerpt]: ...


def render_hit(hit: Hit, commit: Mapping[str, Any] | None, page: Page, now: datetime) -> str:
    """One trajectory of ``git traj search``; ``commit`` is its commit as ``log --json`` describes it, None if
    this clone does not have it."""
    if commit is None:
        lines = [page.paint(escape_line(hit.trajectory), "yellow")]
    else:
        lines = [render_title({**commit}, page, now)]
    for excerpt in hit.excerpts:
        label = " " * _INDENT + ("rejected" if excerpt.rejected else LABELS[excerpt.kind])
        lines += page.block(_mark(excerpt.marked, page), indent=_LABEL, label=label, lines=_LINES)
    return "\n".join((*lines, *_small_print(hit, commit, page))) + "\n"


def _small_print(hit: Hit, commit: Mapping[str, Any] | None, page: Page) -> Iterator[str]:
    remote = hit.about.get("remote")
    origin = ", ".join(filter(None, (hit.agent, f"from {remote}" if remote else None)))
    facts = [origin, hit.trajectory if commit else None, hit.about["title"]]
    facts.append(NO_COMMIT if hit.about["role"] == "explored" else None)
    text = escape_line(" · ".join(filter(None, facts)))
    yield " " * _INDENT + page.paint(cut(text, page.room(_INDENT)), "dim")


def _mark(stretches: Sequence[str], page: Page) -> str:
    """An excerpt on one line, painted word by word, so that a line never breaks inside a painted stretch."""
    painted = []
    for number, stretch in enumerate(stretches):
        flat = _SPACE.sub(" ", escape(stretch))
        is_match = number % 2
        painted.append(
            " ".join(page.paint(word, "bold", "red") for word in flat.split(" ")) if is_match else flat
        )
    return "".join(painted).strip()
