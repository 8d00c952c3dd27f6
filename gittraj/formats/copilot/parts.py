"""Reads the parts of a VS Code chat answer: texts, and the calls with their arguments, results and edits; and
what single parts show.

The calls of ``toolCallRounds`` have other ids than those shown; they are matched by order. An edit is shown
as a separate group after the call that made it, in a fence that is not part of any text.
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
    return "" if value.strip() == _FENCE else value  # the frame of a group of edits


def edit_groups(parts: list[dict[str, Any]], asked: dict[int, tuple[str, Any]]) -> dict[int, list[Edit]]:
    """The edits that are shown and are not in a call's arguments, by the ordinal of the call that made them,
    else by the group's own. ``asked`` are name and arguments of the calls, if they are known."""
    output: dict[int, list[Edit]] = {}
    paths: set[str] = set()
    maker: int | None = None
    edits_files = False
    for ordinal, part in enumerate(parts):
        if part.get("kind") == "toolInvocationSerialized":
            name, arguments = asked.get(ordinal, (str(part.get("toolId")), None))
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
    return (
        Edit(path=path, added=tuple(line for edit in texts for line in edit.splitlines())) if path else None
    )


def _reference(part: dict[str, Any]) -> str:
    reference = coerce.mapping(part.get("inlineReference"))
    uri = coerce.mapping(reference.get("uri")) or coerce.mapping(coerce.at(reference, "location", "uri"))
    path = coerce.string((uri or reference).get("path"))
    named = coerce.either(part.get("name"), reference.get("name")) or posixpath.basename(path)
    return f"`{named}`" if named else ""


def output(part: dict[str, Any], result: dict[str, Any], special: dict[str, Any]) -> str | None:
    """The call's output, as the model saw it, else as it was shown; ``None`` if it has not ended."""
    if texts := [_flat(item.get("value")) for item in coerce.objects(result.get("content"))]:
        return "\n".join(texts)
    if part and part.get("isComplete") is not True:
        return None
    if text := coerce.text(coerce.at(special, "terminalCommandOutput", "text")):
        return text
    details = coerce.at(part, "resultDetails", "output")
    if isinstance(details, str):
        return details
    if texts := [text for item in coerce.objects(details) if (text := coerce.text(item.get("value")))]:
        return "\n".join(texts)
    message = part.get("pastTenseMessage")
    shown = message if isinstance(message, str) else coerce.mapping(message).get("value")
    return coerce.string(shown) if part else None


def _flat(value: Any) -> str:
    """A result's text; it may be a tree of VS Code's prompt elements."""
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
class Made:
    """A tool call, and how it ended, if it has."""

    id: str
    call: Call
    ended: Outcome | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A text or a call, by the ordinal of its part and the model call that it comes from."""

    ordinal: str
    what: str | Made
    response: str
    thinking: bool = False
    ts: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A call as the model requested it, in round ``round``."""

    id: str
    name: str
    arguments: Any
    round: int


def model(request: dict[str, Any]) -> str | None:
    """The model that answered, without its provider's name."""
    named = coerce.text(request.get("modelId"))
    return named.rpartition("/")[2] if named else None


def folder(requests: list[dict[str, Any]]) -> str | None:
    """The folder that VS Code has open, if a part of an answer names it."""
    for request in requests:
        for part in coerce.objects(request.get("response")):
            base = coerce.mapping(part.get("baseUri"))
            if base.get("scheme") == "file" and (path := coerce.text(base.get("path"))):
                return path.rstrip("/") or "/"
    return None


def read(request: dict[str, Any], own: str, folder: str | None) -> Iterator[Found]:
    """The parts of the answer to a request, in order; ``own`` is the request's id."""
    return _Answer(request, own, folder).found()


