"""``dataclass``: the standard library's, but quick to define.

The standard one compiles the source of six methods for each class, which takes a millisecond: git-traj's
classes took longer to import than any command takes to answer. With this one all classes share the methods
below, and the standard library determines a class's fields when they are first needed. Type checkers see
the standard one.
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
        """Make a class without ``__post_init__`` a dataclass. ``slots`` is only for type checkers: a class
        that gets slots is created twice, which takes a tenth of a millisecond each time."""

        def define(cls: type) -> type:
            assert not hasattr(cls, "__post_init__")  # noqa: S101 - use the standard library's for it
            methods = _METHODS | (_FROZEN if frozen else {"__hash__": None})
            for name in methods.keys() - vars(cls).keys():
                setattr(cls, name, methods[name])
            for name in _COMPUTED:
                setattr(cls, name, _Deferred(cls, name, kw_only=kw_only))
            return cls

        return define if cls is None else define(cls)


_lock = RLock()
_COMPUTED = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")


class _Deferred:
    """One of the ``_COMPUTED`` attributes of ``cls``, which the standard library computes on first use."""

    def __init__(self, cls: type, name: str, *, kw_only: bool) -> None:
        self._cls, self._name, self._kw_only = cls, name, kw_only

    def __get__(self, instance: object, owner: type) -> Any:
        with _lock:
            current = vars(self._cls)[self._name]
            return self._compute() if current is self else current

    def _compute(self) -> Any:
        self._cls.__doc__ = self._cls.__doc__ or self._cls.__name__  # without one, it formats a signature
        # this replaces the fields and params of the class, but not its match_args
        define = dataclasses.dataclass(
            init=False, repr=False, eq=False, match_args=False, kw_only=self._kw_only
        )
        positional = tuple(f.name for f in dataclasses.fields(define(self._cls)) if not f.kw_only)
        self._cls.__match_args__ = positional  # type: ignore[attr-defined,misc]
        return vars(self._cls)[self._name]


@cache
def _plan(cls: type) -> tuple[list[tuple[str, Any, Any]], list[str]]:
    """Each field's name, default and default factory; and the names of the positional fields."""
    fields = dataclasses.fields(cls)
    return [(f.name, f.default, f.default_factory) for f in fields], [f.name for f in fields if not f.kw_only]


def _init(self: Any, /, *values: Any, **given: Any) -> None:
    plan, positional = _plan(self.__class__)
    if values:
        if len(values) > len(positional) or not given.keys().isdisjoint(positional[: len(values)]):
            raise TypeError(f"{self.__class__.__name__}: too many values, or one twice")
        given.update(zip(positional, values, strict=False))
    unused, assign = len(given), object.__setattr__  # a frozen class's own __setattr__ refuses
    for name, default, factory in plan:
        if name in given:
            assign(self, name, given[name])
            unused -= 1
        elif default is not dataclasses.MISSING:
            assign(self, name, default)
        elif factory is not dataclasses.MISSING:
            assign(self, name, factory())
        else:
            raise TypeError(f"{self.__class__.__name__}: '{name}' is missing")
    if unused:
        unknown = given.keys() - {row[0] for row in plan}
        raise TypeError(f"{self.__class__.__name__} has no {', '.join(unknown)}")


@cache
def _key(cls: type) -> Callable[[Any], Any]:
    """Return a function that gets the values by which instances of ``cls`` are compared."""
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
