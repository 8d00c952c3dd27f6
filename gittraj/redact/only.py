"""Removes given values, and nothing else: for a purge, which runs no rules."""

from __future__ import annotations

from collections.abc import Collection

from .engine import Redactor
from .live import LiveValues, needles
from .page import Span


class OnlyValues(Redactor):
    """Finds ``values`` raw, escaped, percent-encoded and in base64. ``key`` is the key of the
    hashes in the placeholders."""

    def __init__(self, values: Collection[str], *, key: bytes) -> None:
        super().__init__(key=key, live=LiveValues(values))
        self._needles = {value: needles(value) or (value,) for value in values}
        self._bytes = [form.encode("utf-8", "surrogatepass") for f in self._needles.values() for form in f]

    def contains(self, body: bytes) -> bool:
        """Whether one of the values is anywhere in a file."""
        return any(form in body for form in self._bytes)

    def learn(self, text: str, *, name: str | None = None, strict: bool = False) -> None:
        """Does nothing: the values are known."""

    def _by_rules(self, text: str, name: str | None, strict: bool) -> tuple[Span, ...]:
        return ()
