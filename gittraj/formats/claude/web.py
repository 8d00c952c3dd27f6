"""A session of Claude Code as its web version exports it: ``{"loglines": […]}``.

The log lines are the records of a session file, and are read as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, document
from gittraj.formats.claude import prompts
from gittraj.formats.claude import session as session_file
from gittraj.model.session_items import START, Cursor, Item, Mark

name = "claude-web-export"
agent = "claude-code"

_LOGLINES = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{(?s:.{0,4000}?)"loglines"\s*:\s*\[')
_SESSION_ID = re.compile(r"session_\w{8,}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_HASHED_RECORDS = 4
"""The number of records whose shapes are hashed into an id, for a session that has none."""


def detect(head: bytes) -> bool:
    return _LOGLINES.match(head) is not None


def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = START) -> Iterator[Item]:
    """Yield the items of the session, always from its start. Their ``end`` is an offset
    in the records when these are written as JSON Lines.

    If no record names the session, its id is ``session`` (the stem of the file's name), if that looks like an
    id of the web version or the program; else it is a hash of the shape of the first records.
    """
    value, damage = document.load(stream)
    if damage:
        yield damage
    log = coerce.objects(coerce.mapping(value).get("loglines"))
    is_session_id = session is not None and _SESSION_ID.fullmatch(session) is not None
    if log and not is_session_id and not any(coerce.text(record.get("sessionId")) for record in log):
        session = coerce.shape_id(name, map(_shape, log[:_HASHED_RECORDS]))
    for item in session_file.read(document.as_log(log), session=session):
        if not isinstance(item, Mark):
            yield item


def _shape(record: dict[str, Any]) -> Iterator[coerce.Part]:
    yield coerce.text(record.get("type"))
    yield coerce.stamp(record.get("timestamp"))
    for block in prompts.blocks(record.get("message")):
        yield coerce.text(block.get("type"))
        yield coerce.text(block.get("name"))
        yield len(coerce.string(block.get("text")))
