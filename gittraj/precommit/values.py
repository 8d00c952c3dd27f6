"""Finds secrets that are known by value in a file, whatever the file is. Pure but for naming them.

It must not show a value, nor say of a file what it held before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gittraj.redact import LiveValues
from gittraj.redact.live import needles, places, word_hash, words

_LARGEST_FILE = 1 << 20
_SETTING = re.compile(r"\s*(?:export\s+|set\s+)?[\"']?([\w.-]{1,128})[\"']?\s*[=:]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """``line`` counts from 1; ``value`` is None when only its keyed hash is known."""

    line: int
    value: str | None


class Search:
    """For the values of ``live``; ``key`` is the one that its hashes were made with."""

    def __init__(self, live: LiveValues, *, key: bytes) -> None:
        self._needles = {value: needles(value) for value in live.values}
        self._known = live.known - LiveValues(live.values).hashes(key)
        self._key = key

    def find(self, text: str, before: str) -> list[Place]:
        """Where secrets stand in ``text`` that did not stand in ``before``, in order."""
        found = {*self._by_value(text, before), *(self._by_hash(text, before) if self._known else ())}
        return [
            Place(line=text.count("\n", 0, at) + 1, value=value)
            for at, value in sorted(found, key=lambda each: each[0])
        ]

    def _by_value(self, text: str, before: str) -> Iterator[tuple[int, str]]:
        for value, forms in self._needles.items():
            if not any(True for _ in places(before, value, forms)):
                yield from ((start, value) for start, _ in places(text, value, forms))

    def _by_hash(self, text: str, before: str) -> Iterator[tuple[int, None]]:
        harmless = {before[start:end] for start, end in words(before)}
        secret = set()
        for start, end in words(text):
            word = text[start:end]
            if word in harmless:
                continue
            if word in secret or word_hash(self._key, word) in self._known:
                secret.add(word)
                yield start, None
            else:
                harmless.add(word)


class Names:
    """What the variables are called that hold secrets: those of ``environ``, and of ``files``."""

    def __init__(self, environ: Mapping[str, str], files: Iterable[Path]) -> None:
        self._environ = environ
        self._files = tuple(files)

    def name(self, value: str | None) -> str:
        """For people; never the value."""
        if value is None:
            return "a secret that was known here before"
        for name, held in self._environ.items():
            if value in held:
                return f"the value of {name}"
        for path in self._files:
            for line in _lines(path):
                if value in line and (setting := _SETTING.match(line)):
                    return f"the value of {setting[1]} in {path.name}"
        return "a value of a credentials file"


def _lines(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read(_LARGEST_FILE).splitlines()
    except OSError:
        return []
