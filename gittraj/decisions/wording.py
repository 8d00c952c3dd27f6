"""Makes events from the JSON that authors write. Lenient in what it reads, strict in what it returns. Pure.

The fields are those of the agent-trajectories schema, version 1, and the short forms in its prompts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, cast

from gittraj.model.values import (
    AnyEvent,
    Decided,
    Decision,
    Foreign,
    Message,
    NoteEvent,
    Participant,
    PeerMessage,
    Retrospective,
    RetrospectiveEvent,
)

RETROSPECTIVE = "retrospective"
_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,40}")
_REMARKS = ("finding", "note", "error", "verification", "checkpoint", "chapter")
_LOGGED = ("prompt", "thinking", "tool_call", "tool_result")
"""Types that only a log may have: no text that an author writes may pass for a human's prompt."""
_DEEPEST = 30
_PEERS = {"message_sent": "sent", "message_received": "received"}
_DECISION = ("question", "chosen", "alternatives", "reasoning", "confidence", "path", "line")
_RETROSPECTIVE = ("summary", "approach", "challenges", "learnings", "suggestions", "confidence")
_COMMON = ("type", "content", "title", "text", "significance", "tags", "choice", "agent", "agentName", "role")


class UnclearError(ValueError):
    """A field is missing or wrong. The message names the field, never a value."""


def parse_event(kind: str, data: Mapping[str, Any], *, by: str, **common: Any) -> AnyEvent:
    """Return the event of this ``kind`` (``decision``, ``chapter``, ``retrospective`` or any other type) that
    ``data`` describes. ``by`` is its author; ``common`` are the fields that are already known, such as the
    ``id``. Raises UnclearError."""
    kind = _read_kind(kind, data)
    content = _text(data, "content", "title", "text") or ""
    fields = {**common, "significance": _text(data, "significance"), "tags": tuple(_texts(data, "tags"))}
    if author := author_of(data):
        fields["agent"] = author.name
    if kind == "decision":
        decision = parse_decision(data, by=by)
        return Decided(**fields, content=content, decision=decision)
    if kind == RETROSPECTIVE:
        return RetrospectiveEvent(**fields, content=content, retrospective=parse_retrospective(data, by=by))
    if not content:
        raise UnclearError("content is missing")
    if kind in _REMARKS:
        return NoteEvent(**fields, content=content, kind=cast(Any, kind))
    if kind == "message_received":  # its author is the sender, not the agent that recorded it
        fields["agent"] = _text(data, "from", "sender")
    if kind in _PEERS:
        direction = cast(Any, _PEERS[kind])
        recipient = _text(data, "to", "recipient", "receiver")
        return PeerMessage(**fields, content=content, direction=direction, recipient=recipient)
    if kind == "message":
        return Message(**fields, content=content)
    return Foreign(**fields, content=content, type=kind, raw=_extra(data, _COMMON) or None)


def _read_kind(kind: str, data: Mapping[str, Any]) -> str:
    """Return ``kind`` in lower case; for ``event``, the type in ``data``. Raises UnclearError."""
    if kind == "event":
        kind = _text(data, "type") or "note"
    kind = kind.lower() if kind.isupper() else kind
    if not _TYPE.fullmatch(kind):
        raise UnclearError("TYPE must be one word")
    if kind in _LOGGED:
        raise UnclearError(
            f"events of type {kind} come only from session logs; another type, such as note, can be recorded"
        )
    return kind


def author_of(data: Mapping[str, Any]) -> Participant | None:
    """Return the author, from ``agent``, which is ``NAME`` or ``NAME:ROLE``, and ``role``."""
    name, _, role = (_text(data, "agent", "agentName") or "").partition(":")
    return Participant(name=name, role=role or _text(data, "role")) if name else None


