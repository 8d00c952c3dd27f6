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
    """The current time, with its zone, UTC."""
    return datetime.now(UTC)


def parse_time(time: str | None) -> datetime | None:
    """Parse an ISO 8601 time; without a zone it is UTC. None for what is not a time."""
    try:
        moment = datetime.fromisoformat(time or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def seconds(time: str | None) -> float | None:
    """Parse an ISO 8601 time into seconds since 1970. None for what is not a time."""
    moment = parse_time(time)
    return moment.timestamp() if moment else None


def to_stamp(value: Any) -> str | None:
    """An ISO 8601 time as it is stored: UTC, with milliseconds. None for what is not a time."""
    try:
        moment = parse_time(value) if isinstance(value, str) else None
        moment = moment.astimezone(UTC) if moment else None
    except OverflowError:
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z") if moment else None
