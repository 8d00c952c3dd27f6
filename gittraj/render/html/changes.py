"""The lines that a call removed and added, read from its arguments alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from gittraj.query.why.line_origin import Hunk, compare_lines, read_hunks
from gittraj.render.events import Event
from gittraj.render.html.markup import Html, join, tag, text

_MOST = 400  # lines of one change that are shown
_COMPARED = 2_000  # lines that are compared: the time is quadratic

Row = tuple[str, str]
"""``-``, ``+`` or a blank, and a line."""


def find_change(event: Event) -> list[Row]:
    """The rows of a call's change; empty where its arguments do not show it."""
    paths = [file["path"] for file in event.get("files", ())]
    if not paths:
        return []
    hunks, _ = read_hunks(event["tool"]["arguments"], paths)
    return [row for hunk in hunks for row in _compare(hunk)]


def count_change(rows: Sequence[Row]) -> tuple[int, int]:
    """How many lines were added, and removed."""
    marks = [mark for mark, _ in rows]
    return marks.count("+"), marks.count("-")


def render_change(rows: Sequence[Row]) -> Html:
    """The lines, marked with signs too, for readers who do not see colours."""
    shown = [tag("span", f"{mark} ", text(told), "\n", class_=_CLASSES[mark]) for mark, told in rows[:_MOST]]
    more = len(rows) - len(shown)
    note = tag("p", f"and {more:,} lines more", class_="muted") if more else ""
    return join([tag("pre", tag("code", *shown), class_="change"), note])


_CLASSES = {"+": "came", "-": "went", " ": "stayed"}


def _compare(hunk: Hunk) -> Iterator[Row]:
    old, new = hunk
    if old and len(old) + len(new) <= _COMPARED:
        return compare_lines(hunk)
    return chain((("-", line) for line in old), (("+", line) for line in new))
