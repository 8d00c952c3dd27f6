"""Renders events as rows of a page: prompts and messages in full, a call folded together with its result and
with the lines that it removed and added, which are read from its arguments alone.

Thinking is shown if ``Detail`` includes it and it can be read; otherwise a row says that there was some.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from gittraj.frozen import dataclass
from gittraj.model.sides import sides
from gittraj.model.times import parse_time
from gittraj.model.words import count, duration, model_of, sure
from gittraj.query.why.changes import Row, compare_lines, is_long
from gittraj.query.why.written import Hunk, read_hunks
from gittraj.render.events import (
    Detail,
    Event,
    between,
    describe_call,
    describe_event,
    describe_result,
    failed,
)
from gittraj.render.html.markup import Html, anchor, join, line, tag, text
from gittraj.render.html.prose import code, prose

_MOST = 400  # lines of one change that are shown


def find_change(event: Event) -> list[Row]:
    """The lines that a call changed; empty if its arguments do not show them."""
    paths = [file["path"] for file in event.get("files", ())]
    if not paths:
        return []
    hunks, _ = read_hunks(event["tool"]["arguments"], paths)
    return [row for hunk in hunks for row in (_list if is_long(hunk) else compare_lines)(hunk)]


def _list(hunk: Hunk) -> Iterator[Row]:
    """All lines of both sides of a long hunk: ``compare_lines`` would leave out lines that only moved."""
    old, new = hunk
    return chain((("-", line) for line in old), (("+", line) for line in new))


def count_change(rows: Sequence[Row]) -> tuple[int, int]:
    """How many lines were added, and removed."""
    marks = [mark for mark, _ in rows]
    return marks.count("+"), marks.count("-")


def render_change(rows: Sequence[Row]) -> Html:
    """The changed lines, each after ``+`` or ``-``, for readers who do not see colours."""
    lines = [
        tag("span", f"{mark} ", text(content), "\n", class_=_CLASSES[mark]) for mark, content in rows[:_MOST]
    ]
    more = len(rows) - len(lines)
    note = tag("p", f"and {more:,} lines more", class_="muted") if more else ""
    return join([tag("pre", tag("code", *lines), class_="change"), note])


_CLASSES = {"+": "came", "-": "went", " ": "stayed"}
NAMES = {
    "prompt": "Asked",
    "message": "Said",
    "thinking": "Thinking",
    "message_sent": "To another agent",
    "message_received": "From another agent",
    "decision": "Decided",
    "retrospective": "Looking back",
}
KINDS = {
    "prompt": "asked",
    "message": "said",
    "tool_call": "tools",
    "tool_result": "tools",
    "decision": "decided",
}
"""The filters of a page; every other type of event is ``more``."""
_AUTHORS = {
    "agent": "stated by the agent",
    "human": "stated by a person",
    "inferred": "inferred from the log",
}
_ABOUT = 160  # characters of a call's description
_FOLDED = 12  # lines from which messages between agents are folded


@dataclass(slots=True)
class Ids:
    """Chooses the ids of a page's elements: an id that is used already gets a number."""

    used: dict[str, int] = field(default_factory=dict)

    def choose(self, name: str, kind: str = "e") -> str:
        id_ = anchor(name, kind)
        number = self.used[id_] = self.used.get(id_, 0) + 1
        return id_ if number == 1 else self.choose(f"{name}-{number}", kind)


def render_events(
    events: Sequence[Event], results: Mapping[str, Event], *, ids: Ids, detail: Detail, readers: int | None
) -> Html:
    """The rows of ``events``. A result is shown with its call; ``results`` maps a call's id to its result."""
    calls = {e["tool"]["callId"] for e in events if "tool" in e and e["tool"]["callId"]}
    rows = []
    for event in events:
        if event["type"] == "tool_result" and event["result"]["callId"] in calls:
            continue
        result = results.get(event["tool"]["callId"]) if "tool" in event else None
        if shown := _render(event, result, detail, readers):
            kind = KINDS.get(event["type"], "more")
            bad = any(map(failed, filter(None, (event, result))))
            rows.append(_row(event, shown, ids.choose(event["id"]), kind=kind, bad=bad))
    return tag("ol", *rows, class_="events")


def _row(event: Event, shown: Html, name: str, *, kind: str, bad: bool) -> Html:
    time = render_clock(event["ts"]) or tag("span", "#")
    link = tag(
        "a", time, tag("span", ", a link to this event", class_="spoken"), href=f"#{name}", class_="when"
    )
    known = event["type"] if event["type"] in NAMES or event["type"] in KINDS else "other"
    classes = f"event {known}{' bad' if bad else ''}"
    return tag("li", link, tag("div", shown, class_="body"), class_=classes, id=name, data_kind=kind)


def _render(event: Event, result: Event | None, detail: Detail, readers: int | None) -> Html | None:
    match event["type"]:
        case "prompt":
            return join([_label(event), tag("div", prose(event["content"]), class_="prose")])
        case "message":
            return tag("div", prose(event["content"]), class_="prose") if event["content"].strip() else None
        case "thinking":
            return _thinking(event, detail, readers)
        case "tool_call":
            return _call(event, result)
        case "tool_result":
            return _fold(tag("span", "Result", class_="name"), _outcome(event), _result(event))
        case "decision" if event.get("decision"):
            return render_decision(event["decision"])
        case "message_sent" | "message_received" if event["content"].count("\n") >= _FOLDED:
            return _fold(_label(event), line(event["content"], _ABOUT), prose(event["content"]))
        case "compaction" | "checkpoint":
            return _fold(_label(event), line(describe_event(event), _ABOUT), code(describe_event(event)))
        case _:
            return join([_label(event), tag("div", prose(describe_event(event)), class_="prose")])


