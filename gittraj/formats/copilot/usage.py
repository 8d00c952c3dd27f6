"""What Copilot's model calls cost: reported after each call, or in sum when the program ends, never both.

``inputTokens`` counts cached ones too. ``cost`` is a number of premium requests, not of dollars, and so is
left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.model.session_items import Spent
from gittraj.model.values import Usage

_TOKENS = ("inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens")


class Calls:
    """The model calls since the last human prompt, by the ids of their messages.

    ``state`` is the result of an earlier :meth:`state`: whether the program reports each call's cost.
    """

    def __init__(self, state: dict[str, Any]) -> None:
        self._reported = state.get("told") is True
        self.begin_turn()

    def state(self) -> dict[str, Any]:
        return {"told": self._reported}

    def begin_turn(self) -> None:
        self._last: str | None = None
        self._by_model: dict[str | None, str] = {}
        self._spent: dict[str, Usage] = {}
        self._waiting: list[Usage] = []

    def answered(self, response: str, model: str | None) -> Iterator[Spent]:
        """A message came. A cost reported before it is its own."""
        self._last = self._by_model[model] = response
        waiting, self._waiting = self._waiting, []
        for usage in waiting:
            yield self._add(response, usage)

    def reported(self, record: dict[str, Any]) -> Iterator[Spent]:
        """From ``assistant.usage`` or ``session.usage_record``: the last message's if that has none."""
        self._reported = True
        if self._last is None or self._last in self._spent:
            self._waiting.append(_usage(record))
        else:
            yield self._add(self._last, _usage(record))

    def ended(self, metrics: dict[str, Any]) -> Iterator[Spent]:
        """From ``session.shutdown``: what each model cost since the program was started."""
        if not self._reported and self._last is not None:
            for model, fields in metrics.items():
                response = self._by_model.get(model, self._last)
                yield self._add(response, _usage(coerce.mapping(coerce.mapping(fields).get("usage"))))
        self._reported = False

    def _add(self, response: str, usage: Usage) -> Spent:
        self._spent[response] = self._spent.get(response, Usage()) + usage
        return Spent(response=response, usage=self._spent[response], beside=True)


def _usage(fields: dict[str, Any]) -> Usage:
    return coerce.usage(fields, _TOKENS, cached_in_input=True)
