"""``dataclass``: the standard library's, but quick to define.

The original compiles the source of six methods for each class, which takes a millisecond: our classes took
longer to import than any command takes to answer. Here all classes share these methods, and the standard
library determines a class's fields when they are first needed. Type checkers see the standard library's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from threading import RLock
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        cls: type | None = None, /, *, frozen: bool = False, slots: bool = False, kw_only: bool = False
    ) -> type | Callable[[type], type]:
        """For a class without ``__post_init__``. ``slots`` is only for type checkers: a class that gets slots
        is created twice, a tenth of a millisecond each."""

        def define(cls: type) -> type:
            assert not hasattr(cls, "__post_init__")  # noqa: S101 - use the standard library's for it
            methods = _METHODS | (_FROZEN if frozen else {"__hash__": None})
            for name in methods.keys() - vars(cls).keys():
                setattr(cls, name, methods[name])
            for name in _WORKED_OUT:
                setattr(cls, name, _Later(cls, name, kw_only=kw_only))
            return cls

        return define if cls is None else define(cls)


_ONE_AT_A_TIME = RLock()
_WORKED_OUT = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")


class _Later:
    """One of the attributes ``_WORKED_OUT`` of ``cls``: the standard library computes it on first use."""

    def __init__(self, cls: type, name: str, *, kw_only: bool) -> None:
        self._cls, self._name, self._kw_only = cls, name, kw_only

    def __get__(self, instance: object, owner: type) -> Any:
        with _ONE_AT_A_TIME:
            there = vars(self._cls)[self._name]
            return self._work_out() if there is self else there

    def _work_out(self) -> Any:
        self._cls.__doc__ = self._cls.__doc__ or self._cls.__name__  # else it formats a signature
        # replaces fields and params, but not match_args
        define = dataclasses.dataclass(
            init=False, repr=False, eq=False, match_args=False, kw_only=self._kw_only
        )
        placed = tuple(f.name for f in dataclasses.fields(define(self._cls)) if not f.kw_only)
        self._cls.__match_args__ = placed  # type: ignore[attr-defined,misc]
        return vars(self._cls)[self._name]


@cache
def _plan(cls: type) -> tuple[list[tuple[str, Any, Any]], list[str]]:
    """Each field's name, default and default factory; and the names of the positional ones."""
    fields = dataclasses.fields(cls)
    return [(f.name, f.default, f.default_factory) for f in fields], [f.name for f in fields if not f.kw_only]


def _init(self: Any, /, *values: Any, **given: Any) -> None:
    plan, placed = _plan(self.__class__)
    if values:
        if len(values) > len(placed) or not given.keys().isdisjoint(placed[: len(values)]):
            raise TypeError(f"{self.__class__.__name__}: too many values, or one twice")
        given.update(zip(placed, values, strict=False))
    left, put = len(given), object.__setattr__  # it needs no dictionary
    for name, default, factory in plan:
        if name in given:
            put(self, name, given[name])
            left -= 1
        elif default is not dataclasses.MISSING:
            put(self, name, default)
        elif factory is not dataclasses.MISSING:
            put(self, name, factory())
        else:
            raise TypeError(f"{self.__class__.__name__}: '{name}' is missing")
    if left:
        unknown = given.keys() - {row[0] for row in plan}
        raise TypeError(f"{self.__class__.__name__} has no {', '.join(unknown)}")


@cache
def _key(cls: type) -> Callable[[Any], Any]:
    """A function for the fields by which values of a class are compared."""
    names = [f.name for f in dataclasses.fields(cls) if f.compare]
    return attrgetter(*names) if names else lambda _: ()


def _equals(self: Any, other: Any) -> Any:
    if self.__class__ is not other.__class__:
        return NotImplemented
    key = _key(self.__class__)
    return key(self) == key(other)


def _hash(self: Any) -> int:
    return hash(_key(self.__class__)(self))


def _show(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse(self: Any, name: str, value: Any = None) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")


_METHODS = {"__init__": _init, "__repr__": _show, "__eq__": _equals}
_FROZEN = {
    "__hash__": _hash,
    "__setattr__": _refuse,
    "__delattr__": _refuse,
}
