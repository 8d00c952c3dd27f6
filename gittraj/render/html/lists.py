"""The pages of a site that lead to others: commits, trajectories, files, one trajectory's events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from gittraj.model.words import Header, count, duration, money, sure
from gittraj.render.events import call_in_words, in_words
from gittraj.render.html.clock import in_utc, render_clock
from gittraj.render.html.document import wrap
from gittraj.render.html.events import Ids
from gittraj.render.html.links import Place
from gittraj.render.html.markup import Html, anchor, join, line, one_line, tag
from gittraj.render.html.prose import plain
from gittraj.render.html.trajectory import render_known

_NAMES = {"prompt": "asked", "message": "said", "message_sent": "sent", "message_received": "received"}
_TOLD = 200  # characters of what an event says


@dataclass(frozen=True, slots=True)
class Line:
    """An event in a line; ``link`` is the id of its element on the commit's page."""

    ts: str | None
    name: str
    told: str
    link: str


def tell_lines(told: Header) -> Iterator[Line]:
    """The events of a trajectory on one commit; a result is part of its call there, thinking is left out."""
    for event in chain.from_iterable(chapter["events"] for chapter in told["chapters"]):
        name, said = _NAMES.get(event["type"], event["type"]), in_words(event)
        if event["type"] in ("tool_result", "thinking") or not (said.strip() or "tool" in event):
            continue
        if "tool" in event:
            name, said = call_in_words(event)
        yield Line(event["ts"], name, one_line(plain(said[: 8 * _TOLD]), _TOLD), anchor(event["id"]))


def render_commits(entries: Sequence[Header], place: Place) -> str:
    """The first page: commits newest first, and a search over all that they say."""
    agents = dict.fromkeys(t["agent"] for entry in entries for t in entry["trajectories"] if t["agent"])
    lead = " · ".join([count(len(entries), "commit"), *agents])
    main = [
        tag("h1", line(place.title or "")),
        tag("p", line(f"Why these changes were made: {lead}"), class_="lead"),
        _field("Search what was asked, said and decided", id="search"),
        tag("ol", id="results", class_="rows", hidden=True),
        tag("ol", *(render_row(entry, place) for entry in entries), class_="rows", id="all"),
        tag("script", src=f"{place.root}data.js", defer=True),
    ]
    return wrap("Commits", join(main), None, place=place)


def render_row(entry: Header, place: Place) -> Html:
    """A commit in a list: what, when, by whom, and why."""
    told = entry["trajectories"]
    said = next((t["summary"] or t["prompt"] for t in told if t["summary"] or t["prompt"]), None)
    small = [f" · {entry['date'][:10]} · ", line(entry["author"]["name"])]
    for header in told:
        part = header["part"]
        decided = count(len(header["decisions"]), "decision") if header["decisions"] else None
        doubted = count(len(header["caveats"]), "doubt") if header["caveats"] else None
        facts = [header["agent"], duration(part["durationSeconds"]), money(part), sure(header["confidence"])]
        small += [" · ", line(" · ".join(filter(None, (*facts, decided, doubted))))]
    return tag(
        "li",
        tag("p", place.commit(entry["commit"], entry["subject"]), class_="title"),
        tag("p", tag("code", entry["short"]), *small, class_="muted"),
        tag("p", line(plain(said), 400), class_="said") if said else "",
    )


def render_trajectories(headers: Sequence[tuple[Header, int]], place: Place) -> str:
    """All trajectories with the number of their commits here, newest first."""
    rows = []
    for told, commits in headers:
        title = told["title"] or told["prompt"] or "Untitled"
        facts = [(told["startedAt"] or "")[:10], told["agent"], told["status"], count(commits, "commit")]
        rows.append(
            tag(
                "li",
                tag("p", place.trajectory(told["id"], title), class_="title"),
                tag("p", line(" · ".join(filter(None, facts))), class_="muted"),
            )
        )
    main = [
        tag("h1", "Trajectories"),
        _field("Filter", data_filter="#all"),
        tag("ol", *rows, class_="rows", id="all"),
    ]
    return wrap("Trajectories", join(main), None, place=place)


def render_files(files: Mapping[str, int], place: Place) -> str:
    """All files with the number of commits that changed them."""
    rows = [
        tag("li", place.file(path), " ", tag("span", count(number, "commit"), class_="muted"))
        for path, number in files.items()
    ]
    main = [
        tag("h1", "Files"),
        _field("Filter", data_filter="#all"),
        tag("ul", *rows, class_="files", id="all"),
    ]
    return wrap("Files", join(main), None, place=place)


def render_file(path: str, entries: Iterable[Header], place: Place) -> str:
    """Why one file is as it is."""
    rows = [render_row(entry, place) for entry in entries]
    lead = tag("p", f"{count(len(rows), 'recorded commit')} changed it, newest first.", class_="lead")
    main = [tag("h1", tag("code", line(path))), lead, tag("ol", *rows, class_="rows")]
    return wrap(path, join(main), None, place=place)


def render_overview(told: Header, parts: Sequence[tuple[Header, Sequence[Line]]], place: Place) -> str:
    """A trajectory over its commits here: what is known of it, and its events a line each, leading to the
    commits' pages."""
    ids = Ids()
    title = told["title"] or told["prompt"] or "Untitled"
    known, contents = render_known(told, place, ids, level=2)
    sections = []
    for entry, lines in parts:
        rows = list(_rows(lines, f"{place.root}commit/{entry['commit']}.html"))
        heading = tag("h3", place.commit(entry["commit"], entry["subject"]))
        sections.append(tag("div", heading, tag("ol", *rows, class_="lines")))
    happened = tag("section", tag("h2", "Timeline"), *sections, class_="timeline", id="s-timeline")
    listed = tag("ol", contents, tag("li", tag("a", "Timeline", href="#s-timeline")))
    main = [tag("h1", line(title, 200)), tag("article", known, happened, class_="trajectory")]
    return wrap(title, join(main), listed, place=place)


def _rows(lines: Iterable[Line], page: str) -> Iterator[Html]:
    day = ""
    for each in lines:
        moment = in_utc(each.ts)
        if moment and moment.strftime("%Y-%m-%d") != day:
            day = moment.strftime("%Y-%m-%d")
            yield tag("li", day, class_="day")
        yield tag(
            "li",
            render_clock(each.ts) or tag("span", class_="clock"),
            tag("span", line(each.name), class_="name"),
            tag("a", each.told or "…", href=f"{page}#{each.link}", class_="told"),
        )


def _field(label: str, **attributes: str) -> Html:
    field = tag("input", type="search", placeholder=label, aria_label=label, autocomplete="off", **attributes)
    return tag("div", field, tag("output", aria_live="polite"), role="search", class_="search wide")
