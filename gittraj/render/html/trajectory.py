"""Renders one trajectory on a page: its properties, its record, then its events by chapter."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from gittraj.model.header import Header
from gittraj.model.words import count, duration, edited, model_of, unmarked
from gittraj.model.words_of_tests import is_bad
from gittraj.render.events import Detail, failed, pair_results
from gittraj.render.html.events import Ids, in_utc, render_decision, render_events
from gittraj.render.html.markup import Html, Links, join, line, tag
from gittraj.render.html.prose import prose
from gittraj.render.properties import account, properties

_OPEN = 60  # events that are shown unfolded; with more, the chapters are folded
_TITLE = 90  # characters
_KINDS = {"Asked": "asked", "Why": "why", "Result": "result"}
_STATUS = {"completed": "good", "abandoned": "doubt", "failed": "bad"}
_RETROSPECTIVE = (
    ("summary", "Overall"),
    ("approach", "Approach"),
    ("challenges", "Challenges"),
    ("learnings", "Learned"),
    ("suggestions", "Suggested next"),
)
Section = tuple[Html, Html]
"""A section of a page, and its entries in the table of contents."""


def render_trajectory(header: Header, links: Links, ids: Ids, *, detail: Detail, level: int) -> Section:
    """The whole section; ``level`` is that of its heading, which is left out if it repeats the prompt."""
    name = ids.choose(header["id"], "t")
    title = header["title"] or header["prompt"] or "Untitled"
    heading = ""
    if level > 1 and not _repeats(header):
        heading = tag(f"h{level}", line(title, 200), class_="title")
    elif level > 1:
        level -= 1  # what follows belongs to the heading above
    record, contents = render_record(header, links, ids, level=level + 1)
    events, chapters = _events(header, ids, detail=detail, level=level + 1)
    listed = tag("li", tag("a", line(title, 60), href=f"#{name}"), tag("ol", contents, chapters))
    return tag("article", heading, record, events, class_="trajectory", id=name), listed


def render_record(header: Header, links: Links, ids: Ids, *, level: int) -> Section:
    """The section made from the trajectory's records alone, without its events."""
    sections, contents = [tag("dl", *_properties(header, links), class_="properties")], []
    for label, kind, body in _sections(header, links):
        name = ids.choose(f"{header['id']}-{kind}", "s")
        sections.append(tag("section", tag(f"h{level}", label), body, class_=kind, id=name))
        contents.append(_entry(name, label))
    return join(sections), join(contents)


def _events(header: Header, ids: Ids, *, detail: Detail, level: int) -> Section:
    chapters = list(_chapters(header, ids, detail=detail, level=level))
    if not chapters:
        return tag("p", _without_events(header), class_="muted"), join([])
    name = ids.choose(f"{header['id']}-events", "s")
    heading = tag(f"h{level}", "What happened")
    inner = [_entry(at, label, class_="step") for at, label, _ in chapters]
    listed = tag("li", tag("a", "What happened", href=f"#{name}"), tag("ol", *inner))
    bodies = (body for _, _, body in chapters)
    return tag("section", heading, *bodies, class_="happened", id=name), listed


def _entry(name: str, label: str, class_: str | None = None) -> Html:
    return tag("li", tag("a", line(label, 60), href=f"#{name}"), class_=class_)


def _repeats(header: Header) -> bool:
    """Whether the title is only the beginning of the prompt, which is shown below it."""
    title, prompt = (" ".join((header[key] or "").split()).rstrip("….") for key in ("title", "prompt"))
    return prompt.startswith(title)


def _without_events(header: Header) -> str:
    if header["incomplete"]:
        return "No log of this session was read: only the link is known."
    return "No events: they are not in this clone, or none were chosen. The text above is from the record."


# ---------------------------------------------------------------- properties


def _properties(header: Header, links: Links) -> Iterator[Html]:
    for name, value in properties(header):
        yield tag("div", tag("dt", name), tag("dd", _render_property(name, value, header, links)))


