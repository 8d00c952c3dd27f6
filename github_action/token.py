"""The token, in a type that no message, traceback or dump reveals."""

from __future__ import annotations


class Token:
    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "***"

    def reveal(self) -> str:
        """Return the secret value: for a request's header, and for git's."""
        return self._value
