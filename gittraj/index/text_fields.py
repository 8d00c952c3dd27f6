"""Collects the texts of a part for full-text search, by kind, and shortens long ones. No I/O.

They are prompts, messages, thinking in clear, decisions, retrospectives, summaries, caveats, titles, tasks,
runs, tags, the commands and paths of calls, and the beginning and end of their output; never sealed text,
text that was written into a file, or an event of an unknown type.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, starmap

from gittraj.index.text import Part, TextField
from gittraj.index.words import sound
from gittraj.model.codec import event_type
from gittraj.model.times import seconds
from gittraj.model.values import (
    AnyEvent,
    Decided,
    Decision,
    Message,
    NoteEvent,
    PeerMessage,
    Prompt,
    Record,
    Retrospective,
    RetrospectiveEvent,
    TaskRef,
    Thinking,
    ToolCall,
    ToolResult,
)
from gittraj.model.words import model_of
from gittraj.query.account import struck_in, without_struck
from gittraj.query.header import distinct
from gittraj.query.log.filters import task_names

_Texts = tuple[str, Iterable[str | None]]
"""A kind of text, and texts of that kind."""

LONGEST = 20_000
"""The maximum number of characters of one text."""
MOST = 500_000
"""The maximum number of characters of all texts of one part."""
PRINTED = (300, 700)
"""How many characters of the beginning and the end of a call's output are kept. Errors are at the end."""
PRINTED_MOST = 30_000
"""The maximum number of characters of all output in one part."""
_MAIN_ARGUMENTS = ("command", "cmd", "pattern", "query", "url", "description", "prompt")
_PATH_ARGUMENTS = ("file_path", "notebook_path", "path")
_BRIEFING = re.compile(
    r"# git traj context: .*?(?:# end of git traj context.*?$|\Z)", re.DOTALL | re.MULTILINE
)
"""The output of ``git traj context`` in an agent's session: its texts are from other records, where a search
finds them."""
_REJECTED = "rejected"  # an alternative, which is indexed with the kind "decision"
_SAME = 60  # characters that a record's prompt, which is shortened, must have in common with its event


def read_part(record: Record, events: Iterable[AnyEvent], commits: Collection[str]) -> Part:
    """Return the part of a ``record`` for the index, with its texts in the order of its events."""
    figures, whole = record.figures, record.whole
    task = whole.task
    return Part(
        trajectory=record.id,
        first=record.key[1] and sound(record.key[1]),
        agent=whole.agent and sound(whole.agent),
        began=_seconds(figures.started_at),
        ended=_seconds(figures.ended_at),
        about={
            "title": whole.title,
            "models": list(whole.models),
            "tags": list(whole.tags),
            "task": _names(task) if task else [],
            "role": record.role,
        },
        commits=commits,
        fields=list(_shorten(_fields(record, events))),
    )


def distinct_records(by_commit: Mapping[str, Sequence[Record]]) -> Iterator[tuple[Record, list[str]]]:
    """Yield one record per part of a trajectory, without struck statements, and the part's commits."""
    records = distinct(chain.from_iterable(by_commit.values()))
    struck = struck_in(records)
    for record in records:
        commits = [c for c, there in by_commit.items() if any(each.key == record.key for each in there)]
        yield replace(record, figures=without_struck(record.id, record.figures, struck)), commits


def _seconds(time: str | None) -> int | None:
    parsed = seconds(time)
    return None if parsed is None else int(parsed)


def _names(task: TaskRef) -> list[str]:
    source = task.source
    return task_names(task.title, (source.system, source.id) if source else None)


def _shorten(fields: Iterable[TextField]) -> Iterator[TextField]:
    """Yield each text once, up to the limits above."""
    left, printed = MOST, PRINTED_MOST
    seen: set[tuple[str, str, bool]] = set()
    for field in fields:
        text = field.text.strip()
        if field.kind == "output":
            text = _ends(text, *PRINTED)[:printed]
            printed -= len(text)
        text = text[: min(LONGEST, left)]
        known = field.kind, text, field.rejected
        if text and known not in seen:
            seen.add(known)
            left -= len(text)
            yield field if text == field.text else replace(field, text=text)


