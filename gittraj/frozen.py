"""``dataclass``: the standard library's, but quick to define.

That one compiles the source of six methods for each class, which takes a millisecond: our classes took longer
to import than any command takes to answer. Here all classes share these methods. Type checkers see the
standard library's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]
_MISSING = dataclasses.MISSING

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        *, frozen: bool = False, slots: bool = False, kw_only: bool = False
    ) -> Callable[[type], type]:
        """Of a class without ``__post_init__``."""

        def define(cls: type) -> type:
            assert not hasattr(cls, "__post_init__")  # noqa: S101 - for this there is the standard library's
            kept = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
            methods = {"__init__": _init(kept, slots=slots), **_compare(kept, frozen=frozen)}
            methods |= {"__repr__": _show} | (_FROZEN if frozen else {})
            for name in methods.keys() - vars(cls).keys():
                setattr(kept, name, methods[name])
            return kept

        return define


def _init(cls: type, *, slots: bool) -> Callable[..., None]:
    fields = dataclasses.fields(cls)
    names = [f.name for f in fields]
    placed = [f.name for f in fields if not f.kw_only]
    puts = [getattr(cls, name).__set__ if slots else _setter(name) for name in names]
    plan = [(f.name, put, f.default, f.default_factory) for f, put in zip(fields, puts, strict=True)]

    def init(self: Any, /, *values: Any, **given: Any) -> None:
        if values:
            if len(values) > len(placed) or not given.keys().isdisjoint(placed[: len(values)]):
                raise TypeError(f"{cls.__name__}: too many values, or one twice")
            given.update(zip(placed, values, strict=False))
        left = len(given)
        for name, put, default, factory in plan:
            if name in given:
                put(self, given[name])
                left -= 1
            elif default is not _MISSING:
                put(self, default)
            elif factory is not _MISSING:
                put(self, factory())
            else:
                raise TypeError(f"{cls.__name__}: '{name}' is missing")
        if left:
            raise TypeError(f"{cls.__name__} has no {', '.join(given.keys() - set(names))}")

    return init


def _setter(name: str) -> Callable[[Any, Any], None]:
    return lambda self, value: object.__setattr__(self, name, value)


def _compare(cls: type, *, frozen: bool) -> dict[str, Any]:
    names = [f.name for f in dataclasses.fields(cls) if f.compare]
    key: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def equals(self: Any, other: object) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    return {"__eq__": equals, "__hash__": (lambda self: hash(key(self))) if frozen else None}


def _show(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse(self: Any, name: str, value: Any = None) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")


def _get_state(self: Any) -> list[Any]:
    """For ``pickle``, which would set fields."""
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for f, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, f.name, value)


_FROZEN = {
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    "__getstate__": _get_state,
    "__setstate__": _set_state,
}
