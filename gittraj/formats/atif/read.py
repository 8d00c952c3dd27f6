"""ATIF, the Agent Trajectory Interchange Format, all versions: one JSON document for a run, with its
subagents in it and its continuations in files next to it.

Steps that a file repeats from an earlier one are kept and not counted. The file names the session's agent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gittraj.errors import FormatError
from gittraj.formats.atif.shared import OWN, leftover, step_events
from gittraj.formats.base import carried, coerce, document
from gittraj.formats.base.carried import KEY, Names, without_carried
from gittraj.formats.base.document import peek, read_head
from gittraj.formats.base.exchanged import entry
from gittraj.formats.base.images import without_media
from gittraj.formats.base.position import facts
from gittraj.model.session_items import Damage, Entry, Fact, Item, Spent, TurnEnd, trajectory_id
from gittraj.model.values import AnyEvent, Prompt, Usage

name = "atif"
agent = "atif"

_VERSION = re.compile(r"(?:ATIF-v)?\d+\.\d+")
_MOST_PARTS = 100
"""The most files that continue one run."""
_SUBAGENTS = "subagent_trajectories"
_OF_STEPS = frozenset(("steps", _SUBAGENTS))


@dataclass(frozen=True, slots=True)
class _Document:
    """``files``: the root of a run with its continuations, or one of its subagents."""

    session: str
    files: Sequence[Mapping[str, Any]]
    parent: str | None = None


def detect(path: Path) -> bool:
    return is_trajectory(peek(read_head(path)))


def is_trajectory(value: Any) -> bool:
    fields = coerce.mapping(value)
    version = coerce.text(fields.get("schema_version"))
    return bool(version and _VERSION.fullmatch(version)) and ("steps" in fields or "agent" in fields)


def sessions(path: Path) -> Iterator[str]:
    """The run's id, then its subagents'. Raises OSError."""
    yield from (document.session for document in _load(path)[0])


def read(path: Path, session: str) -> Iterator[Item]:
    """The items of the run, or of one of its subagents. Raises OSError, FormatError."""
    documents, damages = _load(path)
    document = next((item for item in documents if item.session == session), None)
    if document is None:
        raise FormatError(f"{path} contains no trajectory {session}", hint="list its sessions again")
    yield from _items(document, end=path.stat().st_size)
    yield from damages if document is documents[0] else ()


def _load(path: Path) -> tuple[list[_Document], list[Damage]]:
    files: list[dict[str, Any]] = []
    damages: list[Damage] = []
    seen: set[Path] = set()
    following: Path | None = path
    while following is not None and following not in seen and len(files) < _MOST_PARTS:
        seen.add(following)
        with following.open("rb") as stream:
            value, damage = document.load(stream)
        damages += [damage] if damage else []
        if not is_trajectory(value):
            break
        files.append(value)
        following = _continuation(path, value)
    return _documents(files), damages


def sessions_of(value: Mapping[str, Any]) -> list[str]:
    """The ids of the trajectories in a document that is inside another file."""
    return [part.session for part in _documents([value] if is_trajectory(value) else [])]


def read_value(value: Mapping[str, Any], session: str) -> Iterator[Item]:
    """The items of one of the trajectories in such a document."""
    for part in _documents([value]):
        if part.session == session:
            yield from _items(part, end=0)


def _documents(files: Sequence[Mapping[str, Any]]) -> list[_Document]:
    if not files:
        return []
    root = files[0]
    session = coerce.first(root, "session_id", "trajectory_id")
    session = session or carried.Names(name).of(*_shape(root))
    below = [document for file in files for document in _below(file, session, root)]
    return [_Document(session, files), *below]


def _continuation(path: Path, value: Mapping[str, Any]) -> Path | None:
    """The next file of a run, which must be in the same folder."""
    named = coerce.text(value.get("continued_trajectory_ref"))
    sibling = path.parent / Path(named).name if named else None
    return sibling if sibling and sibling.is_file() and sibling.name == named else None


def _below(file: Mapping[str, Any], session: str, root: Mapping[str, Any]) -> Iterator[_Document]:
    above = coerce.text(root.get("trajectory_id")) or trajectory_id(_agent(root), session)
    for number, item in enumerate(coerce.objects(file.get(_SUBAGENTS))):
        own = coerce.first(item, "trajectory_id", "session_id") or str(number)
        child = f"{session}/{own}"
        yield _Document(child, [item], above)
        yield from _below(item, child, {**item, "trajectory_id": own})


def _agent(fields: Mapping[str, Any]) -> str:
    return coerce.text(coerce.at(fields, "agent", "name")) or agent


def _shape(root: Mapping[str, Any]) -> Iterator[str | int | None]:
    yield _agent(root)
    for step in coerce.objects(root.get("steps"))[:2]:
        yield from (coerce.text(step.get("source")), coerce.stamp(step.get("timestamp")))
        yield len(str(step.get("message")))


# ---------------------------------------------------------------- one trajectory


def _items(session_document: _Document, *, end: int) -> Iterator[Item]:
    first = session_document.files[0]
    ours = coerce.mapping(coerce.mapping(first.get("extra")).get(KEY)).get("trajectory")
    model = coerce.text(coerce.at(first, "agent", "model_name"))
    yield from _facts(session_document, first, model)
    yield from carried.facts(ours)
    read = list(_entries(session_document.files, end, with_root=ours is None))
    if all(item.at is not None for item in read):
        read.sort(key=lambda item: item.at or 0)
    spent: dict[str, Spent] = {}
    models = {model}
    for number, item in enumerate(read):
        event = _with_response(item.entry.event)
        if isinstance(event, Prompt) and number:
            yield TurnEnd(end=end)
        if event.model and event.model not in models:
            models.add(event.model)
            yield Fact(name="model", value=event.model)
        if event.response and (event.usage or item.cost is not None):
            known = spent.get(event.response, Spent(response=event.response, usage=Usage()))
            usage = known.usage + (event.usage or Usage())
            spent[event.response] = replace(known, usage=usage, cost=item.cost)
        yield replace(item.entry, event=event)
    if read:
        yield TurnEnd(end=end)
    yield from _final(session_document.files[-1], [item.entry.event for item in read], spent)
    yield from spent.values()


def _with_response(event: AnyEvent) -> AnyEvent:
    """The event, with its own id as its model call if it has usage without one."""
    return replace(event, response=event.id) if event.usage and not event.response else event


def _final(last: Mapping[str, Any], events: Sequence[AnyEvent], spent: dict[str, Spent]) -> Iterator[Fact]:
    """Correct ``spent`` by a run's own totals: they override its steps', unless they also count subagents."""
    final = coerce.mapping(last.get("final_metrics"))
    cost = coerce.cost(final.get("total_cost_usd"))
    if cost is not None and all(step.cost is None for step in spent.values()):
        yield Fact(name="cost_usd", value=cost)
    calls = [event.response for event in events if event.response]
    if not calls or _SUBAGENTS in last or '"subagent_trajectory_ref"' in json.dumps(last.get("steps")):
        return
    usages = [step.usage for step in spent.values()]
    prompts = sum(u.input_tokens + u.cache_read_tokens + u.cache_write_tokens for u in usages)
    cached = sum(u.cache_read_tokens for u in usages)
    more_read = max(0, coerce.count(final.get("total_cached_tokens")) - cached)
    more = Usage(
        input_tokens=max(0, coerce.count(final.get("total_prompt_tokens")) - prompts - more_read),
        cache_read_tokens=more_read,
        output_tokens=max(
            0, coerce.count(final.get("total_completion_tokens")) - sum(u.output_tokens for u in usages)
        ),
    )
    if more != Usage():
        base = spent.get(calls[-1], Spent(response=calls[-1], usage=Usage()))
        spent[calls[-1]] = replace(base, usage=base.usage + more)


def _facts(document: _Document, first: Mapping[str, Any], model: str | None) -> Iterator[Fact]:
    yield from facts(agent=_agent(first), session=document.session)
    yield from carried.identity(first.get("trajectory_id"))
    if document.parent:
        yield from carried.parent(document.parent)
    version = coerce.text(coerce.at(first, "agent", "version"))
    stamps = (coerce.stamp(step.get("timestamp")) for step in coerce.objects(first.get("steps")))
    started = next((stamp for stamp in stamps if stamp), None)
    version = None if version == "unknown" else version
    yield from facts(agent_version=version, model=model, started_at=started)


@dataclass(frozen=True, slots=True)
class _StepEvent:
    """An event, its position if stored, and its step's cost."""

    entry: Entry
    at: int | None = None
    cost: float | None = None


def _entries(files: Sequence[Mapping[str, Any]], end: int, *, with_root: bool) -> Iterator[_StepEvent]:
    """Yield the events of all steps. The one for the file comes last, so that it does not begin a part."""
    names = Names(name)
    for file in files:
        for step in coerce.objects(file.get("steps")):
            yield from _step(step, names, end)
    if with_root:
        root = without_media({key: value for key, value in files[0].items() if key not in _OF_STEPS})
        checkpoint = {"id": f"{names.of(*_shape(files[0]))}:root", "type": "checkpoint", OWN: {"root": root}}
        event = carried.to_event({**checkpoint, "content": str(files[0].get("schema_version"))})
        if event is not None:
            yield _StepEvent(Entry(event=event, end=end))


def _step(step: dict[str, Any], names: Names, end: int) -> Iterator[_StepEvent]:
    plain, ours = without_carried(without_media(step), "extra")
    read = step_events(plain, names)
    events = carried.uncarry(read, coerce.mapping(ours).get("events"))
    leftover(plain, [event for event, _ in events])
    cost = coerce.cost(coerce.at(plain, "metrics", "cost_usd"))
    for value, at in events:
        event = carried.to_event(value)
        if event is not None:
            yield _StepEvent(entry(event, end), at, cost)
