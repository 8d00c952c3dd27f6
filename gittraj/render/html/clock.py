"""Times on a page, in UTC wherever it is made. Invalid or out-of-range times are not shown."""

from __future__ import annotations

from datetime import UTC, datetime

from gittraj.model.times import parse_time
from gittraj.render.html.markup import Html, tag


def in_utc(ts: str | None) -> datetime | None:
    try:
        moment = parse_time(ts)
        return moment.astimezone(UTC) if moment else None
    except OverflowError:  # within hours of the first or last representable date
        return None


def render_clock(ts: str | None) -> Html | None:
    """The time of day."""
    moment = in_utc(ts)
    return tag("time", moment.strftime("%H:%M:%S"), datetime=ts) if moment else None
