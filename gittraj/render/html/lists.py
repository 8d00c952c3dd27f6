"""Renders the index pages of a site: commits, trajectories, files, one trajectory's events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.model.words import NO_COMMIT, brief, count, own_words, taken_back
from gittraj.render.events import describe_call, describe_event
from gittraj.render.html.document import wrap
from gittraj.render.html.events import Ids, in_utc, render_clock
from gittraj.render.html.markup import Html, Links, anchor, join, line, one_line, tag
from gittraj.render.html.prose import plain
from gittraj.render.html.trajectory import render_record

_NAMES = {"prompt": "asked", "message": "said", "message_sent": "sent", "message_received": "received"}
_COUNTED = {"decisions": "decision", "caveats": "doubt"}
_MAX_TEXT = 200  # characters of an event's text


@dataclass(frozen=True, slots=True)
class Line:
    """An event on one line; ``link`` is the id of its element on the commit's page."""

    ts: str | None
    name: str
    text: str
    link: str


def event_lines(header: Header) -> Iterator[Line]:
    """Yield the events of a trajectory on one commit, without thinking, and without results: the commit's
    page shows them with their calls."""
    for event in chain.from_iterable(chapter["events"] for chapter in header["chapters"]):
        name, text = _NAMES.get(event["type"], event["type"]), describe_event(event)
        if event["type"] in ("tool_result", "thinking") or not (text.strip() or "tool" in event):
            continue
        if "tool" in event:
            name, text = describe_call(event)
        yield Line(event["ts"], name, one_line(plain(text[: 8 * _MAX_TEXT]), _MAX_TEXT), anchor(event["id"]))


def render_commits(entries: Sequence[Header], links: Links) -> str:
    """The first page: commits, newest first, and a full-text search."""
    agents = dict.fromkeys(t["agent"] for entry in entries for t in entry["trajectories"] if t["agent"])
    lead = " · ".join([count(len(entries), "commit"), *agents])
    main = [
        tag("h1", line(links.title or "")),
        tag("p", line(f"Why these changes were made: {lead}"), class_="lead"),
        _field("Search what was asked, said and decided", id="search"),
        tag("ol", id="results", class_="rows", hidden=True),
        tag("ol", *(render_row(entry, links) for entry in entries), class_="rows", id="all"),
        tag("script", src=f"{links.root}data.js", defer=True),
    ]
    return wrap("Commits", join(main), None, links=links)


def render_row(entry: Header, links: Links) -> Html:
    """A commit in a list: subject, date, author and summary."""
    headers = entry["trajectories"]
    produced = (header for header in headers if header["link"]["role"] == "produced")
    texts = (t["why"] or t["result"] or t["prompt"] or own_words(t) for t in produced)
    summary = next(filter(None, texts), None)
    return tag(
        "li",
        tag("p", links.commit(entry["commit"], entry["subject"]), class_="title"),
        tag("p", tag("code", entry["short"]), *_small_print(entry), class_="muted"),
        tag("p", line(plain(summary), 400), class_="said") if summary else "",
    )


def _small_print(entry: Header) -> Iterator[str]:
    """Yield a commit's date and author, and the agent, duration and cost of each of its trajectories."""
    yield from (f" · {entry['date'][:10]} · ", line(entry["author"]["name"]))
    if reverted := taken_back(entry):
        yield f" · {reverted}"
    for header in entry["trajectories"]:
        explored = NO_COMMIT if header["link"]["role"] == "explored" else None
        counts = [count(len(header[k]), noun) for k, noun in _COUNTED.items() if header[k]]
        yield from (" · ", line(" · ".join(filter(None, (*brief(header), explored, *counts)))))


def render_trajectories(headers: Sequence[tuple[Header, int]], links: Links) -> str:
    """The page of all trajectories, newest first; each comes with the number of its commits on this site."""
    rows = []
    for header, commits in headers:
        title = header["title"] or header["prompt"] or "Untitled"
        facts = (
            (header["startedAt"] or "")[:10],
            header["agent"],
            header["status"],
            count(commits, "commit"),
        )
        about = line(" · ".join(filter(None, facts)))
        name = tag("p", links.trajectory(header["id"], title), class_="title")
        rows.append(tag("li", name, tag("p", about, class_="muted")))
    return _with_filter("Trajectories", tag("ol", *rows, class_="rows", id="all"), links)


def render_files(files: Mapping[str, int], links: Links) -> str:
    """The page of all files; ``files`` maps each to the number of commits that changed it."""
    rows = [
        tag("li", links.file(path), " ", tag("span", count(number, "commit"), class_="muted"))
        for path, number in files.items()
    ]
    return _with_filter("Files", tag("ul", *rows, class_="files", id="all"), links)


def _with_filter(title: str, listed: Html, links: Links) -> str:
    """The page of a list that a field above it filters."""
    main = [tag("h1", title), _field("Filter", data_filter="#all"), listed]
    return wrap(title, join(main), None, links=links)


def render_file(path: str, entries: Iterable[Header], links: Links) -> str:
    """The page of a file: the recorded commits that changed it."""
    rows = [render_row(entry, links) for entry in entries]
    lead = tag("p", f"{count(len(rows), 'recorded commit')} changed it, newest first.", class_="lead")
    main = [tag("h1", tag("code", line(path))), lead, tag("ol", *rows, class_="rows")]
    return wrap(path, join(main), None, links=links)


def render_overview(header: Header, parts: Sequence[tuple[Header, Sequence[Line]]], links: Links) -> str:
    """The page of a trajectory: its record, and one line for each event, with a link to its commit's page.
    ``parts`` has the commits of the trajectory that have a page on this site, each with its events."""
    ids = Ids()
    title = header["title"] or header["prompt"] or "Untitled"
    summary, contents = render_record(header, links, ids, level=2)
    sections = []
    for entry, lines in parts:
        rows = list(_rows(lines, f"{links.root}commit/{entry['commit']}.html"))
        heading = tag("h3", links.commit(entry["commit"], entry["subject"]))
        sections.append(tag("div", heading, tag("ol", *rows, class_="lines")))
    timeline = tag("section", tag("h2", "Timeline"), *sections, class_="timeline", id="s-timeline")
    listed = tag("ol", contents, tag("li", tag("a", "Timeline", href="#s-timeline")))
    main = [tag("h1", line(title, 200)), tag("article", summary, timeline, class_="trajectory")]
    return wrap(title, join(main), listed, links=links)


def _rows(lines: Iterable[Line], page: str) -> Iterator[Html]:
    day = ""
    for event in lines:
        moment = in_utc(event.ts)
        if moment and moment.strftime("%Y-%m-%d") != day:
            day = moment.strftime("%Y-%m-%d")
            yield tag("li", day, class_="day")
        yield tag(
            "li",
            render_clock(event.ts) or tag("span", class_="clock"),
            tag("span", line(event.name), class_="name"),
            tag("a", event.text or "…", href=f"{page}#{event.link}", class_="text"),
        )


def _field(label: str, **attributes: str) -> Html:
    field = tag("input", type="search", placeholder=label, aria_label=label, autocomplete="off", **attributes)
    return tag("div", field, tag("output", aria_live="polite"), role="search", class_="search wide")
