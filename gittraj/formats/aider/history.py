"""Aider's ``.aider.chat.history.md``, to which every session of a folder is appended, each below a header.

The header has the time when a session started; nothing else in the file has an id or a time. The file grows
for months, so no more than one of its lines is in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from gittraj.formats.aider import FILE
from gittraj.formats.aider.session import LONGEST, Session
from gittraj.formats.base import coerce
from gittraj.formats.base.document import read_head
from gittraj.formats.base.position import facts
from gittraj.model.session_items import Item

name = "aider"
agent = "aider"

_TIME = len("YYYY-MM-DDTHH:MM:SS")
_HEADER = re.compile(rb"^# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) *\r?$", re.MULTILINE)


def started_at(session: str) -> float | None:
    """The start of a session on this machine, in seconds since 1970: its header has local time."""
    try:
        return datetime.fromisoformat(session[:_TIME]).timestamp()
    except (ValueError, OverflowError):
        return None


def detect(path: Path) -> bool:
    """Whether ``path`` is Aider's history, or a folder with one."""
    return _HEADER.search(read_head(_file(path))) is not None


def sessions(path: Path) -> Iterator[str]:
    """Yield the sessions' ids: the times when they started. Lines above the first header are left out."""
    with _file(path).open("rb") as stream:
        yield from (session for session, _ in _headers(stream))


def read(path: Path, session: str) -> Iterator[Item]:
    file = _file(path)
    # Paths are relative to the folder of the history, unless the file's name shows that it is a copy.
    folder = str(file.parent.absolute()) if file.name == FILE else None
    with file.open("rb") as stream:
        start = next((offset for name, offset in _headers(stream) if name == session), None)
        if start is not None:
            stream.seek(start)
            at = started_at(session) if folder else None  # a copy's time zone is not known
            started = coerce.stamp(session[:_TIME] if at is None else at)
            yield from facts(session=session, started_at=started)
            yield from facts(tag="local-time" if at is None else None, folder=folder)
            yield from Session(folder).items(stream, start, _HEADER)


def _file(path: Path) -> Path:
    return path / FILE if path.is_dir() else path


def _headers(stream: BinaryIO) -> Iterator[tuple[str, int]]:
    """Yield the id of each session and the offset after its header. The second of two sessions that started
    in the same second gets a number."""
    seen: dict[str, int] = {}
    offset = 0
    while line := stream.readline(LONGEST):
        offset += len(line)
        if line.startswith(b"# aider") and (match := _HEADER.match(line)):
            started = f"{match[1].decode()}T{match[2].decode()}"
            seen[started] = seen.get(started, 0) + 1
            yield started if seen[started] == 1 else f"{started}-{seen[started]}", offset
