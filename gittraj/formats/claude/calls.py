"""Reads what a call of Claude Code's tools does, from its arguments alone; and its result: the text, how the
call ended, what it changed, and which decision it contains.

A log has a result twice: as the model saw it (``tool_result``) and structured (``toolUseResult``). The text
is taken from the former, everything else from the latter. Only decisions that the log states are read:
answered questions, approved plans, refused calls.
"""

from __future__ import annotations

import re
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.edits import pairs, replaced, written
from gittraj.formats.base.outcomes import Call, Outcome, Refusal, answered, printed_commits
from gittraj.formats.claude import prompts
from gittraj.model.session_items import Edit
from gittraj.model.values import Artifact, Decision

SHELLS = ("Bash", "PowerShell")
PATHS = ("file_path", "notebook_path", "path")


def call(name: str, arguments: Any, folder: str | None) -> Call:
    """What the call does; ``folder`` is the session's."""
    own = edits(name, arguments)
    return Call.of(name, arguments, folder, is_shell=name in SHELLS, paths=PATHS, edits=own)


def edits(name: str, arguments: Any) -> tuple[Edit, ...]:
    """The edits that the call makes to a file, as far as its arguments show."""
    fields = coerce.mapping(arguments)
    path = coerce.first(fields, *PATHS[:2])
    if path is None:
        return ()
    match name:
        case "Write":
            return written(path, fields.get("content"))
        case "Edit" | "MultiEdit":
            changes = coerce.objects(fields.get("edits")) if name == "MultiEdit" else [fields]
            return (replaced(path, pairs(changes, ["old_string"], ["new_string"])),)
        case "NotebookEdit":
            return (replaced(path, pairs([fields], ["old_source"], ["new_source"])),)
        case _:
            return ()


_EXIT = re.compile(r"(?:Error: )?Exit code (\d{1,10})(?:\n|$)")
_CUT = re.compile(r"<persisted-output>|\[\d+ (?:lines|characters) truncated\]")
_DECLINED = (
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
)
_ADVICE = re.compile(r"the user said:|reason for the rejection:")
_TEXTS = ("text", "tool_name", "error_code", "stdout", "stderr")
"""The fields that contain the text of a result's blocks, also of a tool that runs on the server."""


def result(block: dict[str, Any], detail: Any, *, shell: bool) -> Outcome:
    """The result in a ``tool_result`` block and its ``toolUseResult`` (``detail``). ``shell``: the call is
    known to have run a command."""
    text, artifact = _content(block.get("content"))
    fields = coerce.mapping(detail)
    shell = shell or "stdout" in fields
    # A tool that runs on the server reports a failure by the type of its content.
    failed = str(coerce.at(block, "content", "type")).endswith("_error")
    is_error = block.get("is_error") is True or failed
    return Outcome(
        text=text,
        is_error=is_error,
        exit_code=_exit_code(text, fields, is_error=is_error) if shell else None,
        truncated=fields.get("truncated") is True or _CUT.search(text) is not None,
        bytes=coerce.number(fields.get("persistedOutputSize")),
        artifact=artifact,
        commits=_commits(text, fields) if shell else (),
        edits=() if is_error else _edits(fields),
    )


def declined(text: str) -> str | None:
    """The user's message when refusing a call: ``""`` without one, ``None`` if the call was not refused."""
    if not text.startswith(_DECLINED):
        return None
    advice = _ADVICE.search(text)
    return text[advice.end() :].strip() if advice else ""


def _content(content: Any) -> tuple[str, Artifact | None]:
    if isinstance(content, str):
        return content, None
    blocks = [content] if isinstance(content, dict) else content  # an object if the tool runs on the server
    parts: list[str] = []
    artifact: Artifact | None = None
    for block in coerce.objects(blocks):
        if block.get("type") in prompts.MEDIA:
            image, text = prompts.attached(block)
            artifact = artifact or image
            parts.append(text)
        else:
            parts.append(_text_of(block))
    return "\n".join(filter(None, parts)), artifact


def _text_of(block: dict[str, Any]) -> str:
    if block.get("type") in ("web_search_result", "web_fetch_result"):
        return f"{block.get('title') or ''} {block.get('url') or ''}".strip()
    return "\n".join(text for key in _TEXTS if (text := coerce.text(block.get(key))))


