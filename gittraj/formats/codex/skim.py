"""Skips decoding records whose first bytes show how little of them matters.

Half of a rollout is repetition: the settings of a turn at every model call, counts of
tokens that were reported, the texts of the other view. Nothing here may change what a reader yields: a record
is skimmed only where decoding it would come to the same.
"""

from __future__ import annotations

import re
from typing import Any

from gittraj.formats.base.lines import decode

NOTHING: dict[str, Any] = {}
"""Stands for a record that says nothing."""
VOICE: dict[str, Any] = {"type": "event_msg"}
"""Stands for a record that only shows that a model call is going on."""

_HEAD = re.compile(
    rb'\{"timestamp":"[^"]{0,40}",(?:"ordinal":\d{1,18},)?"type":"(?:'
    rb'(turn_context|world_state)"'
    rb'|event_msg","payload":\{"type":"'
    rb"(agent_message|agent_reasoning|token_count|task_started|thread_settings_applied"
    rb'|item_completed","thread_id":"[^"]{0,64}","turn_id":"[^"]{0,64}","item":\{"type":"(?:AgentMessage|Reasoning)'
    rb')"'
    rb'|response_item","payload":\{"type":"message",(?:"id":"[^"]{0,200}",)?"role":"(developer)"'
    rb")"
)


class RolloutSkim:
    """Skims a rollout, unless ``all`` is set."""

    def __init__(self) -> None:
        self.all = True
        self._settings = b""
        self._tokens = b""

    def __call__(self, raw: bytes) -> dict[str, Any] | None:
        if self.all or not (head := _HEAD.match(raw)):
            return None
        if not raw.endswith(b"}\n") or raw.count(b'"payload"') != 1:  # cut, or two records on one line
            return None
        match head[head.lastindex or 0]:
            case b"agent_message" | b"agent_reasoning":
                return VOICE
            case b"turn_context":
                before, self._settings = self._settings, raw[head.end() :]
                return NOTHING if self._settings == before else None
            case b"token_count":
                return self._count(raw[head.end() : raw.find(b'"rate_limits"')])
            case _:
                return NOTHING

    def _count(self, line: bytes) -> dict[str, Any] | None:
        """The count in a record, without the limits of the account, which are most of it."""
        if line.startswith(b',"info":null'):
            return NOTHING
        before, self._tokens = self._tokens, line
        if line == before:
            return NOTHING
        try:
            info = decode("{" + line.decode().strip(",") + "}")
        except (ValueError, RecursionError):
            return None
        return {"type": "event_msg", "payload": {"type": "token_count", **info}} if "info" in info else None
