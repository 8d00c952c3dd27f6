"""Tokens and cost of a log's model calls: each counts with one event, so that no two parts count it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from gittraj.capture.own import Part
from gittraj.capture.session import Log
from gittraj.model.session_items import Spent
from gittraj.model.values import Usage


def assign_calls(log: Log, parts: Sequence[Part]) -> dict[int, tuple[str, ...]]:
    """The calls that count with each event: a model call counts with the last of its events that is stored.
    A call whose usage is in a later record was still open at the anchor: it counts with the next event."""
    dropped = {i for part in parts for i in part.dropped}
    anchors = {part.anchor.call for part in parts}
    last: dict[str, int] = {}
    final: dict[str, int] = {}
    for index, entry in enumerate(log.entries):
        if entry.event.response is not None:
            final[entry.event.response] = index
            if index not in dropped:
                last[entry.event.response] = index
    counted: dict[int, tuple[str, ...]] = {}
    for response, spent in log.spent.items():
        index = last.get(response, -1)
        if index < 0:
            continue
        if index in anchors and index == final[response] and spent.beside:
            index += 1
        if index < len(log.entries):
            counted[index] = (*counted.get(index, ()), response)
    return counted


def find_costs(
    log: Log, counted: Mapping[int, tuple[str, ...]], parts: Sequence[Part], before: float
) -> dict[int, float]:
    """The events' costs according to the log, in US dollars. If it has only a total, the last event gets
    it, less what earlier parts have (``before``)."""
    each = {
        index: [c for r in responses if (c := log.spent[r].cost) is not None]
        for index, responses in counted.items()
    }
    costs = {index: sum(found[1:], found[0]) for index, found in each.items() if found}
    total = log.facts.get("cost_usd", (None,))[-1]
    if costs or total is None:
        return costs
    dropped = {i for part in parts for i in part.dropped}
    last = max((i for p in parts for i in range(p.first, p.last + 1) if i not in dropped), default=None)
    return {last: float(total) - before} if last is not None else {}


def add_usage(spent: Iterable[Spent], before: Usage) -> Usage | None:
    """The sum over the calls that count with one event; a cumulative one counts less the parts ``before``."""
    found = [s.usage.without(before) if s.cumulative else s.usage for s in spent]
    return reduce(Usage.__add__, found) if found else None
