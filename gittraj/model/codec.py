"""Converts trajectories, records and segments to canonical JSON (``json_form``), and back.

A damaged line of a note, or one that another tool wrote, is kept as it is. ``docs/format.md`` describes the
result.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, get_args

from gittraj import limits
from gittraj.errors import FormatError
from gittraj.model import values
from gittraj.model.json_form import camel, dump, from_json, kind_of, to_json
from gittraj.model.values import VERSION, AnyEvent, ForeignLine, Line, Record, Tombstone
from gittraj.startup import sha256

__all__ = ["camel", "dump", "from_json", "to_json"]  # names of json_form, in addition to those of this module

_REMARKS = get_args(values.NoteEvent.__dataclass_fields__["kind"].type)
_EVENTS: dict[type, str] = {
    values.Prompt: "prompt",
    values.Thinking: "thinking",
    values.Message: "message",
    values.ToolCall: "tool_call",
    values.ToolResult: "tool_result",
    values.Decided: "decision",
    values.RetrospectiveEvent: "retrospective",
}
_TYPES: dict[str, type] = {name: cls for cls, name in _EVENTS.items()}
_NESTED: dict[type, tuple[str, dict[str, str]]] = {
    values.ToolCall: ("tool", {k: k for k in ("name", "arguments", "callId")}),
    values.ToolResult: ("result", {k: k for k in ("callId", "exitCode", "isError", "truncated", "bytes")}),
    values.Thinking: ("sealed", {"name": "seal", "bytes": "sealedBytes", "payload": "payload"}),
}
"""The name of the nested object in an event's JSON, and for each key in it the event's field."""
# ---------------------------------------------------------------- events and segments


def event_type(event: AnyEvent) -> str:
    """The name of an event's type in JSON."""
    if isinstance(event, values.NoteEvent):
        return event.kind
    if isinstance(event, values.PeerMessage):
        return f"message_{event.direction}"
    if isinstance(event, values.Foreign):
        return event.type
    return _EVENTS[type(event)]


def event_to_json(event: AnyEvent) -> dict[str, Any]:
    """Return the event as an EVENT of docs/json.md, without its null and empty fields."""
    flat: dict[str, Any] = to_json(event)
    match event:
        case values.NoteEvent():
            del flat["kind"]
        case values.PeerMessage():
            del flat["direction"]
        case values.ToolCall() | values.ToolResult() | values.Thinking():
            key, fields = _NESTED[type(event)]
            inner = {name: flat.pop(field) for name, field in fields.items() if field in flat}
            flat |= {key: flat.get(key, {}) | inner} if inner else {}
        case _:
            pass
    return flat | {"type": event_type(event)}


