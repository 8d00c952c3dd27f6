"""Events in the terminal: chapter by chapter, or all in chronological order."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from gittraj.model.header import Header
from gittraj.model.words import left_out, one_line
from gittraj.render.events import (
    Detail,
    Event,
    between,
    describe_call,
    describe_event,
    describe_result,
    failed,
    is_shown,
    thinking_note,
)
from gittraj.render.text.log import ago, render_header, render_title
from gittraj.render.text.terminal import Page, cut, escape, escape_line, width, wrap

_STEP = 2  # columns by which a chapter's content is indented
_MESSAGE, _RESULT = 12, 2  # lines of a message, and of a result, that are shown unless all are requested
_NAME = 30  # columns of a tool's name
_KIND = 10  # columns of an event's kind, in a timeline
_ICONS = {"prompt": "●", "message": "○", "decision": "◆", "retrospective": "◆", "chapter": "■"}
_ERROR = re.compile(r"(?:\b|[a-z])(?:[Ee]rror|ERROR|FAILED|[Ff]atal|[Ee]xception|panicked)\b.*\S")
_NAMES = {
    "prompt": "asked",
    "message": "said",
    "message_sent": "to another agent",
    "message_received": "from another agent",
    "tool_result": "result",
    "decision": "decided",
    "retrospective": "looking back",
}


def render_commit(
    entry: Header | None, trajectories: Sequence[Header], page: Page, now: datetime, *, detail: Detail
) -> Iterator[str]:
    """Yield the output of ``git traj show``: the commit (None: a trajectory alone), and all trajectories."""
    if entry is not None:
        yield render_title(entry, page, now) + "\n"
    for number, header in enumerate(trajectories):
        yield "\n" * bool(entry or number) + "\n".join(_head(header, page, now)) + "\n"
        for chapter in header["chapters"]:
            if lines := _chapter(chapter, page, detail, first_prompt=one_line(header["prompt"] or "")):
                yield "\n".join(["", *lines]) + "\n"
        outputs, note = left_out(header), thinking_note(header) if detail.thinking else None
        notes = filter(None, (note, outputs and f"left out: {outputs}"))
        yield from ("\n" + page.paint(text, "dim") + "\n" for text in notes)
    for number, hint in enumerate(_hints(entry, trajectories, detail)):
        yield "\n" * (not number) + "\n".join(page.block(hint, "dim")) + "\n"


def _hints(entry: Header | None, trajectories: Sequence[Header], detail: Detail) -> Iterator[str]:
    if entry is not None and any(d["id"] for header in trajectories for d in header["decisions"]):
        yield f"to mark an inferred decision as wrong: git traj strike {entry['short']} ID"
    sealed = [header["id"] for header in trajectories if header["thinking"] == "sealed"]
    if sealed and not detail.thinking:
        name = entry["short"] if entry else escape_line(sealed[0])
        yield f"sealed thinking, opened with your key: git traj show {name} --show-thinking"


def _head(header: Header, page: Page, now: datetime) -> Iterator[str]:
    """The lines about a trajectory above its events. A title that is only the prompt is left out."""
    if not header["prompt"] or one_line(header["title"] or "") != one_line(header["prompt"]):
        yield from page.block(escape_line(header["title"] or "(untitled)"), "bold")
    about = (header["id"], ago(header["startedAt"], now), header["status"])
    yield from page.block(escape_line(" · ".join(filter(None, about))), "dim")
    yield from (*render_header(header, page, brief=False), *_missing(header, page))


def render_timeline(trajectories: Sequence[Header], page: Page, *, detail: Detail) -> Iterator[str]:
    """Yield one line per event of all trajectories, in chronological order; an event without a time stays
    after the one before it."""
    rows = sorted(_timed(trajectories), key=lambda row: row[0])
    agents = {escape_line(agent) for *_, agent in rows}
    wide = max(map(width, agents), default=0) if len(agents) > 1 else 0
    day = None
    for time, event, agent in (row for row in rows if is_shown(row[1], detail)):
        if time[:10] != day:
            day = time[:10]
            yield page.paint(escape_line(day) or "time unknown", "yellow") + "\n"
        who = escape_line(agent)
        lead = f"{escape_line(time[11:19]) or ' ' * 8}  " + f"{who}{' ' * (wide - width(who))}  " * bool(wide)
        styles = ["red"] * failed(event) or ["bold"] * (event["type"] == "prompt")
        text = cut(_on_one_line(event), page.room(width(lead)))
        yield page.paint(lead, "dim") + page.paint(text, *styles) + "\n"


def _timed(trajectories: Sequence[Header]) -> Iterator[tuple[str, Event, str]]:
    """Yield each event with its time, or that of the event before it, and its agent."""
    for header in trajectories:
        time = ""
        for chapter in header["chapters"]:
            for event in chapter["events"]:
                time = event["ts"] or time
                yield time, event, chapter["agentName"] or ""


def _missing(header: Header, page: Page) -> list[str]:
    """A hint at how to get the events, if only a remote has the record."""
    if remote := header.get("remote"):
        where = f"git fetch brings the record, not its events: git traj fetch {remote}"
        return page.block(escape_line(where), "dim", indent=2)
    return []


def _chapter(chapter: Header, page: Page, detail: Detail, *, first_prompt: str) -> list[str]:
    """The lines of a chapter, below its prompt or title; empty without an event to show."""
    events = [e for e in chapter["events"] if is_shown(e, detail)]
    if not events:
        return []
    prompt = events.pop(0) if events[0]["type"] == "prompt" else None
    lines = _chapter_heading(chapter, prompt, page, detail, first_prompt)
    title = ("chapter", one_line(chapter["title"] or ""))
    events = [e for e in events if (e["type"], one_line(e["content"])) != title]  # which is the heading
    is_message = True
    for event in _under_their_calls(events):
        was_message, is_message = is_message, event["type"] == "message"
        lines += [*([""] if was_message or is_message else []), *_event(event, page, detail)]
    return lines


def _chapter_heading(
    chapter: Header, prompt: Event | None, page: Page, detail: Detail, first_prompt: str
) -> list[str]:
    """The chapter's prompt, or without one its title; the ``first_prompt`` is already shown above."""
    heading = escape(prompt["content"].strip()) if prompt else escape_line(chapter["title"])
    if prompt and one_line(heading) == first_prompt:
        return page.block("as asked above", "dim", indent=_STEP, label="» ")
    most = None if detail.everything else _MESSAGE
    return page.block(heading, "bold", indent=_STEP, label="» ", lines=most)


