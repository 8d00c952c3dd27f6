"""Reads what Codex passes to the ``notify`` program of its ``config.toml``, recorded as one object per line.

After each turn there is an object ``{"type":"agent-turn-complete","thread-id","turn-id","cwd","client",
"input-messages","last-assistant-message"}``. Its ``input-messages`` repeat those of earlier turns, and texts
that the program put into the user's role. A rollout of the same thread has more; its events supersede these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, lines
from gittraj.formats.base.lines import Fragment
from gittraj.formats.base.position import LogReader, read_with
from gittraj.formats.codex import prompts
from gittraj.model.session_items import Cursor, Entry, Item, TurnEnd
from gittraj.model.values import Message, Prompt

name = "codex-notify"
agent = "codex"

_TYPE = "agent-turn-complete"
detect = lines.detector(lambda record: record.get("type") == _TYPE, first=3)
_SUMMARY = "Another language model started to solve this problem"


class _Reader(LogReader):
    trusted = frozenset(("type", "thread-id"))

    def __init__(self, stream: BinaryIO, session: str | None, cursor: Cursor) -> None:
        super().__init__(stream, session, cursor)
        self._known: dict[str, int] = dict(cursor.state.get("known", {}))
        """The number of messages of each thread that were reported, over all its turns."""

    def _record(self, fragment: Fragment) -> Iterator[Item]:
        value = fragment.value
        if value.get("type") != _TYPE:
            return
        thread = coerce.text(value.get("thread-id"))
        yield from self._position.report_once("session", thread or self._file_session)
        foreign = self._position.foreign(thread)
        if foreign is None:
            yield from self._position.report_fields(value, {"folder": "cwd", "entrypoint": "client"})
        prefix = f"hook.{coerce.text(value.get('turn-id')) or self._number}"
        for ordinal, text in self._prompts(thread or "", value.get("input-messages")):
            state = {"record": self._number, "known": dict(self._known)}
            if not ordinal:
                yield from self._mark(fragment, state)
            event = Prompt(id=f"{prefix}:{ordinal}", content=text)
            yield Entry(event=event, end=fragment.end, session=foreign)
        self._known[thread or ""] = len(coerce.texts(value.get("input-messages")))
        if answer := coerce.text(value.get("last-assistant-message")):
            message = Message(id=f"{prefix}:answer", content=answer)
            yield Entry(event=message, end=fragment.end, session=foreign)
        yield TurnEnd(end=fragment.end)

    def _prompts(self, thread: str, value: Any) -> Iterator[tuple[int, str]]:
        """Yield the prompts of this turn, with their ordinals. In the first record of a thread, only the last
        prompt counts: the others are from earlier turns, or from the thread that this one was forked from."""
        texts = coerce.texts(value)
        new = texts[self._known.get(thread, 0) :]
        typed = [
            text for prompt in new if not prompt.startswith(_SUMMARY) and (text := prompts.typed([prompt]))
        ]
        yield from enumerate(typed if thread in self._known else typed[-1:])


read = read_with(_Reader)
