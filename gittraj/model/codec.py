"""Converts trajectories, records and segments to canonical JSON, and back.

Canonical: sorted keys, no spaces, UTF-8, no default values; so equal values are equal bytes, which the
merge of notes relies on. Reading keeps what later versions add: fields (in ``extra``) and words. It rejects
wrong types with an error that names the path. ``docs/format.md`` describes the result for other tools.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
import math
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from gittraj import limits
from gittraj.errors import FormatError
from gittraj.model import values
from gittraj.model.values import VERSION, AnyEvent, ForeignLine, Line, Record, Tombstone
from gittraj.startup import sha256

T = TypeVar("T")
_ALWAYS = {"v", "rev"}
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
"""The nested object that has some fields of an event, and their names in it."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def dump(value: Any) -> bytes:
    """Canonical JSON. Lone surrogates, which some agents write, become U+FFFD; NaN is refused."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return _SURROGATE.sub("\ufffd", text).encode()


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


# ---------------------------------------------------------------- dataclass <-> JSON


_SCALARS = frozenset((type(None), bool, int, float, str))


class _Field(NamedTuple):
    """``plain``: the type of what is taken as it is; ``decode`` is for all else."""

    name: str
    key: str
    plain: Any
    decode: Callable[[Any], Any]
    flat: type | None
    default: Any


@functools.cache
def _fields(cls: type) -> tuple[_Field, ...]:
    fields = [f for f in dataclasses.fields(cls) if f.name != "extra"]
    texts = any(isinstance(f.type, str) for f in fields)  # annotations of a module with ``__future__``
    hints: dict[str, Any] = get_type_hints(cls) if texts else {f.name: f.type for f in fields}
    return tuple(
        _Field(
            f.name,
            camel(f.name),
            _choice(hints[f.name]) or hints[f.name],
            _decoder(hints[f.name]),
            hints[f.name] if f.metadata.get("flat") else None,
            f.default if f.default_factory is dataclasses.MISSING else f.default_factory(),
        )
        for f in fields
    )


@functools.cache
def _keys(cls: type) -> frozenset[str]:
    """The keys of its fields, and of those that are flat in it."""
    return frozenset[str]().union(*(_keys(f.flat) if f.flat else {f.key} for f in _fields(cls)))


def to_json(value: Any) -> Any:
    """JSON form of a value of the model: camel-case keys, ``extra`` merged in, defaults left out."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is bytes:
        return base64.b64encode(value).decode("ascii")
    if kind is tuple or kind is list:
        return [to_json(v) for v in value]
    if isinstance(value, Mapping):
        return {k: to_json(v) for k, v in value.items()}
    result: dict[str, Any] = dict(getattr(value, "extra", {}))
    for f in _fields(kind):  # type: ignore[arg-type]
        inner = getattr(value, f.name)
        if f.flat:
            result |= to_json(inner)
        elif (inner is not f.default and inner != f.default) or f.key in _ALWAYS:
            result[f.key] = to_json(inner)
    return result


class _WrongError(Exception):
    """``trail``: where in a value, from the inside out."""

    def __init__(self, why: str, *trail: str) -> None:
        super().__init__(why)
        self.trail = [*trail]


def from_json(cls: type[T], value: Any, path: str = "") -> T:
    """The reverse of :func:`to_json`. Raises :class:`FormatError` with the path of the wrong value."""
    try:
        return _read(cls, value)
    except _WrongError as error:
        where = (path + "".join(reversed(error.trail))).removeprefix(".")
        raise FormatError(f"{where or cls.__name__}: {error}") from None


def _read(cls: type[T], value: Any) -> T:
    if not isinstance(value, dict):
        raise _WrongError(f"expected an object, found {_kind(value)}")
    arguments: dict[str, Any] = {}
    for name, key, plain, decode, flat, default in _fields(cls):  # type: ignore[arg-type]
        found = value if flat else value.get(key)
        if type(found) is plain:
            arguments[name] = found
        elif found is not None:
            try:
                arguments[name] = decode(found)
            except _WrongError as error:
                error.trail += [] if flat else [f".{key}"]
                raise
        elif default is dataclasses.MISSING:
            raise _WrongError("missing", f".{key}")
    if "extra" in cls.__dataclass_fields__:  # type: ignore[attr-defined]
        known = _keys(cls)  # type: ignore[arg-type]
        arguments["extra"] = {k: v for k, v in value.items() if k not in known}
    return cls(**arguments)


def _choice(hint: Any) -> Any:
    """What a hint allows beside None, if that is one thing."""
    choices = [a for a in get_args(hint) if a is not types.NoneType]
    return choices[0] if get_origin(hint) in (Union, types.UnionType) and len(choices) == 1 else None


@functools.cache
def _decoder(hint: Any) -> Callable[[Any], Any]:
    """What decodes a value that is not None."""
    origin = get_origin(hint)
    if hint is Any or hint is values.Json:
        return _same
    if origin in (Union, types.UnionType):
        return _decoder(_choice(hint)) if _choice(hint) else _same  # only ``Json`` is a wider union
    if origin is Literal:
        return functools.partial(_decode_word, hint)
    if origin is tuple:
        return functools.partial(_decode_list, _decoder(get_args(hint)[0]))
    if origin is not None and issubclass(origin, Mapping):
        return functools.partial(_decode_object, _decoder(get_args(hint)[1]))
    if dataclasses.is_dataclass(hint):
        return functools.partial(_read, cast(type, hint))
    return functools.partial(_decode_scalar, hint)


def _same(value: Any) -> Any:
    return value


def _decode_word(hint: Any, value: Any) -> Any:
    # a word of a later version stays what it is; a tombstone of an unknown scope deletes nothing
    if type(value) is not str or (hint is values.Scope and value not in get_args(hint)):
        raise _WrongError(f"expected one of {', '.join(map(str, get_args(hint)))}")
    return value


