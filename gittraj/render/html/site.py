"""A small static site: every commit, trajectory and file a page, and a search that needs no server.

It opens from a disk as it does from a web server: links are relative, one script and one style are beside the
pages, and what is searched is a script too, since a page from a disk may fetch nothing. A page of an earlier
site that the new one does not have is removed, so that nothing stays readable that was taken out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from gittraj.query.header import Header
from gittraj.query.show.export import Chosen
from gittraj.render.detail import Detail
from gittraj.render.html.document import ASSETS, GENERATOR, read_asset, render_entry
from gittraj.render.html.links import Place, file_page, trajectory_page
from gittraj.render.html.lists import (
    Line,
    render_commits,
    render_file,
    render_files,
    render_overview,
    render_trajectories,
    tell_lines,
)

_FOLDERS = ("commit", "trajectory", "file")
_SEARCHED = 4_000  # characters of a commit's events
_HEAD = 2_000  # bytes in which a page says what made it
_DETAIL = Detail()

Tell = Callable[[str, int, int], None]
Parts = dict[str, list[tuple[Header, list[Line]]]]
"""Of each trajectory its commits, and what happened for each."""


@dataclass(slots=True)
class _Site:
    folder: Path
    top: Place
    below: Place
    written: set[Path] = field(default_factory=set)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(text, "utf-8", errors="replace")
        self.written.add(path)


def write_site(chosen: Chosen, folder: Path, *, tell: Tell) -> None:
    """Into ``folder``, which is made where it is missing; whatever else is in it stays."""
    for name in _FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    carried = {f.whole["id"] for commit in chosen.commits for f in chosen.recorded.on(commit)}
    top = Place(
        title=(chosen.repository.work_tree or chosen.repository.common_dir).name,
        commits={*chosen.commits},
        trajectories=carried | {*chosen.trajectories},
    )
    site = _Site(folder, top, replace(top, root="../"))
    entries, parts = _write_entries(site, chosen, tell)
    _write_trajectories(site, chosen, parts)
    _write_files(site, entries)
    _write_data(site, entries, parts)
    site.write("index.html", render_commits(entries, site.top))
    for asset in ASSETS:
        site.write(asset, read_asset(asset))
    site.write(".nojekyll", "")  # else a Pages branch is not served as it is
    _remove_old(site)


def _write_entries(site: _Site, chosen: Chosen, tell: Tell) -> tuple[list[Header], Parts]:
    """The pages of commits, and of trajectories that were named. What is returned holds no events."""
    entries: list[Header] = []
    parts: Parts = {}
    for number, (commit, told) in enumerate(chosen.entries(), 1):
        tell("writing", number, len(chosen))
        place = replace(site.below, files=_pages(commit["files"] if commit else ()))
        page = render_entry((commit, told), place, detail=_DETAIL)
        if commit is None:
            site.write(trajectory_page(told[0]["id"]), page)
            continue
        site.write(f"commit/{commit['commit']}.html", page)
        for each in told:
            parts.setdefault(each["id"], []).append((commit, list(tell_lines(each))))
        entries.append({**commit, "trajectories": [{**each, "chapters": [], "also": []} for each in told]})
    return entries, parts


def _write_trajectories(site: _Site, chosen: Chosen, parts: Parts) -> None:
    headers = []
    for name, found in parts.items():
        commits = [entry["commit"] for entry, _ in found]
        (folded,) = (each for each in chosen.recorded.on(commits[0]) if each.whole["id"] == name)
        explored = not any(folded.records(commit) for commit in commits)
        told = folded.header(commits[0], explored=True) if explored else folded.across(commits)
        headers.append((told, len(commits)))
        if name not in chosen.trajectories:
            files = _pages(path for entry, _ in found for path in entry["files"])
            in_order = sorted(found, key=lambda part: folded.numbers[part[0]["commit"]])
            site.write(
                trajectory_page(name), render_overview(told, in_order, replace(site.below, files=files))
            )
    for name in chosen.trajectories:
        known = chosen.recorded.folded(name)
        if name not in parts and known is not None:
            headers.append((known.header(None), 0))
    headers.sort(key=lambda each: each[0]["startedAt"] or "", reverse=True)
    site.write("trajectories.html", render_trajectories(headers, site.top))


def _write_files(site: _Site, entries: Iterable[Header]) -> None:
    changed: dict[str, list[Header]] = {}
    for entry in entries:
        for path in entry["files"]:
            changed.setdefault(path, []).append(entry)
    for path, found in changed.items():
        site.write(file_page(path), render_file(path, found, site.below))
    numbers = {path: len(changed[path]) for path in sorted(changed)}
    site.write("files.html", render_files(numbers, replace(site.top, files=_pages(changed))))


def _pages(paths: Iterable[str]) -> dict[str, str]:
    return {path: file_page(path) for path in paths}


# ---------------------------------------------------------------- what is searched


def _write_data(site: _Site, entries: Iterable[Header], parts: Parts) -> None:
    said: dict[str, list[str]] = {}
    for found in parts.values():
        for entry, lines in found:
            said.setdefault(entry["commit"], []).extend(each.told for each in lines)
    rows = [
        [entry["commit"], entry["subject"], entry["date"][:10], "\n".join(_words(entry, said))]
        for entry in entries
    ]
    # of signs that are no text a script takes the escapes only
    data = json.dumps(rows, ensure_ascii=True, separators=(",", ":"))
    site.write("data.js", f"window.gitTraj = {data};\n")


def _words(entry: Header, said: dict[str, list[str]]) -> Iterator[str]:
    for told in entry["trajectories"]:
        yield from filter(None, (told["title"], told["prompt"], told["summary"], told["agent"]))
        for decision in told["decisions"]:
            yield from filter(None, (decision["chosen"], decision["reasoning"], *decision["alternatives"]))
        yield from told["caveats"]
    yield from entry["files"]
    yield "\n".join(said.get(entry["commit"], ()))[:_SEARCHED]


def _remove_old(site: _Site) -> None:
    """Pages that git-traj made there before."""
    for name in _FOLDERS:
        for path in (site.folder / name).glob("*.html"):
            if path in site.written:
                continue
            with path.open("rb") as stream:
                if GENERATOR.encode() in stream.read(_HEAD):
                    path.unlink()
