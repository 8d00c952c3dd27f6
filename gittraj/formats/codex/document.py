"""Sessions of the first version of Codex, in TypeScript: one document ``{session, items}``.

It is read like the oldest rollouts: their first record is like ``session``, the others like these items.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, document
from gittraj.formats.codex import rollout
from gittraj.model.session_items import START, Cursor, Damage, Entry, Item, Mark, TurnEnd

name = "codex-document"
agent = "codex"

_BEGIN = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"session"\s*:\s*\{\s*"(?:id|timestamp|instructions)"')
_ITEMS = re.compile(rb'\}\s*,\s*"items"\s*:\s*\[')
_LONG = 32768
"""If a head has more bytes than this, its items may be missing because of long instructions before them."""


def detect(head: bytes) -> bool:
    return _BEGIN.match(head) is not None and (len(head) > _LONG or _ITEMS.search(head) is not None)


def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = START) -> Iterator[Item]:
    """Yield the items of a document, without marks, since it is always read whole."""
    value, damage = document.load(stream)
    end = stream.tell()
    for item in rollout.read(document.as_log(_records(value, cut=damage is not None)), session=session):
        if isinstance(item, Entry | TurnEnd):
            yield replace(item, end=end)
        elif not isinstance(item, Mark | Damage):
            yield item
    if damage is not None:
        yield damage


def _records(value: Any, *, cut: bool) -> list[dict[str, Any]]:
    """The records of a rollout of the oldest form; without the last item if it was truncated (``cut``)."""
    fields = coerce.mapping(value)
    first = {"instructions": None, "timestamp": None, "id": None} | coerce.mapping(fields.get("session"))
    first.pop("type", None)
    items = coerce.objects(fields.get("items"))
    return [first, *(items[:-1] if cut else items)]