def _label(event: Event) -> Html:
    name = NAMES.get(event["type"]) or event["type"].replace("_", " ").capitalize()
    if ends := between(event):
        name = ends[:1].upper() + ends[1:] if ends.startswith("from ") else ends
    return tag("p", line(name), class_="label")


def _thinking(event: Event, detail: Detail, readers: int | None) -> Html | None:
    if "sealed" in event:
        reason = f"sealed for {count(readers, 'reader')}" if readers else "sealed"
    elif not event["content"].strip():
        return None
    elif detail.thinking:
        return join([_label(event), tag("div", prose(event["content"]), class_="prose")])
    else:
        reason = "not shown on this page"
    return tag("p", tag("span", "Thinking", class_="label"), f" {reason}", class_="closed")


# ---------------------------------------------------------------- calls


def _call(event: Event, result: Event | None) -> Html:
    name, about = describe_call(event)
    rows = find_change(event)
    came, went = count_change(rows)
    summary = [
        tag("span", line(name, 40), class_="name"),
        tag("code", line(about, _ABOUT), class_="about") if about.strip() else "",
        tag("span", f"+{came}", class_="came") if came else "",
        tag("span", f"−{went}", class_="went") if went else "",
        _outcome(result) if result else "",
        _last_line(result) if result and failed(result) else "",
    ]
    body = [render_change(rows) if rows else _arguments(event), _result(result) if result else ""]
    return _fold(*summary, join(body))


def _fold(*parts: str) -> Html:
    """A folded element: all ``parts`` except the last stay visible."""
    *summary, body = parts
    return tag("details", tag("summary", *summary), tag("div", body, class_="inside"))


def _outcome(result: Event) -> Html:
    bad = failed(result)
    outcome = describe_result(result) if bad else "shortened" if result["result"]["truncated"] else ""
    seconds = (result.get("durationMs") or 0) / 1000
    parts = [tag("span", outcome, class_="outcome bad" if bad else "outcome")] if outcome else []
    parts += [tag("span", duration(seconds) or "", class_="outcome")] if seconds >= 1 else []
    return join(parts)


def _last_line(result: Event) -> Html:
    """The last line of an error, which usually has the cause."""
    lines = [each for each in result["content"].split("\n") if each.strip()]
    return tag("span", line(lines[-1], _ABOUT), class_="last") if lines else tag("span")


def _result(result: Event) -> Html:
    content = result["content"].strip("\n")
    shown = [code(content)] if content.strip() else [tag("p", "It printed nothing.", class_="muted")]
    if artifact := result.get("artifact"):
        described = f"{artifact.get('mediaType')}, {artifact.get('bytes') or 0:,} bytes: not stored"
        shown.append(tag("p", line(described), class_="muted"))
    return tag("div", *shown, class_="result bad" if failed(result) else "result")


def _arguments(event: Event) -> Html:
    """A call's arguments: the command, if there is one, and the others by name."""
    arguments = event["tool"]["arguments"]
    if not arguments:
        return join([])
    if not isinstance(arguments, dict):
        return code(_spell(arguments))
    command = next((key for key in ("command", "cmd") if isinstance(arguments.get(key), str)), None)
    parts = [tag("div", code(arguments[command]), class_="command")] if command else []
    others = [(key, value) for key, value in arguments.items() if key != command]
    rows = [tag("div", tag("dt", line(key, 60)), tag("dd", _value(value))) for key, value in others]
    return join([*parts, *([tag("dl", *rows, class_="arguments")] if rows else [])])


def _value(value: Any) -> Html:
    spelled = _spell(value)
    return code(spelled) if "\n" in spelled or len(spelled) > 2 * _ABOUT else tag("code", text(spelled))


def _spell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


# ---------------------------------------------------------------- decisions


def render_decision(decision: Mapping[str, Any]) -> Html:
    """A decision: the choice, the alternatives, the reason, the author, and how sure the author was."""
    facts = [_by(str(decision.get("by") or "")), sure(decision.get("confidence"))]
    small = " · ".join(filter(None, facts))
    note = tag("p", line(small), class_="muted") if small else ""
    return tag("div", *_decided(decision), note, class_="decision")


def _decided(decision: Mapping[str, Any]) -> Iterator[Html]:
    if decision.get("question"):
        yield tag("p", line(decision["question"]), class_="question")
    chosen, others = sides(decision)
    for label, body in (
        ("Chose", tag("strong", line(chosen)) if chosen else ""),
        ("Over" if chosen else "Rejected", join(tag("span", line(each), class_="other") for each in others)),
        ("Why", line(decision.get("reasoning") or "")),
    ):
        if body:
            yield tag("div", tag("span", label, class_="label"), tag("span", body), class_="row")


def _by(by: str) -> str:
    model = model_of(by)
    return _AUTHORS.get(by) or (f"inferred by the model {model}" if model else f"by {by}" if by else "")


def in_utc(ts: str | None) -> datetime | None:
    """The time in UTC; None if it is missing, or if no date represents it."""
    try:
        moment = parse_time(ts)
        return moment.astimezone(UTC) if moment else None
    except OverflowError:  # within hours of the first or last representable date
        return None


def render_clock(ts: str | None) -> Html | None:
    """The time of day of ``ts``, in UTC; None if it cannot be shown."""
    moment = in_utc(ts)
    return tag("time", moment.strftime("%H:%M:%S"), datetime=ts) if moment else None
