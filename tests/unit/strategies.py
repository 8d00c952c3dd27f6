"""Values of the model for property tests, built from its dataclasses: new fields are tested automatically."""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from gittraj.model import values

EVENTS: tuple[type, ...] = get_args(values.AnyEvent)
TEXTS = st.text(max_size=6)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@functools.cache
def jsons(texts: st.SearchStrategy[str] = TEXTS) -> st.SearchStrategy[Any]:
    flat = st.none() | st.booleans() | st.integers() | NUMBERS | texts
    nested = st.lists(flat, max_size=2) | st.dictionaries(texts, flat, max_size=2)
    return flat | nested | st.lists(nested, max_size=2) | st.dictionaries(texts, nested, max_size=2)


@functools.cache
def values_of(cls: Any, texts: st.SearchStrategy[str] = TEXTS) -> st.SearchStrategy[Any]:
    """Return a strategy for instances of a dataclass of the model: every field is drawn from its type."""
    hints = get_type_hints(cls)
    fields = {f.name: _of(hints[f.name], texts) for f in dataclasses.fields(cls) if f.name != "extra"}
    if "extra" in hints:
        fields["extra"] = st.dictionaries(texts.map("zLater".__add__), jsons(texts), max_size=2)
    if cls is values.Foreign:
        fields["type"] = texts.map("later_".__add__)
    return st.builds(cls, **fields)


def _of(hint: Any, texts: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    origin, inside = get_origin(hint), get_args(hint)
    if hint is Any:
        return jsons(texts)
    if hint == tuple[values.AnyEvent, ...]:
        return st.lists(events(texts), max_size=3).map(tuple)
    if origin in (Union, types.UnionType):
        some = [a for a in inside if a is not type(None)]
        # of the model's unions, only Json has several types besides None
        return jsons(texts) if len(some) > 1 else st.none() | _of(some[0], texts)
    if origin is Literal:
        return st.sampled_from(inside)
    if origin is tuple:
        return st.lists(_of(inside[0], texts), max_size=2).map(tuple)
    if origin is not None and issubclass(origin, Mapping):
        return st.dictionaries(texts, _of(inside[1], texts), max_size=2)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return values_of(hint, texts)
    if hint is float:
        return NUMBERS
    return {str: texts, int: st.integers(), bool: st.booleans(), bytes: st.binary(max_size=6)}[hint]


def events(texts: st.SearchStrategy[str] = TEXTS) -> st.SearchStrategy[Any]:
    return st.one_of(*(values_of(cls, texts) for cls in EVENTS))
