"""Patterns that are compiled, and properties that are computed, when first used: most commands never scan,
and all must start fast."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")


class _Lazy:
    def __init__(self, pattern: str | Callable[[], str], flags: int) -> None:
        self._made = pattern, flags

    def __getattr__(self, name: str) -> Any:
        pattern, flags = self._made
        value = getattr(re.compile(pattern if isinstance(pattern, str) else pattern(), flags), name)
        self.__dict__[name] = value  # the next access does not call __getattr__
        return value


class once(Generic[T]):  # noqa: N801 - a decorator
    """``functools.cached_property`` without its lock, which takes longer than most computations here."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, instance: Any, _: type) -> T:
        value = instance.__dict__[self._name] = self._make(instance)
        return value


def lazy(pattern: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that costs nothing until it is used; a function is called for it then."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))
