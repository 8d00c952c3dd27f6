"""Writes commits, trajectories, or several of both for ``git traj export``: as one document, or as a small
static site with a page for every commit, trajectory and file, and a search that needs no server.

The site works from a disk and from a web server: links are relative, script and style are files next to the
pages, and the search data is a script, too, since a page opened from a disk cannot fetch. Pages of an earlier
site that the new site does not have are removed, so that forgotten records do not stay readable.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from itertools import chain
from pathlib import Path

from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.model.unseen import drop_unseen
from gittraj.query.header import Folded
from gittraj.query.show.selection import Chosen
from gittraj.render.events import Detail
from gittraj.render.html.document import ASSETS, GENERATOR, read_asset, render_entry, render_page
from gittraj.render.html.lists import (
    Line,
    event_lines,
    render_commits,
    render_file,
    render_files,
    render_overview,
    render_trajectories,
)
from gittraj.render.html.markup import Links, file_page, trajectory_page
from gittraj.render.markdown.page import render_markdown
from gittraj.render.text.chapters import render_timeline
from gittraj.render.text.terminal import Page

_DETAIL = Detail()
_COLUMNS = 160  # of a timeline in a file


def write_html(chosen: Chosen) -> Iterator[str]:
    return render_page(chosen.entries(), detail=_DETAIL)


def write_markdown(chosen: Chosen) -> Iterator[str]:
    for number, (commit, headers) in enumerate(chosen.entries()):
        yield "\n" * bool(number)
        yield from render_markdown(commit, headers, detail=_DETAIL)


def write_timeline(chosen: Chosen) -> Iterator[str]:
    headers = chain.from_iterable(headers for _, headers in chosen.entries())
    return render_timeline(list(headers), Page(_COLUMNS), detail=_DETAIL)


def write_json(chosen: Chosen) -> Iterator[bytes]:
    """Yield ``{"version": 1, "commits": [{…, "trajectories": […]}], "trajectories": […]}``."""
    commits, trajectories = [], []
    for commit, headers in chosen.entries():
        if commit is None:
            trajectories += headers
        else:
            commits.append({**commit, "trajectories": headers})
    document = {"version": 1, "commits": commits, "trajectories": trajectories}
    # a lone surrogate, which records may contain, becomes an escape: it cannot be encoded
    yield json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


_FOLDERS = ("commit", "trajectory", "file")
_SEARCHED = 4_000  # characters of a commit's events that can be searched
_HEAD = 2_000  # bytes at the start of a page within which it names its generator

Progress = Callable[[str, int, int], None]
Parts = dict[str, list[tuple[Header, list[Line]]]]
"""The commits of each trajectory, each with the trajectory's events on it."""


@dataclass(slots=True)
class _Site:
    """Writes pages below ``folder``; ``written`` are their paths. ``top`` makes the links in pages of
    ``folder`` itself, ``below`` those in pages of the folders in it."""

    folder: Path
    top: Links
    below: Links
    written: set[Path] = field(default_factory=set)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(text, "utf-8", errors="replace")
        self.written.add(path)


def write_site(chosen: Chosen, folder: Path, *, progress: Progress) -> None:
    """Write the site into ``folder``, which is created if it does not exist; other files there are kept.
    ``progress`` is called with a label, the number of entries written, and the number of all."""
    for name in _FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    on_commits = {f.whole["id"] for commit in chosen.commits for f in chosen.recorded.on(commit)}
    top = Links(
        title=(chosen.repository.work_tree or chosen.repository.common_dir).name,
        commits={*chosen.commits},
        trajectories=on_commits | {*chosen.trajectories},
    )
    site = _Site(folder, top, replace(top, root="../"))
    entries, parts = _write_entries(site, chosen, progress)
    _write_trajectories(site, chosen, parts)
    _write_files(site, entries)
    _write_data(site, entries, parts)
    site.write("index.html", render_commits(entries, site.top))
    for asset in ASSETS:
        site.write(asset, read_asset(asset))
    site.write(".nojekyll", "")  # without this file, GitHub Pages would process the pages with Jekyll
    _remove_old(site)


