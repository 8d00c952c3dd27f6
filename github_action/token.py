"""The token, in a type that keeps it out of messages, tracebacks and dumps."""

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
        """Return the secret value, for the header of a request and for git."""
        return self._value
