"""Reads ATIF, the Agent Trajectory Interchange Format, all versions: one JSON document for a run, which
contains its subagents; further files in the same folder may continue it.

Steps that a file repeats from an earlier file are kept, and their tokens are not counted again. The file
names the session's agent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gittraj.errors import FormatError
from gittraj.formats.atif.shared import OWN, keep_others, step_events
from gittraj.formats.base import carried, coerce, document
from gittraj.formats.base.carried import KEY, Names, without_carried
from gittraj.formats.base.document import peek, read_head
from gittraj.formats.base.exchanged import add_spending, entry
from gittraj.formats.base.images import without_media
from gittraj.formats.base.position import facts
from gittraj.model.session_items import Damage, Entry, Fact, Item, Spent, TurnEnd, trajectory_id
from gittraj.model.values import AnyEvent, Prompt, Usage

name = "atif"
agent = "atif"

_VERSION = re.compile(r"(?:ATIF-v)?\d+\.\d+")
_MAX_PARTS = 100
"""The maximum number of files that continue one run."""
_SUBAGENTS = "subagent_trajectories"
_NOT_IN_ROOT = frozenset(("steps", _SUBAGENTS))


@dataclass(frozen=True, slots=True)
class _Document:
    """A run with its continuations, or one of its subagents; ``files`` are the parsed JSON documents."""

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
    """Yield the id of the run, then the ids of its subagents. Raises OSError."""
    yield from (document.session for document in _load(path)[0])


def read(path: Path, session: str) -> Iterator[Item]:
    """Yield the items of the run, or of one of its subagents. Raises OSError, FormatError."""
    documents, damages = _load(path)
    document = next((item for item in documents if item.session == session), None)
    if document is None:
        raise FormatError(f"{path} contains no trajectory {session}", hint="list its sessions again")
    yield from _items(document, end=path.stat().st_size)
    yield from damages if document is documents[0] else ()


def _load(path: Path) -> tuple[list[_Document], list[Damage]]:
    """Read a run's file and those that continue it. Return the run, its subagents, and what is damaged."""
    files: list[dict[str, Any]] = []
    damages: list[Damage] = []
    seen: set[Path] = set()
    following: Path | None = path
    while following is not None and following not in seen and len(files) < _MAX_PARTS:
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
    """The ids of the trajectories in an ATIF document that is inside another file."""
    return [part.session for part in _documents([value] if is_trajectory(value) else [])]


def read_value(value: Mapping[str, Any], session: str) -> Iterator[Item]:
    """Yield the items of one of the trajectories in an ATIF document that is inside another file."""
    for part in _documents([value]):
        if part.session == session:
            yield from _items(part, end=0)


def _documents(files: Sequence[Mapping[str, Any]]) -> list[_Document]:
    if not files:
        return []
    root = files[0]
    session = coerce.first(root, "session_id", "trajectory_id")
    session = session or carried.Names(name).of(*_shape(root))
    subagents = [document for file in files for document in _subagents(file, session, root)]
    return [_Document(session, files), *subagents]


def _continuation(path: Path, value: Mapping[str, Any]) -> Path | None:
    """The next file of a run, which must be in the same folder."""
    file_name = coerce.text(value.get("continued_trajectory_ref"))
    sibling = path.parent / Path(file_name).name if file_name else None
    return sibling if sibling and sibling.is_file() and sibling.name == file_name else None


def _subagents(file: Mapping[str, Any], session: str, root: Mapping[str, Any]) -> Iterator[_Document]:
    """Yield the subagents in ``file``, and their subagents. ``root`` is the document of their parent;
    ``session`` is the parent's session id."""
    parent = coerce.text(root.get("trajectory_id")) or trajectory_id(_agent(root), session)
    for number, item in enumerate(coerce.objects(file.get(_SUBAGENTS))):
        item_id = coerce.first(item, "trajectory_id", "session_id") or str(number)
        child = f"{session}/{item_id}"
        yield _Document(child, [item], parent)
        yield from _subagents(item, child, {**item, "trajectory_id": item_id})


def _agent(fields: Mapping[str, Any]) -> str:
    return coerce.text(coerce.at(fields, "agent", "name")) or agent


def _shape(root: Mapping[str, Any]) -> Iterator[str | int | None]:
    """Yield what distinguishes runs without an id: the agent; sources, times and lengths of two steps."""
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
    step_events = _in_stored_order(_entries(session_document.files, end, with_root=ours is None))
    spent: dict[str, Spent] = {}
    models = {model}
    for number, item in enumerate(step_events):
        event = add_spending(spent, item.entry.event, item.cost)
        if isinstance(event, Prompt) and number:
            yield TurnEnd(end=end)
        if event.model and event.model not in models:
            models.add(event.model)
            yield Fact(name="model", value=event.model)
        yield replace(item.entry, event=event)
    if step_events:
        yield TurnEnd(end=end)
    if not _continues(first):  # its totals include those of an earlier file
        last = session_document.files[-1]
        yield from _final_cost(last, spent)
        _add_uncounted_tokens(last, [item.entry.event for item in step_events], spent)
    yield from spent.values()