def parse_decision(data: Mapping[str, Any], *, by: str) -> Decision:
    """Parse a decision. Raises UnclearError if nothing was chosen."""
    chosen = _text(data, "chosen", "choice", "decision", "content")
    if not chosen:
        raise UnclearError("chosen is missing")
    question = _text(data, "question", "title")
    return Decision(
        chosen=chosen,
        by=by,
        question=question if question != chosen else None,
        alternatives=tuple(_texts(data, "alternatives", "rejected")),
        reasoning=_text(data, "reasoning", "reason", "because", "why"),
        confidence=_share(data),
        path=_text(data, "path"),
        line=_line(data),
        extra=_extra(data, (*_COMMON, *_DECISION, "decision", "rejected", "reason", "because", "why")),
    )


def parse_retrospective(data: Mapping[str, Any], *, by: str) -> Retrospective:
    """Parse a retrospective. Raises UnclearError if it is empty."""
    retrospective = Retrospective(
        by=by,
        summary=_text(data, "summary"),
        approach=_text(data, "approach"),
        challenges=tuple(_some(data, "challenges")),
        learnings=tuple(_some(data, "learnings")),
        suggestions=tuple(_some(data, "suggestions")),
        confidence=_share(data),
        extra=_extra(data, (*_COMMON, *_RETROSPECTIVE, "decisions")),
    )
    stated = (getattr(retrospective, name) for name in _RETROSPECTIVE if name != "confidence")
    if not any(stated):
        raise UnclearError("summary is missing")
    return retrospective


def decisions_of(data: Mapping[str, Any], *, by: str) -> list[Decision]:
    """Return the decisions that a retrospective lists, without those that do not name a choice."""
    listed = data.get("decisions")
    decisions = []
    for each in listed if isinstance(listed, list) else ():
        try:
            decisions.append(parse_decision(each if isinstance(each, dict) else {"chosen": each}, by=by))
        except UnclearError:
            continue
    return decisions


def _some(data: Mapping[str, Any], name: str) -> list[str]:
    """Return the texts of a list, without a text such as ``none``."""
    return [
        text for text in _texts(data, name) if text.rstrip(".").casefold() not in ("none", "n/a", "nothing")
    ]


def _text(data: Mapping[str, Any], *names: str) -> str | None:
    for name in names:
        value = data.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return None


def _texts(data: Mapping[str, Any], *names: str) -> list[str]:
    """Return the texts of the first of these fields that has some, a list or a single text; an option that is
    an object becomes ``OPTION (REASON)``."""
    for name in names:
        value = data.get(name)
        if isinstance(value, str) and value.strip():
            return [value.strip()]
        if isinstance(value, list):
            return [text for each in value if (text := _option(each))]
    return []


def _option(value: Any) -> str | None:
    if isinstance(value, str):
        return value.strip() or None
    if not isinstance(value, dict):
        return None
    option, reason = _text(value, "option", "title", "name", "text"), _text(value, "reason", "why")
    return f"{option} ({reason})" if option and reason else option


def _share(data: Mapping[str, Any]) -> float | None:
    """Return ``confidence`` as a number from 0 to 1, also if it is given in percent."""
    value = data.get("confidence")
    if isinstance(value, str):
        try:
            value = float(value.strip().rstrip("%")) / (100 if value.strip().endswith("%") else 1)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    share = value / 100 if 1 < value <= 100 else float(value)
    return share if 0 <= share <= 1 else None


def _line(data: Mapping[str, Any]) -> int | None:
    """Return ``line``, counted from 1."""
    digits = str(data.get("line"))
    return int(digits) if re.fullmatch("[1-9][0-9]{0,8}", digits) else None


def _extra(data: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields that are not ``known``. Raises UnclearError for a value that Python can read and a
    record cannot store."""
    extra = {key: value for key, value in data.items() if isinstance(key, str) and key not in known}
    if not _is_storable(extra):
        raise UnclearError("a further field is nested too deeply, or not a finite number")
    return extra


def _is_storable(value: Any, depth: int = 0) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return depth < _DEEPEST and all(_is_storable(each, depth + 1) for each in inner)
