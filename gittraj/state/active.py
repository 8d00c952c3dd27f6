"""Stores events that were recorded by command and have no commit yet, in ``traj/active/`` of the common git
directory.

One file per trajectory, written atomically under the drain's lock. Its texts are redacted. It is not a cache:
until a commit has them, these events are nowhere else, unless they are in an agent's log.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from gittraj.errors import FormatError, unwritable
from gittraj.frozen import dataclass
from gittraj.model.codec import dump, event_from_json, event_to_json, from_json, to_json
from gittraj.model.values import AnyEvent, Participant, Range, TaskRef
from gittraj.state.folder import replace_file

_FOLDER = "active"
_MARK = "traj-worktree"


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """A trajectory that somebody writes by hand, or a session in which a command recorded something.

    ``worktree`` is the git directory where it began (:func:`place_of`), ``commit`` was HEAD then. ``session``
    is None if nothing names one; ``awaits_log``: a log will name it. ``position`` is that of the next event;
    ``parts`` are already linked to ``commits``, the latest last. ``logged`` are ids of events that were found
    in a log. ``over``: the worktree was removed before a status was stated.
    """

    trajectory: str
    worktree: str
    agent: str | None = None
    session: str | None = None
    awaits_log: bool = False
    title: str | None = None
    task: TaskRef | None = None
    tags: tuple[str, ...] = ()
    participants: tuple[Participant, ...] = ()
    started_at: str | None = None
    commit: str | None = None
    status: str | None = None
    over: bool = False
    position: int = 0
    parts: tuple[Range, ...] = ()
    commits: tuple[str, ...] = ()
    logged: tuple[str, ...] = ()

    @property
    def by_hand(self) -> bool:
        return self.session is None and not self.awaits_log

    @property
    def ended(self) -> bool:
        return self.status is not None or self.over


@dataclass(frozen=True, slots=True, kw_only=True)
class Active:
    header: Header
    events: tuple[AnyEvent, ...] = ()


def place_of(git_dir: Path, common_dir: Path, *, create: bool = False) -> str:
    """Identify a worktree by its git directory, relative to the common one, which may be moved.

    A linked worktree also has a random token, created on request: after its removal another may get its name.
    Raises StoreError when the token cannot be written.
    """
    name = Path(os.path.relpath(git_dir, common_dir)).as_posix()
    if name == ".":
        return name
    path = git_dir / _MARK
    try:
        if create and not path.exists():
            import secrets  # noqa: PLC0415 - it takes 3 ms to load

            path.write_text(secrets.token_hex(8), "ascii")
        return f"{name}#{path.read_text('ascii').strip()}"
    except OSError as error:
        if create:
            raise unwritable(path, error) from None
        return name


def is_gone(header: Header, common_dir: Path) -> bool:
    """Whether the worktree in which a trajectory began was removed, even if its name was used again since."""
    name = header.worktree.partition("#")[0]
    return place_of(common_dir / name, common_dir) != header.worktree


def load_active(folder: Path) -> list[Active]:
    """All active trajectories, sorted by id. A damaged file is skipped and stays where it is."""
    return [active for _, active in _load(folder) if active is not None]


def find_damaged(folder: Path) -> list[Path]:
    """The damaged files, which ``load_active`` skips."""
    return [path for path, active in _load(folder) if active is None]


def _load(folder: Path) -> Iterator[tuple[Path, Active | None]]:
    for path in sorted((folder / _FOLDER).glob("traj_*.json")):
        try:
            yield path, _read(json.loads(path.read_bytes()))
        except (OSError, ValueError, FormatError, RecursionError):
            yield path, None


def _read(value: Any) -> Active:
    if not isinstance(value, dict):
        raise FormatError("the file of an active trajectory does not contain a JSON object")
    events = value.get("events")
    return Active(
        header=from_json(Header, value.get("header")),
        events=tuple(map(event_from_json, events if isinstance(events, list) else ())),
    )


def save_active(folder: Path, active: Active) -> None:
    """Write a trajectory atomically. If it has no events, and has ended or is a session's, remove its file.
    Raises StoreError."""
    path = folder / _FOLDER / f"{active.header.trajectory}.json"
    if not active.events and (active.header.ended or not active.header.by_hand):
        path.unlink(missing_ok=True)
        return
    body = dump({"header": to_json(active.header), "events": [event_to_json(e) for e in active.events]})
    replace_file(path, body, make=True)


def drop_active(folder: Path, trajectory: str) -> None:
    (folder / _FOLDER / f"{trajectory}.json").unlink(missing_ok=True)


def without(active: Active, stored: set[str]) -> Active:
    """A copy of ``active`` without the events ``stored``, which a commit has now."""
    header = active.header
    return Active(
        header=replace(header, logged=tuple(name for name in header.logged if name not in stored)),
        events=tuple(event for event in active.events if event.id not in stored),
    )


def mark_logged(active: Active, found: set[str]) -> Active:
    """Note that the events with the ids ``found`` are in a log now: a commit will get them from the log."""
    known = {*found, *active.header.logged}
    logged = tuple(event.id for event in active.events if event.id in known)
    return replace(active, header=replace(active.header, logged=logged))
