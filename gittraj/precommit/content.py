"""Redacts the text of a trajectory file. A text that cannot be scanned to its end is not returned."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from gittraj.errors import RedactionError
from gittraj.model.texts import map_texts
from gittraj.redact.events import Redact, neighbours
from gittraj.redact.filter import clean_line

T = TypeVar("T")
LARGEST = 20_000_000
"""The maximum number of bytes of a file: more would take longer than anyone waits for a commit."""


def clean_all(
    redactor: Redact, contents: Iterable[tuple[T, bytes]]
) -> Iterator[tuple[T, bytes | RedactionError]]:
    """Yield each key with its redacted content. A secret in one content is redacted in all."""
    texts: dict[T, str] = {}
    for each, data in contents:
        try:
            text = decode(data)
            learn(redactor, text)
            texts[each] = text
        except RedactionError as error:
            yield each, error
    for each, text in texts.items():
        try:
            yield each, clean(redactor, text)
        except RedactionError as error:
            yield each, error


def decode(data: bytes) -> str:
    """Decode a file. Raises RedactionError if it is not UTF-8, or too large."""
    if len(data) > LARGEST:
        raise RedactionError(f"larger than {LARGEST // 1_000_000} MB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise RedactionError("not UTF-8") from None


def learn(redactor: Redact, text: str) -> None:
    """Let the redactor learn a file's secrets, so that it finds them in other files as well. Raises
    RedactionError."""

    def take(leaf: str, name: str | None) -> str:
        redactor.learn(leaf, name=name)
        return leaf

    redactor.learn(text)
    try:
        for value in _values(text):
            for each in neighbours(value):
                redactor.learn(each)
            map_texts(value, take)
    except RecursionError:
        raise RedactionError("nested too deeply") from None


def clean(redactor: Redact, text: str) -> bytes:
    """Replace the secrets in ``text`` by placeholders. No other byte changes, unless a secret in a JSON
    document is hidden by an escape. Raises RedactionError."""
    try:
        return _clean(redactor, text).encode("utf-8")
    except RecursionError:
        raise RedactionError("nested too deeply") from None
    except UnicodeEncodeError:
        raise RedactionError("its JSON contains half a character") from None


def _clean(redactor: Redact, text: str) -> str:
    cleaned = redactor.text(text)
    if _load(text) is not None:
        return _clean_document(redactor, cleaned)
    if next(_lines(text), None) is not None:
        return "\n".join(clean_line(redactor, line) for line in cleaned.split("\n"))
    return cleaned


def _clean_document(redactor: Redact, text: str) -> str:
    value = _load(text)
    if value is None:
        raise RedactionError("redaction would make it invalid JSON")
    redacted = map_texts(value, lambda leaf, name: redactor.text(leaf, name=name))
    if redacted == value:
        return text
    # an escape hid a secret: the document is written again, in nearly the same layout
    second = text.split("\n")[1:2]
    indent = len(second[0]) - len(second[0].lstrip()) if second else None
    return json.dumps(redacted, indent=indent) + text[len(text.rstrip()) :]


def _values(text: str) -> Iterator[Any]:
    """Yield the value of a JSON document, or those of JSON Lines; nothing if the text is neither."""
    document = _load(text)
    yield from _lines(text) if document is None else (document,)


def _lines(text: str) -> Iterator[Any]:
    for line in text.split("\n"):
        if line.startswith(("{", "[")) and (value := _load(line)) is not None:
            yield value


def _load(text: str) -> Any:
    """Parse JSON; return None if it is invalid, or is ``null``, which contains nothing."""
    try:
        return json.loads(text)
    except ValueError:
        return None
