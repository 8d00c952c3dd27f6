"""The recording that ``git traj run`` makes of a program: one JSON object, ``{"terminal": id, …}``, with all
its output.

It is not a log: it does not show who did what. It proves only commits whose ids git printed, except those in
``typed``: they were made on a terminal, perhaps by a person whose input the program echoed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce, document
from gittraj.formats.base.document import peek
from gittraj.formats.base.outcomes import printed_commits
from gittraj.formats.base.position import facts
from gittraj.model.session_items import Entry, Item, TurnEnd
from gittraj.model.values import ToolCall, ToolResult

name = "terminal"
agent = "terminal"

_CONTROL = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])|[\x00-\x08\x0b\x0c\x0e-\x1f]"
)

_FORWARD = re.compile(r"\x1b\[[0-9]*[CG]")
"""Escape sequences that move the cursor: some programs use them instead of spaces."""


def detect(head: bytes) -> bool:
    return head.startswith(b'{"terminal":') and isinstance(peek(head), dict)


@document.reader
def read(value: Any, session: str | None, end: int) -> Iterator[Item]:
    """Yield a call for the program, and its output as the result."""
    record = coerce.mapping(value)
    session_id = coerce.text(record.get("terminal")) or session or name
    command = coerce.string(record.get("command"))
    printed = plain(coerce.string(record.get("output")))
    status, folder = coerce.number(record.get("status")), coerce.text(record.get("cwd"))
    begun, ended = coerce.stamp(record.get("started")), coerce.stamp(record.get("ended"))
    yield from facts(
        session=session_id,
        agent=coerce.text(record.get("agent")),
        started_at=begun,
        folder=folder,
        title=command,
        start_commit=coerce.text(record.get("commit")),
    )
    typed = coerce.texts(record.get("typed"))
    proven = tuple(c for c in printed_commits(printed) if not any(full.startswith(c) for full in typed))
    call = ToolCall(
        id=f"{session_id}:0", ts=begun, name="run", arguments={"command": command}, call_id=session_id
    )
    yield Entry(event=call, end=end, folder=folder, prints=bool(proven))
    result = ToolResult(
        id=f"{session_id}:1",
        ts=ended,
        content=printed,
        call_id=session_id,
        exit_code=status,
        truncated=record.get("truncated") is True,
    )
    yield Entry(event=result, end=end, commits=proven)
    yield TurnEnd(end=end)


def plain(text: str) -> str:
    """A terminal's output without colours and cursor movements; an overwritten line has its last text."""
    lines = _CONTROL.sub("", _FORWARD.sub(" ", text.replace("\r\n", "\n"))).split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)
