"""``dataclass``: the standard library's, but quick to define.

That one compiles the source of six methods for each class, which takes a millisecond: our classes took longer
to import than any command takes to answer. Here all classes share these methods, and what fields a class has
is worked out, by the standard library, when somebody first asks. Type checkers see the standard library's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from inspect import get_annotations
from operator import attrgetter
from threading import RLock
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, ClassVar, get_origin

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        cls: type | None = None, /, *, frozen: bool = False, slots: bool = False, kw_only: bool = False
    ) -> type | Callable[[type], type]:
        """Of a class without ``__post_init__``."""

        def define(cls: type) -> type:
            assert not hasattr(cls, "__post_init__")  # noqa: S101 - for this there is the standard library's
            kept = _with_slots(cls) if slots else cls
            methods = _METHODS | (_FROZEN if frozen else {"__hash__": None})
            for name in methods.keys() - vars(cls).keys():
                setattr(kept, name, methods[name])
            for name in _WORKED_OUT:
                setattr(kept, name, _Later(cls, kept, name, kw_only=kw_only))
            return kept

        return define if cls is None else define(cls)


def _with_slots(cls: type) -> type:
    """The class once more: a class cannot get slots afterwards."""
    names = [name for name, hint in get_annotations(cls).items() if not _is_shared(hint)]
    there = {name for base in cls.__mro__[1:] for name in getattr(base, "__slots__", ())}
    body = {k: v for k, v in vars(cls).items() if k not in (*names, "__dict__", "__weakref__")}
    kept = type(cls)(
        cls.__name__, cls.__bases__, {**body, "__slots__": [name for name in names if name not in there]}
    )
    kept.__qualname__ = cls.__qualname__
    return kept


def _is_shared(hint: Any) -> bool:
    return "ClassVar" in hint if isinstance(hint, str) else get_origin(hint) is ClassVar


_ONE_AT_A_TIME = RLock()
_WORKED_OUT = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")


class _Later:
    """One of those of ``kept``, for which the standard library looks at ``cls``."""

    def __init__(self, cls: type, kept: type, name: str, *, kw_only: bool) -> None:
        self._cls, self._kept, self._name, self._kw_only = cls, kept, name, kw_only

    def __get__(self, instance: object, owner: type) -> Any:
        with _ONE_AT_A_TIME:
            there = vars(self._kept)[self._name]
            return self._work_out() if there is self else there

    def _work_out(self) -> Any:
        for name in _WORKED_OUT if self._kept is self._cls else ():
            delattr(self._cls, name)  # the standard library would leave what is there
        define = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=self._kw_only)
        self._cls.__doc__ = self._cls.__doc__ or self._cls.__name__  # else it spells a signature
        found = vars(define(self._cls))
        for name in _WORKED_OUT:
            setattr(self._kept, name, found[name])
        return found[self._name]


@cache
def _plan(cls: type) -> tuple[list[tuple[str, Callable[[Any, Any], None], Any, Any]], list[str]]:
    """Of each field its name, setter, default and what makes one; and the names of those with a place."""
    fields = dataclasses.fields(cls)
    plan = [(f.name, _setter(cls, f.name), f.default, f.default_factory) for f in fields]
    return plan, [f.name for f in fields if not f.kw_only]


def _setter(cls: type, name: str) -> Callable[[Any, Any], None]:
    slot = getattr(cls, name, None)
    if isinstance(slot, MemberDescriptorType):
        return slot.__set__
    return lambda self, value: object.__setattr__(self, name, value)


def _init(self: Any, /, *values: Any, **given: Any) -> None:
    plan, placed = _plan(self.__class__)
    if values:
        if len(values) > len(placed) or not given.keys().isdisjoint(placed[: len(values)]):
            raise TypeError(f"{self.__class__.__name__}: too many values, or one twice")
        given.update(zip(placed, values, strict=False))
    left = len(given)
    for name, put, default, factory in plan:
        if name in given:
            put(self, given[name])
            left -= 1
        elif default is not dataclasses.MISSING:
            put(self, default)
        elif factory is not dataclasses.MISSING:
            put(self, factory())
        else:
            raise TypeError(f"{self.__class__.__name__}: '{name}' is missing")
    if left:
        unknown = given.keys() - {row[0] for row in plan}
        raise TypeError(f"{self.__class__.__name__} has no {', '.join(unknown)}")


@cache
def _key(cls: type) -> Callable[[Any], Any]:
    """What tells two values of a class apart."""
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


def _get_state(self: Any) -> list[Any]:
    """For ``pickle``, which would set fields."""
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for f, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, f.name, value)


_METHODS = {"__init__": _init, "__repr__": _show, "__eq__": _equals}
_FROZEN = {
    "__hash__": _hash,
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    "__getstate__": _get_state,
    "__setstate__": _set_state,
}
