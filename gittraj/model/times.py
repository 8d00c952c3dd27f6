"""Parses the times in records and events. No I/O."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import UTC, datetime
    from typing import Any
else:
    try:  # the same classes; before Python 3.12 the module around them takes 2 ms to import
        from _datetime import datetime, timezone

        UTC = timezone.utc
    except ImportError:
        from datetime import UTC, datetime


def now() -> datetime:
    """Return the current time in UTC, with its zone."""
    return datetime.now(UTC)


def parse_time(time: str | None) -> datetime | None:
    """Parse an ISO 8601 time, which is UTC if it has no zone. None for any other text."""
    try:
        moment = datetime.fromisoformat(time or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def seconds(time: str | None) -> float | None:
    """Parse an ISO 8601 time into seconds since 1970. None for any other text."""
    moment = parse_time(time)
    return moment.timestamp() if moment else None


def to_stamp(value: Any) -> str | None:
    """Convert an ISO 8601 time to the stored form: UTC, with milliseconds. None for any other value."""
    try:
        moment = parse_time(value) if isinstance(value, str) else None
        moment = moment.astimezone(UTC) if moment else None
    except OverflowError:
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z") if moment else None
