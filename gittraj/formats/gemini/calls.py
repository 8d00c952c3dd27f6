"""Reads what a call of Gemini CLI's tools does, from its arguments alone; and its result: the text, how the
call ended, what it changed, and what was decided.

A log has a result as the model saw it (``functionResponse``) and as the user did (``resultDisplay``). The
text is the model's, without the frame that the shell tool puts around it; a file's new text is the user's.
Only decisions that the log states are read: answered questions, plans approved or rejected, refused calls.
"""

from __future__ import annotations

import json
import posixpath
import re
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.edits import pairs, replaced, texts, written
from gittraj.formats.base.outcomes import Call, Outcome, Refusal, answered, printed_commits
from gittraj.formats.gemini.prompts import Part, function_response, inline, parts, text
from gittraj.model.session_items import Edit
from gittraj.model.values import Artifact, Decision

SHELL = "run_shell_command"
_PATHS = ("file_path", "absolute_path", "dir_path", "directory", "path")


def call(name: str, arguments: Any, folder: str | None) -> Call:
    """What the call does; ``folder`` is the session's, if it is known."""
    fields = coerce.mapping(arguments)
    command = coerce.text(fields.get("command")) if name == SHELL else None
    directory = coerce.first(fields, "dir_path", "directory")
    if command is not None and directory is not None and (folder is not None or posixpath.isabs(directory)):
        folder = posixpath.normpath(posixpath.join(folder or "", directory))
    paths = () if command is not None else tuple(texts(fields, _PATHS))
    return Call(name, arguments, command, folder, _edits(name, fields), paths)


def _edits(name: str, fields: dict[str, Any]) -> tuple[Edit, ...]:
    path = coerce.text(fields.get("file_path"))
    if path is None:
        return ()
    if name == "write_file":
        return written(path, fields.get("content"))
    if name in ("replace", "edit"):  # ``edit`` is Qwen Code's name
        return (replaced(path, pairs([fields], ["old_string"], ["new_string"])),)
    return ()


FAILED = ("error", "cancelled")
_WRAPPED = re.compile(r"(Output too large\.[^\n]*\n)?<untrusted_context>\n")
_CLOSING = "\n</untrusted_context>"
_BEFORE = re.compile(
    r"(Output too large\.[^\n]*\n)?(?:Command: .*?\nDirectory: [^\n]*\n)?(?:Stdout|Output): ?", re.DOTALL
)
_AFTER = re.compile(
    r"(Exit Code|Signal|Background PIDs|Process Group PGID): (.*)|(?:Stderr|Error): \((?:none|empty)\)"
)
_CUT = re.compile(r"^Output too large\. Showing |^\.\.\. \[[\d.,\s]+ characters omitted\]", re.MULTILINE)
_DECLINED = re.compile(
    r"(?:Error: )?(?:\[Operation Cancelled\] Reason: )?(?:User did not allow tool call|User denied execution)"
)


def responses(content: Any, call_id: str | None) -> list[Part]:
    """The parts of ``content`` that answer a call: in a rewritten history, each call has the answers to all
    calls of its turn."""
    items = parts(content)
    answers = [p for p in items if (r := function_response(p)) is None or r.get("id") in (call_id, None)]
    return answers or items


def result(answer: list[Part], call: Call | None, *, status: Any = None, display: Any = None) -> Outcome:
    """The result in the parts of an answer. ``call`` is the call that it answers, if that is known;
    ``status`` and ``display`` (``resultDisplay``) are other fields of the record."""
    output, artifact, failed = _read_parts(answer)
    output = output or coerce.string(display)
    failed = failed or status in FAILED
    is_shell = call is not None and call.command is not None
    body, code = _unframed(_unwrapped(output), failed=failed) if is_shell else (_unwrapped(output), None)
    is_error = failed or code not in (None, 0)
    return Outcome(
        text=body,
        exit_code=code,
        is_error=is_error,
        truncated=_CUT.search(output) is not None,
        artifact=artifact,
        declined=is_error and code is None and _DECLINED.match(body) is not None,
        commits=printed_commits(body) if is_shell else (),
        edits=() if is_error or call is None else _written(call, coerce.mapping(display), body),
    )


