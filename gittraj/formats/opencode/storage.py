"""Reads the folder of files that OpenCode kept before it had a database: ``~/.local/share/opencode/storage``.

It has ``session/<project>/<session>.json``, which may be missing, ``message/<session>/<message>.json`` and
``part/<message>/<part>.json``. OpenCode rewrites files in place: one may be truncated while it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gittraj.errors import FormatError
from gittraj.formats.base.document import load_beside
from gittraj.formats.opencode.session import items
from gittraj.model.session_items import Damage, Item

name = "opencode-storage"
agent = "opencode"

_NAME = re.compile(r"[\w-]{1,128}")
"""Matches the id of a session, message or part; such an id cannot lead out of the folder as a file name."""
_ROLES = ("user", "assistant")


def detect(path: Path) -> bool:
    """Whether the folder, or ``storage`` in it, contains OpenCode's messages."""
    root = _root(path)
    if root is None:
        return False
    first = next((root / "message").glob("*/*.json"), None)
    value = _load(first) if first is not None else None
    return isinstance(value, dict) and value.get("role") in _ROLES and isinstance(value.get("time"), dict)


def sessions(path: Path) -> Iterator[str]:
    """Yield the ids of the sessions that have messages."""
    root = _root(path)
    folders = sorted((root / "message").iterdir()) if root is not None else []
    yield from (folder.name for folder in folders if _NAME.fullmatch(folder.name) and folder.is_dir())


def read(path: Path, session: str) -> Iterator[Item]:
    root = _root(path)
    if root is None or not _NAME.fullmatch(session) or not (root / "message" / session).is_dir():
        raise FormatError(f"{path}: no session '{session}' in it")
    info: dict[str, Any] = {}
    for file in sorted((root / "session").glob(f"*/{session}.json")):
        value = _load(file)
        if isinstance(value, Damage):
            yield value
        else:
            info = value
    messages: list[dict[str, Any]] = []
    for message in _folder(root / "message" / session):
        if isinstance(message, Damage):
            yield message
        else:
            messages.append(message)
    yield from items({**info, "id": session}, messages, lambda message: _folder(root / "part" / message))


def _root(path: Path) -> Path | None:
    return next(
        (p for p in (path, path / "storage") if (p / "message").is_dir() and (p / "part").is_dir()), None
    )


def _folder(folder: Path) -> Iterator[dict[str, Any] | Damage]:
    """Yield the records in a folder; a file's name is its record's id."""
    for file in sorted(folder.glob("*.json")) if _NAME.fullmatch(folder.name) else ():
        value = _load(file)
        yield {**value, "id": file.stem} if isinstance(value, dict) else value


def _load(file: Path) -> dict[str, Any] | Damage:
    value, damage = load_beside(file, file.name)
    if damage is None and isinstance(value, dict):
        return value
    return damage or Damage(at=0, why=f"{file.name}: not a JSON object")
