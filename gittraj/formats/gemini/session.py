"""Gemini CLI's session files, ``~/.gemini/tmp/<project>/chats/session-<time>-<id>.json[l]``.

The records are those of github.com/google-gemini/gemini-cli, ``ChatRecordingService``, from version 0.1x to
0.61: at first one JSON document, later JSON Lines, in which a message is written again when more of it is
known and ``$set`` changes the metadata. A ``$set`` of ``messages`` has the messages that the model gets from
now on: it is written at every resume and compression, without thinking, tokens and times, and is not the
history. Whether a file is a document or JSON Lines is decided by its content, not its name.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from gittraj.formats import HEAD
from gittraj.formats.base import coerce, document, lines
from gittraj.formats.base.lines import Fragment, Lines
from gittraj.formats.base.position import LogReader, Position
from gittraj.formats.gemini import facts, prompts
from gittraj.formats.gemini.messages import Messages
from gittraj.model.session_items import START, Cursor, Entry, Item
from gittraj.model.values import NoteEvent

name = "gemini-cli"
agent = "gemini-cli"

_BLANK = b"\xef\xbb\xbf \t\r\n\0"
_TYPES = frozenset(("user", "gemini", "info", "warning", "error"))
_BARE = frozenset(("id", "timestamp", "type", "content"))
_MESSAGES = re.compile(rb'"messages"\s*:\s*\[')
_GEMINI = re.compile(rb'"type"\s*:\s*"gemini"')
_TIME = re.compile(rb'\{"\$set":\{"lastUpdated":"[^"\\]*"\}\}\s*')
_REWRITTEN = b'{"$set":{"messages":[{'
_REWRITTEN_END = re.compile(rb'\}\],"lastUpdated":"[^"\\]*"\}\}\s*\Z')


def detect(head: bytes) -> bool:
    head = head.lstrip(_BLANK)
    if not head.startswith(b"{"):
        return False
    objects = lines.head(head)
    if any(_is_record(record) for record in objects):
        return True
    if objects and not _is_document(head):
        return False
    keys = b'"sessionId"' in head and b'"projectHash"' in head
    return _MESSAGES.search(head) is not None and (keys or _GEMINI.search(head) is not None)


def _is_record(record: dict[str, Any]) -> bool:
    if isinstance(record.get("$set"), dict) or isinstance(record.get("$rewindTo"), str):
        return True
    if "sessionId" in record and "projectHash" in record:
        return True
    if not (record.keys() >= _BARE) or coerce.text(record["type"]) not in _TYPES:
        return False
    return record["type"] == "gemini" or record.keys() <= _BARE | {"displayContent"}


def _is_document(head: bytes) -> bool:
    """Whether a file is one JSON document over several lines, or one line that was truncated."""
    first, newline, _ = head.lstrip(_BLANK).partition(b"\n")
    if newline:
        return first.strip() == b"{"
    return not first.startswith((b'{"$', b'{"id"')) and _MESSAGES.search(first) is not None


def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = START) -> Iterator[Item]:
    """Yield the items of a session file. Its session id is the one in the file, else ``session``.

    Raises :class:`~gittraj.errors.FormatError` if the bytes before ``cursor`` have changed.
    """
    if not cursor.offset:
        stream = stream if stream.seekable() else io.BytesIO(stream.read())
        stream.seek(0)
        if _is_document(stream.read(HEAD)):
            return _read_document(stream, session)
    return _Reader(stream, session, cursor).items()


def _read_document(stream: BinaryIO, session: str | None) -> Iterator[Item]:
    value, damage = document.load(stream)
    position = Position(Lines(stream, trusted=frozenset()))
    fields = coerce.mapping(value)
    yield from facts.report(position, fields)
    messages = Messages(position, session)
    end = stream.tell()
    for ordinal, message in enumerate(coerce.objects(fields.get("messages"))):
        yield from messages.take(message, f"n{ordinal}", end)
    yield from messages.close()
    if damage is not None:
        yield damage


def _has_no_summary(raw: bytes) -> bool:
    """Whether a ``$set`` of messages is complete and has no summary among them."""
    end = _REWRITTEN_END.search(raw, max(0, len(raw) - 100))
    return end is not None and prompts.SNAPSHOT.encode() not in raw


class _Reader(LogReader):
    trusted = frozenset(("id", "type"))

    def __init__(self, stream: BinaryIO, session: str | None, cursor: Cursor) -> None:
        super().__init__(stream, session, cursor, skim=self._skim)
        self._messages = Messages(self._position, session)
        self._recorded: bool = cursor.state.get("recorded", False)  # whether more than context was read
        self._summary: str | None = cursor.state.get("summary")  # the last summary's id

    def _skim(self, raw: bytes) -> dict[str, Any] | None:
        """Skip records without information, which are most of a log: after every message comes the time, and
        at every resume all messages; once the history and folder are known, only a summary in them is new."""
        known = self._recorded and "folder" in self._position.facts
        repeated = known and raw.startswith(_REWRITTEN) and _has_no_summary(raw)
        return {} if repeated or _TIME.fullmatch(raw) else None

    def _rest(self) -> Iterator[Item]:
        return self._messages.flush()

    def _record(self, fragment: Fragment) -> Iterator[Item]:
        value = fragment.value
        if isinstance(value.get("$rewindTo"), str):
            yield from self._messages.close()
            text = f"Rewound: all from message {value['$rewindTo']} on was taken back"
            event = NoteEvent(id=f"at{fragment.start}:0", content=text, kind="note", tags=("rewound",))
            yield Entry(event=event, end=fragment.end)
        elif isinstance(value.get("$set"), dict):
            yield from self._metadata(value["$set"], fragment)
        elif "type" in value:
            yield from self._message(value, fragment)
        elif "sessionId" in value:
            yield from self._metadata(value, fragment)

    def _metadata(self, metadata: dict[str, Any], fragment: Fragment) -> Iterator[Item]:
        yield from facts.report(self._position, metadata)
        rewritten = coerce.objects(metadata.get("messages"))
        if self._recorded:
            yield from self._rewritten(rewritten, fragment)
            return
        if any(self._messages.opens_turn(message) for message in rewritten):
            yield from self._begin_turn(fragment)
        for ordinal, message in enumerate(rewritten):
            yield from self._take(message, f"at{fragment.start}n{ordinal}", fragment.end)

    def _rewritten(self, messages: list[dict[str, Any]], fragment: Fragment) -> Iterator[Item]:
        """Yield the new items of a rewritten history: the summary, once, and the folder if it is new."""
        for message in messages:
            yield from facts.locate(self._position, message)
            summarises = prompts.aside(message, prompts.SNAPSHOT) is not None
            if summarises and message.get("id") != self._summary:
                yield from self._take(message, f"at{fragment.start}", fragment.end)

    def _message(self, message: dict[str, Any], fragment: Fragment) -> Iterator[Item]:
        if self._messages.opens_turn(message):
            yield from self._begin_turn(fragment)
        yield from self._take(message, f"at{fragment.start}", fragment.end)

    def _take(self, message: dict[str, Any], name: str, end: int) -> Iterator[Item]:
        yield from self._messages.take(message, name, end)
        self._recorded = self._recorded or prompts.aside(message, prompts.CONTEXT) is None
        if prompts.aside(message, prompts.SNAPSHOT):
            self._summary = coerce.text(message.get("id"))

    def _begin_turn(self, fragment: Fragment) -> Iterator[Item]:
        yield from self._messages.close()
        yield from self._mark(fragment, {"recorded": self._recorded, "summary": self._summary})
        self._messages.begin_turn()