def _write_entries(site: _Site, chosen: Chosen, progress: Progress) -> tuple[list[Header], Parts]:
    """Write the pages of commits and of named trajectories. Return the commits, and events by trajectory."""
    entries: list[Header] = []
    parts: Parts = {}
    for number, (commit, headers) in enumerate(chosen.entries(), 1):
        progress("writing", number, len(chosen))
        links = replace(site.below, files=_pages(commit["files"] if commit else ()))
        page = render_entry((commit, headers), links, detail=_DETAIL)
        if commit is None:
            site.write(trajectory_page(headers[0]["id"]), page)
            continue
        site.write(f"commit/{commit['commit']}.html", page)
        for header in headers:
            parts.setdefault(header["id"], []).append((commit, list(event_lines(header))))
        entries.append(
            {**commit, "trajectories": [{**header, "chapters": [], "also": []} for header in headers]}
        )
    return entries, parts


def _write_trajectories(site: _Site, chosen: Chosen, parts: Parts) -> None:
    """Write the pages of trajectories, and the list of them."""
    headers = []
    for name, on_commits in parts.items():
        commits = [entry["commit"] for entry, _ in on_commits]
        (trajectory,) = (each for each in chosen.recorded.on(commits[0]) if each.whole["id"] == name)
        header = _make_header(trajectory, commits)
        headers.append((header, len(commits)))
        if name not in chosen.trajectories:
            files = _pages(chain.from_iterable(entry["files"] for entry, _ in on_commits))
            in_order = sorted(on_commits, key=lambda part: trajectory.numbers[part[0]["commit"]])
            site.write(
                trajectory_page(name), render_overview(header, in_order, replace(site.below, files=files))
            )
    without_commit = map(chosen.recorded.folded, (name for name in chosen.trajectories if name not in parts))
    headers += [(trajectory.header(None), 0) for trajectory in filter(None, without_commit)]
    headers.sort(key=lambda each: each[0]["startedAt"] or "", reverse=True)
    site.write("trajectories.html", render_trajectories(headers, site.top))


def _make_header(trajectory: Folded, commits: Sequence[str]) -> Header:
    if any(trajectory.records(commit) for commit in commits):
        return trajectory.across(commits)
    return trajectory.header(commits[0], explored=True)


def _write_files(site: _Site, entries: Iterable[Header]) -> None:
    changed: dict[str, list[Header]] = {}
    for entry in entries:
        for path in entry["files"]:
            changed.setdefault(path, []).append(entry)
    for path, changing in changed.items():
        site.write(file_page(path), render_file(path, changing, site.below))
    numbers = {path: len(changed[path]) for path in sorted(changed)}
    site.write("files.html", render_files(numbers, replace(site.top, files=_pages(changed))))


def _pages(paths: Iterable[str]) -> dict[str, str]:
    return {path: file_page(path) for path in paths}


# ---------------------------------------------------------------- search data


def _write_data(site: _Site, entries: Iterable[Header], parts: Parts) -> None:
    texts: dict[str, list[str]] = {}
    for entry, lines in chain.from_iterable(parts.values()):
        texts.setdefault(entry["commit"], []).extend(line.text for line in lines)
    rows = [
        [
            *(entry["commit"], drop_unseen(entry["subject"]), entry["date"][:10]),
            drop_unseen("\n".join(_searched_texts(entry, texts))),
        ]
        for entry in entries
    ]
    # lone surrogates are valid in a script only as escapes
    data = json.dumps(rows, ensure_ascii=True, separators=(",", ":"))
    site.write("data.js", f"window.gitTraj = {data};\n")


def _searched_texts(entry: Header, texts: dict[str, list[str]]) -> Iterator[str]:
    for header in entry["trajectories"]:
        yield from filter(None, (header["title"], header["prompt"], header["summary"], header["agent"]))
        for decision in header["decisions"]:
            yield from filter(None, (decision["chosen"], decision["reasoning"], *decision["alternatives"]))
        yield from header["caveats"]
    yield from entry["files"]
    yield "\n".join(texts.get(entry["commit"], ()))[:_SEARCHED]


def _remove_old(site: _Site) -> None:
    """Remove pages that git-traj wrote there before and that this site does not have."""
    for name in _FOLDERS:
        for path in (site.folder / name).glob("*.html"):
            if path in site.written:
                continue
            with path.open("rb") as stream:
                if GENERATOR.encode() in stream.read(_HEAD):
                    path.unlink()
