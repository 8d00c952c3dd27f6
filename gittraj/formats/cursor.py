"""Cursor's agent transcripts, ``~/.cursor/projects/<folder>/agent-transcripts/<id>.jsonl``.

One message per line, ``{role, message: {content: [...]}}``: no ids, no times, and no results of calls, so the
edits are those that were requested, whether they succeeded or not. A prompt is in ``<user_query>``, among
context that Cursor added; thinking is ``[REDACTED]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, images, lines, patch
from gittraj.formats.base.edits import pairs, replaced, written
from gittraj.formats.base.lines import Fragment, Lines
from gittraj.formats.base.outcomes import Call, printed_commits
from gittraj.formats.base.position import LogReader, read_with
from gittraj.formats.claude.prompts import blocks
from gittraj.model.session_items import Cursor, Edit, Entry, Item
from gittraj.model.values import Message, Prompt, Thinking, ToolResult

name = "cursor"
agent = "cursor"

_FOREIGN = {"type", "sessionId", "uuid", "id", "session_id"}
_CUT_FIRST_LINE = re.compile(rb'\{"role":"(?:user|assistant)","message":\{"content":\[')
_QUERY, _QUERY_END = "<user_query>", "</user_query>"
_BLOCK = re.compile(r"\s*<([a-z_][\w-]*)(?:\s[^>]*)?>")
_REDACTED = "[REDACTED]"
_ELISION = re.compile(r"(?://|#|--|/\*|<!--)?\s*(?:\.\.\.|…)\s*existing code\s*(?:\.\.\.|…)")
_SHELLS = ("shell", "runterminalcmd", "runterminalcommand", "bash")
_PATHS = ("path", "file_path", "target_file", "target_notebook", "relative_workspace_path")
_WHOLE = ("contents", "content")


def detect(head: bytes) -> bool:
    objects = lines.head(head)
    if not objects:
        return _CUT_FIRST_LINE.match(head) is not None
    return all(_is_record(record) for record in objects[:3])


def _is_record(record: dict[str, Any]) -> bool:
    content = coerce.at(record, "message", "content")
    is_message = record.get("role") in ("user", "assistant") and isinstance(content, list)
    return is_message and not _FOREIGN & record.keys()


# ---------------------------------------------------------------- calls


def call(tool: str, arguments: Any) -> Call:
    """What a call of Cursor's ``tool`` does."""
    folder, own = coerce.text(coerce.mapping(arguments).get("working_directory")), edits(tool, arguments)
    return Call.of(tool, arguments, folder, is_shell=_plain(tool) in _SHELLS, paths=_PATHS, edits=own)


def edits(tool: str, arguments: Any) -> tuple[Edit, ...]:
    """The edits that a call of ``tool`` makes to files, as far as its arguments show."""
    fields = coerce.mapping(arguments)
    kind = _plain(tool)
    if kind == "applypatch":
        return patch.edits(coerce.first(fields, "patch", "input", "command") or coerce.string(arguments))
    path = coerce.first(fields, *_PATHS)
    return () if path is None else _edits_of_file(path, kind, fields)


def _edits_of_file(path: str, kind: str, fields: dict[str, Any]) -> tuple[Edit, ...]:
    match kind:
        case "write" | "writefile" | "createfile":
            whole = next((fields[key] for key in _WHOLE if isinstance(fields.get(key), str)), None)
            return written(path, whole) or (Edit(path=path),)
        case "delete" | "deletefile":
            return (Edit(path=path, kind="delete"),)
        case "editfile":
            return (Edit(path=path, added=_without_elisions(coerce.string(fields.get("code_edit")))),)
        case "searchreplace" | "strreplace" | "edit" | "multiedit" | "multistrreplace" | "editnotebook":
            changes = coerce.objects(fields.get("edits")) or [fields]
            return (replaced(path, pairs(changes, ("old_string", "old_str"), ("new_string", "new_str"))),)
        case _:
            return ()


def _without_elisions(code: str) -> tuple[str, ...]:
    """The lines of ``code`` except comments such as ``// ... existing code ...``."""
    return tuple(line for line in code.splitlines() if not _ELISION.match(line.strip()))


def _plain(tool: str) -> str:
    """Normalise the name of a tool: ``search_replace`` of older versions is ``StrReplace`` now."""
    return tool.lower().replace("_", "")


# ---------------------------------------------------------------- records


