"""A3S Code's file store: one file per session, in one of two layouts (``core/src/store`` in A3S-Lab/Code).

The older layout has ``<id>.json`` and, if there are any, ``artifacts/<id>/artifacts.json``,
``traces/<id>.json``, ``verification/<id>.json``, ``runs/<id>.json``, ``subagent_tasks/<id>.json`` and
``loop_checkpoints/<run>.json``. The newer layout has all of them except the checkpoints in one file,
``v1/sessions/id_<base64 of id>.json``. In the older layout two ids can have the same file name: the id in the
file decides. Encrypted stores cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gittraj.errors import FormatError
from gittraj.formats.a3s.session import StoredSession, items
from gittraj.formats.base import coerce
from gittraj.formats.base.document import load_beside, peek, read_head
from gittraj.model.session_items import Damage, Item

name = "a3s"
agent = "a3s"

_LAYOUTS = ("", "v1/sessions", "sessions", "sessions/v1/sessions")
_PARTS = {
    "artifacts": ("artifacts/{}/artifacts.json", "artifacts"),
    "traces": ("traces/{}.json", "trace_events"),
    "reports": ("verification/{}.json", "verification_reports"),
    "runs": ("runs/{}.json", "run_records"),
    "tasks": ("subagent_tasks/{}.json", "subagent_tasks"),
}
"""The file of each part of a session in the older layout, and its key in the newer layout's file."""


def detect(path: Path) -> bool:
    """Whether the folder, or ``sessions`` in it, contains sessions of A3S Code."""
    return next(_files(path), None) is not None


def sessions(path: Path) -> Iterator[str]:
    yield from dict.fromkeys(session for _, session in _files(path))


def read(path: Path, session: str) -> Iterator[Item]:
    file = next((file for file, listed in _files(path) if listed == session), None)
    if file is None:
        raise FormatError(f"{path} contains no session {session}", hint="list its sessions again")
    reading = _Reading(session)
    stored = reading.session(file)
    yield from items(stored)
    yield from reading.damages


@dataclass(slots=True)
class _Reading:
    """Reads the files of one session; ``damages`` lists the files that could not be read."""

    name: str
    damages: list[Damage] = field(default_factory=list)

    def session(self, file: Path) -> StoredSession:
        value = self._load(file)
        if "session" in value:
            session = coerce.mapping(value["session"])
            parts = {name: coerce.objects(value.get(key)) for name, (_, key) in _PARTS.items()}
            root = file.parent.parent
        else:
            session, root = value, file.parent
            parts = {name: self._part(root, path) for name, (path, _) in _PARTS.items()}
        parts["runs"] = [run for run in parts["runs"] if self._is_own(run.get("snapshot"), "session_id")]
        parts["tasks"] = [task for task in parts["tasks"] if self._is_own(task, "parent_session_id")]
        return StoredSession(
            id=self.name, session=session, checkpoints=list(self._checkpoints(root)), **parts
        )

    def _part(self, root: Path, path: str) -> list[dict[str, Any]]:
        file = root / path.format(file_name(self.name))
        value = self._load(file) if file.is_file() else []
        return coerce.objects(value.get("artifacts") if isinstance(value, dict) else value)

    def _checkpoints(self, root: Path) -> Iterator[dict[str, Any]]:
        for file in sorted((root / "loop_checkpoints").glob("*.json")):
            if coerce.mapping(peek(read_head(file))).get("session_id") == self.name:
                records = self._load(file)
                if coerce.count(records.get("schema_version")) > 1:
                    self.damages.append(Damage(at=0, why=f"{file.name}: a checkpoint of a later version"))
                elif isinstance(records, dict):
                    yield records

    def _is_own(self, value: Any, key: str) -> bool:
        return bool(coerce.mapping(value).get(key, self.name) == self.name)

    def _load(self, file: Path) -> Any:
        value, damage = load_beside(file, file.name)
        self.damages += [damage] if damage else []
        return value if isinstance(value, dict | list) else {}


def _files(path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the file and the id of each session in the store at ``path``."""
    for layout in _LAYOUTS:
        folder = path / layout
        for file in sorted(folder.glob("*.json")) if folder.is_dir() else ():
            value = coerce.mapping(peek(read_head(file)))
            session = coerce.mapping(value.get("session")) or value
            session_id = coerce.text(session.get("id"))
            if (
                session_id
                and isinstance(session.get("state"), str)
                and "workspace" in coerce.mapping(session.get("config"))
            ):
                yield file, session_id


def file_name(session: str) -> str:
    return session.replace("/", "_").replace("\\", "_").replace("..", "_")
