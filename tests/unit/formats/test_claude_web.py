"""Exports of Claude Code's web version: a session file's records in one document."""

from __future__ import annotations

import io
import json
from typing import Any

from gittraj.formats import detect
from gittraj.formats.claude import web
from gittraj.model.session_items import Damage, Entry, Fact, Item, Mark
from gittraj.model.values import Message, Prompt

RECORDS: list[dict[str, Any]] = [
    {"type": "user", "timestamp": "2026-01-02T00:00:00Z", "message": {"role": "user", "content": "hi"}},
    {
        "type": "assistant",
        "timestamp": "2026-01-02T00:00:01Z",
        "message": {"id": "m1", "role": "assistant", "content": [{"type": "text", "text": "hello"}]},
    },
]


def read(data: bytes, session: str | None = None) -> list[Item]:
    return list(web.read(io.BytesIO(data), session=session))


def document(records: list[dict[str, Any]], **more: Any) -> bytes:
    return json.dumps({**more, "loglines": records}, indent=1).encode()


def session_of(items: list[Item]) -> Any:
    return next(item.value for item in items if isinstance(item, Fact) and item.name == "session")


def test_records_are_read_as_in_a_session_file() -> None:
    data = document([record | {"sessionId": "S", "uuid": f"u{n}"} for n, record in enumerate(RECORDS)])
    assert detect(data) is web
    items = read(data, "an-export")
    events = [item.event for item in items if isinstance(item, Entry)]
    assert [(type(e), e.id, e.content) for e in events] == [
        (Prompt, "u0:0", "hi"),
        (Message, "u1:0", "hello"),
    ]
    assert not [item for item in items if isinstance(item, Mark | Damage)]


def test_a_session_without_an_id_gets_one_from_its_structure() -> None:
    named = session_of(read(document(RECORDS), "download"))
    other = [RECORDS[0] | {"timestamp": "2026-01-03T00:00:00Z"}, RECORDS[1]]
    assert session_of(read(document(RECORDS, title="x"))) == named
    assert session_of(read(document(other))) != named
    assert session_of(read(document(RECORDS), "session_01ABCDEFGH")) == "session_01ABCDEFGH"


def test_a_cut_document_gives_its_complete_records() -> None:
    data = document(RECORDS)
    whole = [item for item in read(data, "session_01ABCDEFGH") if isinstance(item, Entry)]
    for length in range(len(data)):
        items = read(data[:length], "session_01ABCDEFGH")
        found = [item.event.id for item in items if isinstance(item, Entry)]
        assert found == [entry.event.id for entry in whole][: len(found)]
        assert isinstance(items[0], Damage)


def test_values_of_unexpected_types_raise_nothing() -> None:
    odd: list[Any] = [1, [], {"message": []}, {"type": [], "uuid": {}}]
    documents: list[Any] = [[], {"loglines": {}}, {"loglines": odd}, 3]
    for value in documents:
        assert not [item for item in read(json.dumps(value).encode()) if isinstance(item, Entry)]
