"""Claude Code's own session files, ``~/.claude/projects/<folder>/<session id>.jsonl``.

The format is not published; this follows files of versions 1.0 to 2.1. A file only grows, holds one
record a line, and spreads one model call over several records of the same ``message.id``. Subagents
have files of the same shape (``agent-<id>.jsonl``), older ones stand between the main file's records
(``isSidechain``). Never reads another file, and never follows a path that a log names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from gittraj.formats import claude_calls, claude_decisions, claude_prompts, claude_results, lines, loose
from gittraj.formats.lines import Fragment, Lines
from gittraj.formats.place import Place
from gittraj.log import Cursor, Damage, Entry, Fact, Item, Spent, TurnEnd
from gittraj.model import (
    AnyEvent,
    Decided,
    Message,
    PeerMessage,
    Prompt,
    Remark,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)

name = "claude-code"
agent = "claude-code"

_START = Cursor()
_TYPES = frozenset(
    ("user", "assistant", "system", "summary", "progress", "queue-operation", "attachment", "mode")
)
_FOREIGN = frozenset(("session_id", "hook_event_name", "payload", "projectHash", "loglines"))
_LONG_FIRST_LINE = re.compile(rb'^[^\n]*"(?:parentUuid|sessionId|isSidechain)":[^\n]*$')
_TRUSTED = frozenset(("type", "sessionId"))
_SYNTHETIC = "<synthetic>"
_FILLER = "No response requested."
"""What Claude Code writes itself where the model had nothing to answer: no error, no message."""
_SUBAGENT_FILE = "agent-"
_WAITING_SUMMARIES = 64


def detect(head: bytes) -> bool:
    """Whether a file that begins with ``head`` is a session of Claude Code."""
    objects = lines.head(head)
    if not objects:
        return _LONG_FIRST_LINE.match(head) is not None and b'"uuid"' not in head[:1]
    if any(_FOREIGN & found.keys() and "sessionId" not in found for found in objects):
        return False
    return any(_is_record(found) for found in objects)


def _is_record(found: dict[str, Any]) -> bool:
    match found.get("type"):
        case "summary":
            return "leafUuid" in found
        case "file-history-snapshot":
            return "snapshot" in found
        case str(kind):
            return kind in _TYPES and "sessionId" in found
        case _:
            return False


def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = _START) -> Iterator[Item]:
    """The items of a session file. ``session`` is the stem of its name, which wins as session id.

    Raises :class:`~gittraj.errors.FormatError` if the log before ``cursor`` is another one.
    """
    return _Reading(stream, session, cursor).items()


class _Reading:
    def __init__(self, stream: BinaryIO, session: str | None, cursor: Cursor) -> None:
        self._lines = Lines(stream, cursor, trusted=_TRUSTED)
        self._place = Place(self._lines, cursor)
        self._stem = session
        self._summaries: dict[str, str] = dict(cursor.state.get("summaries", {}))
        self._title_rank: int = cursor.state.get("title_rank", 0)
        self._begin_turn()

    def _begin_turn(self) -> None:
        """Forget what belongs to the turn before, so that reading on from a mark knows the same."""
        self._seen: set[str] = set()
        self._calls: dict[str, tuple[str, Any]] = {}
        self._chains: dict[str, str] = {}

    def items(self) -> Iterator[Item]:
        for found in self._lines:
            if isinstance(found, Damage):
                yield found
            else:
                yield from self._place.count(self._record(found))

    # ------------------------------------------------------------ records

    def _record(self, found: Fragment) -> Iterator[Item]:
        record = found.value
        kind = record.get("type")
        uuid = loose.text(record.get("uuid"))
        if uuid in self._seen:
            return
        prompt = self._typed(record) if kind == "user" else None
        if prompt is not None and not self._is_subagent(record):
            state = {"summaries": dict(self._summaries), "title_rank": self._title_rank}
            yield from self._place.mark(self._place.cursor(found.start, state))
            self._begin_turn()
        yield from self._facts(record, kind)
        empty = True
        for item in self._events(found, kind, prompt):
            empty = False
            yield item
        if uuid and not empty:
            self._seen.add(uuid)

    def _events(self, found: Fragment, kind: Any, prompt: str | None) -> Iterator[Item]:
        match kind:
            case "user":
                yield from self._user(found, prompt)
            case "assistant":
                yield from self._assistant(found)
            case "system":
                yield from self._system(found)

    def _typed(self, record: dict[str, Any]) -> str | None:
        return claude_prompts.typed(record, claude_prompts.blocks(record.get("message")))

    def _is_subagent(self, record: dict[str, Any]) -> bool:
        return record.get("isSidechain") is True or "subagent" in self._place.facts or self._in_subagent_file()

    def _in_subagent_file(self) -> bool:
        return self._stem is not None and self._stem.startswith(_SUBAGENT_FILE)
