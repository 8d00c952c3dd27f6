"""Sessions of Codex's first program, in TypeScript: one document ``{session, items}``.

Its items are those of the oldest rollouts, whose first record is this ``session``: it is read as such a log.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, document
from gittraj.formats.codex import rollout
from gittraj.model.session_items import Cursor, Damage, Entry, Item, Mark, TurnEnd

name = "codex-document"
agent = "codex"

_START = Cursor()
_BEGIN = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"session"\s*:\s*\{\s*"(?:id|timestamp|instructions)"')
_ITEMS = re.compile(rb'\}\s*,\s*"items"\s*:\s*\[')
_LONG = 32768
"""In a head with more bytes, long instructions may precede the items."""


def detect(head: bytes) -> bool:
    return _BEGIN.match(head) is not None and (len(head) > _LONG or _ITEMS.search(head) is not None)


def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = _START) -> Iterator[Item]:
    """The items of a document, without marks: it is read whole."""
    value, damage = document.load(stream)
    end = stream.tell()
    for item in rollout.read(io.BytesIO(_log(value, cut=damage is not None)), session=session):
        if isinstance(item, Entry | TurnEnd):
            yield replace(item, end=end)
        elif not isinstance(item, Mark | Damage):
            yield item
    if damage is not None:
        yield damage


def _log(value: Any, *, cut: bool) -> bytes:
    """The document as a log of the oldest form. If it was truncated (``cut``), its last item is left out."""
    fields = coerce.mapping(value)
    first = {"instructions": None, "timestamp": None, "id": None} | coerce.mapping(fields.get("session"))
    first.pop("type", None)
    items = coerce.objects(fields.get("items"))
    records = [first, *(items[:-1] if cut else items)]
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)
