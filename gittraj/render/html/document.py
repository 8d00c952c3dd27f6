"""Makes a self-contained page: style and script are inline, and nothing else may run.

Its content security policy allows the two by their hashes, and no connection, image, font, frame, form or
base. A page of a site links to the site's two files instead.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gittraj import __version__
from gittraj.model.header import Header
from gittraj.model.words import count, taken_back
from gittraj.render.events import Detail
from gittraj.render.html.events import Ids
from gittraj.render.html.markup import Html, Links, join, line, tag
from gittraj.render.html.trajectory import render_trajectory

ASSETS = ("page.css", "page.js")
GENERATOR = '<meta name="generator" content="git-traj '
"""Marks a page as made by git-traj."""
_NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'"
_CHIPS = (
    ("asked", "Prompts"),
    ("said", "Messages"),
    ("tools", "Calls"),
    ("decided", "Decisions"),
    ("bad", "Failures"),
)
_CLAIM = "Quoted text was written by agents and their users: a claim, not proof. Made by git-traj."
Entry = tuple[Header | None, Sequence[Header]]
"""A commit as in ``log --json`` (None: trajectories on their own), and trajectories as in ``show --json``."""


def render_page(entries: Iterable[Entry], *, detail: Detail) -> Iterator[str]:
    """Yield the text of one file about these commits and trajectories."""
    pages = list(entries)
    yield wrap(_title(pages), *_main(pages, Links(), detail=detail), links=Links(), tools=True)


def render_entry(entry: Entry, links: Links, *, detail: Detail) -> str:
    """A page of a site about one commit, or one trajectory."""
    return wrap(_title([entry]), *_main([entry], links, detail=detail), links=links, tools=True)


@functools.cache
def read_asset(name: str) -> str:
    return (Path(__file__).parent / name).read_text("utf-8")


def _title(entries: Sequence[Entry]) -> str:
    if len(entries) != 1:
        return count(len(entries), "commit")
    ((commit, trajectories),) = entries
    if commit is not None:
        return str(commit["subject"])
    return str(trajectories[0]["title"] or "Untitled") if trajectories else "Nothing recorded"


def _main(entries: Sequence[Entry], links: Links, *, detail: Detail) -> tuple[Html, Html]:
    """The body, and the table of contents."""
    ids, parts, contents = Ids(), [], []
    several = len(entries) > 1
    if several:
        parts.append(tag("h1", _title(entries)))
    for commit, trajectories in entries:
        level = 1 + several
        if commit is not None:
            parts.append(render_commit_title(commit, links, level=level))
        elif not several and trajectories:
            parts.append(tag("h1", line(_title(entries))))
        if not trajectories:
            parts.append(tag("p", "No trajectory is recorded here.", class_="muted"))
        alone = commit is None and not several and len(trajectories) == 1
        for header in trajectories:
            shown, listed = render_trajectory(
                header, links, ids, detail=detail, level=level if alone else level + 1
            )
            parts.append(shown)
            contents.append(listed)
    return join(parts), tag("ol", *contents)


def render_commit_title(commit: Header, links: Links, *, level: int) -> Html:
    about = [links.commit(commit["commit"]), " by ", line(commit["author"]["name"]), ", "]
    date = tag("time", line(commit["date"][:10]), datetime=commit["date"])
    heading = tag(f"h{level}", line(commit["subject"]))
    reverted = f", {by}" if (by := taken_back(commit)) else ""
    return tag("header", tag("p", *about, date, reverted, class_="muted"), heading, class_="commit")


def wrap(title: str, main: Html, contents: Html | None, *, links: Links, tools: bool = False) -> str:
    """The document around ``main``. With ``links.title`` it is part of a site; ``tools`` adds the search and
    filter bar."""
    site = links.title is not None
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(site=site)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="generator", content=f"git-traj {__version__}"),
        tag("title", line(" · ".join(filter(None, (title, links.title))), 150)),
        *_styles(links),
    ]
    body = [
        tag("a", "Skip to the content", href="#main", class_="skip"),
        tag("header", *_bar(links, tools=tools), class_="bar"),
        tag(
            "div",
            tag(
                "nav",
                tag("p", "Contents", class_="label"),
                contents,
                class_="contents",
                aria_label="Contents",
            )
            if contents
            else "",
            tag(
                "div",
                tag("main", main, id="main", tabindex="-1"),
                tag("footer", tag("p", _CLAIM)),
                class_="column",
            ),
            class_="frame",
        ),
        tag("script", Html(read_asset("page.js"))) if links.title is None else "",
    ]
    return f"<!doctype html>\n{tag('html', tag('head', *head), tag('body', *body), lang='en')}\n"


def _bar(links: Links, *, tools: bool) -> Iterator[Html]:
    if links.title is not None:
        pages = (("index.html", links.title), ("trajectories.html", "Trajectories"), ("files.html", "Files"))
        yield tag(
            "nav",
            *(tag("a", line(name, 40), href=f"{links.root}{page}") for page, name in pages),
            class_="site",
            aria_label="Site",
        )
    if not tools:
        return
    field = tag(
        "input",
        type="search",
        id="find",
        placeholder="Search this page  ( / )",
        aria_label="Search this page",
        title="/ search, Enter to the first; j and k from event to event, o opens",
        autocomplete="off",
        spellcheck="false",
    )
    chips = [
        tag("button", label, type="button", data_show=kind, aria_pressed="false") for kind, label in _CHIPS
    ]
    yield tag(
        "div",
        tag("div", field, tag("output", id="hits", aria_live="polite"), role="search", class_="search"),
        tag("div", *chips, role="group", aria_label="Show only", class_="chips"),
        tag("button", "Open all", type="button", id="fold", class_="fold", aria_pressed="false"),
        class_="tools",
    )


def _styles(links: Links) -> Iterator[Html]:
    if links.title is None:
        yield tag("style", Html(read_asset("page.css")))
        return
    yield tag("link", rel="stylesheet", href=f"{links.root}page.css")
    yield tag("script", src=f"{links.root}page.js", defer=True)


@functools.cache
def _policy(*, site: bool) -> str:
    if site:  # some browsers do not apply 'self' to file: addresses
        return f"{_NOTHING}; style-src 'self' file:; script-src 'self' file:"
    style, script = map(_hash, ASSETS)
    return f"{_NOTHING}; style-src {style}; script-src {script}"


def _hash(name: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(read_asset(name).encode()).digest()).decode()}'"