def event_from_json(value: Any, path: str = "event") -> AnyEvent:
    """Parse an event of any type; an unknown type becomes ``Foreign``."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise FormatError(f"{path}.type: missing")
    flat = dict(value)
    name = flat.pop("type")
    if name in _REMARKS:
        return from_json(values.NoteEvent, {**flat, "kind": name}, path)
    if name in ("message_sent", "message_received"):
        return from_json(values.PeerMessage, {**flat, "direction": name[8:]}, path)
    if name not in _TYPES:
        return from_json(values.Foreign, {**flat, "type": name}, path)
    event: AnyEvent = from_json(_TYPES[name], _unnest(flat, _TYPES[name], path), path)
    return event


def _unnest(flat: dict[str, Any], kind: type, path: str) -> dict[str, Any]:
    """Move the known fields of the nested object to the top level; unknown ones stay where they are."""
    if kind not in _NESTED:
        return flat
    key, fields = _NESTED[kind]
    nested, rest = flat.get(key), {k: v for k, v in flat.items() if k != key}
    if nested is None:
        return rest
    if not isinstance(nested, dict):
        raise FormatError(f"{path}.{key}: expected an object, found {kind_of(nested)}")
    unknown = {k: v for k, v in nested.items() if k not in fields}
    known = {field: nested[name] for name, field in fields.items() if name in nested}
    return rest | known | ({key: unknown} if unknown else {})


SEGMENT_LIMIT = 1_000_000
"""The maximum number of bytes of a segment: GitHub recommends objects of at most 1 MB."""


def encode_segments(
    events: Iterable[tuple[int, AnyEvent]], *, limit: int = SEGMENT_LIMIT
) -> list[tuple[str, bytes]]:
    """Return names and contents of the segments with ``events`` (JSON Lines, one event per line). Each event
    comes with its position in the trajectory. A new segment begins where one would have more than ``limit``
    bytes."""
    groups: list[tuple[int, list[bytes]]] = []
    size = limit
    for position, event in events:
        line = dump(event_to_json(event)) + b"\n"
        if size + len(line) > limit:
            groups.append((position, []))
            size = 0
        groups[-1][1].append(line)
        size += len(line)
    bodies = ((position, b"".join(lines)) for position, lines in groups)
    return [(f"{position:06d}-{sha256(body).hexdigest()[:8]}", body) for position, body in bodies]


def decode_segment(body: bytes, name: str) -> Iterator[AnyEvent]:
    """Yield the events of a segment. Raises a :class:`FormatError` that names the line."""
    for number, line in enumerate(body.splitlines(), 1):
        if line.strip():
            yield event_from_json(load_json(line, f"{name}:{number}"), f"{name}:{number}")


def segment_position(name: str) -> int | None:
    """The position of a segment's first event; None if ``name`` does not have that form: anyone who can push
    may choose any name."""
    digits = name.partition("-")[0]
    return int(digits) if digits.isdecimal() and len(digits) <= limits.DIGITS else None


def segment_path(trajectory: str, name: str) -> str:
    """The path of a segment in the tree of its data ref."""
    return f"s/{sha256(trajectory.encode()).hexdigest()[:2]}/{trajectory}/{name}"


# ---------------------------------------------------------------- lines of a note


def decode_line(line: bytes) -> Line:
    """Parse one line of a note. Never raises: a damaged line, or one of another tool, becomes a
    :class:`ForeignLine`."""
    value: Any = None
    if len(line) > limits.LINE:
        return ForeignLine(line, f"larger than {limits.LINE // 1024} kB")
    try:
        value = load_json(line, "note")
        if not isinstance(value, dict) or not isinstance(value.get("id"), str):
            return ForeignLine(line, "not a record")
        if "deleted" in value:
            return from_json(Tombstone, value)
        return from_json(Record, value)
    except FormatError as error:
        newer = isinstance(value, dict) and isinstance(value.get("v"), int) and value["v"] > VERSION
        return ForeignLine(line, f"of a newer version, {value['v']}" if newer else error.message, newer=newer)


def decode_note(body: bytes) -> list[Line]:
    """Parse the lines of a note that are not blank, in order, and no more than ``limits.LINES``."""
    lines = islice((line for line in body.split(b"\n") if line.strip()), limits.LINES)
    return [decode_line(line) for line in lines]


def encode_line(line: Line) -> bytes:
    return line.text if isinstance(line, ForeignLine) else dump(to_json(line))


def encode_note(lines: Iterable[Line]) -> bytes:
    """Write the body of a note: the distinct lines, sorted."""
    return b"".join(line + b"\n" for line in sorted({encode_line(line) for line in lines}))


def load_json(text: bytes, where: str) -> Any:
    """Parse JSON. Raises :class:`FormatError` if it is invalid, too deep, or has a number out of range."""
    try:
        value = json.loads(text, parse_int=_whole, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: not JSON ({error})") from None
    if text.count(b"[") + text.count(b"{") > limits.DEPTH and _is_deep(value):
        raise FormatError(f"{where}: nested too deeply")
    return value


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(limits.DEPTH):
        contents = (v.values() if isinstance(v, dict) else v for v in level if isinstance(v, dict | list))
        level = [each for inner in contents for each in inner if isinstance(each, dict | list)]
        if not level:
            return False
    return True


def _whole(text: str) -> int:
    """Parse an integer. Raises ValueError for more than ``limits.DIGITS`` digits."""
    if len(text) > limits.DIGITS:
        raise ValueError(f"a number of {len(text)} digits")
    return int(text)


def _finite(text: str) -> float:
    """Parse a float. Raises ValueError for ``NaN`` and 1e999, which Python reads but JSON does not allow."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a number")
    return number
