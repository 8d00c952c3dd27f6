"""Reads a call in the payload of an agent's hook: what the call does, and how it ended.

The names of tools and the shapes of results are those in the agent's logs, so the readers of these logs are
used. The events of hooks are read by :mod:`gittraj.formats.agent_hooks.capture`.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from gittraj.formats import cursor
from gittraj.formats.base import coerce, patch
from gittraj.formats.base.outcomes import Call, Outcome, printed_commits
from gittraj.formats.claude import calls as claude
from gittraj.formats.codex import outputs
from gittraj.model.session_items import Edit

OTHERS = ("codex", "gemini-cli", "cursor")
"""Agents whose responses have another form than Claude Code's."""
_GEMINI = {"write_file": "Write", "replace": "Edit"}
"""Gemini's tools, and the tools of Claude Code that have the same arguments."""
_SHELLS = (*claude.SHELLS, "run_shell_command")
_FRAME = re.compile(r"\A<untrusted_context>\n(.*)\n</untrusted_context>\Z", re.DOTALL)
_TAIL = re.compile(r"(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): ")
_EXIT = re.compile(r"^Exit Code: (-?\d{1,10})$", re.MULTILINE)
_BULKY = ("originalFile", "structuredPatch", "originalContent", "newContent", "fileDiff")


def called(agent: str, tool: str, arguments: Any, folder: str | None) -> Call:
    """What a call of ``tool`` by ``agent`` does."""
    fields = coerce.mapping(arguments)
    if agent == "cursor":
        return replace(cursor.call(tool, arguments), folder=folder)
    if tool == "apply_patch":
        edits = patch.edits(coerce.string(fields.get("command") or fields.get("input")))
        return Call(tool, arguments, None, folder, edits, tuple(edit.path for edit in edits))
    edits, shell = claude.edits(_GEMINI.get(tool, tool), arguments), tool in _SHELLS
    call = Call.of(tool, arguments, folder, is_shell=shell, paths=claude.PATHS, edits=edits)
    if not edits and call.command and (text := patch.find_patch(call.command)):
        return replace(call, edits=patch.edits(text))
    return call


def ended(agent: str, tool: str, response: Any) -> Outcome:
    """How a call ended, from the response that the hook received."""
    match agent:
        case "codex":
            return outputs.output(response)
        case "gemini-cli":
            return _gemini(tool, response)
        case "cursor":
            return _cursor(response)
    detail = coerce.mapping(response)
    block = {"content": _text_of(response), "is_error": detail.get("is_error") is True}
    return claude.result(block, detail, shell=tool in _SHELLS)


def failed(tool: str, error: Any) -> Outcome:
    """How a call ended, from an error."""
    text = coerce.either(error, coerce.mapping(error).get("message")) or "failed"
    return claude.result({"content": text, "is_error": True}, None, shell=tool in _SHELLS)


def _gemini(tool: str, response: Any) -> Outcome:
    fields = coerce.mapping(response)
    text = _text_of(fields.get("llmContent"))
    framed = _FRAME.match(text)
    body = framed[1] if framed else text
    code = None
    if tool in _SHELLS:
        codes = _EXIT.findall(body[-500:])
        code = int(codes[-1]) if codes else 0  # the code is printed only if it is not 0
        shown_lines = body.split("\n")
        while len(shown_lines) > 1 and _TAIL.match(shown_lines[-1]):
            shown_lines.pop()
        body = "\n".join(shown_lines).removeprefix("Output: ")
    shown = coerce.mapping(fields.get("returnDisplay"))
    path, whole = coerce.text(shown.get("filePath")), shown.get("newContent")
    edits: tuple[Edit, ...] = ()
    if path and isinstance(whole, str):
        edits = (Edit(path=path, kind="add" if shown.get("isNewFile") is True else "update", whole=whole),)
    return Outcome(
        text=body,
        exit_code=code,
        is_error=bool(fields.get("error")) or code not in (None, 0),
        commits=printed_commits(body),
        edits=edits,
    )


def _cursor(response: Any) -> Outcome:
    fields = coerce.parsed(response)
    detail = coerce.mapping(fields)
    text = _text_of(fields if fields is not None else response)
    code = coerce.number(detail.get("exitCode", detail.get("exit_code")))
    return Outcome(text=text, exit_code=code, is_error=code not in (None, 0), commits=printed_commits(text))


def _text_of(value: Any) -> str:
    """A result as a text; for an object, its main text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(text for item in value if (text := _text_of(item)))
    return _main_text(value) if isinstance(value, dict) and value else ""


def _main_text(detail: dict[str, Any]) -> str:
    if "stdout" in detail or "stderr" in detail:
        streams = (coerce.text(detail.get("stdout")), coerce.text(detail.get("stderr")))
        return "\n".join(filter(None, streams))
    inner = (detail.get(key) for key in ("text", "content", "output"))
    texts = (item.get("content") if isinstance(item, dict) else item for item in inner)
    if content := coerce.either(*texts, coerce.at(detail, "file", "content")):
        return content
    if isinstance(detail.get("content"), list):
        return _text_of(detail["content"])
    return json.dumps({k: v for k, v in detail.items() if k not in _BULKY}, ensure_ascii=False)
