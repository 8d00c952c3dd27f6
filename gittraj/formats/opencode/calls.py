"""Reads a call of OpenCode's tools: which files it changes, its result, and a human's decision in the result.

The record of a finished call has its arguments and its result; the diff in the result is more exact than the
texts in the arguments. A decision is one that the log states: the answer to a question, an approved plan, a
refused call.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gittraj.formats.base import coerce, images, patch
from gittraj.formats.base.edits import pairs, replaced, texts, written
from gittraj.formats.base.outcomes import Call, Outcome, Refusal, answered, printed_commits
from gittraj.model.session_items import Edit
from gittraj.model.values import Artifact, Decision, FileKind

SHELLS = ("bash", "shell")
_PATCHES = ("apply_patch", "patch")
_PATHS = ("filePath", "path")
_KINDS: dict[Any, FileKind] = {"add": "add", "delete": "delete", "move": "rename"}
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def call(tool: str, state: dict[str, Any], folder: str | None) -> Call:
    """Return the call that a tool part has in ``state``; ``folder`` is the session's folder."""
    fields, detail = coerce.mapping(state.get("input")), coerce.mapping(state.get("metadata"))
    if tool in SHELLS and (workdir := coerce.text(fields.get("workdir"))):
        folder = posixpath.normpath(posixpath.join(folder or "", workdir))
    edits = tuple(_edits(tool, fields, detail))
    paths = tuple(texts(fields, _PATHS))
    return Call(
        name=tool,
        arguments=state.get("input"),
        command=coerce.text(fields.get("command")) if tool in SHELLS else None,
        folder=folder,
        edits=edits,
        paths=paths or tuple(edit.path for edit in edits),
    )


def _edits(tool: str, fields: dict[str, Any], detail: dict[str, Any]) -> Iterator[Edit]:
    path = coerce.text(fields.get("filePath"))
    if tool in _PATCHES:
        files = list(_patched(detail))
        yield from files or patch.edits(coerce.string(fields.get("patchText")))
    elif path is None:
        return
    elif tool == "write":
        kind: FileKind = "add" if detail.get("exists") is False else "update"
        yield from written(path, fields.get("content"), kind=kind)
    elif tool == "edit":
        if not isinstance(fields.get("newString"), str):  # an edit with the whole text
            yield from written(path, fields.get("content"))
        else:
            yield _changed(path, [detail], [fields])
    elif tool == "multiedit":
        yield _changed(path, coerce.objects(detail.get("results")), coerce.objects(fields.get("edits")))


def _changed(path: str, details: list[dict[str, Any]], changes: list[dict[str, Any]]) -> Edit:
    """Return an edit from the recorded diffs in ``details``, or else from the arguments in ``changes``."""
    files = [coerce.mapping(detail.get("filediff")) for detail in details]
    diffs = [coerce.either(f.get("patch"), d.get("diff")) for f, d in zip(files, details, strict=True)]
    if diffs and all(diffs):
        added, removed = _unified("\n".join(filter(None, diffs)))
        edit = Edit(path=path, added=tuple(added), removed=tuple(removed))
    else:
        edit = replaced(path, pairs(changes, ["oldString"], ["newString"]))
    after = files[-1].get("after") if files else None
    kind: FileKind = "add" if any(change.get("oldString") == "" for change in changes) else "update"
    return replace(edit, kind=kind, whole=after if isinstance(after, str) else None)


def _patched(detail: dict[str, Any]) -> Iterator[Edit]:
    """Yield the files that ``apply_patch`` reports as changed."""
    for file in coerce.objects(detail.get("files")):
        path = coerce.first(file, "filePath", "relativePath")
        if path is None:
            continue
        target = coerce.text(file.get("movePath"))
        if target:
            yield Edit(path=path, kind="delete")
        kind = _KINDS.get(coerce.text(file.get("type")), "update")
        added, removed = _unified(coerce.first(file, "patch", "diff") or "")
        after = file.get("after")
        yield Edit(
            path=target or path,
            kind=kind,
            added=tuple(added),
            removed=tuple(removed),
            whole=after if isinstance(after, str) and kind != "delete" else None,
        )


