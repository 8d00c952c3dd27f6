"""Reads datasets of conversations for training, one ``{"messages": […]}`` per line: every line is a session.

A session's id is made of a hash of the shapes of its messages and of its line's offset, so that equal
conversations have different ids, and ids do not change when lines are appended.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gittraj.errors import FormatError
from gittraj.formats import HEAD
from gittraj.formats.base import coerce, lines
from gittraj.formats.base.document import read_head
from gittraj.formats.base.lines import Fragment, Lines
from gittraj.formats.openai import completion
from gittraj.formats.openai import messages as openai_messages
from gittraj.model.session_items import Item

name = "openai-dataset"
agent = "openai-chat"

_TRUSTED = frozenset(("messages",))
_CUT_FIRST_LINE = b'{"messages"'


def detect(path: Path) -> bool:
    """Whether the file at ``path`` begins with lines of conversations."""
    head = read_head(path)
    if objects := lines.head(head, 3):
        return all(_is_record(record) for record in objects)
    first = head.lstrip()[:200].replace(b" ", b"")
    return len(head) == HEAD and b"\n" not in head and first.startswith(_CUT_FIRST_LINE)


def _is_record(record: dict[str, Any]) -> bool:
    foreign = record.keys() & {"info", "sessionId", "type", "trajectory_format", "id", "session_id"}
    return not foreign and openai_messages.is_conversation(record.get("messages"))


def sessions(path: Path) -> Iterator[str]:
    """Yield the ids of the conversations in the order of the lines. Raises OSError."""
    with path.open("rb") as stream:
        for fragment in Lines(stream, trusted=_TRUSTED):
            if isinstance(fragment, Fragment) and coerce.objects(fragment.value.get("messages")):
                yield _id(fragment.value, fragment.start)


def read(path: Path, session: str) -> Iterator[Item]:
    """Yield the items of one conversation. Raises OSError, or FormatError if it is no longer in the file."""
    start = session.rpartition("-")[2]
    offset = int(start) if start.isdecimal() and len(start) < 19 else 0
    with path.open("rb") as stream:
        stream.seek(offset)
        line = io.BytesIO(stream.readline(lines.LIMIT))
    fragment = next((f for f in Lines(line, trusted=_TRUSTED) if isinstance(f, Fragment)), None)
    if fragment is None or _id(fragment.value, offset) != session:
        raise FormatError(f"{path} contains no conversation {session}", hint="list its sessions again")
    messages = coerce.objects(fragment.value.get("messages"))
    yield from openai_messages.conversation(messages, session=session, end=offset + fragment.end)


def _id(record: dict[str, Any], start: int) -> str:
    messages = coerce.objects(record.get("messages"))
    return f"{coerce.shape_id(name, map(completion.shape, messages))}-{start}"
