"""Claude Code's own session files, ``~/.claude/projects/<folder>/<session id>.jsonl``.

The format is not published; this reader follows files of versions 1.0 to 2.1. A file only grows, has one
record per line, and spreads one model call over several records of the same ``message.id``. Subagents have
files of the same shape (``agent-<id>.jsonl``, next to the main file or below it); older versions put their
records into the main file (``isSidechain``). No other file is read, and no path that a log names is followed.

Two things in a file are left out, since they cannot be decided while it is read. The dialogue of a subagent
in ``agent_progress`` records is also in the subagent's own file, and whether that file exists is not checked
here. A rewind is a second child of an older record: when it is read, the events that it abandons have long
been reported, so they are not marked as abandoned.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, lines
from gittraj.formats.base.lines import Fragment
from gittraj.formats.base.position import LogReader, read_with
from gittraj.formats.claude import prompts
from gittraj.formats.claude.conversation import Conversation, Record
from gittraj.formats.claude.facts import SessionFacts, is_subagent
from gittraj.model.session_items import Cursor, Entry, Item, TurnEnd
from gittraj.model.values import NoteEvent

name = "claude-code"
agent = "claude-code"

_TYPES = {
    *("user", "assistant", "system", "progress", "attachment", "queue-operation"),
    *("mode", "permission-mode", "last-prompt", "custom-title", "ai-title", "agent-name"),
}
_CUT_FIRST_LINE = re.compile(rb'\{"(?:parentUuid|isSidechain|sessionId|type|uuid)":[^\n]*"sessionId":"')


def _is_record(record: dict[str, Any]) -> bool:
    match record.get("type"):
        case "summary":
            return "leafUuid" in record
        case "file-history-snapshot":
            return "snapshot" in record
        case str(kind):
            return kind in _TYPES and "sessionId" in record
        case _:
            return False


detect = lines.detector(_is_record, cut=_CUT_FIRST_LINE)


class _Reader(LogReader):
    """Reads a session file. ``stem``, the file's name without suffix, has precedence as the session id."""

    trusted = frozenset(("type", "sessionId"))

    def __init__(self, stream: BinaryIO, stem: str | None, cursor: Cursor) -> None:
        super().__init__(stream, stem, cursor)
        self._facts = SessionFacts(self._position, stem, dict(cursor.state), self._lines.object_at)
        self._conversation = Conversation(self._position)
        self._begin_turn()

    def _begin_turn(self) -> None:
        """Forget the previous turn: at a mark, the state must be the same as if reading started there.

        So a record that was written again in a later turn is reported twice, with the same event ids.
        """
        self._seen: set[str] = set()
        self._chains: dict[str, str] = {}
        """The event of the call that started a sidechain, by the uuids of the sidechain's records."""
        self._queue: deque[str | None] = deque()
        self._removed: list[Entry] = []
        self._conversation.forget()

    def _record(self, fragment: Fragment) -> Iterator[Item]:
        value = fragment.value
        uuid = coerce.text(value.get("uuid"))
        if uuid in self._seen:
            return
        queued = prompts.queued(value)
        content, typed = _message(value, queued)
        subagent = is_subagent(value, self._file_session)
        if value.get("type") in ("user", "assistant"):
            yield from self._removed
            self._removed.clear()
        elif queued:
            self._removed.clear()
        if typed is not None and not subagent:
            yield from self._mark(fragment, self._facts.state())
            self._begin_turn()
        yield from self._facts.report(value, self._seen, fragment.start)
        record = Record(
            value=value,
            content=content,
            id=uuid or f"at{fragment.start}",
            ts=coerce.stamp(value.get("timestamp")),
            end=fragment.end,
            folder=coerce.text(value.get("cwd")),
            detail=value.get("toolUseResult"),
            tags=("sidechain",) if value.get("isSidechain") is True else (),
            subagent=subagent,
            session=self._facts.foreign(value),
            parent=self._follow(value, typed),
        )
        for item in self._items(record, typed):
            if uuid:
                self._seen.add(uuid)
            yield item

    def _follow(self, value: dict[str, Any], typed: str | None) -> str | None:
        """The event of the Task call that started the sidechain of this record; None if it is not known."""
        if value.get("isSidechain") is not True:
            return None
        parent = coerce.text(value.get("parentUuid"))
        call = self._chains.get(parent) if parent else self._conversation.started_by(typed)
        if call and (uuid := coerce.text(value.get("uuid"))):
            self._chains[uuid] = call
        return call

    def _items(self, record: Record, typed: str | None) -> Iterator[Item]:
        match record.value.get("type"):
            case "assistant":
                yield from self._conversation.assistant(record)
            case "user":
                yield from self._conversation.user(record, typed)
            case "attachment" if typed is not None:
                yield from self._conversation.user(record, typed)
            case "system":
                yield from _system(record)
            case "queue-operation":
                self._wait(record)

    # ------------------------------------------------------------ queued prompts

    def _wait(self, record: Record) -> None:
        """Follow the queue of prompts: a prompt that is removed, not taken as the next one, becomes a note of
        this turn. If the attachment of a queued prompt follows, the note is dropped; older files have no
        such attachments."""
        match record.value.get("operation"):
            case "enqueue":
                self._queue.append(prompts.waiting(record.value.get("content")))
            case "dequeue" if self._queue:
                self._queue.popleft()
            case "remove" if self._queue and (text := self._queue.popleft()):
                note = NoteEvent(**record.common(0, "queued"), content=text, kind="note")
                self._removed.append(record.entry(note))
            case "popAll":
                self._queue.clear()


read = read_with(_Reader)


def _message(value: dict[str, Any], queued: dict[str, Any] | None) -> tuple[list[dict[str, Any]], str | None]:
    """The blocks of a record's message or of the ``queued`` prompt in it, and what of them a human typed."""
    if queued:
        content = prompts.blocks({"content": queued.get("prompt")})
        return content, prompts.typed(queued, content)
    content = prompts.blocks(value.get("message"))
    return content, prompts.typed(value, content) if value.get("type") == "user" else None


def _system(record: Record) -> Iterator[Item]:
    match record.value.get("subtype"):
        case "turn_duration" if not record.subagent:
            yield TurnEnd(end=record.end)
        case "compact_boundary" | "microcompact_boundary":
            text = coerce.text(record.value.get("content")) or "Conversation compacted"
            yield record.entry(NoteEvent(**record.common(0), content=text, kind="compaction"))
        case "api_error":
            yield record.entry(NoteEvent(**record.common(0), content=_failure(record.value), kind="error"))


def _failure(value: dict[str, Any]) -> str:
    """The error of a failed request; it may be nested several levels deep."""
    error = value.get("error")
    while isinstance(error, dict) and isinstance(error.get("error"), dict):
        error = error["error"]
    fields = coerce.mapping(error)
    text = (
        error if isinstance(error, str) else fields.get("message") or fields.get("code") or fields.get("type")
    )
    status = coerce.at(value, "error", "status")
    return " ".join(str(part) for part in ("API error", status, text) if part)
