"""Reads the parts of a VS Code chat answer: texts, and the calls with their arguments, results and edits.

The ids of calls in ``toolCallRounds`` differ from those of the calls shown: they are matched by order. An
edit is shown as a separate group after the call that made it, in a fence that is not part of any text.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.outcomes import Call, Outcome, printed_commits
from gittraj.formats.copilot import calls
from gittraj.model.session_items import Edit

GROUPS = ("textEditGroup", "notebookEditGroup")
_EDITS = re.compile("edit|patch|replace|create|insert", re.IGNORECASE)
_FENCE = "```"
_DEPTH = 200


def shown_text(part: dict[str, Any]) -> str | None:
    """The text that a part shows; ``None`` for a part of another kind."""
    kind = part.get("kind")
    if kind == "inlineReference":
        return _reference(part)
    if kind == "markdownContent":
        value = coerce.at(part, "content", "value")
    elif kind is None:
        value = part.get("value")
    else:
        return None
    if not isinstance(value, str):
        return None
    return "" if value.strip() == _FENCE else value  # a fence is the frame of a group of edits


def edit_groups(parts: list[dict[str, Any]], requested: dict[int, tuple[str, Any]]) -> dict[int, list[Edit]]:
    """The edits that are shown but are not in a call's arguments, by the ordinal of the call that made them,
    or, if that call is unknown, of the group itself. ``requested``: names and arguments of the known
    calls."""
    output: dict[int, list[Edit]] = {}
    paths: set[str] = set()
    maker: int | None = None
    edits_files = False
    for ordinal, part in enumerate(parts):
        if part.get("kind") == "toolInvocationSerialized":
            name, arguments = requested.get(ordinal, (str(part.get("toolId")), None))
            paths |= {edit.path for edit in calls.edits(name, arguments)}
            maker, edits_files = ordinal, _EDITS.search(name) is not None
        elif not edits_files and (shown_text(part) or "").strip():
            maker = None
        elif part.get("kind") in GROUPS and (edit := _group(part)) and edit.path not in paths:
            output.setdefault(ordinal if maker is None else maker, []).append(edit)
    return output


def _group(part: dict[str, Any]) -> Edit | None:
    uri = coerce.mapping(part.get("uri"))
    path = coerce.first(uri, "fsPath", "path")
    edits = [edit for batch in coerce.sequence(part.get("edits")) for edit in coerce.objects(batch)]
    texts = [edit["text"] for edit in edits if isinstance(edit.get("text"), str)]
    added = tuple(line for text in texts for line in text.splitlines())
    return Edit(path=path, added=added) if path else None


def _reference(part: dict[str, Any]) -> str:
    reference = coerce.mapping(part.get("inlineReference"))
    uri = coerce.mapping(reference.get("uri")) or coerce.mapping(coerce.at(reference, "location", "uri"))
    path = coerce.string((uri or reference).get("path"))
    named = coerce.either(part.get("name"), reference.get("name")) or posixpath.basename(path)
    return f"`{named}`" if named else ""


def output(part: dict[str, Any], result: dict[str, Any], special: dict[str, Any]) -> str | None:
    """The call's output, as the model saw it, else as it was shown; ``None`` if the call has not ended."""
    if texts := [_flat(item.get("value")) for item in coerce.objects(result.get("content"))]:
        return "\n".join(texts)
    return _shown_output(part, special) if part.get("isComplete") is True else None


def _shown_output(part: dict[str, Any], special: dict[str, Any]) -> str:
    if text := coerce.text(coerce.at(special, "terminalCommandOutput", "text")):
        return text
    details = coerce.at(part, "resultDetails", "output")
    if isinstance(details, str):
        return details
    if texts := [text for item in coerce.objects(details) if (text := coerce.text(item.get("value")))]:
        return "\n".join(texts)
    message = part.get("pastTenseMessage")
    return coerce.string(message if isinstance(message, str) else coerce.at(message, "value"))


