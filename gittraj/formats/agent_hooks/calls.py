"""What an agent's hook says of a call: what it does, and how it ended; in each agent's own terms.

Tools' names and the shapes of results are the agent's, so this asks the readers of their logs. It knows no
events of hooks: those are :mod:`gittraj.formats.agent_hooks.capture`'s.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gittraj.formats import cursor
from gittraj.formats.base import coerce, commits, patch
from gittraj.formats.claude import calls as claude
from gittraj.formats.claude import results
from gittraj.formats.codex import outputs
from gittraj.model.session_items import Edit
from gittraj.model.values import Artifact

_GEMINI = {"write_file": "Write", "replace": "Edit"}
"""Gemini's tools whose arguments are those of Claude Code's."""
_SHELLS = (*claude.SHELLS, "run_shell_command")
_FRAME = re.compile(r"\A<untrusted_context>\n(.*)\n</untrusted_context>\Z", re.DOTALL)
_TAIL = re.compile(r"(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): ")
_EXIT = re.compile(r"^Exit Code: (-?\d{1,10})$", re.MULTILINE)
_BULKY = ("originalFile", "structuredPatch", "originalContent", "newContent", "fileDiff")


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """What a call does, from its arguments alone."""

    edits: tuple[Edit, ...] = ()
    command: str | None = None
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a call ended; ``detail`` is its result as an object, where there is one."""

    text: str
    exit_code: int | None = None
    is_error: bool = False
    truncated: bool = False
    artifact: Artifact | None = None
    commits: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    result: results.Result | None = None
    """The same in Claude Code's terms, of which decisions are read."""


def called(agent: str, tool: str, arguments: Any) -> Called:
    """What a call of ``tool`` by ``agent`` does."""
    fields = coerce.mapping(arguments)
    if agent == "cursor":
        return Called(
            edits=cursor.edits(tool, arguments),
            command=cursor.command(tool, arguments),
            paths=cursor.paths(arguments),
        )
    if tool == "apply_patch":
        edits = patch.edits(coerce.text(fields.get("command") or fields.get("input")) or "")
        return Called(edits=edits, paths=tuple(edit.path for edit in edits))
    command = coerce.text(fields.get("command")) if tool in _SHELLS else None
    edits = claude.edits(_GEMINI.get(tool, tool), arguments)
    if not edits and command and (text := patch.inside(command)):
        edits = patch.edits(text)
    return Called(edits=edits, command=command, paths=claude.paths(arguments))


def ended(agent: str, tool: str, response: Any) -> Ended:
    """How it ended, from the response that the hook received."""
    readers: dict[str, Callable[[str, Any], Ended]] = {
        "codex": _codex,
        "gemini-cli": _gemini,
        "cursor": _cursor,
    }
    return readers.get(agent, _claude)(tool, response)


def failed(tool: str, error: Any) -> Ended:
    """How it ended, from an error."""
    text = coerce.text(error) or coerce.text(coerce.mapping(error).get("message")) or "failed"
    return _of(results.result({"content": text, "is_error": True}, None, shell=tool in _SHELLS))


def _claude(tool: str, response: Any) -> Ended:
    detail = coerce.mapping(response)
    block = {"content": _shown(response), "is_error": detail.get("is_error") is True}
    return _of(results.result(block, detail, shell=tool in _SHELLS))


def _of(result: results.Result) -> Ended:
    return Ended(
        text=result.text,
        exit_code=result.exit_code,
        is_error=result.is_error,
        truncated=result.truncated,
        artifact=result.artifact,
        commits=result.commits,
        edits=result.edits,
        result=result,
    )


def _codex(_tool: str, response: Any) -> Ended:
    output = outputs.output(response)
    return Ended(
        text=output.text,
        exit_code=output.exit_code,
        is_error=output.is_error,
        truncated=output.truncated,
        artifact=output.artifact,
        commits=output.commits,
    )


def _gemini(tool: str, response: Any) -> Ended:
    fields = coerce.mapping(response)
    text = _shown(fields.get("llmContent"))
    framed = _FRAME.match(text)
    body = framed[1] if framed else text
    code = None
    if tool in _SHELLS:
        codes = _EXIT.findall(body[-500:])
        code = int(codes[-1]) if codes else 0  # it is present only if it is not 0
        shown_lines = body.split("\n")
        while len(shown_lines) > 1 and _TAIL.match(shown_lines[-1]):
            shown_lines.pop()
        body = "\n".join(shown_lines).removeprefix("Output: ")
    shown = coerce.mapping(fields.get("returnDisplay"))
    path, whole = coerce.text(shown.get("filePath")), shown.get("newContent")
    edits: tuple[Edit, ...] = ()
    if path and isinstance(whole, str):
        edits = (Edit(path=path, kind="add" if shown.get("isNewFile") is True else "update", whole=whole),)
    return Ended(
        text=body,
        exit_code=code,
        is_error=bool(fields.get("error")) or code not in (None, 0),
        commits=commits.printed(body),
        edits=edits,
    )


def _cursor(_tool: str, response: Any) -> Ended:
    fields = coerce.parsed(response)
    detail = coerce.mapping(fields)
    text = _shown(fields if fields is not None else response)
    code = coerce.number(detail.get("exitCode", detail.get("exit_code")))
    return Ended(text=text, exit_code=code, is_error=code not in (None, 0), commits=commits.printed(text))


def _shown(value: Any) -> str:
    """A result as a text; of an object, what it mainly says."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(text for item in value if (text := _shown(item)))
    detail = coerce.mapping(value)
    if not detail:
        return ""
    if "stdout" in detail or "stderr" in detail:
        streams = (coerce.text(detail.get("stdout")), coerce.text(detail.get("stderr")))
        return "\n".join(text for text in streams if text)
    inner = (
        *(detail.get(key) for key in ("text", "content", "output")),
        coerce.mapping(detail.get("file")),
    )
    for item in inner:
        if content := coerce.text(coerce.mapping(item).get("content") if isinstance(item, dict) else item):
            return content
    if isinstance(detail.get("content"), list):
        return _shown(detail["content"])
    return json.dumps({k: v for k, v in detail.items() if k not in _BULKY}, ensure_ascii=False)
