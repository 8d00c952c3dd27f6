"""Searches everything that is staged for secrets known by value, and reports them by the variable's name.

The search changes nothing, and reports what it could not search in time. It must not show a value, or report
what a file contained before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gittraj.config import Environ
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.precommit.content import LARGEST
from gittraj.precommit.deadline import SECONDS, say, take
from gittraj.precommit.redacting import key_of
from gittraj.precommit.staged import Staged, Staging
from gittraj.record.drain.composition import known_secrets
from gittraj.redact import LiveValues
from gittraj.redact.live import needles, places, word_hash, words

_LARGEST_FILE = 1 << 20
_SETTING = re.compile(r"\s*(?:export\s+|set\s+)?[\"']?([\w.-]{1,128})[\"']?\s*[=:]")
_MAX_REPORTED = 20
_HEAD = 8000
"""git treats a file with a NUL among this many first bytes as binary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a secret is: ``line`` counts from 1; ``value`` is None if only its keyed hash is known."""

    line: int
    value: str | None


class Search:
    """Searches for the values of ``live``; ``key`` is the key with which its hashes were made."""

    def __init__(self, live: LiveValues, *, key: bytes) -> None:
        self._needles = {value: needles(value) for value in live.values}
        self._known = live.known - LiveValues(live.values).hashes(key)
        self._key = key

    def find(self, text: str, before: str) -> list[Place]:
        """The positions, in order, of the secrets in ``text`` that were not in ``before``."""
        matches = {*self._by_value(text, before), *(self._by_hash(text, before) if self._known else ())}
        return [
            Place(line=text.count("\n", 0, at) + 1, value=value)
            for at, value in sorted(matches, key=lambda each: each[0])
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


def name_of(value: str | None, environ: Mapping[str, str], files: Iterable[Path]) -> str:
    """Describe a secret to people: by the name of the variable in ``environ`` or ``files`` that has it, never
    by its value."""
    if value is None:
        return "a secret that was known here before"
    for name, content in environ.items():
        if value in content:
            return f"the value of {name}"
    for path in files:
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


def search(repository: Repository, staging: Staging, raw: Mapping[str, str], end: float) -> bool:
    """Print where known secrets are staged, and return whether there are any."""
    try:
        live = known_secrets(repository, Environ.of(raw), live=raw)
        searcher = Search(live, key=key_of(repository))
        secrets, complete = take(_search_all(searcher, staging, staging.read()), end)
    except TrajError as error:
        say(f"staged files were not searched for known secrets: {error.message}")
        return False
    top = repository.work_tree or Path()
    files = [*sorted(top.glob(".env*")), *sorted(top.glob("*/.env*"))]
    lines = dict.fromkeys(f"{path}:{p.line}: {name_of(p.value, raw, files)}" for path, p in secrets)
    for line in [*lines][:_MAX_REPORTED]:
        say(line)
    if len(lines) > _MAX_REPORTED:
        say(f"and {len(lines) - _MAX_REPORTED} more")
    if not complete:
        say(f"staged files were not all searched for known secrets: that took more than {SECONDS:g} s")
    return bool(lines)


def _search_all(searcher: Search, staging: Staging, staged: list[Staged]) -> Iterator[tuple[str, Place]]:
    for each, data in staging.contents(staged, largest=LARGEST):
        if len(data) > LARGEST:
            say(f"{each.path} was not searched for known secrets: larger than {LARGEST // 1_000_000} MB")
        elif b"\0" not in data[:_HEAD]:
            for place in searcher.find(_text(data), _text(staging.content_before(each))):
                yield each.path, place


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