def _under_their_calls(events: Sequence[Event]) -> list[Event]:
    """Put each result after its call: in a log, calls made at once come before all of their results."""
    times = Counter(map(_call_made, events))
    results: dict[str, list[Event]] = {call: [] for call, number in times.items() if call and number == 1}
    others = list[Event]()
    for event in events:
        results.get(_call_answered(event), others).append(event)
    return [each for event in others for each in (event, *results.get(_call_made(event), ()))]


def _call_made(event: Event) -> str:
    return (event["type"] == "tool_call" and event["tool"]["callId"]) or ""


def _call_answered(event: Event) -> str:
    return (event["type"] == "tool_result" and event["result"]["callId"]) or ""


def _event(event: Event, page: Page, detail: Detail) -> list[str]:
    most = None if detail.everything else _MESSAGE
    text = escape(event["content"].strip())
    match event["type"]:
        case "tool_call":
            name, about = describe_call(event)
            label = f"{' ' * _STEP}→ {cut(escape_line(name), _NAME)} "
            lines = page.block(escape(about.strip()), indent=width(label), label=label, lines=most and 1)
            return [*lines, *(_arguments(event, about, page) if detail.everything else ())]
        case "tool_result":
            return _result(event, text, page, detail)
        case "message":
            return page.block(text, indent=_STEP, lines=most)
        case "prompt":
            return page.block(text, "bold", indent=_STEP, lines=most)
        case "thinking":
            return [
                f"{' ' * _STEP}{page.paint('thinking:', 'cyan')}",
                *page.block(text, "dim", indent=2 * _STEP, lines=most),
            ]
        case _:
            label = f"{' ' * _STEP}{escape_line(_name(event))}: "
            styles = ["red"] if failed(event) else []
            content = escape_line(describe_event(event))
            return page.block(content, *styles, indent=width(label), label=label, lines=most)


def _arguments(event: Event, about: str, page: Page) -> Iterator[str]:
    """All arguments of a call, except ``about``, which is shown already."""
    arguments = event["tool"]["arguments"]
    for name, value in arguments.items() if isinstance(arguments, dict) else [("", arguments or "")]:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if text and text != about:
            label = f"{escape_line(name)}: " if name else ""
            yield from page.block(escape(label + text), "dim", indent=2 * _STEP)


def _name(event: Event) -> str:
    ended = "abandoned" if "abandoned" in event.get("tags", ()) else None
    return between(event) or ended or _NAMES.get(event["type"]) or str(event["type"])


def _result(event: Event, text: str, page: Page, detail: Detail) -> list[str]:
    """The end of the result, dimmed; of an error, in red, also the first line that names an error."""
    bad = failed(event)
    rows = [row for row in wrap(text, page.room(2 * _STEP)) if row]
    summary = describe_result(event) if bad else ""
    if not detail.everything and len(rows) > _RESULT:
        end = rows[-_RESULT:]
        cause = next(filter(_ERROR.search, rows), end[0]) if bad else end[0]
        rows, summary = end if cause in end else [cause, *end[1:]], f"{summary} …"
    return [f"{' ' * 2 * _STEP}{page.paint(row, 'red' if bad else 'dim')}" for row in (summary, *rows) if row]


def _on_one_line(event: Event) -> str:
    """An event's icon, its kind and its text, in the same columns for all events."""
    icon = "✗" if failed(event) else _ICONS.get(event["type"], "·")
    name, text = _name(event), describe_event(event)
    if event["type"] == "tool_call":
        name, text = describe_call(event)
    short = cut(escape_line(name), _KIND)
    return f"{icon} {short}{' ' * (_KIND - width(short))}  {escape_line(text)}".rstrip()
