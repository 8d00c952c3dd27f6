"""Finds the model call that a Codex record belongs to, and the call's tokens.

A rollout does not say which items came from one call, and has the tokens in a separate record: before the
call's items (version 0.40), after them (0.104), or after the outputs of its tools (0.142). So a call gets a
label when it begins, and tokens are credited to the call that has none yet.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.position import short
from gittraj.model.session_items import Spent
from gittraj.model.values import Usage

_TOKENS = (
    *("input_tokens", "cached_input_tokens", "cache_write_input_tokens"),
    *("output_tokens", "reasoning_output_tokens"),
)


class Calls:
    """The model calls of a session, one after the other.

    ``state`` is the result of an earlier :meth:`state`, valid only between turns, when no call is open.
    """

    def __init__(self, state: dict[str, Any]) -> None:
        self._exact: bool = state.get("exact", False)  # whether the log has usage records
        self._total: str | None = state.get("total")  # a hash of the last total
        self.end_turn()

    def state(self) -> dict[str, Any]:
        return {"exact": self._exact, "total": self._total}

    def end_turn(self) -> None:
        """End the call; its tokens can no longer come."""
        self._label: str | None = None
        self._open = False
        self._items = False  # whether the call has events
        self._paid = False  # whether its tokens were reported
        self._late = False  # whether they were reported after an event

    def label(self, record: int, *, item: bool = True) -> str:
        """The label of the call to which record number ``record`` belongs; ``item``: it becomes an event."""
        if self._label is None or not self._open or (self._late and self._paid):
            self.end_turn()
            self._label, self._open = f"resp-{record}", True
        self._items = self._items or item
        return self._label

    def close(self) -> None:
        """End the call; its tokens may still come."""
        self._open = False

    @property
    def unclaimed(self) -> str | None:
        """The label of the call if its tokens were reported and it has no event."""
        return self._label if self._paid and not self._items else None

    def usage_record(self, record: int, payload: dict[str, Any], *, copied: bool) -> Iterator[Spent]:
        """Yield the tokens of a ``token_usage_record``, which certainly are this call's."""
        self._exact = True
        label = self._owner(record)
        if not copied:
            yield Spent(response=label, usage=usage(payload.get("usage")), beside=True)
        self.end_turn()

    def count(self, record: int, payload: dict[str, Any], *, copied: bool) -> Iterator[Spent]:
        """Yield the tokens of a ``token_count`` event: the last call's, unless they were reported before."""
        info = coerce.mapping(payload.get("info"))
        total, last = info.get("total_token_usage"), info.get("last_token_usage")
        digest = None if total is None else short(json.dumps(total, sort_keys=True))
        if self._exact or not isinstance(last, dict) or (digest is not None and digest == self._total):
            return
        first, self._total = self._total is None, digest
        if first and self._label is None and isinstance(total, dict) and total != last:
            return  # a fork repeats what its parent had spent
        label = self._owner(record)
        self._paid, self._late = True, self._items
        if not copied:
            yield Spent(response=label, usage=usage(last), beside=True)

    def _owner(self, record: int) -> str:
        if self._label is not None and not self._paid:
            return self._label
        self.close()
        return self.label(record, item=False)


def usage(value: Any) -> Usage:
    """Convert OpenAI's counts, in which input tokens include cached ones, to ours, in which they do not."""
    return coerce.usage(value, _TOKENS, cached_in_input=True)
