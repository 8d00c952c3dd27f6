"""Writes ``.trajectory.json`` files that satisfy the schema of agent-trajectories 0.6.1: one, a tree of them
as ``trail`` keeps it, or the folders of its first design, which people can read without a program.

A required field that the record lacks (a role, an approach) gets a neutral value. A retrospective without a
summary or a confidence is only written as an event.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gittraj.formats.agent_trajectories.markdown import chapter_page, summarise
from gittraj.formats.agent_trajectories.schema import CHAPTER, DOCUMENT, ID, STATUSES, TITLE, Event, fitting
from gittraj.formats.agent_trajectories.shared import OWN, build_event, chapter_id, read_event, with_carried
from gittraj.formats.base.carried import Names, carried_header, difference, plain_event, root_of
from gittraj.formats.base.exported import Exported, events_of, pretty
from gittraj.model.header import Header
from gittraj.model.times import seconds

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_PLAIN = re.compile(r"[a-z0-9]+")
_MONTH = re.compile(r"[0-9]{4}-[0-9]{2}")
SCHEMA = "trajectory.schema.json"
_EPOCH = "1970-01-01T00:00:00.001Z"


def write(exported: Exported) -> Iterator[str]:
    (trajectory,) = exported.trajectories
    yield pretty(build(trajectory, exported.commits.get(trajectory["id"], ())))


def files(exported: Exported) -> Iterator[tuple[str, str]]:
    """Yield the tree below ``.agentworkforce/trajectories``: documents, and a summary for each that ended."""
    for trajectory in exported.trajectories:
        document = build(trajectory, exported.commits.get(trajectory["id"], ()))
        name = _file_name(document, trajectory)
        if document.get("type") == "compacted":
            yield f"compacted/{name}.json", pretty(document)
            continue
        month = str(document.get("completedAt", document["startedAt"]))[:7]
        folder = f"completed/{month if _MONTH.fullmatch(month) else _EPOCH[:7]}"
        folder = "active" if document["status"] == "active" else folder
        yield f"{folder}/{name}/trajectory.json", pretty(document)
        if document["status"] != "active":
            yield f"{folder}/{name}/summary.md", summarise(document)


def bundles(exported: Exported) -> Iterator[tuple[str, str]]:
    """Yield a folder ``NAME.trajectory`` for each trajectory (the document, its summary, a page for each
    chapter's events, and artifacts), the schema that the documents name, and a list in ``index.json``."""
    index: dict[str, Any] = {}
    for trajectory in exported.trajectories:
        document = build(trajectory, exported.commits.get(trajectory["id"], ()))
        folder = f"{_file_name(document, trajectory)}.trajectory"
        index[document["id"]] = {
            "title": (document.get("task") or {}).get("title"),
            **{key: document[key] for key in ("status", "startedAt", "completedAt") if key in document},
            "path": folder,
        }
        yield f"{folder}/trajectory.json", pretty({"$schema": f"../{SCHEMA}", **document})
        yield from _artifacts(folder, trajectory)
        if document.get("type") == "compacted":
            continue
        yield f"{folder}/README.md", summarise(document)
        for number, chapter in enumerate(document["chapters"], 1):
            name = "-".join(_PLAIN.findall(chapter["title"].lower()))[:40].strip("-")
            yield f"{folder}/chapters/{number:02}-{name or 'chapter'}.md", chapter_page(chapter, number)
    yield SCHEMA, (Path(__file__).parent / SCHEMA).read_text("utf-8")
    yield "index.json", pretty({"version": 1, "trajectories": index})


def _artifacts(folder: str, trajectory: Header) -> Iterator[tuple[str, str]]:
    """Yield each artifact as a file. Binary ones are left out: only their size and hash are stored."""
    for number, event in enumerate(events_of(trajectory), 1):
        media = (event.get("artifact") or {}).get("mediaType")
        if event["content"] and (event["type"] == "artifact" or media):
            suffix = {"text/x-diff": "diff", "application/json": "json"}.get(media or "", "txt")
            yield f"{folder}/artifacts/{number:04}.{suffix}", event["content"]


def _file_name(document: Mapping[str, Any], trajectory: Header) -> str:
    """The document's id if it is a safe file name (an imported one may not be), else the trajectory's id."""
    name = document["id"]
    return name if isinstance(name, str) and _ID.fullmatch(name) else str(trajectory["id"])


def build(trajectory: Header, commits: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """Return the document of one trajectory. An imported one gets the fields of its original document."""
    events = [plain_event(event, trajectory["agent"]) for event in events_of(trajectory)]
    root = next((kept for e in events if (kept := root_of(e, OWN)) is not None), None)
    if root is not None and _is_compaction(root):
        return dict(root)
    outside = {e["id"] for e in events if _is_outside_chapters(e)}
    chapters = _Chapters(trajectory).build([e for e in events if e["id"] not in outside])
    if root is None:
        return {**_header(trajectory), "chapters": chapters, **_ending(trajectory, commits)}
    return {**_restore_header(trajectory, root), "chapters": chapters}


def _is_compaction(root: Event) -> bool:
    return root.get("type") == "compacted" and isinstance(root.get("id"), str)


def _is_outside_chapters(event: Event) -> bool:
    """Whether a reader made the event from a field outside the chapters."""
    return event.get(OWN) == {} or root_of(event, OWN) is not None


def _restore_header(trajectory: Header, root: Event) -> dict[str, Any]:
    """The fields that an imported document had outside its chapters, and those that the schema requires."""
    header = _header(trajectory)
    required = {key: header[key] for key in ("id", "task", "status", "startedAt", "agents")}
    retrospective = _retrospective(trajectory["retrospective"])
    return {**required, **retrospective, **fitting(root, DOCUMENT), "version": 1}


def _header(trajectory: Header) -> dict[str, Any]:
    started = trajectory["startedAt"] or _EPOCH
    name = trajectory["id"]
    if not ID.fullmatch(name):
        name = f"traj_{hashlib.sha256(name.encode()).hexdigest()[:12]}"
    status = _status(trajectory)
    title = (trajectory["title"] or trajectory["prompt"] or "(untitled)").strip()[:TITLE] or "(untitled)"
    ended = trajectory["completedAt"] or trajectory["part"]["endedAt"]
    return {
        "id": name,
        "version": 1,
        "task": {"title": title, **_source(trajectory)},
        "status": status,
        "startedAt": started,
        **({"completedAt": ended} if ended and status != "active" else {}),
        "agents": _agents(trajectory, started),
    }


def _agents(trajectory: Header, started: str) -> list[dict[str, str]]:
    agents = [{"name": trajectory["agent"] or "unknown", "role": "lead", "joinedAt": started}]
    others = (p for p in trajectory["participants"] if p["name"] and p["name"] != trajectory["agent"])
    agents += [{"name": p["name"], "role": p["role"] or "contributor", "joinedAt": started} for p in others]
    return agents


def _status(trajectory: Header) -> str:
    status = trajectory["status"]
    if status in STATUSES:
        return str(status)
    has_ended = status is not None or trajectory["link"]["role"] == "produced"
    return ("abandoned" if status == "failed" else "completed") if has_ended else "active"


def _source(trajectory: Header) -> dict[str, Any]:
    source = (trajectory["task"] or {}).get("source")
    if not source or not source["id"]:
        return {}
    url = source.get("url")
    is_url = isinstance(url, str) and re.fullmatch(r"https?://[\w.-]+(:\d+)?(/[^\s]*)?", url)
    return {"source": {"system": source["system"], "id": source["id"], **({"url": url} if is_url else {})}}


def _ending(trajectory: Header, commits: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        **_retrospective(trajectory["retrospective"]),
        "commits": [e["commit"] for e in commits] if trajectory["link"]["role"] == "produced" else [],
        "filesChanged": [file["path"] for file in trajectory["filesChanged"]],
        "tags": [*trajectory["tags"]],
    }


def _retrospective(retrospective: Header | None) -> dict[str, Any]:
    if not retrospective or not retrospective["summary"] or retrospective["confidence"] is None:
        return {}
    lists = [key for key in ("challenges", "learnings", "suggestions") if retrospective[key]]
    fields = {
        "summary": retrospective["summary"],
        "approach": retrospective["approach"] or "Not stated",
        **{key: retrospective[key] for key in lists},
        "confidence": retrospective["confidence"],
    }
    return {"retrospective": fields}


class _Chapters:
    """Builds the chapters of one document. Our fields without a counterpart are stored in each event, and
    those of the trajectory in the first event."""

    def __init__(self, trajectory: Header) -> None:
        self._trajectory = trajectory
        self._agent = trajectory["agent"] or "unknown"
        self._names = Names(OWN)
        self._time = round((seconds(trajectory["startedAt"]) or 0.001) * 1000) or 1
        self._carries = False  # whether the first event gets the trajectory's fields
        self._first = True

    def build(self, events: Sequence[Event]) -> list[dict[str, Any]]:
        self._carries = not any(OWN in e for e in events)
        if any("chapter" in e.get(OWN, {}) for e in events):
            return [*self._imported(events)]
        return [*self._ours({event["id"]: event for event in events})]

    def _ours(self, events: Mapping[str, Event]) -> Iterator[dict[str, Any]]:
        """Yield the trajectory's own chapters, with those of their events that are in ``events``."""
        for chapter in self._trajectory["chapters"]:
            included = [events[e["id"]] for e in chapter["events"] if e["id"] in events]
            if included:
                fields = {
                    "id": chapter_id(chapter["id"]),
                    "title": chapter["title"] or "Session",
                    "agentName": chapter["agentName"] or self._agent,
                    "startedAt": chapter["startedAt"] or self._trajectory["startedAt"] or _EPOCH,
                }
                ended = {"endedAt": chapter["endedAt"]} if chapter["endedAt"] else {}
                yield {**fields, **ended, "events": [self._event(e, fields["agentName"]) for e in included]}

    def _imported(self, events: Sequence[Event]) -> Iterator[dict[str, Any]]:
        """Yield the chapters of an imported document: an event of its own begins each of them."""
        current: dict[str, Any] | None = None
        for event in events:
            if "chapter" in event.get(OWN, {}):
                if current is not None:
                    yield current
                kept = fitting(event[OWN]["chapter"], CHAPTER)
                current = self._chapter(event) | kept | {"events": []}
                # a reader takes an id for the chapter, on which the next ids depend
                self._names.of("chapter", event.get("ts"), len(event["content"]))
            else:
                if current is None:
                    current = self._chapter({**event, "content": "Session"})
                current["events"].append(self._event(event, current.get("agentName")))
        if current is not None:
            yield current

    def _chapter(self, event: Event) -> dict[str, Any]:
        return {
            "id": chapter_id(event["id"]),
            "title": event["content"],
            "agentName": event.get("agent") or self._agent,
            "startedAt": event.get("ts") or self._trajectory["startedAt"] or _EPOCH,
            "events": [],
        }

    def _event(self, event: Event, author: str | None) -> Event:
        built = build_event(event, self._time)
        self._time = built["ts"] if isinstance(built.get("ts"), int) else self._time
        is_own = self._carries and author == self._agent
        understood = read_event(built, None if is_own else author, self._names)
        plain = {key: value for key, value in event.items() if key != OWN}
        carried: Event = {}
        if difference(plain, understood):
            carried["event"] = difference(event, understood)
        if self._carries and self._first:
            carried["trajectory"] = carried_header(self._trajectory)
        self._first = False
        return with_carried(built, carried)
