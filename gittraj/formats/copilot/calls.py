"""Reads what a call of Copilot's tools does, from its arguments alone; and from a record of the event stream
the result of a call, with the human's decision, if there is one.

The command line and VS Code name their tools and arguments differently; calls of both become the same events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gittraj.formats.base import coerce, patch, position
from gittraj.formats.base.edits import replaced, written
from gittraj.formats.base.outcomes import Call, Refusal, printed_commits, ruling
from gittraj.model.session_items import Edit, Entry
from gittraj.model.values import Decision, FileKind, ToolResult

SHELLS = frozenset(("bash", "powershell", "shell", "local_shell", "run_in_terminal", "runInTerminal"))
_PATHS = ("path", "filePath", "file_path", "dirPath", "absolutePath")
_WHOLE = ("file_text", "content", "contents")
_OLD = ("old_str", "oldString", "old_string", "oldCode")
_NEW = ("new_str", "newString", "new_string", "newCode", "insert_text")
_CREATES = ("create", "create_file", "write", "write_file")
_READS = ("view", "read_file", "grep", "glob", "rg")
_EXIT = re.compile(r"(?:with )?exit(?:ed with)? code:? (-?\d{1,10})>?\.?\s*\Z")


def call(name: str, arguments: Any, folder: str | None) -> Call:
    """What the call does; ``folder`` is the session's."""
    own = edits(name, arguments)
    return Call.of(name, arguments, folder, is_shell=name in SHELLS, paths=_PATHS, edits=own)


def edits(name: str, arguments: Any) -> tuple[Edit, ...]:
    """The edits that the call makes to files, as far as its arguments show."""
    fields = coerce.mapping(arguments)
    if name == "apply_patch":
        return patch.edits(coerce.first(fields, "input", "patch", "command") or coerce.string(arguments))
    verb = coerce.string(fields.get("command")) if name == "str_replace_editor" else name
    if verb in SHELLS or verb in _READS:
        return ()
    several = coerce.objects(fields.get("replacements")) or coerce.objects(fields.get("edits"))
    return tuple(edit for item in several or [fields] for edit in _edits(verb, fields | item))


def exit_code(output: str) -> int | None:
    """The exit code at the end of a shell's output."""
    match = _EXIT.search(output[-200:])
    return int(match[1]) if match else None


def _edits(verb: str, fields: dict[str, Any]) -> tuple[Edit, ...]:
    path = coerce.first(fields, *_PATHS)
    if path is None:
        return ()
    if verb in _CREATES:
        return _writes(path, "add" if verb.startswith("create") else "update", fields)
    if verb in ("delete", "delete_file"):
        return (Edit(path=path, kind="delete"),)
    old, new = (coerce.first(fields, *keys) or "" for keys in (_OLD, _NEW))
    return (replaced(path, [(old, new)]),) if old or new else ()


def _writes(path: str, kind: FileKind, fields: dict[str, Any]) -> tuple[Edit, ...]:
    whole = next((fields[key] for key in _WHOLE if isinstance(fields.get(key), str)), None)
    return written(path, whole, kind=kind) or (Edit(path=path, kind=kind),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(position.Record):
    kind: str
    data: dict[str, Any]


_REFUSED = ("rejected", "denied")
_NOT_ASKED = "could not request permission from user"
_FAILED = (*_REFUSED, "failure", "error", "timeout")
_ANSWER = re.compile(r"User (?:selected|responded|answered|chose)[^:\n]{0,40}: *")


def result_entries(record: Record, tool: str, arguments: Any) -> Iterator[Entry]:
    """Yield the result of a call of ``tool``. ``arguments`` are None if the call was not read."""
    data = record.data
    result, error = coerce.mapping(data.get("result")), data.get("error")
    kind = result.get("result_type") or coerce.mapping(error).get("code")
    text = _output(data.get("result")) or _output(error)
    code = exit_code(text) if tool in SHELLS else None
    event = ToolResult(
        **record.common(),
        content=text,
        call_id=coerce.text(data.get("toolCallId")),
        exit_code=code,
        is_error=data.get("success") is False or bool(error) or kind in _FAILED or code not in (None, 0),
    )
    yield record.entry(event, commits=printed_commits(text))
    if decision := _decision(kind, tool, arguments, event):
        yield record.entry(ruling(decision, **record.common(1)))


def _decision(kind: Any, tool: str, arguments: Any, event: ToolResult) -> Decision | Refusal | None:
    """A human's decision in the result; one that a rule made does not count."""
    text = event.content
    by_rule = kind == "denied" and ("user" not in text or _NOT_ASKED in text)
    if kind in _REFUSED and not by_rule:
        return Refusal(tool, arguments)
    question = coerce.first(arguments, "question") if tool == "ask_user" else None
    if question is None or not text or event.is_error:
        return None
    return _answer(question, coerce.mapping(arguments).get("choices"), text)


def _answer(question: str, choices: Any, text: str) -> Decision:
    chosen = _ANSWER.sub("", text, count=1).strip()
    others = [choice for choice in coerce.texts(choices) if choice != chosen]
    return Decision(chosen=chosen, by="human", question=question, alternatives=tuple(others))


def _output(value: Any) -> str:
    """The text of a result or an error as the model saw it."""
    if isinstance(value, str):
        return value
    keys = ("content", "text_result_for_llm", "textResultForLlm", "message", "detailedContent")
    return coerce.first(value, *keys) or ""
