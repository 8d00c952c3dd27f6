"""What the main agent's model calls in Claude Code's output cost, when only their sum is right.

A record of the output bears the usage with which its message began, when hardly anything of the answer
was there. The ``result`` knows the sum. What it has more belongs to one of the calls, and no record says
to which.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from gittraj.model.session_items import Spent
from gittraj.model.values import Usage


class Tally:
    """The calls since the last result. ``state`` is what an earlier :meth:`state` gave."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self._restore(state)

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._before = Usage(**state.get("before", {}))
        self._last = Usage(**state.get("last", {}))
        self._response: str | None = state.get("response")

    def state(self) -> dict[str, Any]:
        return {"before": asdict(self._before), "last": asdict(self._last), "response": self._response}

    def count(self, spent: Spent) -> None:
        if spent.response != self._response:
            self._before += self._last
        self._response, self._last = spent.response, spent.usage

    def settle(self, total: Usage) -> Spent | None:
        """The last call with the output that none of the calls had, which makes their sum ``total``.

        Only if what they read adds up, so that the total surely speaks of just these calls: some versions
        go on counting from the turn before.
        """
        response, last, known = self._response, self._last, self._before + self._last
        self._restore({})
        more = total.output_tokens - known.output_tokens
        if response is None or more <= 0 or replace(known, output_tokens=total.output_tokens) != total:
            return None
        return Spent(
            response=response, usage=replace(last, output_tokens=last.output_tokens + more), beside=True
        )