class _Answer:
    def __init__(self, request: dict[str, Any], own: str, folder: str | None) -> None:
        metadata = coerce.mapping(coerce.at(request, "result", "metadata"))
        self._own = own
        self._folder = folder
        self._rounds = coerce.objects(metadata.get("toolCallRounds"))
        self._results = coerce.mapping(metadata.get("toolCallResults"))
        self._parts = coerce.objects(request.get("response"))
        asked = [call for number, record in enumerate(self._rounds) for call in _asked(record, number)]
        self._asked, self._hidden = _pair(self._parts, asked)
        self._closing = {call.round: ordinal for ordinal, call in self._asked.items()}
        """The ordinal of the last call of each round."""
        self._round = 0

    def found(self) -> Iterator[Found]:
        groups = edit_groups(self._parts, {n: (call.name, call.arguments) for n, call in self._asked.items()})
        words: list[str] = []
        first = 0
        for ordinal, part in enumerate(self._parts):
            text = shown_text(part)
            if text is not None:
                first = first if words else ordinal
                words.append(text)
            elif part.get("kind") in _EVENTS:
                yield from self._said(first, words)
                words = []
                yield from self._other(ordinal, part, tuple(groups.get(ordinal, ())))
        yield from self._said(first, words)
        for number, call in enumerate(self._hidden):
            yield self._call(f"hidden{number}", {}, call, ())

    def _other(self, ordinal: int, part: dict[str, Any], edits: tuple[Edit, ...]) -> Iterator[Found]:
        kind = part.get("kind")
        if kind == "thinking":
            value = part.get("value")
            texts = value if isinstance(value, list) else [value]
            if text := "".join(t for t in texts if isinstance(t, str)).strip():
                yield self._find(str(ordinal), text, thinking=True)
        elif kind == "toolInvocationSerialized":
            asked = self._asked.get(ordinal)
            yield self._call(str(ordinal), part, asked, edits)
            if asked and self._closing[asked.round] == ordinal:
                self._round = asked.round + 1
        elif edits:
            path = edits[0].path
            call = Call("edit", {"path": path}, folder=self._folder, edits=edits, paths=(path,))
            what = Made(id=f"{self._own}:{ordinal}", call=call, ended=Outcome(text=""))
            yield self._find(str(ordinal), what)

    def _said(self, first: int, words: list[str]) -> Iterator[Found]:
        if text := "".join(words).strip():
            yield self._find(str(first), text)

    def _call(
        self, ordinal: str, part: dict[str, Any], asked: _Asked | None, edits: tuple[Edit, ...]
    ) -> Found:
        if asked:
            self._round = asked.round
        special = coerce.mapping(part.get("toolSpecificData"))
        name = asked.name if asked else coerce.text(part.get("toolId")) or "unknown"
        arguments = asked.arguments if asked else special.get("rawInput")
        call = calls.call(name, arguments, self._folder)
        command = call.command or _terminal(special)
        call = replace(call, command=command, edits=call.edits or edits)
        result = coerce.mapping(self._results.get(asked.id)) if asked else {}
        own = coerce.text(part.get("toolCallId")) or (asked.id if asked else f"{self._own}:{ordinal}")
        ended = _ended(part, name, output(part, result, special), special)
        return self._find(ordinal, Made(id=own, call=call, ended=ended))

    def _find(self, ordinal: str, what: str | Made, *, thinking: bool = False) -> Found:
        record = self._rounds[self._round] if self._round < len(self._rounds) else {}
        response = coerce.text(record.get("id")) or f"{self._own}:response"
        ts = record.get("timestamp")
        return Found(ordinal=ordinal, what=what, response=response, thinking=thinking, ts=ts)


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
    line = coerce.mapping(special.get("commandLine"))
    candidates = (
        line.get("userEdited"),
        line.get("toolEdited"),
        line.get("original"),
        special.get("command"),
    )
    return coerce.either(*candidates)


def _asked(record: dict[str, Any], number: int) -> Iterator[_Asked]:
    for ordinal, call in enumerate(coerce.objects(record.get("toolCalls"))):
        yield _Asked(
            id=coerce.text(call.get("id")) or f"round{number}.{ordinal}",
            name=coerce.text(call.get("name")) or "unknown",
            arguments=coerce.parsed(call.get("arguments")),
            round=number,
        )


def _pair(parts: list[dict[str, Any]], asked: list[_Asked]) -> tuple[dict[int, _Asked], list[_Asked]]:
    """The requested calls by the ordinals of the parts that show them, and those that no part shows."""
    ordinals = [n for n, part in enumerate(parts) if part.get("kind") == "toolInvocationSerialized"]
    named = {name: call for call in asked for name in (call.id, call.id.partition(_SUFFIX)[0])}
    pairs = {n: call for n in ordinals if (call := named.get(str(parts[n].get("toolCallId"))))}
    taken = {call.id for call in pairs.values()}
    left = [call for call in asked if call.id not in taken]
    free = [n for n in ordinals if n not in pairs]
    pairs |= dict(zip(free, left, strict=False))
    return dict(sorted(pairs.items())), left[len(free) :]
