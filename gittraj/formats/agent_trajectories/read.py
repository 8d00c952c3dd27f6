"""Reads ``.trajectory.json`` files of agent-trajectories (``trail``, agent-relay), and their compactions.

A file has one trajectory, whose id our trajectory keeps. Fields that the schema requires may be missing, as
in half of the files in the wild. The files next to it (index, trace, summary) contain nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats.agent_trajectories.shared import OWN, carried_trajectory, document_events, read_decision
from gittraj.formats.base import carried, coerce, document
from gittraj.formats.base.carried import Names, patch
from gittraj.formats.base.document import peek
from gittraj.formats.base.exchanged import add_spending, entry
from gittraj.formats.base.images import without_media
from gittraj.formats.base.position import facts
from gittraj.model.session_items import Fact, Item, Spent, TurnEnd
from gittraj.model.values import Prompt

name = "agent-trajectories"
agent = "agent-trajectories"

_COMPACTED = "compacted"


def detect(head: bytes) -> bool:
    value = coerce.mapping(peek(head))
    if value.get("type") == _COMPACTED:
        return "sourceTrajectories" in value or "decisionGroups" in value
    has_id = str(value.get("id", "")).startswith("traj_")
    has_work = isinstance(value.get("chapters"), list) and ("agents" in value or "startedAt" in value)
    return has_id + has_work + ("task" in value) >= 2


@document.reader
def read(value: Any, _session: str | None, end: int) -> Iterator[Item]:
    yield from read_document(coerce.mapping(value), end=end)


def read_document(value: dict[str, Any], *, end: int) -> Iterator[Item]:
    """Yield the items of a document; ``end`` is the byte offset after the document in its file."""
    document = without_media(value)
    if document.get("type") == _COMPACTED:
        yield from _facts(document, None, "Compaction of " + _count(document.get("sourceTrajectories")))
        yield from _items([*_compaction(document)], end)
    elif document:
        ours = carried_trajectory(document)
        task = document.get("task")
        title = coerce.either(document.get("title"), coerce.at(task, "title"), task)
        yield from _facts(document, ours, title)
        yield from _items([_restored(*pair) for pair in document_events(document)], end)


def _facts(document: dict[str, Any], ours: Any, title: str | None) -> Iterator[Fact]:
    """Yield the facts from ``ours``, our own fields of the trajectory, or else from the document's fields."""
    identity = coerce.text(document.get("id"))
    yield from facts(session=coerce.first(ours, "session") or identity)
    if ours is not None:
        yield from carried.facts(ours)
        return
    yield from carried.identity(identity)
    yield from facts(
        title=title,
        status=coerce.text(document.get("status")),
        started_at=coerce.stamp(document.get("startedAt")),
    )
    source = coerce.mapping(coerce.at(document, "task", "source"))
    if source:
        yield from carried.task(title, source.get("system"), source.get("id"), source.get("url"))
    for someone in coerce.objects(document.get("agents")):
        yield from carried.participant(someone.get("name"), someone.get("role"))
    for tag in coerce.texts(document.get("tags")):
        yield from facts(tag=tag)
    yield from facts(start_commit=coerce.first(document.get("_trace"), "endRef", "startRef"))


def _restored(event: dict[str, Any], ours: Any) -> dict[str, Any]:
    """The event with the changes that are stored in ``ours``, if they make a valid event."""
    changed = patch(event, coerce.mapping(ours).get("event", {}))
    return changed if carried.to_event(changed) is not None else event


def _items(events: list[dict[str, Any]], end: int) -> Iterator[Item]:
    spent: dict[str, Spent] = {}
    began = False
    for value in events:
        event = carried.to_event(value)
        if event is None:
            continue
        event = add_spending(spent, event)
        if isinstance(event, Prompt) and began:
            yield TurnEnd(end=end)
        began = True
        yield entry(event, end)
    if began:
        yield TurnEnd(end=end)
    yield from spent.values()


# ---------------------------------------------------------------- compactions


def _compaction(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events of a compaction of several trajectories: decisions, findings, and the model's text."""
    names = Names(OWN)
    stamp = coerce.stamp(record.get("compactedAt"))
    when = carried.present(ts=stamp)

    def event(kind: str, text: str | None) -> Iterator[dict[str, Any]]:
        if text:
            yield {"type": kind, "id": names.of(kind, stamp, len(text)), **when, "content": text, OWN: {}}

    yield from event("note", coerce.text(record.get("narrative")))
    for decision, tags in _compacted_decisions(record):
        event_id = names.of("decided", stamp, len(decision["chosen"]))
        yield {"type": "decision", "id": event_id, **when, **tags, "decision": decision, OWN: {}}
    for key, kind in (("keyFindings", "finding"), ("keyLearnings", "finding"), ("openQuestions", "note")):
        for item in coerce.sequence(record.get(key)):
            yield from event(kind, coerce.text(item) or _sentence(coerce.mapping(item)))
    for key, kind in (("conventions", "note"), ("lessons", "finding")):
        for item in coerce.objects(record.get(key)):
            yield from event(kind, _sentence(item))
    root = {"type": "checkpoint", "id": names.of("root", stamp), **when, "content": "agent-trajectories"}
    yield {**root, OWN: {"root": record}}


def _compacted_decisions(record: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each decision that states a choice, and ``tags`` with the category of its group, if any."""
    for group in (*coerce.objects(record.get("decisionGroups")), {"decisions": record.get("decisions")}):
        tags = {"tags": [group["category"]]} if coerce.text(group.get("category")) else {}
        for item in coerce.objects(group.get("decisions")):
            decision = read_decision(item, "")
            if decision["chosen"]:
                yield decision, tags


def _sentence(record: dict[str, Any]) -> str:
    """The texts of a record, one on each line."""
    return "\n".join(value for value in record.values() if isinstance(value, str) and value)


def _count(sources: Any) -> str:
    number = len(coerce.sequence(sources))
    return f"{number} {'trajectory' if number == 1 else 'trajectories'}"
