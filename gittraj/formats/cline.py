"""Cline's sessions, ``~/.cline/data/sessions/<id>/<id>.messages.json``, as version 3 writes them.

A session is one document, written again after every message; ``<id>.json`` next to it names its folder. If a
text of the user role contains a ``<user_input>`` element, the user wrote only the content of that
element; the rest is the program's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gittraj.formats.base import coerce, document
from gittraj.formats.base.document import peek, read_head
from gittraj.formats.base.edits import replaced, written
from gittraj.formats.base.outcomes import Call, printed_commits
from gittraj.formats.base.position import facts
from gittraj.formats.claude.prompts import blocks
from gittraj.model.session_items import Edit, Entry, Fact, Item, Spent, TurnEnd
from gittraj.model.values import Message, NoteEvent, Prompt, Thinking, ToolResult

name = "cline"
agent = "cline"

_SUFFIX = ".messages.json"
_OPENS, _CLOSES = re.compile(r"<user_input(?:\s[^>]{0,200})?>"), "</user_input>"
_SYSTEM = "[SYSTEM] "
_TOKENS = ("inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens")
_ENDED = {"completed": "completed", "failed": "failed", "cancelled": "abandoned"}


def detect(path: Path) -> bool:
    """Whether ``path`` is the file with a session's messages, or a folder that contains such files."""
    return any(True for _ in _files(path))


def sessions(path: Path) -> Iterator[str]:
    """The ids of the sessions, from the names of their files."""
    yield from (file.name.removesuffix(_SUFFIX) for file in _files(path))


def read(path: Path, session: str) -> Iterator[Item]:
    """Yield the items of one session."""
    file = next((f for f in _files(path) if f.name.removesuffix(_SUFFIX) == session), path)
    with file.open("rb") as stream:
        value, damage = document.load(stream)
        end = stream.tell()
    description_path = file.with_name(f"{file.name.removesuffix(_SUFFIX)}.json")
    description: Any = None
    if description_path.is_file():
        with description_path.open("rb") as stream:
            description, _ = document.load(stream)
    yield from _Reading(coerce.mapping(value), coerce.mapping(description), session, end).items()
    if damage is not None:
        yield damage


def _files(path: Path) -> Iterator[Path]:
    for file in sorted(path.rglob(f"*{_SUFFIX}")) if path.is_dir() else [path]:
        if file.name.endswith(_SUFFIX):
            log = coerce.mapping(peek(read_head(file)))
            if "sessionId" in log and "origin" in log:
                yield file