def _decode_list(decode: Callable[[Any], Any], value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _WrongError(f"expected a list, found {_kind(value)}")
    return tuple([_decode_at(decode, v, "[%s]", i) for i, v in enumerate(value)])


def _decode_object(decode: Callable[[Any], Any], value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _WrongError(f"expected an object, found {_kind(value)}")
    return {k: _decode_at(decode, v, ".%s", k) for k, v in value.items()}


def _decode_at(decode: Callable[[Any], Any], value: Any, form: str, place: int | str) -> Any:
    try:
        return decode(value)
    except _WrongError as error:
        error.trail.append(form % place)
        raise


def _decode_scalar(hint: Any, value: Any) -> Any:
    if type(value) is hint:
        return value
    if hint is float and type(value) is int:
        return float(value)
    if hint is bytes and type(value) is str:
        return _decode_base64(value)
    raise _WrongError(f"expected {_NAMES.get(hint, hint)}, found {_kind(value)}")


def _decode_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise _WrongError("expected base64") from None


_NAMES = {str: "a text", bytes: "base64", int: "a whole number", float: "a number", bool: "true or false"}


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    return _NAMES.get(type(value), "a list" if isinstance(value, list) else "an object")


# ---------------------------------------------------------------- events and segments


def event_type(event: AnyEvent) -> str:
    """The event's name in JSON."""
    if isinstance(event, values.NoteEvent):
        return event.kind
    if isinstance(event, values.PeerMessage):
        return f"message_{event.direction}"
    if isinstance(event, values.Foreign):
        return event.type
    return _EVENTS[type(event)]


def event_to_json(event: AnyEvent) -> dict[str, Any]:
    """An EVENT of docs/json.md, without its null and empty fields."""
    flat: dict[str, Any] = to_json(event)
    match event:
        case values.NoteEvent():
            del flat["kind"]
        case values.PeerMessage():
            del flat["direction"]
        case values.ToolCall() | values.ToolResult() | values.Thinking():
            key, fields = _NESTED[type(event)]
            inner = {there: flat.pop(here) for there, here in fields.items() if here in flat}
            flat |= {key: flat.get(key, {}) | inner} if inner else {}
        case _:
            pass
    return flat | {"type": event_type(event)}


def event_from_json(value: Any, path: str = "event") -> AnyEvent:
    """An event of any type; one that this version does not know becomes ``Foreign``."""
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
    key, fields = _NESTED.get(_TYPES[name], (None, {}))
    if key is not None and (nested := flat.pop(key, None)) is not None:
        if not isinstance(nested, dict):
            raise FormatError(f"{path}.{key}: expected an object, found {_kind(nested)}")
        flat |= {here: nested[there] for there, here in fields.items() if there in nested}
        if unknown := nested.keys() - fields:
            flat[key] = {k: nested[k] for k in unknown}
    event: AnyEvent = from_json(_TYPES[name], flat, path)
    return event


SEGMENT_LIMIT = 1_000_000
"""Bytes; GitHub recommends objects of at most 1 MB."""


def encode_segments(
    events: Iterable[tuple[int, AnyEvent]], *, limit: int = SEGMENT_LIMIT
) -> list[tuple[str, bytes]]:
    """Names and contents of the segments that hold ``events`` (JSON Lines, an event a line).

    Each event comes with its position in the trajectory. More than ``limit`` bytes are split between
    events.
    """
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
    """The events of a segment. Raises :class:`FormatError` naming the line."""
    for number, line in enumerate(body.splitlines(), 1):
        if line.strip():
            yield event_from_json(load_json(line, f"{name}:{number}"), f"{name}:{number}")


def segment_position(name: str) -> int | None:
    """The position of a segment's first event; None where it is named as none of ours: who pushes may give it
    any name."""
    digits = name.partition("-")[0]
    return int(digits) if digits.isdecimal() and len(digits) <= limits.DIGITS else None


def segment_path(trajectory: str, name: str) -> str:
    """Where a segment lies in the tree of its data ref."""
    return f"s/{sha256(trajectory.encode()).hexdigest()[:2]}/{trajectory}/{name}"


# ---------------------------------------------------------------- lines of a note


def decode_line(line: bytes) -> Line:
    """One line of a note. Never raises: a damaged line, or another tool's, is a :class:`ForeignLine`."""
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
    """Every line of a note that is not blank, in order; of very many the first."""
    lines = islice((line for line in body.split(b"\n") if line.strip()), limits.LINES)
    return [decode_line(line) for line in lines]


def encode_line(line: Line) -> bytes:
    return line.text if isinstance(line, ForeignLine) else dump(to_json(line))


def encode_note(lines: Iterable[Line]) -> bytes:
    """The body of a note: distinct lines, sorted, each ended."""
    return b"".join(line + b"\n" for line in sorted({encode_line(line) for line in lines}))


def load_json(text: bytes, where: str) -> Any:
    """Raises :class:`FormatError` for what is no JSON, nested too deeply, or has a number that none is."""
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
        inside = (v.values() if isinstance(v, dict) else v for v in level if isinstance(v, dict | list))
        level = [each for values_ in inside for each in values_ if isinstance(each, dict | list)]
        if not level:
            return False
    return True


def _whole(text: str) -> int:
    """Raises ValueError for a number that nothing counts to, and that no float holds."""
    if len(text) > limits.DIGITS:
        raise ValueError(f"a number of {len(text)} digits")
    return int(text)


def _finite(text: str) -> float:
    """Raises ValueError for ``NaN`` and 1e999, which Python reads but JSON cannot represent."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a number")
    return number