def _exit_code(text: str, detail: dict[str, Any], *, is_error: bool) -> int | None:
    if match := _EXIT.match(text):
        return int(match[1])
    # An exit code other than 0 is an error for Claude Code, unless it knows the code's meaning (grep found
    # nothing). A command that was stopped or is still running has no exit code.
    unclear = ("returnCodeInterpretation", "backgroundTaskId", "interrupted")
    return None if is_error or not detail or any(detail.get(key) for key in unclear) else 0


def _commits(text: str, detail: dict[str, Any]) -> tuple[str, ...]:
    sha = coerce.text(coerce.at(detail, "gitOperation", "commit", "sha"))
    ids = printed_commits(text)
    return ids if sha is None or sha in ids else (sha, *ids)


def _edits(detail: dict[str, Any]) -> tuple[Edit, ...]:
    """The edit of the file, with its entire new text if that can be derived from the result."""
    path = coerce.first(detail, "filePath", "notebook_path")
    if path is None or detail.get("userModified") is True:
        return ()
    if detail.get("type") in ("create", "update") and isinstance(detail.get("content"), str):
        kind = "add" if detail["type"] == "create" else "update"
        return (Edit(path=path, kind=kind, whole=detail["content"], before=_original(detail)),)  # type: ignore[arg-type]
    whole = detail.get("updated_file") if "notebook_path" in detail else _rewritten(detail)
    return (Edit(path=path, whole=whole, before=_original(detail)),) if isinstance(whole, str) else ()


def _original(detail: dict[str, Any]) -> str | None:
    return coerce.text(detail.get("originalFile", detail.get("originalFileContents")))


def _rewritten(detail: dict[str, Any]) -> str | None:
    text = detail.get("originalFile", detail.get("originalFileContents"))
    changes = coerce.objects(detail["edits"]) if "edits" in detail else [detail]
    if not isinstance(text, str) or not changes:
        return None
    replaced = pairs(changes, ("old_string", "oldString"), ("new_string", "newString"))
    for change, (old, new) in zip(changes, replaced, strict=True):
        if old not in text or (not old and text):
            return None
        everywhere = change.get("replace_all") is True or change.get("replaceAll") is True
        text = text.replace(old, new, -1 if everywhere else 1)
    return text


# ---------------------------------------------------------------- decisions

_APPROVED = re.compile(r"User has approved\b")
_REASON = re.compile(
    r"#+\s*(?:\d+[.)]\s*)?(?:why|context|reason(?:s|ing)?|rationale|background|motivation)\b", re.I
)


def decisions(
    name: str | None, arguments: Any, detail: Any, result: Outcome
) -> tuple[Decision | Refusal, ...]:
    """The decisions in the result of a call of tool ``name`` (``None``: not known)."""
    advice = declined(result.text) if result.is_error else None
    if advice is not None:
        return (Refusal(name, arguments, advice),)
    if result.is_error:
        return ()
    fields = coerce.mapping(detail)
    match name:
        case "AskUserQuestion":
            return _answers(coerce.mapping(arguments) | fields)
        case "ExitPlanMode" if fields.get("awaitingLeaderApproval") is not True:
            plan = coerce.either(coerce.mapping(arguments).get("plan"), fields.get("plan"))
            if plan is None and _APPROVED.match(result.text):  # the plan itself is in a file
                return (Decision(chosen="approved the plan", by="human"),)
            return _plan(plan or "")
        case _:
            return ()


def _answers(fields: dict[str, Any]) -> tuple[Decision, ...]:
    answers = coerce.mapping(fields.get("answers"))
    notes = coerce.mapping(fields.get("annotations"))
    decisions = []
    for asked in coerce.objects(fields.get("questions")):
        question = coerce.text(asked.get("question"))
        if question is None or (answer := coerce.text(answers.get(question))) is None:
            continue
        why = coerce.text(coerce.mapping(notes.get(question)).get("notes"))
        decisions.append(answered(asked, answer, reasoning=why))
    return tuple(decisions)


def _plan(plan: str) -> tuple[Decision, ...]:
    """The decision for an approved plan: its title, and as reason the text below a heading such as "Why"."""
    title, _, body = plan.strip().partition("\n")
    if not title:
        return ()
    return (Decision(chosen=title.lstrip("# ") or title, by="agent", reasoning=_reason(body)),)


def _reason(text: str) -> str | None:
    lines = text.splitlines()
    at = next((i for i, line in enumerate(lines, 1) if _REASON.match(line)), None)
    for paragraph in "\n".join(lines[at:]).split("\n\n") if at is not None else ():
        if paragraph.strip():
            return None if paragraph.lstrip().startswith("#") else paragraph.strip()
    return None