def _unified(text: str) -> tuple[list[str], list[str]]:
    """The added and the removed lines of a unified diff. Hunks are read by the lengths in their headers, so
    that a line that looks like a header is not mistaken for one."""
    added: list[str] = []
    removed: list[str] = []
    new = old = 0
    for line in text.split("\n"):
        mark, content = line[:1], line[1:].removesuffix("\r")
        if new <= 0 and old <= 0:
            if hunk := _HUNK.match(line):
                old, new = (int(n[:9]) if n is not None else 1 for n in hunk.groups())
        elif mark == "+":
            new -= 1
            added.append(content)
        elif mark == "-":
            old -= 1
            removed.append(content)
        elif mark != "\\":
            new, old = new - 1, old - 1
    return added, removed


REJECTED = "The user rejected permission to use this specific tool call"
_ADVICE = " with the following feedback: "
_DISMISSED = "The user dismissed this question"
_NO_SUCH_CALL = "invalid"
"""The tool that answers a call of a tool that does not exist, or a call with wrong arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(Outcome):
    """An outcome with a person's decisions in it; ``time`` is when the call ended, in ms since 1970."""

    decisions: tuple[Decision | Refusal, ...]
    time: int | None


def result(tool: str, state: dict[str, Any]) -> Result | None:
    """Return the result in a tool part's ``state``; ``None`` while the call runs."""
    if state.get("status") not in ("completed", "error"):
        return None
    detail = coerce.mapping(state.get("metadata"))
    failed = state["status"] == "error"
    texts = [state.get("error"), detail.get("output")] if failed else [state.get("output")]
    attachments = [file_image(file) for file in coerce.objects(state.get("attachments"))]
    placeholders = [placeholder for placeholder, _ in attachments]
    exit_code = coerce.number(detail.get("exit")) if tool in SHELLS else None
    text = "\n".join([*filter(None, map(coerce.text, texts)), *placeholders])
    return Result(
        text=text,
        exit_code=exit_code,
        is_error=failed or exit_code not in (None, 0) or tool == _NO_SUCH_CALL,
        truncated=detail.get("truncated") is True,
        artifact=next((image for _, image in attachments if image), None),
        commits=printed_commits(text) if tool in SHELLS else (),
        decisions=_declined(tool, state) if failed else _decided(tool, state, detail),
        time=coerce.number(coerce.at(state, "time", "end")),
        duration_ms=_duration(state),
    )


def _duration(state: dict[str, Any]) -> int | None:
    start, end = (coerce.number(coerce.at(state, "time", key)) for key in ("start", "end"))
    return max(0, end - start) if start is not None and end is not None else None


def file_image(part: dict[str, Any]) -> tuple[str, Artifact | None]:
    """Return a placeholder for a file part, and the file's size and hash if its bytes are in the log."""
    image = images.from_uri(part.get("url"))
    if image is not None:
        return images.placeholder(image), image
    return f"[{coerce.either(part.get('filename'), part.get('mime')) or 'file'}]", None


def _declined(tool: str, state: dict[str, Any]) -> tuple[Refusal, ...]:
    message = coerce.string(state.get("error"))
    if not message.startswith((REJECTED, _DISMISSED)):
        return ()
    advice = message.partition(_ADVICE)[2].strip()
    return (Refusal(tool, state.get("input"), advice),)


def _decided(tool: str, state: dict[str, Any], detail: dict[str, Any]) -> tuple[Decision, ...]:
    if tool == "plan_exit":  # this call ends without an error only if the user approved the plan
        return (Decision(chosen="the plan, to be built now", by="human", alternatives=("refine the plan",)),)
    answers = detail.get("answers")
    if tool != "question" or not isinstance(answers, list):
        return ()
    asked = coerce.objects(coerce.at(state, "input", "questions"))
    decisions: list[Decision] = []
    for question, answer in zip(asked, answers, strict=False):
        if chosen := [*filter(None, coerce.texts(answer))]:
            decisions.append(answered(question, *chosen))
    return tuple(decisions)