def _ends(text: str, first: int, last: int) -> str:
    return text if len(text) <= first + last else f"{text[:first]}\n…\n{text[-last:]}"


def _fields(record: Record, events: Iterable[AnyEvent]) -> Iterator[TextField]:
    yield from _of_record(record)
    prompted = False
    start = (record.figures.prompt or "")[:_SAME]
    for event in events:
        prompted = prompted or (isinstance(event, Prompt) and event.content.startswith(start))
        yield from (
            _field(kind, text, event.id, event_type(event)) for kind, text in _of_event(event) if text
        )
    if not prompted and record.figures.prompt:
        yield TextField("prompt", None, record.figures.prompt)


def _of_record(record: Record) -> Iterator[TextField]:
    figures, whole = record.figures, record.whole
    task = _names(whole.task)[:2] if whole.task else ()
    run = (whole.run.id, whole.run.solve, whole.run.instance) if whole.run else ()
    retrospective = _of_retrospective(whole.retrospective) if whole.retrospective else ()
    summary = figures.summary  # the agent's last message, unless a model wrote it
    kind = "retrospective" if summary and model_of(summary.by) else "message"
    texts: tuple[_Texts, ...] = (
        ("title", (whole.title, *whole.tags, *task, *run)),
        *chain.from_iterable(map(_of_decision, figures.decisions)),
        (kind, [summary.text] if summary else ()),
        ("doubt", figures.caveats),
        ("retrospective", retrospective),
        ("file", (file.path for file in figures.files)),
    )
    yield from starmap(_field, _flatten(texts))


def _flatten(texts: Iterable[_Texts]) -> Iterator[tuple[str, str]]:
    """Yield each text that is not empty, with its kind."""
    return ((kind, text) for kind, some in texts for text in some if text)


def _field(kind: str, text: str, event: str | None = None, type_: str | None = None) -> TextField:
    return TextField("decision" if kind == _REJECTED else kind, event, text, type_, kind == _REJECTED)


def _of_decision(decision: Decision) -> Iterator[_Texts]:
    yield "decision", (decision.chosen, decision.question)
    yield _REJECTED, decision.alternatives
    yield "decision", (decision.reasoning,)


def _of_retrospective(retrospective: Retrospective) -> Iterator[str]:
    yield from filter(None, (retrospective.summary, retrospective.approach))
    yield from (*retrospective.challenges, *retrospective.learnings, *retrospective.suggestions)


def _of_event(event: AnyEvent) -> Iterator[tuple[str, str]]:
    match event:
        case Prompt():
            yield "prompt", event.content
        case Message() | PeerMessage() | NoteEvent():
            yield "message", event.content
        case Thinking(seal=None, payload=None):
            yield "thinking", event.content
        case Decided():
            yield from _flatten(_of_decision(event.decision))
        case RetrospectiveEvent():
            yield from _flatten([("retrospective", _of_retrospective(event.retrospective))])
        case ToolCall():
            yield from _of_call(event)
        case ToolResult():
            yield "output", _BRIEFING.sub("", event.content)
    yield from (("file", file.path) for file in event.files)


def _of_call(call: ToolCall) -> Iterator[tuple[str, str]]:
    yield "tool", call.name
    arguments = call.arguments
    if isinstance(arguments, str) and not call.files:  # in a call with files this is their content
        yield "tool", arguments
    if isinstance(arguments, dict):
        for key in _MAIN_ARGUMENTS:
            value = arguments.get(key)
            yield "tool", " ".join(map(str, value)) if isinstance(value, list) else str(value or "")
        for key in _PATH_ARGUMENTS:
            if isinstance(path := arguments.get(key), str):
                yield "file", path
