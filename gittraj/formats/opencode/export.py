"""Reads the output of ``opencode export``: one session as ``{info, messages: [{info, parts}]}``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, document
from gittraj.formats.opencode.session import items
from gittraj.model.session_items import START, Cursor, Item

name = "opencode-export"
agent = "opencode"

_BEGINNING = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"info"\s*:\s*\{\s*"id"\s*:\s*"')
_OPENCODE_KEYS = re.compile(rb'"(?:projectID|directory)"\s*:')


def detect(head: bytes) -> bool:
    return _BEGINNING.match(head) is not None and _OPENCODE_KEYS.search(head[:4096]) is not None


def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = START) -> Iterator[Item]:
    value, damage = document.load(stream)
    if damage is not None:
        yield damage
    exported = coerce.mapping(value)
    rows = coerce.objects(exported.get("messages"))
    parts = {str(coerce.at(m, "info", "id")): coerce.objects(m.get("parts")) for m in rows}
    if damage is not None and rows:  # the last part may be truncated
        parts[str(coerce.mapping(rows[-1].get("info")).get("id"))][-1:] = []
    messages: list[dict[str, Any]] = [coerce.mapping(m.get("info")) for m in rows]
    yield from items(coerce.mapping(exported.get("info")), messages, lambda message: parts.get(message, ()))