def _continues(first: Mapping[str, Any]) -> bool:
    """Whether a file continues an earlier one, whose steps it repeats at its beginning."""
    return any(step.get("is_copied_context") is True for step in coerce.objects(first.get("steps"))[:1])


def _in_stored_order(step_events: Iterator[_StepEvent]) -> list[_StepEvent]:
    """The events by their stored positions, if all have one; else in the file's order."""
    events = list(step_events)
    if all(item.at is not None for item in events):
        events.sort(key=lambda item: item.at or 0)
    return events


def _final_cost(last: Mapping[str, Any], spent: Mapping[str, Spent]) -> Iterator[Fact]:
    """Yield the run's total cost if no step states a cost."""
    cost = coerce.cost(coerce.at(last, "final_metrics", "total_cost_usd"))
    if cost is not None and all(step.cost is None for step in spent.values()):
        yield Fact(name="cost_usd", value=cost)


def _add_uncounted_tokens(
    last: Mapping[str, Any], events: Sequence[AnyEvent], spent: dict[str, Spent]
) -> None:
    """Add to the last model call the tokens by which the run's own totals exceed the sum of its steps, unless
    the totals may include subagents."""
    calls = [event.response for event in events if event.response]
    if not calls or _SUBAGENTS in last or '"subagent_trajectory_ref"' in json.dumps(last.get("steps")):
        return
    final = coerce.mapping(last.get("final_metrics"))
    counted = sum((step.usage for step in spent.values()), Usage())
    prompts = counted.input_tokens + counted.cache_read_tokens + counted.cache_write_tokens
    output = coerce.count(final.get("total_completion_tokens")) - counted.output_tokens
    more_read = max(0, coerce.count(final.get("total_cached_tokens")) - counted.cache_read_tokens)
    more = Usage(
        input_tokens=max(0, coerce.count(final.get("total_prompt_tokens")) - prompts - more_read),
        cache_read_tokens=more_read,
        output_tokens=max(0, output),
    )
    if more != Usage():
        base = spent.get(calls[-1], Spent(response=calls[-1], usage=Usage()))
        spent[calls[-1]] = replace(base, usage=base.usage + more)


def _facts(document: _Document, first: Mapping[str, Any], model: str | None) -> Iterator[Fact]:
    yield from facts(agent=_agent(first), session=document.session)
    yield from carried.identity(first.get("trajectory_id"))
    yield from carried.parent(document.parent)
    version = coerce.text(coerce.at(first, "agent", "version"))
    stamps = (coerce.stamp(step.get("timestamp")) for step in coerce.objects(first.get("steps")))
    started = next((stamp for stamp in stamps if stamp), None)
    version = None if version == "unknown" else version
    yield from facts(agent_version=version, model=model, started_at=started)


@dataclass(frozen=True, slots=True)
class _StepEvent:
    """An event of a step. ``at`` is its position in the trajectory, if the file has it; ``cost`` is that of
    the step."""

    entry: Entry
    at: int | None = None
    cost: float | None = None


def _entries(files: Sequence[Mapping[str, Any]], end: int, *, with_root: bool) -> Iterator[_StepEvent]:
    """Yield the events of all steps; ``with_root``, also an event with the file's other fields. This comes
    last, so that no part begins with it."""
    names = Names(name)
    for file in files:
        for step in coerce.objects(file.get("steps")):
            yield from _step(step, names, end)
    if with_root:
        root = without_media({key: value for key, value in files[0].items() if key not in _NOT_IN_ROOT})
        checkpoint = {"id": f"{names.of(*_shape(files[0]))}:root", "type": "checkpoint", OWN: {"root": root}}
        event = carried.to_event({**checkpoint, "content": str(files[0].get("schema_version"))})
        if event is not None:
            yield _StepEvent(Entry(event=event, end=end))


def _step(step: dict[str, Any], names: Names, end: int) -> Iterator[_StepEvent]:
    plain, ours = without_carried(without_media(step), "extra")
    understood = step_events(plain, names)
    events = carried.uncarry(understood, coerce.mapping(ours).get("events"))
    keep_others(plain, [event for event, _ in events])
    cost = coerce.cost(coerce.at(plain, "metrics", "cost_usd"))
    for value, at in events:
        event = carried.to_event(value)
        if event is not None:
            yield _StepEvent(entry(event, end), at, cost)