def _render_property(name: str, value: str, header: Header, links: Links) -> Html:
    match name:
        case "Status":
            return tag("span", line(value), class_=f"chip {_STATUS.get(value, '')}".rstrip())
        case "Tags":
            return join(tag("span", line(each), class_="chip") for each in header["tags"])
        case "When":
            return tag("time", value, datetime=header["part"]["startedAt"])
        case "Confidence":
            sign = tag(
                "meter", min="0", max="1", value=f"{header['confidence']:.2f}", aria_label="Confidence"
            )
            return join([sign, " ", value])
        case "Tests":
            bad, good = is_bad(header["tests"]), header["tests"]["outcome"] == "passed"
            return tag("span", value, class_="bad" if bad else "good" if good else "muted")
        case "Id":
            return links.trajectory(value)
        case _:
            return line(value)


# ---------------------------------------------------------------- record


def _sections(header: Header, links: Links) -> Iterator[tuple[str, str, Html]]:
    """Yield headings, kinds and bodies, the most useful first."""
    for title, text in account(header):
        yield title, _KINDS.get(title, "said"), _account(title, text, model_of(header["summaryBy"]))
    if header["decisions"]:
        yield "Decisions", "decisions", tag("div", *map(render_decision, header["decisions"]), class_="cards")
    if header["caveats"]:
        yield (
            "Doubts",
            "doubts",
            tag("ul", *(tag("li", line(unmarked(doubt))) for doubt in header["caveats"])),
        )
    if back := header["retrospective"]:
        yield "Looking back", "back", tag("dl", *_looking_back(back))
    if header["filesChanged"]:
        number = len(header["filesChanged"])
        files = tag("ul", *(_file(file, links) for file in header["filesChanged"]))
        listed = tag("details", tag("summary", count(number, "file")), files) if number > 12 else files
        yield "Files", "files", listed


def _account(title: str, text: str, model: str | None) -> Html:
    match title:
        case "Asked":
            return tag("blockquote", prose(text))
        case "Why":
            return tag("div", tag("div", prose(text), class_="prose"), class_="callout")
        case "Result":
            return tag("p", line(text))
        case _:
            note = tag("p", line(f"by the model {model}"), class_="muted") if model else ""
            return tag("div", prose(text), note, class_="prose")


def _looking_back(back: Header) -> Iterator[Html]:
    for key, label in _RETROSPECTIVE:
        value = back[key]
        if not value:
            continue
        shown = (
            prose(value) if isinstance(value, str) else tag("ul", *(tag("li", line(each)) for each in value))
        )
        yield tag("div", tag("dt", label), tag("dd", shown))


def _file(file: Header, links: Links) -> Html:
    # without edits, only the reverts are shown: "1 revert", not "0 edits, 1 revert"
    edits = edited(file) if file["edits"] else edited(file).partition(", ")[2]
    kind = tag("span", file["kind"][:1].upper(), class_=f"kind {file['kind']}", title=file["kind"])
    return tag("li", kind, " ", links.file(file["path"]), " ", tag("span", edits, class_="muted"))


# ---------------------------------------------------------------- chapters


def _chapters(header: Header, ids: Ids, *, detail: Detail, level: int) -> Iterator[tuple[str, str, Html]]:
    """Yield each chapter's id, title and body, folded if there are many events."""
    events = list(chain.from_iterable(chapter["events"] for chapter in header["chapters"]))
    results = pair_results(events)
    few = len(events) <= _OPEN or len(header["chapters"]) == 1
    for number, chapter in enumerate(header["chapters"], 1):
        body = render_events(chapter["events"], results, ids=ids, detail=detail, readers=header["readers"])
        own = ids.choose(f"{header['id']}-{number}", "c")
        title = chapter["title"] or "Untitled"
        heading = tag(f"h{level + 1}", tag("span", f"{number}", class_="number"), " ", line(title, _TITLE))
        about = tag("span", *_about(chapter), class_="muted about")
        yield (
            own,
            title,
            tag("details", tag("summary", heading, about), body, class_="chapter", id=own, open=few),
        )


def _about(chapter: Header) -> Iterator[str]:
    first, last = in_utc(chapter["startedAt"]), in_utc(chapter["endedAt"])
    calls = sum(event["type"] == "tool_call" for event in chapter["events"])
    bad = sum(map(failed, chapter["events"]))
    facts = [
        first.strftime("%m-%d %H:%M") if first else None,
        duration((last - first).total_seconds()) if first and last else None,
        count(calls, "call") if calls else None,
    ]
    yield " · ".join(filter(None, facts))
    if bad:
        yield tag("span", f" · {bad} failed", class_="bad")
