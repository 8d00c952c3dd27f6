"""Reads the times that records and events carry. No I/O."""

from __future__ import annotations

from datetime import UTC, datetime


def parse_time(time: str | None) -> datetime | None:
    """An ISO 8601 time; without a zone it is UTC. None for what is no time."""
    try:
        moment = datetime.fromisoformat(time or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
