"""What a part says, for full-text search: its texts by kind, each shortened where it is long. Pure.

In: prompts, messages, thinking in clear, decisions, retrospectives, summaries and doubts, titles, tasks and
tags, commands and paths of calls; of what a call printed the beginning and the end. Never what is sealed,
never what is written into a file, and nothing of an event that this version does not know.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from gittraj.index.text import Part, Piece
from gittraj.index.words import sound
from gittraj.model.times import seconds
from gittraj.model.values import (
    AnyEvent,
    Decided,
    Decision,
    Message,
    PeerMessage,
    Prompt,
    Record,
    Reflected,
    Remark,
    Retrospective,
    TaskRef,
    Thinking,
    ToolCall,
    ToolResult,
)
from gittraj.query.labels import task_names

LONGEST = 20_000
"""Characters of one text."""
MOST = 500_000
"""Of one part, in all."""
PRINTED = (300, 700)
"""Characters of the beginning and of the end of what a call printed: what failed stands at the end."""
PRINTED_MOST = 30_000
"""Of all that was printed in one part."""
_TOLD = ("command", "cmd", "pattern", "query", "url", "description", "prompt")
_PLACES = ("file_path", "notebook_path", "path")
_SAME = 60  # characters by which a record's prompt, which is shortened, is known among the events


def read_part(record: Record, events: Iterable[AnyEvent], commits: Collection[str]) -> Part:
    """What one part says, in the order of its events."""
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
        pieces=list(_shorten(_pieces(record, events))),
    )


def _seconds(time: str | None) -> int | None:
    found = seconds(time)
    return None if found is None else int(found)


def _names(task: TaskRef) -> list[str]:
    source = task.source
    return task_names(task.title, (source.system, source.id) if source else None)


def _shorten(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Each text once, and no more than is kept."""
    left, printed = MOST, PRINTED_MOST
    told: set[tuple[str, str]] = set()
    for piece in pieces:
        text = piece.text.strip()
        if piece.kind == "output":
            text = _ends(text, *PRINTED)[:printed]
            printed -= len(text)
        text = text[: min(LONGEST, left)]
        if text and (piece.kind, text) not in told:
            told.add((piece.kind, text))
            left -= len(text)
            yield Piece(piece.kind, piece.event, text)


def _ends(text: str, first: int, last: int) -> str:
    return text if len(text) <= first + last else f"{text[:first]}\n…\n{text[-last:]}"


def _pieces(record: Record, events: Iterable[AnyEvent]) -> Iterator[Piece]:
    yield from _of_record(record)
    prompted = False
    start = (record.figures.prompt or "")[:_SAME]
    for event in events:
        prompted = prompted or (isinstance(event, Prompt) and event.content.startswith(start))
        yield from (Piece(kind, event.id, text) for kind, text in _of_event(event) if text)
    if not prompted and record.figures.prompt:
        yield Piece("prompt", None, record.figures.prompt)


def _of_record(record: Record) -> Iterator[Piece]:
    figures, whole = record.figures, record.whole
    told: list[tuple[str, str | None]] = [("title", whole.title), *(("title", tag) for tag in whole.tags)]
    if whole.task:
        told += [("title", name) for name in _names(whole.task)[:2]]
    told += [("decision", text) for decision in figures.decisions for text in _of_decision(decision)]
    told += [("retrospective", figures.summary.text if figures.summary else None)]
    told += [("retrospective", text) for text in figures.caveats]
    if whole.retrospective:
        told += [("retrospective", text) for text in _of_retrospective(whole.retrospective)]
    told += [("file", file.path) for file in figures.files]
    yield from (Piece(kind, None, text) for kind, text in told if text)


def _of_decision(decision: Decision) -> Iterator[str]:
    yield from filter(None, (decision.chosen, decision.question, *decision.alternatives, decision.reasoning))


def _of_retrospective(said: Retrospective) -> Iterator[str]:
    yield from filter(None, (said.summary, said.approach))
    yield from (*said.challenges, *said.learnings, *said.suggestions)


def _of_event(event: AnyEvent) -> Iterator[tuple[str, str]]:
    match event:
        case Prompt():
            yield "prompt", event.content
        case Message() | PeerMessage() | Remark():
            yield "message", event.content
        case Thinking():
            if event.seal is None and event.payload is None:
                yield "thinking", event.content
        case Decided():
            yield from (("decision", text) for text in _of_decision(event.decision))
        case Reflected():
            yield from (("retrospective", text) for text in _of_retrospective(event.retrospective))
        case ToolCall():
            yield from _of_call(event)
        case ToolResult():
            yield "output", event.content
    yield from (("file", file.path) for file in event.files)


def _of_call(call: ToolCall) -> Iterator[tuple[str, str]]:
    yield "tool", call.name
    arguments = call.arguments
    if isinstance(arguments, str) and not call.files:  # where it writes files, it is what they hold
        yield "tool", arguments
    if isinstance(arguments, dict):
        for key in _TOLD:
            told = arguments.get(key)
            yield "tool", " ".join(map(str, told)) if isinstance(told, list) else str(told or "")
        for key in _PLACES:
            if isinstance(place := arguments.get(key), str):
                yield "file", place
