"""Computes metrics of several trajectories: success rate, parse failures, duration, cost and counts. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from operator import itemgetter

from gittraj.model.header import Header

UNKNOWN = "unknown"
_SUCCEEDED, ENDED = "completed", ("completed", "abandoned", "failed")


def rate(statuses: Collection[str | None]) -> float | None:
    """Return the share of completed trajectories among those that ended; None if no end is known."""
    ended = [status for status in statuses if status in ENDED]
    return round(ended.count(_SUCCEEDED) / len(ended), 4) if ended else None


def outcomes(statuses: Collection[str | None], seconds: Collection[float | None], malformed: int) -> Header:
    """Return ``{"statuses": {status: number}, "successRate"|null, "medianSeconds"|null, "parseFailures"}``;
    ``parseFailures`` are a model's answers that the agent's program could not read, according to its log."""
    known = [each for each in seconds if each is not None]
    return {
        "statuses": dict(sorted(Counter(status or UNKNOWN for status in statuses).items())),
        "successRate": rate(statuses),
        "medianSeconds": round(_median(known), 3) if known else None,
        "parseFailures": malformed,
    }


def _median(numbers: Collection[float]) -> float:
    """Return the median, without ``statistics``, which takes 8 ms to import."""
    ordered = sorted(numbers)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def measure(headers: Collection[Header]) -> Header:
    """Return the METRICS of ``git traj compare --json``, from the ``part`` of each HEADER: ``outcomes``, sums
    of tokens, cost and counts, how many have tokens and a cost, and the last test runs by outcome."""
    parts = list(map(itemgetter("part"), headers))
    usages, counts = list(map(itemgetter("usage"), parts)), list(map(itemgetter("counts"), parts))
    spent = [usage for usage in usages if usage["outputTokens"] is not None]
    return {
        "trajectories": len(parts),
        **outcomes(
            list(map(itemgetter("status"), headers)),
            list(map(itemgetter("durationSeconds"), parts)),
            sum(map(itemgetter("malformed"), counts)),
        ),
        "exits": dict(Counter(filter(None, ((h["exit"] or {}).get("status") for h in headers)))),
        "usage": _sum(spent, usages),
        "tellingUsage": len(spent),
        **_cost([part for part in parts if part["costUsd"] is not None]),
        "counts": _sum(counts, counts),
        "tests": dict(Counter(h["tests"]["outcome"] for h in headers if h["tests"] and h["tests"]["runs"])),
    }


def _sum(rows: Sequence[Header], named: Sequence[Header]) -> Header:
    """Return the sums of ``rows`` by the names in ``named``; None for each that no row knows."""
    known = {name: [row[name] for row in rows if row[name] is not None] for row in named[:1] for name in row}
    return {name: sum(numbers) if numbers else None for name, numbers in known.items()}


def _cost(priced: Sequence[Header]) -> Header:
    sources = {part["costSource"] for part in priced}
    return {
        "costUsd": math.fsum(part["costUsd"] for part in priced) if priced else None,
        "costSource": "estimated" if "estimated" in sources else "reported" if sources else UNKNOWN,
        "tellingCost": len(priced),
    }
