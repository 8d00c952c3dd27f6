"""Computes the tokens of OpenHands' model calls from running totals on the events.

A total is the session's, or that of one agent, which starts at zero. The cost is only reported for the whole
session: a difference between totals would not be a cost that the log states.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.openai import completion
from gittraj.model.session_items import Spent
from gittraj.model.values import Usage


class Costs:
    """Adds up the tokens of each model call; ``total`` is the cost in US dollars, None if none is stated."""

    def __init__(self) -> None:
        self._before = Usage()
        self._dollars: float | None = None
        self._ended: list[float] = []  # the last totals before the total started again
        self._spent: dict[str, Usage] = {}
        self._now: Any = None  # the last token totals, as in the log

    @property
    def total(self) -> float | None:
        if self._dollars is None:
            return None
        return math.fsum((*self._ended, self._dollars)) if self._ended else self._dollars

    def add_totals(self, metrics: Any, response: str | None, usage: Any) -> None:
        """Add the totals on an event. ``response`` is the id of the event's model call, if it has one, and
        ``usage`` the provider's token counts for that call.

        Tokens that only an event without a call reports are added to the next call, or to the very last one.
        """
        fields = coerce.mapping(metrics)
        if not fields:
            if response and isinstance(usage, dict):
                self._spent.setdefault(response, completion.usage(usage))
            return
        if (cost := coerce.cost(fields.get("accumulated_cost"))) is not None:
            if self._dollars is not None and cost < self._dollars:
                self._ended.append(self._dollars)
            self._dollars = cost
        self._now = fields.get("accumulated_token_usage")
        if response is not None:
            self._add_growth(_total(self._now), response, usage)

    def _add_growth(self, total: Usage, response: str, usage: Any) -> None:
        """Add to the call ``response`` the tokens since the last total; if the totals started again, as those
        of another or a restarted agent do, the whole total."""
        growth = coerce.usage_since(total, self._before)
        self._before = total
        if response not in self._spent:  # the totals do not count reasoning separately
            reasoning = completion.usage(usage).reasoning_tokens
            growth += Usage(reasoning_tokens=min(reasoning, growth.output_tokens))
        self._spent[response] = self._spent.get(response, Usage()) + growth

    def spent(self) -> Iterator[Spent]:
        """Yield the usage of every call. To be called once, after the last event."""
        if self._spent and self._now is not None:
            self._add_growth(_total(self._now), next(reversed(self._spent)), None)
        for response, spent in self._spent.items():
            yield Spent(response=response, usage=spent)


def _total(value: Any) -> Usage:
    names = ("prompt_tokens", "cache_read_tokens", "cache_write_tokens", "completion_tokens")
    return coerce.usage(value, names, cached_in_input=True)
