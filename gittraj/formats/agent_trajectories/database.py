"""Reads and writes agent-trajectories in the form of its first design: an SQLite file with the tables
``trajectories`` and ``trajectory_events``.

Each trajectory's rows correspond to one JSON document of agent-trajectories: they are written from such a
document, and turned into one for reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gittraj.errors import FormatError
from gittraj.formats.agent_trajectories.read import read_document
from gittraj.formats.agent_trajectories.write import build
from gittraj.formats.base import coerce
from gittraj.formats.base.exported import Exported, line
from gittraj.formats.base.sqlite import first_row, has_columns, insert, new_database, open_database
from gittraj.model.session_items import Item

if TYPE_CHECKING:
    from sqlite3 import Connection

name, agent = "trajectory-sqlite", "unknown"

_ROWS = (
    *("id", "task_source", "task_id", "task_title", "project_id", "started_at", "completed_at"),
    *("agent_names", "commit_shas", "files_changed", "chapters", "retrospective", "version"),
    *("created_at", "updated_at"),
)
_EVENTS = ("chapter_id", "ts", "type", "agent_name", "content", "raw", "significance", "tags")
_WITHOUT_COLUMN = ("status", "tags", "agents", "workflowId", "_trace")
"""Fields of a document without a column in the tables: they are in the JSON of the column ``chapters``."""


def write(exported: Exported) -> Iterator[bytes]:
    """The file's bytes, which are the same for the same trajectories."""

    def fill(database: Connection) -> None:
        for trajectory in exported.trajectories:
            document = build(trajectory, exported.commits.get(trajectory["id"], ()))
            if "chapters" in document:  # a compaction of several trajectories has none
                insert(database, "trajectories", _row(document), _json, replace=True)
                for event in _events(document):
                    insert(database, "trajectory_events", event, _json, replace=True)

    yield new_database(Path(__file__).with_name("schema.sql"), fill)


def _json(value: Any) -> Any:
    return line(value).rstrip("\n") if isinstance(value, list | dict) else value


def _row(document: dict[str, Any]) -> dict[str, Any]:
    task = document["task"]
    chapters = [{k: v for k, v in c.items() if k != "events"} for c in document["chapters"]]
    return {
        "id": document["id"],
        "task_source": coerce.at(task, "source", "system"),
        "task_id": coerce.at(task, "source", "id"),
        "task_title": task["title"],
        "project_id": document.get("projectId"),
        "started_at": document["startedAt"],
        "completed_at": document.get("completedAt"),
        "agent_names": [agent["name"] for agent in document["agents"]],
        "commit_shas": document.get("commits", []),
        "files_changed": document.get("filesChanged", []),
        "chapters": {"chapters": chapters, **{k: document[k] for k in _WITHOUT_COLUMN if k in document}},
        "retrospective": document.get("retrospective"),
        "version": 1,
        "created_at": document["startedAt"],
        "updated_at": document.get("completedAt", document["startedAt"]),
    }


def _events(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for chapter in document["chapters"]:
        for event in chapter["events"]:
            known = {k: event.get(k) for k in ("ts", "type", "content", "significance", "tags", "raw")}
            others = {k: v for k, v in event.items() if k not in known}
            raw = {"raw": known["raw"], "event": others} if others else known["raw"]
            ids = {"trajectory_id": document["id"], "chapter_id": chapter["id"]}
            yield {**known, "raw": raw, **ids, "agent_name": chapter["agentName"]}


# ---------------------------------------------------------------- read


def detect(path: Path) -> bool:
    return has_columns(path, f"{', '.join(_ROWS)} FROM trajectories")


def sessions(path: Path) -> Iterator[str]:
    """Yield the ids of the trajectories, the oldest first. Raises OSError, FormatError."""
    with open_database(path) as database:
        rows = database.execute("SELECT id FROM trajectories ORDER BY started_at, id").fetchall()
    yield from (trajectory_id for (trajectory_id,) in rows if coerce.text(trajectory_id))


def read(path: Path, session: str) -> Iterator[Item]:
    """Yield the items of one trajectory, as if read from its document. Raises OSError, FormatError."""
    with open_database(path) as database:
        row = first_row(database, "SELECT * FROM trajectories WHERE id = ?", session)
        if row is None:
            raise FormatError(f"{path}: no trajectory '{session}' in it")
        events = database.execute(
            f"SELECT {', '.join(_EVENTS)} FROM trajectory_events WHERE trajectory_id = ? ORDER BY id",  # noqa: S608
            (session,),
        ).fetchall()
    yield from read_document(_document(row, events), end=0)


def _event(fields: dict[str, Any]) -> dict[str, Any]:
    raw, tags = coerce.parsed(fields["raw"]), coerce.parsed(fields["tags"])
    more = raw.get("event") if isinstance(raw, dict) and raw.keys() == {"raw", "event"} else None
    event = {key: fields[key] for key in ("ts", "type", "content", "significance")}
    event |= {"tags": tags, "raw": raw["raw"] if more is not None else raw, **(more or {})}
    return {key: value for key, value in event.items() if value is not None}


def _events_by_chapter(rows: list[tuple[Any, ...]]) -> dict[str, list[dict[str, Any]]]:
    events: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        fields = dict(zip(_EVENTS, row, strict=True))
        events.setdefault(str(fields["chapter_id"]), []).append(_event(fields))
    return events


def _document(row: dict[str, Any], event_rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    column = coerce.parsed(row["chapters"])
    stored = coerce.mapping(column)
    chapters = coerce.objects(stored.get("chapters") or column)
    events = _events_by_chapter(event_rows)
    source = {"system": row["task_source"], "id": row["task_id"]} if row["task_id"] else None
    names = coerce.sequence(coerce.parsed(row["agent_names"]))
    document = {
        "id": row["id"],
        "version": 1,
        "task": {"title": row["task_title"], **({"source": source} if source else {})},
        "projectId": row["project_id"],
        "startedAt": row["started_at"],
        "completedAt": row["completed_at"],
        "status": "completed" if row["completed_at"] else "active",
        "agents": [{"name": name, "role": "lead", "joinedAt": row["started_at"]} for name in names],
        "chapters": [{**chapter, "events": events.get(str(chapter.get("id")), [])} for chapter in chapters],
        "retrospective": coerce.parsed(row["retrospective"]),
        "commits": coerce.parsed(row["commit_shas"]),
        "filesChanged": coerce.parsed(row["files_changed"]),
        **{key: stored[key] for key in _WITHOUT_COLUMN if key in stored},
    }
    return {key: value for key, value in document.items() if value is not None}
