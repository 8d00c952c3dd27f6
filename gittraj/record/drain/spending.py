"""Counts tokens and cost of a log's model calls, each with one event, so that no two parts count a call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from gittraj.capture.own import Part
from gittraj.capture.session import Log
from gittraj.model.session_items import Spent
from gittraj.model.values import Usage
from gittraj.record.drain.description import to_int


def assign_calls(log: Log, parts: Sequence[Part]) -> dict[int, tuple[str, ...]]:
    """Assign the model calls to events: a call counts with the last of its events that is stored. A call
    whose usage is in a later record was still open at the anchor: it counts with the next event."""
    dropped = _dropped(parts)
    anchors = {part.anchor.call for part in parts}
    responses = [(entry.event.response, index) for index, entry in enumerate(log.entries)]
    final = dict(responses)
    last = {response: index for response, index in responses if index not in dropped}
    counted: dict[int, tuple[str, ...]] = {}
    for response, spent in log.spent.items():
        index = last.get(response)
        if index is None:
            continue
        if index in anchors and index == final[response] and spent.beside:
            index += 1
        if index < len(log.entries):
            counted[index] = (*counted.get(index, ()), response)
    return counted


def _dropped(parts: Iterable[Part]) -> set[int]:
    return {index for part in parts for index in part.dropped}


def find_costs(
    log: Log, counted: Mapping[int, tuple[str, ...]], parts: Sequence[Part], before: float
) -> dict[int, float]:
    """The events' costs according to the log, in US dollars. If the log has only a total, the last event gets
    it, less the cost of earlier parts (``before``)."""
    each = {
        index: [c for r in responses if (c := log.spent[r].cost) is not None]
        for index, responses in counted.items()
    }
    costs = {index: sum(values[1:], values[0]) for index, values in each.items() if values}
    total = log.facts.get("cost_usd", (None,))[-1]
    if costs or total is None:
        return costs
    stored = {i for part in parts for i in part.indexes} - _dropped(parts)
    return {max(stored): float(total) - before} if stored else {}


def find_calls(
    log: Log,
    counted: Mapping[int, tuple[str, ...]],
    indexes: Sequence[int],
    before: Sequence[tuple[range, int]],
) -> int | None:
    """Return how many model calls to record for the events at ``indexes``, if the log states a number for the
    whole run. Only the part with the last call gets one (in a log without tokens: with the last event): the
    stated number, less the calls of stored parts (``before``: the indexes of a part's events, and its calls)
    and of events before ``indexes``. For other parts, the result is None."""
    stated = to_int(log.fact("api_calls"))
    counted = {i: calls for i, calls in counted.items() if not any(i in events for events, _ in before)}
    if not stated or max(counted, default=len(log.entries) - 1) not in indexes:
        return None
    others = sum(len(calls) for index, calls in counted.items() if index < indexes[0])
    return max(0, stated - sum(calls for _, calls in before) - others)


def add_usage(spent: Iterable[Spent], before: Usage) -> Usage | None:
    """Add up the calls that count with one event. A cumulative usage includes ``before``, which is
    subtracted."""
    usages = [s.usage.without(before) if s.cumulative else s.usage for s in spent]
    return reduce(Usage.__add__, usages) if usages else None
