"""Reads OpenHands' own store: one folder per session, one file per event, ``<session>/events/<number>.json``.

The number in a file's name is the event's id. A file that is missing, or being written, does not affect the
others.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from gittraj.errors import FormatError
from gittraj.formats.base.document import load_beside
from gittraj.formats.openhands import events as openhands
from gittraj.model.session_items import Damage, Item

name = "openhands-folder"
agent = "openhands"

_EVENTS = "events"
_SAMPLE = 50
"""How many folders are searched for sessions."""


def detect(path: Path) -> bool:
    """Whether ``path`` is a session's folder, the folder of its events, or a folder of such sessions."""
    return next(_folders(path, limit=_SAMPLE), None) is not None


def sessions(path: Path) -> Iterator[str]:
    """Return the ids of the sessions, which are their folders' names."""
    return (_session(folder) for folder in _folders(path))


def read(path: Path, session: str) -> Iterator[Item]:
    folder = next((folder for folder in _folders(path) if _session(folder) == session), None)
    if folder is None:
        raise FormatError(f"{path} contains no session {session}", hint="list its sessions again")
    events: list[dict[str, Any]] = []
    damages: list[Damage] = []
    end = 0
    for file in _files(folder):
        value, damage = load_beside(file, f"event {file.stem}")
        end += 1
        if damage:
            damages.append(damage)
        elif isinstance(value, dict):
            events.append(value)
    yield from openhands.items(events, session=session, end=end)
    yield from damages


def _session(folder: Path) -> str:
    return folder.resolve().parent.name if folder.resolve().name == _EVENTS else folder.resolve().name


def _folders(path: Path, limit: int | None = None) -> Iterator[Path]:
    """Yield the folders of events at ``path``; at most ``limit`` of its sub-folders are searched."""
    if not path.is_dir():
        return
    for folder in (path, path / _EVENTS):
        if _has_events(folder):
            yield folder
            return
    children = sorted(child / _EVENTS for child in path.iterdir() if child.is_dir())
    yield from (folder for folder in islice(children, limit) if _has_events(folder))


def _has_events(folder: Path) -> bool:
    """Whether one of the folder's first three files is an event."""
    files = islice(_files(folder), 3)
    return any(openhands.is_event(load_beside(file, "")[0]) for file in files)


def _files(folder: Path) -> Iterator[Path]:
    """Yield the event files in the order of their numbers."""
    if folder.is_dir():
        files = (f for f in folder.iterdir() if f.suffix == ".json" and f.stem.isdecimal() and f.is_file())
        yield from sorted(files, key=lambda file: int(file.stem))
