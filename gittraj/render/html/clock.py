"""Times on a page, in UTC wherever it is made. What is no time, or beyond all calendars, is shown as none."""

from __future__ import annotations

from datetime import UTC, datetime

from gittraj.model.times import parse_time
from gittraj.render.html.markup import Html, tag


def in_utc(ts: str | None) -> datetime | None:
    try:
        moment = parse_time(ts)
        return moment.astimezone(UTC) if moment else None
    except OverflowError:  # the first or the last hours that there are, in another zone
        return None


def render_clock(ts: str | None) -> Html | None:
    """The time of day."""
    moment = in_utc(ts)
    return tag("time", moment.strftime("%H:%M:%S"), datetime=ts) if moment else None
