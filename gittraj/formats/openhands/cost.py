"""Computes the tokens of OpenHands' model calls from running totals on the events.

Totals are the session's, or one agent's, which start again at zero. The cost is reported only in total:
differences of totals would not be stated costs.
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
    """``total`` is the cost in US dollars, ``None`` if no event states one."""

    def __init__(self) -> None:
        self._before = Usage()
        self._dollars: float | None = None
        self._ended: list[float] = []
        self._spent: dict[str, Usage] = {}
        self._now: Any = None

    @property
    def total(self) -> float | None:
        if self._dollars is None:
            return None
        return math.fsum((*self._ended, self._dollars)) if self._ended else self._dollars

    def add_totals(self, metrics: Any, response: str | None, usage: Any) -> None:
        """Add the totals on an event of the call ``response``; ``usage`` is the provider's for that call.

        Growth reported by an event without a call is added to the next call, or to the last one at the end.
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
            self._grow(_total(self._now), response, usage)

    def _grow(self, now: Usage, response: str, usage: Any) -> None:
        # another agent, or a restarted one, counts from the beginning
        grown = coerce.usage_since(now, self._before)
        self._before = now
        if response not in self._spent:  # the totals do not count reasoning separately
            reasoning = completion.usage(usage).reasoning_tokens
            grown += Usage(reasoning_tokens=min(reasoning, grown.output_tokens))
        self._spent[response] = self._spent.get(response, Usage()) + grown

    def spent(self) -> Iterator[Spent]:
        """Yield the usage of every call, once there are no more events."""
        if self._spent and self._now is not None:
            self._grow(_total(self._now), next(reversed(self._spent)), None)
        for response, spent in self._spent.items():
            yield Spent(response=response, usage=spent)


def _total(value: Any) -> Usage:
    names = ("prompt_tokens", "cache_read_tokens", "cache_write_tokens", "completion_tokens")
    return coerce.usage(value, names, cached_in_input=True)
