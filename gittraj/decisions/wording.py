"""Makes events of the JSON that authors write. Lenient in what it reads, strict in what it returns. Pure.

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
"""Types that only a log may have: nothing that an author writes may pass for a human's prompt."""
_DEEPEST = 30
_PEERS = {"message_sent": "sent", "message_received": "received"}
_DECISION = ("question", "chosen", "alternatives", "reasoning", "confidence", "path", "line")
_RETROSPECTIVE = ("summary", "approach", "challenges", "learnings", "suggestions", "confidence")
_COMMON = ("type", "content", "title", "text", "significance", "tags", "choice", "agent", "agentName", "role")


class UnclearError(ValueError):
    """A field is missing or wrong. The message names the field, never a value."""


def parse_event(kind: str, said: Mapping[str, Any], *, by: str, **common: Any) -> AnyEvent:
    """The event of this ``kind`` (``decision``, ``chapter``, ``retrospective``, any type of the command
    contract) that ``said`` describes. ``by`` is its author; ``common`` are fields known already, among them
    the ``id``. Raises UnclearError."""
    kind = _read_kind(kind, said)
    content = _text(said, "content", "title", "text") or ""
    fields = {**common, "significance": _text(said, "significance"), "tags": tuple(_texts(said, "tags"))}
    if author := author_of(said):
        fields["agent"] = author.name
    if kind == "decision":
        decision = parse_decision(said, by=by)
        return Decided(**fields, content=content, decision=decision)
    if kind == RETROSPECTIVE:
        return RetrospectiveEvent(**fields, content=content, retrospective=parse_retrospective(said, by=by))
    if not content:
        raise UnclearError("content is missing")
    if kind in _REMARKS:
        return NoteEvent(**fields, content=content, kind=cast(Any, kind))
    if kind == "message_received":  # its author is the sender, not the agent that recorded it
        fields["agent"] = _text(said, "from", "sender")
    if kind in _PEERS:
        direction = cast(Any, _PEERS[kind])
        recipient = _text(said, "to", "recipient", "receiver")
        return PeerMessage(**fields, content=content, direction=direction, recipient=recipient)
    if kind == "message":
        return Message(**fields, content=content)
    return Foreign(**fields, content=content, type=kind, raw=_rest(said, _COMMON) or None)


def _read_kind(kind: str, said: Mapping[str, Any]) -> str:
    """``kind`` in lower case; for ``event`` the type that ``said`` has. Raises UnclearError."""
    if kind == "event":
        kind = _text(said, "type") or "note"
    kind = kind.lower() if kind.isupper() else kind
    if not _TYPE.fullmatch(kind):
        raise UnclearError("TYPE must be one word")
    if kind in _LOGGED:
        raise UnclearError(f"type {kind} is for logs alone")
    return kind


def author_of(said: Mapping[str, Any]) -> Participant | None:
    """The author, from ``agent``, which is ``NAME`` or ``NAME:ROLE``, and ``role``."""
    name, _, role = (_text(said, "agent", "agentName") or "").partition(":")
    return Participant(name=name, role=role or _text(said, "role")) if name else None


def parse_decision(said: Mapping[str, Any], *, by: str) -> Decision:
    """Parse a decision. Raises UnclearError if nothing was chosen."""
    chosen = _text(said, "chosen", "choice", "decision", "content")
    if not chosen:
        raise UnclearError("chosen is missing")
    question = _text(said, "question", "title")
    return Decision(
        chosen=chosen,
        by=by,
        question=question if question != chosen else None,
        alternatives=tuple(_texts(said, "alternatives", "rejected")),
        reasoning=_text(said, "reasoning", "reason", "because", "why"),
        confidence=_share(said),
        path=_text(said, "path"),
        line=_line(said),
        extra=_rest(said, (*_COMMON, *_DECISION, "decision", "rejected", "reason", "because", "why")),
    )


def parse_retrospective(said: Mapping[str, Any], *, by: str) -> Retrospective:
    """Parse a retrospective. Raises UnclearError if it is empty."""
    found = Retrospective(
        by=by,
        summary=_text(said, "summary"),
        approach=_text(said, "approach"),
        challenges=tuple(_some(said, "challenges")),
        learnings=tuple(_some(said, "learnings")),
        suggestions=tuple(_some(said, "suggestions")),
        confidence=_share(said),
        extra=_rest(said, (*_COMMON, *_RETROSPECTIVE, "decisions")),
    )
    if not any((found.summary, found.approach, found.challenges, found.learnings, found.suggestions)):
        raise UnclearError("summary is missing")
    return found


def decisions_of(said: Mapping[str, Any], *, by: str) -> list[Decision]:
    """The decisions that a retrospective lists, without those that do not name a choice."""
    listed = said.get("decisions")
    found = []
    for each in listed if isinstance(listed, list) else ():
        try:
            found.append(parse_decision(each if isinstance(each, dict) else {"chosen": each}, by=by))
        except UnclearError:
            continue
    return found


def _some(said: Mapping[str, Any], name: str) -> list[str]:
    """The texts of a list, without those that say that there is nothing."""
    return [
        text for text in _texts(said, name) if text.rstrip(".").casefold() not in ("none", "n/a", "nothing")
    ]


def _text(said: Mapping[str, Any], *names: str) -> str | None:
    for name in names:
        value = said.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return None


def _texts(said: Mapping[str, Any], *names: str) -> list[str]:
    """A list of texts, or a single one; of an option that is an object, ``OPTION (REASON)``."""
    for name in names:
        value = said.get(name)
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


def _share(said: Mapping[str, Any]) -> float | None:
    """``confidence`` as a number from 0 to 1, also from percent."""
    value = said.get("confidence")
    if isinstance(value, str):
        try:
            value = float(value.strip().rstrip("%")) / (100 if value.strip().endswith("%") else 1)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    share = value / 100 if 1 < value <= 100 else float(value)
    return share if 0 <= share <= 1 else None


def _line(said: Mapping[str, Any]) -> int | None:
    """``line``, counted from 1."""
    digits = str(said.get("line"))
    return int(digits) if re.fullmatch("[1-9][0-9]{0,8}", digits) else None


def _rest(said: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    """The other fields. Raises UnclearError for values that Python reads and no record can store."""
    rest = {key: value for key, value in said.items() if isinstance(key, str) and key not in known}
    if not _is_storable(rest):
        raise UnclearError("a further field is nested too deeply, or not a finite number")
    return rest


def _is_storable(value: Any, depth: int = 0) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return depth < _DEEPEST and all(_is_storable(each, depth + 1) for each in inner)
