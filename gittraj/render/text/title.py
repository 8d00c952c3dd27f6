"""A commit's title line: id, subject, age and author. It must import next to nothing: see
``gittraj.index.fast_open``.
"""

from __future__ import annotations

from gittraj.model.times import parse_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

_YEAR = 31_557_600  # seconds, as the two below
_AGES = (("month", 2_629_800), ("week", 604_800), ("day", 86_400), ("hour", 3_600), ("minute", 60))


def ago(time: str | None, now: datetime) -> str:
    """``3 days ago``; the date itself after a year; empty when unknown."""
    moment = parse_time(time)
    if moment is None:
        return ""
    seconds = (now - moment).total_seconds()
    if seconds >= _YEAR:
        return moment.strftime("%Y-%m-%d")
    for unit, size in _AGES:
        if seconds >= 2 * size:
            return f"{seconds // size:.0f} {unit}s ago"
    return "just now"


def lay_out(
    short: str, subject: tuple[str, int], about: tuple[str, int], *, at: int, columns: int | None
) -> str:
    """Coloured texts on one line if they fit, else two. ``subject`` comes with the width of its last line,
    ``about`` with its own; ``at`` is the column where the subject begins."""
    text, used = subject
    note, size = about
    fits = columns is None or at + used + 2 + size <= columns
    gap = "  " if fits else "\n" + " " * at
    return f"{short} {text}{gap}{note}"
