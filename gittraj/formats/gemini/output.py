"""Reads the output of ``gemini --output-format json``: one object with the answer and statistics of a run.

The output has neither prompt nor calls. The session file of the same session has them, and supersedes the
output, whose events have ids of their own (``stream.``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce, document
from gittraj.formats.gemini import facts
from gittraj.model.session_items import Entry, Fact, Item, Spent
from gittraj.model.values import Message, NoteEvent, Usage

name = "gemini-output"
agent = "gemini-cli"

_RESPONSE = "stream.0"
_OBJECT = re.compile(
    rb'\s*\{\s*(?:"session_id"\s*:\s*"[^"]*"\s*,\s*(?:"auth_[a-z_]+"\s*:\s*"[^"]*"\s*,\s*)?)?'
    rb'"(?:response"\s*:|stats"\s*:\s*\{\s*"models"|error"\s*:\s*\{\s*"(?:type|code|message)")'
)
_STATS = re.compile(rb'"stats"\s*:\s*\{\s*"models"')
_SESSION = re.compile(rb'\s*\{\s*"session_id"')


def detect(head: bytes) -> bool:
    head = head.removeprefix(b"\xef\xbb\xbf")
    return _OBJECT.match(head) is not None and (_STATS.search(head) or _SESSION.match(head)) is not None


@document.reader
def read(value: Any, session: str | None, end: int) -> Iterator[Item]:
    """Yield the items of an output. Its session id is the one in it, else ``session``."""
    fields = coerce.mapping(value)
    if not fields:
        return
    models = coerce.mapping(coerce.at(fields, "stats", "models"))
    response = coerce.string(fields.get("response"))
    error = coerce.either(coerce.at(fields, "error", "message"), fields.get("error"))
    shape = [[len(response), *map(coerce.text, models)]]
    named = coerce.text(fields.get("session_id")) or session or coerce.shape_id(name, shape)
    yield Fact(name="session", value=named)
    yield from _facts(models)
    if response:
        only = next(iter(models)) if len(models) == 1 else None
        event = Message(id=f"{_RESPONSE}:0", content=response, model=only, response=_RESPONSE)
        yield Entry(event=event, end=end)
        if models:
            yield Spent(response=_RESPONSE, usage=_usage(models))
    if error:
        yield Entry(event=NoteEvent(id=f"{_RESPONSE}:1", content=error, kind="error"), end=end)
    yield Fact(name="status", value="failed" if error else "completed")


def _facts(models: dict[str, Any]) -> Iterator[Fact]:
    for model in filter(None, models):
        yield Fact(name="model", value=model)
    if requests := sum(coerce.count(coerce.at(stats, "api", "totalRequests")) for stats in models.values()):
        yield Fact(name="api_calls", value=requests)


def _usage(models: dict[str, Any]) -> Usage:
    tokens = (coerce.mapping(coerce.at(stats, "tokens")) for stats in models.values())
    return sum(map(facts.usage_of_model, tokens), Usage())