class _Reader(LogReader):
    """Reads a transcript. It does not name its session: the id is the file's name or a hash of its shape."""

    trusted = frozenset(("role", "message"))

    def __init__(self, stream: BinaryIO, session: str | None, cursor: Cursor) -> None:
        super().__init__(stream, session, cursor)
        self._stream = stream

    def items(self) -> Iterator[Item]:
        if "session" not in self._position.facts:
            yield from self._position.report("session", self._file_session or _shape_id(self._stream))
        yield from super().items()

    def _record(self, fragment: Fragment) -> Iterator[Item]:
        role = fragment.value.get("role")
        content = blocks(fragment.value.get("message"))
        if role == "user":
            if text := typed(content):
                yield from self._mark(fragment, {"record": self._number})
                yield Entry(event=Prompt(id=f"n{self._number}:0", content=text), end=fragment.end)
            for ordinal, block in enumerate(content):
                if block.get("type") == "tool_result":
                    yield self._result(fragment, ordinal, block)
        elif role == "assistant":
            for ordinal, block in enumerate(content):
                yield from self._block(fragment, f"n{self._number}:{ordinal}", block)

    def _block(self, fragment: Fragment, event_id: str, block: dict[str, Any]) -> Iterator[Item]:
        reply: dict[str, Any] = {"id": event_id, "response": f"n{self._number}"}
        if block.get("type") == "tool_use":
            tool, arguments = coerce.text(block.get("name")) or "unknown", block.get("input")
            call_id = coerce.text(block.get("id")) or event_id
            parsed = call(tool, arguments)
            yield Entry(event=parsed.event(call_id, **reply), end=fragment.end, **parsed.known)
        elif text := coerce.text(block.get("text")):
            if words := text.replace(_REDACTED, "").strip():
                yield Entry(event=Message(**reply, content=words), end=fragment.end)
            if _REDACTED in text:
                hidden = Thinking(**reply | {"id": f"{event_id}:thinking"}, content="[redacted]")
                yield Entry(event=hidden, end=fragment.end)

    def _result(self, fragment: Fragment, ordinal: int, block: dict[str, Any]) -> Entry:
        content = block.get("content")
        texts = [content] if isinstance(content, str) else [*_texts_of(coerce.objects(content))]
        text = "\n".join(texts)
        event = ToolResult(
            id=f"n{self._number}:{ordinal}",
            content=text,
            call_id=coerce.text(block.get("tool_use_id")),
            is_error=block.get("is_error") is True,
        )
        return Entry(event=event, end=fragment.end, commits=printed_commits(text))


read = read_with(_Reader)


def typed(content: list[dict[str, Any]]) -> str | None:
    """What the user typed, from the blocks of a user message; ``None`` if the user typed nothing."""
    texts = list(_texts_of(content))
    queries = [query for text in texts for query in _queries(text)]
    if not queries:
        queries = [_without_context(text) for text in texts]
    placeholders = [
        images.placeholder(images.from_base64(source.get("data"), source.get("media_type")))
        for block in content
        if block.get("type") == "image"
        for source in [coerce.mapping(block.get("source"))]
    ]
    return "\n".join(filter(None, (*queries, *placeholders))) or None


def _texts_of(content: list[dict[str, Any]]) -> Iterator[str]:
    return (text for block in content if (text := coerce.text(block.get("text"))))


def _queries(text: str) -> Iterator[str]:
    position = 0
    while (start := text.find(_QUERY, position)) >= 0:
        end = text.find(_QUERY_END, start)
        position = end if end >= 0 else len(text)
        yield text[start + len(_QUERY) : position].strip()


def _without_context(text: str) -> str:
    """The text without the XML elements that it begins with."""
    position = 0
    while opening := _BLOCK.match(text, position):
        closing = f"</{opening[1]}>"
        end = text.find(closing, opening.end())
        if end < 0:
            return ""
        position = end + len(closing)
    return text[position:].strip()


def _shape_id(stream: BinaryIO) -> str | None:
    """An id for a session without one, from its first two records. The stream must be rewound afterwards."""
    if not stream.seekable():
        return None
    records = (
        fragment.value
        for fragment in Lines(stream, trusted=_Reader.trusted)
        if isinstance(fragment, Fragment)
    )
    first = [_shape(record) for record in islice(records, 2)]
    return coerce.shape_id(name, first) if first else None


def _shape(record: dict[str, Any]) -> list[coerce.Part]:
    content = blocks(record.get("message"))
    sizes = [len(coerce.string(block.get("text"))) for block in content]
    return [
        coerce.text(record.get("role")),
        *sizes,
        *(coerce.text(block.get("name")) for block in content),
    ]