def _read_parts(answer: list[Part]) -> tuple[str, Artifact | None, bool]:
    texts: list[str] = []
    artifact: Artifact | None = None
    failed = False
    for part in answer:
        response = function_response(part) or {}
        failed = failed or bool(coerce.at(response, "response", "error"))
        texts.append(_response(response.get("response")))
        for fragment in (part, *parts(response.get("parts"))):
            artifact = artifact or inline(fragment)
            texts.append(text(fragment) or "")
    return "\n".join(filter(None, texts)), artifact, failed


def _response(value: Any) -> str:
    answered = isinstance(value, dict) and not value.keys().isdisjoint(("output", "error"))
    outputs = [value.get("output"), value.get("error")] if answered else [value]
    return "\n".join(s if isinstance(s, str) else json.dumps(s, ensure_ascii=False) for s in outputs if s)


def _unwrapped(output: str) -> str:
    match = _WRAPPED.match(output)
    return (match[1] or "") + output[match.end() :].removesuffix(_CLOSING) if match else output


def _unframed(output: str, *, failed: bool) -> tuple[str, int | None]:
    """A shell command's output and exit code. The code is below the output; later versions omit the code 0. A
    command without a frame was stopped or refused, or is still running."""
    opened = _BEFORE.match(output)
    if opened is None:
        return output, None
    start, end = opened.end(), len(output.rstrip())
    fields: dict[str, str] = {}
    while end > start and (ended := _AFTER.fullmatch(output, _line(output, start, end), end)):
        fields[ended[1]] = ended[2]
        end = max(start, ended.start() - 1)
    status = fields.get("Exit Code", "(none)" if failed or "Signal" in fields else "0")
    code = int(status) if re.fullmatch(r"-?\d{1,10}", status) else None
    body = output[start:end]
    return (opened[1] or "") + ("" if body == "(empty)" else body), code


def _line(output: str, start: int, end: int) -> int:
    """The start of the last line before ``end``."""
    return max(start, output.rfind("\n", start, end) + 1)


def _written(call: Call, shown: dict[str, Any], body: str) -> tuple[Edit, ...]:
    """The call's edits with the entire new text of the file, and whether the file is a new one."""
    whole = shown.get("newContent")
    new = shown.get("isNewFile") is True or body.startswith(("Successfully created", "Created new file"))
    if not isinstance(whole, str) and not new:
        return ()
    kept = whole if isinstance(whole, str) else None
    kind, before = "add" if new else "update", coerce.text(shown.get("originalContent"))
    return tuple(Edit(path=e.path, kind=kind, whole=kept, before=before) for e in call.edits)  # type: ignore[arg-type]


# ---------------------------------------------------------------- decisions

_APPROVED = "Plan approved."
_REJECTED = "Plan rejected."
_FEEDBACK = "User feedback:"


def decisions(call: Call | None, result: Outcome) -> tuple[Decision | Refusal, ...]:
    """The decisions in the result of a call; ``call`` is None if it is not known."""
    if result.declined:
        return (Refusal(call.name, call.arguments) if call else Refusal(None),)
    if result.is_error or call is None:
        return ()
    match call.name:
        case "ask_user":
            return _answers(call, result)
        case "exit_plan_mode" if result.text.startswith(_APPROVED):
            return (Decision(chosen="approved the plan", by="human"),)
        case "exit_plan_mode" if result.text.startswith(_REJECTED):
            feedback = result.text.partition("\n")[0].partition(_FEEDBACK)[2].strip()
            return (Refusal("the plan", words=feedback),)
        case _:
            return ()


def _answers(call: Call, result: Outcome) -> tuple[Decision, ...]:
    """The decisions in answers, which are keyed by the index of their question."""
    answers = coerce.mapping(coerce.mapping(coerce.parsed(result.text)).get("answers"))
    output: list[Decision] = []
    for ordinal, asked in enumerate(coerce.objects(coerce.mapping(call.arguments).get("questions"))):
        answer = coerce.text(answers.get(str(ordinal)))
        if answer is not None:
            output.append(answered(asked, answer))
    return tuple(output)
