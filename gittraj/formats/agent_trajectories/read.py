"""``.trajectory.json`` files of agent-trajectories (``trail``, agent-relay), and their compactions.

A file is a trajectory with its own id, which it keeps. Read leniently: half of those in the wild lack what
the schema requires. The files next to it (index, trace, summary) contain nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from gittraj.formats.agent_trajectories.shared import OWN, carried_trajectory, document_events, read_decision
from gittraj.formats.base import carried, coerce, document
from gittraj.formats.base.carried import Names, patch
from gittraj.formats.base.document import peek
from gittraj.formats.base.exchanged import entry
from gittraj.formats.base.images import without_media
from gittraj.formats.base.position import facts
from gittraj.model.session_items import Fact, Item, Spent, TurnEnd
from gittraj.model.values import Prompt, Usage

name = "agent-trajectories"
agent = "agent-trajectories"

_COMPACTED = "compacted"


def detect(head: bytes) -> bool:
    value = coerce.mapping(peek(head))
    if value.get("type") == _COMPACTED:
        return "sourceTrajectories" in value or "decisionGroups" in value
    named = str(value.get("id", "")).startswith("traj_")
    work = isinstance(value.get("chapters"), list) and ("agents" in value or "startedAt" in value)
    return (named and ("task" in value or work)) or (work and ("task" in value or named))


@document.reader
def read(value: Any, _session: str | None, end: int) -> Iterator[Item]:
    yield from read_document(coerce.mapping(value), end=end)


def read_document(value: dict[str, Any], *, end: int) -> Iterator[Item]:
    """The items of a document that ends at ``end``."""
    document = without_media(value)
    if document.get("type") == _COMPACTED:
        yield from _facts(document, None, "Compaction of " + _count(document.get("sourceTrajectories")))
        yield from _items([*_compaction(document)], end)
    elif document:
        ours = carried_trajectory(document)
        task = document.get("task")
        title = coerce.either(document.get("title"), coerce.mapping(task).get("title"))
        yield from _facts(document, ours, title or coerce.text(task))
        yield from _items([_carried(*pair) for pair in document_events(document)], end)


def _facts(document: dict[str, Any], ours: Any, title: str | None) -> Iterator[Fact]:
    identity = coerce.text(document.get("id"))
    if ours is not None:
        if session := coerce.text(coerce.mapping(ours).get("session")) or identity:
            yield Fact(name="session", value=session)
        yield from carried.facts(ours)
        return
    yield from facts(session=identity)
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
    for tag in coerce.sequence(document.get("tags")):
        if coerce.text(tag):
            yield Fact(name="tag", value=tag)
    yield from facts(start_commit=coerce.first(document.get("_trace"), "endRef", "startRef"))


def _carried(event: dict[str, Any], ours: Any) -> dict[str, Any]:
    changed = patch(event, coerce.mapping(ours).get("event", {}))
    return changed if carried.to_event(changed) is not None else event


def _items(events: list[dict[str, Any]], end: int) -> Iterator[Item]:
    spent: dict[str, Spent] = {}
    began = False
    for value in events:
        event = carried.to_event(value)
        if event is None:
            continue
        if event.usage:
            response = event.response or event.id
            event = replace(event, response=response)
            known = spent.get(response, Spent(response=response, usage=Usage()))
            spent[response] = replace(known, usage=known.usage + (event.usage or Usage()))
        if isinstance(event, Prompt) and began:
            yield TurnEnd(end=end)
        began = True
        yield entry(event, end)
    if began:
        yield TurnEnd(end=end)
    yield from spent.values()


# ---------------------------------------------------------------- compactions


def _compaction(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What several trajectories were compacted to: decisions, findings, and the model's own text."""
    names = Names(OWN)
    stamp = coerce.stamp(record.get("compactedAt"))
    when = carried.present(ts=stamp)

    def event(kind: str, text: str | None) -> Iterator[dict[str, Any]]:
        if text:
            yield {"type": kind, "id": names.of(kind, stamp, len(text)), **when, "content": text, OWN: {}}

    yield from event("note", coerce.text(record.get("narrative")))
    groups = coerce.objects(record.get("decisionGroups"))
    decisions = [(d, g.get("category")) for g in groups for d in coerce.objects(g.get("decisions"))]
    decisions += [(d, None) for d in coerce.objects(record.get("decisions"))]
    for group, category in decisions:
        decision = read_decision(group, "")
        if decision["chosen"]:
            number = names.of("decided", stamp, len(decision["chosen"]))
            tags = {"tags": [category]} if coerce.text(category) else {}
            yield {"type": "decision", "id": number, **when, **tags, "decision": decision, OWN: {}}
    for key, kind in (("keyFindings", "finding"), ("keyLearnings", "finding"), ("openQuestions", "note")):
        for item in coerce.sequence(record.get(key)):
            yield from event(kind, coerce.text(item) or _sentence(coerce.mapping(item)))
    for key, kind in (("conventions", "note"), ("lessons", "finding")):
        for item in coerce.objects(record.get(key)):
            yield from event(kind, _sentence(item))
    root = {"type": "checkpoint", "id": names.of("root", stamp), **when, "content": "agent-trajectories"}
    yield {**root, OWN: {"root": record}}


def _sentence(record: dict[str, Any]) -> str:
    return "\n".join(value for value in record.values() if isinstance(value, str) and value)


def _count(sources: Any) -> str:
    number = len(coerce.sequence(sources))
    return f"{number} {'trajectory' if number == 1 else 'trajectories'}"