def _flat(value: Any) -> str:
    """The text of a result's ``value``, which may be a tree of VS Code's prompt elements."""
    if isinstance(value, str):
        return value
    fragments: list[str] = []
    waiting = [(value, 0)]
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, dict) and depth < _DEPTH:
            if isinstance(node.get("text"), str):
                fragments.append("\n" if node.get("lineBreakBefore") is True and fragments else "")
                fragments.append(node["text"])
            inner = [node.get("node"), *coerce.objects(node.get("children"))]
            waiting += [(item, depth + 1) for item in reversed(inner) if isinstance(item, dict)]
    return "".join(fragments)


_DENIED, _SKIPPED = 0, 5
"""Values of ``ToolConfirmKind`` in VS Code's languageModelToolsService.ts."""
_SUFFIX = "__vscode-"
_EVENTS = ("toolInvocationSerialized", "thinking", *GROUPS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCall:
    """A tool call, and how it ended; None if it has not."""

    id: str
    call: Call
    ended: Outcome | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPart:
    """A text or a call, with the ordinal of its part and the model call that it comes from (``response``)."""

    ordinal: str
    what: str | ShownCall
    response: str
    thinking: bool = False
    ts: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """A call as the model requested it; ``round`` is an index of ``toolCallRounds``."""

    id: str
    name: str
    arguments: Any
    round: int


def model(request: dict[str, Any]) -> str | None:
    """The model that answered, without its provider's name."""
    named = coerce.text(request.get("modelId"))
    return named.rpartition("/")[2] if named else None


def folder(requests: list[dict[str, Any]]) -> str | None:
    """The folder that is open in VS Code, if a part of an answer names it."""
    for request in requests:
        for part in coerce.objects(request.get("response")):
            base = coerce.mapping(part.get("baseUri"))
            if base.get("scheme") == "file" and (path := coerce.text(base.get("path"))):
                return path.rstrip("/") or "/"
    return None


class Answer:
    """The answer to a request; ``request_id`` identifies it."""

    def __init__(self, request: dict[str, Any], request_id: str, folder: str | None) -> None:
        metadata = coerce.mapping(coerce.at(request, "result", "metadata"))
        self._request_id = request_id
        self._folder = folder
        self._rounds = coerce.objects(metadata.get("toolCallRounds"))
        self._results = coerce.mapping(metadata.get("toolCallResults"))
        self._parts = coerce.objects(request.get("response"))
        requested = [call for n, record in enumerate(self._rounds) for call in _requests(record, n)]
        self._requested, self._hidden = _pair(self._parts, requested)
        self._closing = {call.round: ordinal for ordinal, call in self._requested.items()}
        """The ordinal of the last call of each round."""
        self._round = 0  # the index of the round of the next part

    def parts(self) -> Iterator[AnswerPart]:
        """Yield the parts of the answer, in order."""
        groups = edit_groups(self._parts, {n: (c.name, c.arguments) for n, c in self._requested.items()})
        texts: list[str] = []
        first = 0
        for ordinal, part in enumerate(self._parts):
            text = shown_text(part)
            if text is not None:
                first = first if texts else ordinal
                texts.append(text)
            elif part.get("kind") in _EVENTS:
                yield from self._text(first, texts)
                texts = []
                yield from self._part(ordinal, part, tuple(groups.get(ordinal, ())))
        yield from self._text(first, texts)
        for number, call in enumerate(self._hidden):
            yield self._call(f"hidden{number}", {}, call, ())

    def _part(self, ordinal: int, part: dict[str, Any], edits: tuple[Edit, ...]) -> Iterator[AnswerPart]:
        kind = part.get("kind")
        if kind == "thinking":
            value = part.get("value")
            texts = value if isinstance(value, list) else [value]
            if text := "".join(t for t in texts if isinstance(t, str)).strip():
                yield self._make_part(str(ordinal), text, thinking=True)
        elif kind == "toolInvocationSerialized":
            requested = self._requested.get(ordinal)
            yield self._call(str(ordinal), part, requested, edits)
            if requested and self._closing[requested.round] == ordinal:
                self._round = requested.round + 1
        elif edits:
            path = edits[0].path
            call = Call("edit", {"path": path}, folder=self._folder, edits=edits, paths=(path,))
            what = ShownCall(id=f"{self._request_id}:{ordinal}", call=call, ended=Outcome(text=""))
            yield self._make_part(str(ordinal), what)

    def _text(self, first: int, texts: list[str]) -> Iterator[AnswerPart]:
        if text := "".join(texts).strip():
            yield self._make_part(str(first), text)

    def _call(
        self, ordinal: str, part: dict[str, Any], requested: _Request | None, edits: tuple[Edit, ...]
    ) -> AnswerPart:
        if requested:
            self._round = requested.round
        special = coerce.mapping(part.get("toolSpecificData"))
        name = requested.name if requested else coerce.text(part.get("toolId")) or "unknown"
        arguments = requested.arguments if requested else special.get("rawInput")
        call = calls.call(name, arguments, self._folder)
        command = call.command or _terminal(special)
        call = replace(call, command=command, edits=call.edits or edits)
        result = coerce.mapping(self._results.get(requested.id)) if requested else {}
        call_id = coerce.text(part.get("toolCallId")) or (
            requested.id if requested else f"{self._request_id}:{ordinal}"
        )
        ended = _ended(part, name, output(part, result, special), special)
        return self._make_part(ordinal, ShownCall(id=call_id, call=call, ended=ended))

    def _make_part(self, ordinal: str, what: str | ShownCall, *, thinking: bool = False) -> AnswerPart:
        record = self._rounds[self._round] if self._round < len(self._rounds) else {}
        response = coerce.text(record.get("id")) or f"{self._request_id}:response"
        ts = record.get("timestamp")
        return AnswerPart(ordinal=ordinal, what=what, response=response, thinking=thinking, ts=ts)


def _ended(part: dict[str, Any], name: str, output: str | None, special: dict[str, Any]) -> Outcome | None:
    code = coerce.number(coerce.at(special, "terminalCommandState", "exitCode"))
    if code is None and output and name in calls.SHELLS:
        code = calls.exit_code(output)
    confirmed = part.get("isConfirmed")
    kind = coerce.number(coerce.mapping(confirmed).get("type"))
    declined = confirmed is False or kind in (_DENIED, _SKIPPED)
    if output is None and not declined:
        return None
    failed = code not in (None, 0) or coerce.at(part, "resultDetails", "isError") is True
    text = output or ""
    made = printed_commits(text)
    return Outcome(text=text, exit_code=code, is_error=failed or declined, commits=made, declined=declined)


def _terminal(special: dict[str, Any]) -> str | None:
    if special.get("kind") != "terminal":
        return None
    line = special.get("commandLine")
    return coerce.first(line, "userEdited", "toolEdited", "original") or coerce.text(special.get("command"))


def _requests(record: dict[str, Any], number: int) -> Iterator[_Request]:
    for ordinal, call in enumerate(coerce.objects(record.get("toolCalls"))):
        yield _Request(
            id=coerce.text(call.get("id")) or f"round{number}.{ordinal}",
            name=coerce.text(call.get("name")) or "unknown",
            arguments=coerce.parsed(call.get("arguments")),
            round=number,
        )


def _pair(
    parts: list[dict[str, Any]], requested: list[_Request]
) -> tuple[dict[int, _Request], list[_Request]]:
    """The requested calls by the ordinals of the parts that show them, and those that no part shows."""
    ordinals = [n for n, part in enumerate(parts) if part.get("kind") == "toolInvocationSerialized"]
    named = {name: call for call in requested for name in (call.id, call.id.partition(_SUFFIX)[0])}
    pairs = {n: call for n in ordinals if (call := named.get(str(parts[n].get("toolCallId"))))}
    taken = {call.id for call in pairs.values()}
    left = [call for call in requested if call.id not in taken]
    free = [n for n in ordinals if n not in pairs]
    pairs |= dict(zip(free, left, strict=False))
    return dict(sorted(pairs.items())), left[len(free) :]
