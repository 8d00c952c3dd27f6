"""The records in the output of ``codex exec --json``: which there are, and what identifies one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.lines import Fragment
from gittraj.formats.codex import messages

TURNS = frozenset(("turn.started", "turn.completed", "turn.failed"))
ITEMS = frozenset(("item.started", "item.updated", "item.completed"))
THREADS = {"thread.started": "thread_id", "session.created": "session_id"}
HEADER = frozenset(("workdir", "model", "provider", "sandbox"))


def is_record(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    if not isinstance(kind, str):
        message = record.get("msg")
        old = "id" in record and isinstance(message, dict) and isinstance(message.get("type"), str)
        return old or record.keys() >= HEADER
    if kind in THREADS:
        return isinstance(record.get(THREADS[kind]), str)
    return kind in TURNS or (kind in ITEMS and isinstance(record.get("item"), dict))


def thread_id(fragments: Iterable[Fragment]) -> str | None:
    """The thread that the first record with a thread's id names."""
    records = (record for fragment in fragments for record in translated(fragment.value, 0))
    threads = (coerce.text(record.get(THREADS.get(kind_of(record), ""))) for record in records)
    return next((thread for thread in threads if thread), None)


def kind_of(record: dict[str, Any]) -> str:
    return coerce.text(record.get("type")) or ""


def translated(value: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """The record itself, or the one that has replaced its oldest form."""
    message = value.get("msg")
    record = messages.translate(message, number) if isinstance(message, dict) else value
    if record is not None:
        yield record


def shape(item: dict[str, Any]) -> list[str | int]:
    """The type of an item or record, and the lengths of its texts and lists."""
    return [kind_of(item), *[len(part) for part in item.values() if isinstance(part, str | list)]]


def shapes(fragments: Iterable[Fragment]) -> Iterator[list[str | int]]:
    """The shape of each record, and of the item or message in it."""
    for fragment in fragments:
        inner = fragment.value.get("item") or fragment.value.get("msg")
        yield shape(fragment.value)
        yield shape(coerce.mapping(inner))
