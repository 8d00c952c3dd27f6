"""Uses the redactor as a filter of text and of JSON Lines, and tries the rules on their examples."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from gittraj.errors import RedactionError
from gittraj.model.texts import map_texts
from gittraj.redact.events import Redact, neighbours


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A secret in a text: ``line`` and ``column`` count from 1, ``start`` and ``end`` characters from 0."""

    rule: str
    kind: str
    line: int
    column: int
    start: int
    end: int


def clean_text(redactor: Redact, text: str) -> tuple[str, list[Hit]]:
    """The text without its secrets, and their positions. Raises RedactionError."""
    redactor.learn(text)
    ends = list(accumulate(map(len, text.splitlines(keepends=True))))
    hits = []
    for found in sorted(redactor.find(text), key=lambda found: found.start):
        line = bisect_right(ends, found.start)
        column = found.start - (ends[line - 1] if line else 0)
        at = {"line": line + 1, "column": column + 1, "start": found.start, "end": found.end}
        hits.append(Hit(rule=found.rule, kind=found.kind, **at))
    return redactor.text(text), hits


def clean_lines(redactor: Redact, lines: Iterable[str]) -> Iterator[str | RedactionError]:
    """Each line, cleaned by ``clean_line``, or the error that it raised."""
    for line in lines:
        try:
            yield clean_line(redactor, line)
        except RedactionError as error:
            yield error


def clean_line(redactor: Redact, line: str) -> str:
    """A line of JSON Lines without secrets, also in its keys; unchanged if it has none. A line that is not
    JSON is read as text. Raises RedactionError."""
    body = line.rstrip("\r\n")
    try:
        value = json.loads(body, object_pairs_hook=_once)
        for text in neighbours(value):
            redactor.learn(text)
        clean = map_texts(value, lambda text, name: redactor.text(text, name=name))
    except ValueError:
        return redactor.text(body) + line[len(body) :]
    except RecursionError:
        raise RedactionError("a line could not be scanned (nested too deeply)") from None
    if clean == value:
        return line
    spaced = '": ' in body
    dumped = json.dumps(clean, ensure_ascii=body.isascii(), separators=(", ", ": ") if spaced else (",", ":"))
    return dumped + line[len(body) :]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises ValueError for a duplicate name: one of its values would not be scanned."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """An example of a rule, and whether the rule matched it as it should."""

    rule: str
    example: str
    harmless: bool
    passed: bool


def try_rules(key: bytes) -> Iterator[Trial]:
    """Try each rule on its own examples, each with a new redactor. The secrets in them are drawn at run
    time."""
    from gittraj.redact import Redactor, rules  # noqa: PLC0415 - the filter gets its redactor
    from gittraj.redact.examples import expand  # noqa: PLC0415

    for rule in rules():
        for harmless, templates in ((False, rule.good), (True, rule.bad)):
            for number, template in enumerate(templates):
                text, secrets = expand(template, number)
                clean = Redactor(key=key).text(text)
                # a secret of two digits may be in a placeholder's tag by chance
                gone = clean != text and not any(secret in clean for secret in secrets if len(secret) > 2)
                passed = clean == text if harmless else gone
                yield Trial(rule=rule.id, example=template, harmless=harmless, passed=passed)