class _Reading(document.Reading):
    def __init__(self, log: dict[str, Any], description: dict[str, Any], session: str, end: int) -> None:
        super().__init__(end)
        self._log = log
        self._description = description
        self._session = session
        self._folder = coerce.text(description.get("cwd"))
        self._commands: dict[str, tuple[str, ...]] = {}

    def items(self) -> Iterator[Item]:
        yield from self._facts()
        for number, message in enumerate(coerce.objects(self._log.get("messages"))):
            message_id = coerce.text(message.get("id")) or f"n{number}"
            ts = coerce.stamp(message.get("ts"))
            if message.get("role") == "assistant":
                yield from self._assistant(message, message_id, ts)
            else:
                yield from self._user(message, message_id, ts)
        if coerce.text(self._description.get("status")) in _ENDED:
            yield TurnEnd(end=self._end)

    def _facts(self) -> Iterator[Fact]:
        origin = coerce.mapping(self._log.get("origin"))
        metadata = coerce.mapping(self._description.get("metadata"))
        yield from facts(
            session=coerce.text(self._log.get("sessionId")) or self._session,
            started_at=coerce.stamp(self._description.get("started_at")),
            folder=self._folder,
            agent_version=coerce.text(origin.get("version")),
            entrypoint=coerce.text(origin.get("source")),
            title=coerce.text(metadata.get("title")),
            status=_ENDED.get(str(self._description.get("status"))),
        )

    def _user(self, message: dict[str, Any], message_id: str, ts: str | None) -> Iterator[Item]:
        for ordinal, block in enumerate(blocks(message)):
            common: dict[str, Any] = {"id": f"{message_id}:{ordinal}", "ts": ts}
            if block.get("type") == "tool_result":
                yield self._result(common, block)
            elif text := coerce.text(block.get("text")):
                typed = "\n".join(_typed(text))
                if typed or not text.startswith(_SYSTEM):
                    yield self._entry(Prompt(**common, content=typed or text))
                else:
                    yield self._entry(NoteEvent(**common, content=text, kind="note", tags=("program",)))

    def _assistant(self, message: dict[str, Any], message_id: str, ts: str | None) -> Iterator[Item]:
        model = coerce.text(coerce.at(message, "modelInfo", "id"))
        yield from self._learn(model=model)
        content = blocks(message)
        for ordinal, block in enumerate(content):
            common: dict[str, Any] = {"id": f"{message_id}:{ordinal}", "ts": ts}
            common |= {"model": self._known.get("model"), "response": message_id}
            match block.get("type"):
                case "thinking" if text := coerce.text(block.get("thinking")):
                    yield self._entry(Thinking(**common, content=text))
                case "text" if text := coerce.text(block.get("text")):
                    yield self._entry(Message(**common, content=text))
                case "tool_use":
                    yield self._call(common, block)
        spent = coerce.mapping(message.get("metrics"))
        if spent and content:
            counted = coerce.usage(spent, _TOKENS, cached_in_input=True)
            yield Spent(response=message_id, usage=counted, cost=coerce.cost(spent.get("cost")))

    def _call(self, common: dict[str, Any], block: dict[str, Any]) -> Entry:
        tool, call_id = coerce.text(block.get("name")) or "unknown", coerce.text(block.get("id"))
        arguments = block.get("input")
        fields = coerce.mapping(arguments)
        commands = tuple(coerce.texts(fields.get("commands")))
        path = coerce.text(fields.get("path"))
        read_paths = (coerce.text(file.get("path")) for file in coerce.objects(fields.get("files")))
        if call_id:
            self._commands[call_id] = commands
        paths = tuple(filter(None, (path, *read_paths)))
        edits = _edits(tool, path, fields)
        call = Call(tool, arguments, "\n".join(commands) or None, self._folder, edits, paths)
        return self._entry(call.event(call_id, **common), **call.known)

    def _result(self, common: dict[str, Any], block: dict[str, Any]) -> Entry:
        call_id = coerce.text(block.get("tool_use_id"))
        value = block.get("content")
        content = coerce.parsed(value)
        parts = coerce.objects(content if isinstance(content, list) else [content])
        text = "\n".join(filter(None, map(_text_of, parts))) if parts else value
        failed = any(part.get("success") is False or "error" in part for part in parts)
        event = ToolResult(
            **common,
            content=coerce.string(text),
            call_id=call_id,
            is_error=failed or block.get("is_error") is True,
        )
        shell = bool(self._commands.get(call_id or ""))
        return self._entry(event, commits=printed_commits(event.content) if shell else ())


def _typed(text: str) -> Iterator[str]:
    """The contents of each ``<user_input>``, up to the first that is not closed, in one pass."""
    end = 0
    while (opened := _OPENS.search(text, end)) and (closed := text.find(_CLOSES, opened.end())) >= 0:
        yield text[opened.end() : closed].strip()
        end = closed + len(_CLOSES)


def _text_of(part: dict[str, Any]) -> str | None:
    return coerce.first(part, "result", "error", "text")


def _edits(tool: str, path: str | None, fields: dict[str, Any]) -> tuple[Edit, ...]:
    """The edits of a call; a call with neither an old text nor a line to insert at creates the file."""
    new, old = fields.get("new_text"), fields.get("old_text")
    if tool != "editor" or path is None or not isinstance(new, str):
        return ()
    if fields.get("insert_line") is not None:
        return (Edit(path=path, added=tuple(new.splitlines())),)
    if not isinstance(old, str):
        return written(path, new, kind="add")
    return (replaced(path, [(old, new)]),)
