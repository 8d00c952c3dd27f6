"""A trajectory as a Markdown page for people: a file, a wiki, a pull request.

What agents, users and committers wrote goes through ``inert``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from gittraj.model.header import Header
from gittraj.model.sides import sides
from gittraj.model.words import edited, model_of, sure, unmarked
from gittraj.render.events import (
    Detail,
    Event,
    between,
    describe_call,
    describe_event,
    describe_result,
    is_shown,
    thinking_note,
)
from gittraj.render.inert import code, details, fence, quote, words
from gittraj.render.properties import account, properties
from gittraj.render.text import terminal

_CALLS = 3  # the maximum number of successive calls that are not folded
_RESULT, _CALL = 20, 200  # lines of a result and columns of a call, unless everything is requested


def render_markdown(entry: Header | None, trajectories: Sequence[Header], *, detail: Detail) -> Iterator[str]:
    """Yield the page about a commit (None: a trajectory on its own) and its trajectories, by section."""
    if entry is not None:
        yield f"# {words(entry['subject'])}\n"
        yield f"\nCommit {code(entry['commit'])} by {words(entry['author']['name'])}, {entry['date'][:10]}\n"
    for header in trajectories:
        depth = "##" if entry else "#"
        yield f"\n{depth} {words(header['title'] or 'Untitled')}\n"
        for title, body in _sections(header, detail):
            heading = f"\n{depth}# {title}\n" if title else ""
            yield f"{heading}\n{body}\n"
    if entry is not None:
        yield from _unrecorded_files(entry, trajectories)


def _unrecorded_files(entry: Header, trajectories: Sequence[Header]) -> Iterator[str]:
    edited = {file["path"] for header in trajectories for file in header["filesChanged"]}
    if others := [path for path in entry.get("files", ()) if path not in edited]:
        yield "\n## Files without a recorded edit\n\nA command may have written them: "
        yield ", ".join(map(code, others)) + "\n"


def _sections(header: Header, detail: Detail) -> Iterator[tuple[str, str]]:
    """Yield titles and texts: a section without a title continues the one before it."""
    rows = [f"| {name} | {words(value)} |" for name, value in properties(header)]
    yield "", "\n".join(["| | |", "| --- | --- |", *rows])
    for title, text in account(header):
        by = model_of(header["summaryBy"]) if title == "Summary" else None
        yield title, quote(text) + (f"\n\nby the model {words(by)}" if by else "")
    lists: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
        ("Decisions", "decisions", _decisions),
        ("Doubts", "caveats", lambda doubts: "\n".join(f"- {words(unmarked(doubt))}" for doubt in doubts)),
        ("Files", "filesChanged", lambda files: "\n".join(map(_file, files))),
        ("Looking back", "retrospective", _retrospective),
    )
    yield from ((title, spell(header[key])) for title, key, spell in lists if header[key])
    yield from _chapters(header, detail)
    if detail.thinking and (note := thinking_note(header)):
        yield "", note


def _chapters(header: Header, detail: Detail) -> Iterator[tuple[str, str]]:
    for number, chapter in enumerate(header["chapters"], 1):
        if body := _chapter([e for e in chapter["events"] if is_shown(e, detail)], detail):
            yield f"{number}. {words(chapter['title'])}", body


def _decisions(decisions: Sequence[Header]) -> str:
    rows = ["| Chose | Rejected | Why | By |", "| --- | --- | --- | --- |"]
    for decision in decisions:
        by = ", ".join(filter(None, (decision["by"], sure(decision["confidence"]))))
        chosen, others = sides(decision)
        cells = (chosen, "; ".join(others), decision["reasoning"] or "", by)
        rows.append(f"| {' | '.join(map(words, cells))} |")
    return "\n".join(rows)


def _file(file: Header) -> str:
    return f"- {code(file['path'])} ({file['kind']}, {edited(file)})"


def _retrospective(retrospective: Header) -> str:
    parts = [quote(retrospective[key]) for key in ("summary", "approach") if retrospective[key]]
    for key in ("challenges", "learnings", "suggestions"):
        if retrospective[key]:
            parts.append(
                f"{key.capitalize()}:\n\n" + "\n".join(f"- {words(item)}" for item in retrospective[key])
            )
    return "\n\n".join(parts)


def _chapter(events: Sequence[Event], detail: Detail) -> str:
    """The events as paragraphs; successive calls are one list, folded if it is long."""
    parts = []
    for working, group in groupby(events, key=lambda event: event["type"] in ("tool_call", "tool_result")):
        run = list(group)
        names = Counter(describe_call(event)[0] for event in run if event["type"] == "tool_call")
        body = _run(run, detail)
        if working and names.total() > _CALLS:
            several = ", ".join(f"{name} ×{n}" if n > 1 else name for name, n in names.most_common(_CALLS))
            body = details(f"{names.total()} calls: {several}", body)
        parts.append(body)
    return "\n\n".join(parts)


def _run(events: Sequence[Event], detail: Detail) -> str:
    text, before = "", ""
    for event in events:
        calls = before == event["type"] == "tool_call"
        text += ("\n" if calls else "\n\n") + _event(event, detail)
        before = event["type"]
    return text.strip("\n")


def _event(event: Event, detail: Detail) -> str:
    match event["type"]:
        case "prompt":
            return f"**Asked**\n\n{quote(event['content'])}"
        case "message":
            return quote(event["content"])
        case "tool_call":
            name, about = describe_call(event)
            about = terminal.cut(terminal.escape_line(about), None if detail.everything else _CALL)
            return f"- {code(name)} {code(about, cell=False)}"
        case "tool_result":
            lines = event["content"].strip().split("\n")
            shown = lines if detail.everything or len(lines) <= _RESULT else ["…", *lines[-_RESULT:]]
            return details(describe_result(event) or "result", fence("\n".join(shown)))
        case kind:
            return f"**{words(between(event) or kind)}**: {words(describe_event(event))}"
