"""Converts dataclasses of the model to canonical JSON, and back.

Canonical means sorted keys, no spaces, UTF-8, no default values: so equal values are equal bytes, which the
merge of notes relies on. Reading keeps the fields (in ``extra``) and literal values that only later versions
know, and rejects wrong types with an error that names the path. This module must not know what a record or an
event is.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
import re
import types
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from gittraj.errors import FormatError
from gittraj.model.values import Json, Scope

T = TypeVar("T")
_ALWAYS = {"v", "rev"}
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def dump(value: Any) -> bytes:
    """Write canonical JSON. Lone surrogates, which some agents write, become U+FFFD; NaN is refused."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return without_surrogates(text).encode()


def without_surrogates(text: str) -> str:
    """``text`` with every lone surrogate, which UTF-8 cannot represent, as U+FFFD."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


_SCALARS = frozenset((type(None), bool, int, float, str))


class _Field(NamedTuple):
    """A field of a dataclass. A value of the type ``plain`` is kept as it is, any other is decoded with
    ``decode``. ``flat`` is the type of a value whose fields are stored among those of the outer one."""

    name: str
    key: str
    plain: Any
    decode: Callable[[Any], Any]
    flat: type | None
    default: Any


@functools.cache
def _fields(cls: type) -> tuple[_Field, ...]:
    fields = [f for f in dataclasses.fields(cls) if f.name != "extra"]
    # hints are strings in a module with ``__future__`` annotations
    has_string_hints = any(isinstance(f.type, str) for f in fields)
    hints: dict[str, Any] = get_type_hints(cls) if has_string_hints else {f.name: f.type for f in fields}
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
    """The keys of the fields of a dataclass, including those of its flat values."""
    return frozenset[str]().union(*(_keys(f.flat) if f.flat else {f.key} for f in _fields(cls)))


def to_json(value: Any) -> Any:
    """Return the JSON form of a value of the model: keys in camel case, ``extra`` merged in, defaults left
    out."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is bytes:
        return base64.b64encode(value).decode("ascii")
    if kind is tuple or kind is list:
        return [to_json(v) for v in value]
    if isinstance(value, Mapping):
        return {k: to_json(v) for k, v in value.items()}
    return _dataclass_to_json(value)


def _dataclass_to_json(value: Any) -> dict[str, Any]:
    result: dict[str, Any] = dict(getattr(value, "extra", {}))
    for f in _fields(type(value)):  # type: ignore[arg-type]
        inner = getattr(value, f.name)
        if f.flat:
            result |= to_json(inner)
        elif (inner is not f.default and inner != f.default) or f.key in _ALWAYS:
            result[f.key] = to_json(inner)
    return result


class _WrongError(Exception):
    """A wrong value; ``trail`` is the path to it, from the inside out."""

    def __init__(self, why: str, *trail: str) -> None:
        super().__init__(why)
        self.trail = [*trail]


def from_json(cls: type[T], value: Any, path: str = "") -> T:
    """The inverse of :func:`to_json`. Raises a :class:`FormatError` that names the path of the wrong
    value."""
    try:
        return _read(cls, value)
    except _WrongError as error:
        where = (path + "".join(reversed(error.trail))).removeprefix(".")
        raise FormatError(f"{where or cls.__name__}: {error}") from None


def _read(cls: type[T], value: Any) -> T:
    if not isinstance(value, dict):
        raise _WrongError(f"expected an object, found {kind_of(value)}")
    arguments: dict[str, Any] = {}
    for name, key, plain, decode, flat, default in _fields(cls):  # type: ignore[arg-type]
        stored = value if flat else value.get(key)
        if type(stored) is plain:
            arguments[name] = stored
        elif stored is not None:
            arguments[name] = decode(stored) if flat else _decode_at(decode, stored, ".%s", key)
        elif default is dataclasses.MISSING:
            raise _WrongError("missing", f".{key}")
    if "extra" in cls.__dataclass_fields__:  # type: ignore[attr-defined]
        known = _keys(cls)  # type: ignore[arg-type]
        arguments["extra"] = {k: v for k, v in value.items() if k not in known}
    return cls(**arguments)


def _choice(hint: Any) -> Any:
    """The one type that a hint allows besides None; None if there are several."""
    choices = [a for a in get_args(hint) if a is not types.NoneType]
    return choices[0] if get_origin(hint) in (Union, types.UnionType) and len(choices) == 1 else None


@functools.cache
def _decoder(hint: Any) -> Callable[[Any], Any]:
    """Return the function that decodes a value of the type ``hint`` that is not None."""
    origin = get_origin(hint)
    if hint is Any or hint is Json:
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
    # a literal that only a later version knows is kept, but a tombstone with an unknown scope must delete
    # nothing
    if type(value) is not str or (hint is Scope and value not in get_args(hint)):
        raise _WrongError(f"expected one of {', '.join(map(str, get_args(hint)))}")
    return value


def _decode_list(decode: Callable[[Any], Any], value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _WrongError(f"expected a list, found {kind_of(value)}")
    return tuple([_decode_at(decode, v, "[%s]", i) for i, v in enumerate(value)])


def _decode_object(decode: Callable[[Any], Any], value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _WrongError(f"expected an object, found {kind_of(value)}")
    return {k: _decode_at(decode, v, ".%s", k) for k, v in value.items()}


def _decode_at(decode: Callable[[Any], Any], value: Any, form: str, key: int | str) -> Any:
    try:
        return decode(value)
    except _WrongError as error:
        error.trail.append(form % key)
        raise


def _decode_scalar(hint: Any, value: Any) -> Any:
    if type(value) is hint:
        return value
    if hint is float and type(value) is int:
        return float(value)
    if hint is bytes and type(value) is str:
        return _decode_base64(value)
    raise _WrongError(f"expected {_NAMES.get(hint, hint)}, found {kind_of(value)}")


def _decode_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise _WrongError("expected base64") from None


_NAMES = {str: "a string", bytes: "base64", int: "a whole number", float: "a number", bool: "true or false"}


def kind_of(value: Any) -> str:
    if value is None:
        return "null"
    return _NAMES.get(type(value), "a list" if isinstance(value, list) else "an object")
