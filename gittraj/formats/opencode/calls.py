"""Reads what a call of OpenCode's tools does: from its arguments, or rather from the recorded changes; its
result, and a human's decision in it.

A finished call has both in one record; the diff that a tool made is more exact than the text that it had to
replace. Decisions are only those in the log: a question and its answer, an approved plan, a refused call.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gittraj.formats.base import coerce, images, patch
from gittraj.formats.base.edits import pairs, replaced, texts, written
from gittraj.formats.base.outcomes import Call, Outcome, Refusal, printed_commits
from gittraj.model.session_items import Edit
from gittraj.model.values import Artifact, Decision, FileKind

SHELLS = ("bash", "shell")
_PATCHES = ("apply_patch", "patch")
_PATHS = ("filePath", "path")
_KINDS: dict[Any, FileKind] = {"add": "add", "delete": "delete", "move": "rename"}
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def call(tool: str, state: dict[str, Any], folder: str | None) -> Call:
    """The call whose ``state`` is in a tool part; ``folder`` is the session's."""
    fields, detail = coerce.mapping(state.get("input")), coerce.mapping(state.get("metadata"))
    if tool in SHELLS and (workdir := coerce.text(fields.get("workdir"))):
        folder = posixpath.normpath(posixpath.join(folder or "", workdir))
    edits = tuple(_edits(tool, fields, detail))
    named = tuple(texts(fields, _PATHS))
    return Call(
        name=tool,
        arguments=state.get("input"),
        command=coerce.text(fields.get("command")) if tool in SHELLS else None,
        folder=folder,
        edits=edits,
        paths=named or tuple(edit.path for edit in edits),
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
    """An edit from the diffs that it made, else from the texts among its arguments (``changes``)."""
    files = [coerce.mapping(detail.get("filediff")) for detail in details]
    made = [coerce.either(f.get("patch"), d.get("diff")) for f, d in zip(files, details, strict=True)]
    if made and all(made):
        added, removed = _unified("\n".join(filter(None, made)))
        edit = Edit(path=path, added=tuple(added), removed=tuple(removed))
    else:
        edit = replaced(path, pairs(changes, ["oldString"], ["newString"]))
    after = files[-1].get("after") if files else None
    kind: FileKind = "add" if any(change.get("oldString") == "" for change in changes) else "update"
    return replace(edit, kind=kind, whole=after if isinstance(after, str) else None)


def _patched(detail: dict[str, Any]) -> Iterator[Edit]:
    """The files that ``apply_patch`` reports as written."""
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
    """The lines added and removed in a unified diff; its hunks have their lengths, so that a line that looks
    like a header is not mistaken for one."""
    added: list[str] = []
    removed: list[str] = []
    new = old = 0
    for line in text.split("\n"):
        mark, rest = line[:1], line[1:].removesuffix("\r")
        if new <= 0 and old <= 0:
            if hunk := _HUNK.match(line):
                old, new = (int(n[:9]) if n is not None else 1 for n in hunk.groups())
        elif mark == "+":
            new -= 1
            added.append(rest)
        elif mark == "-":
            old -= 1
            removed.append(rest)
        elif mark != "\\":
            new, old = new - 1, old - 1
    return added, removed


REJECTED = "The user rejected permission to use this specific tool call"
_ADVICE = " with the following feedback: "
_DISMISSED = "The user dismissed this question"
_NO_SUCH_CALL = "invalid"
"""The tool that answers instead of one that does not exist, or that was called wrongly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(Outcome):
    """``time`` is its end, in ms since 1970."""

    decisions: tuple[Decision | Refusal, ...]
    time: int | None


def result(tool: str, state: dict[str, Any]) -> Result | None:
    """The result in a tool part's ``state``; ``None`` if there is none yet."""
    if state.get("status") not in ("completed", "error"):
        return None
    detail, times = coerce.mapping(state.get("metadata")), coerce.mapping(state.get("time"))
    failed = state["status"] == "error"
    texts = [state.get("error"), detail.get("output")] if failed else [state.get("output")]
    images = [file_image(file) for file in coerce.objects(state.get("attachments"))]
    exit_code = coerce.number(detail.get("exit")) if tool in SHELLS else None
    text = "\n".join([*filter(None, map(coerce.text, texts)), *(placeholder for placeholder, _ in images)])
    begun, ended = coerce.number(times.get("start")), coerce.number(times.get("end"))
    return Result(
        text=text,
        exit_code=exit_code,
        is_error=failed or exit_code not in (None, 0) or tool == _NO_SUCH_CALL,
        truncated=detail.get("truncated") is True,
        artifact=next((image for _, image in images if image), None),
        commits=printed_commits(text) if tool in SHELLS else (),
        decisions=_declined(tool, state) if failed else _decided(tool, state, detail),
        time=ended,
        duration_ms=max(0, ended - begun) if begun is not None and ended is not None else None,
    )


def file_image(part: dict[str, Any]) -> tuple[str, Artifact | None]:
    """The placeholder for a file part in a text, and its bytes' size and hash if the log has the bytes."""
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
    if tool == "plan_exit":  # it ends without error only if the user approved
        return (Decision(chosen="the plan, to be built now", by="human", alternatives=("refine the plan",)),)
    answers = detail.get("answers")
    if tool != "question" or not isinstance(answers, list):
        return ()
    asked = coerce.objects(coerce.at(state, "input", "questions"))
    decisions: list[Decision] = []
    for question, answer in zip(asked, answers, strict=False):
        chosen = [*filter(None, coerce.texts(answer))]
        labels = [coerce.text(option.get("label")) for option in coerce.objects(question.get("options"))]
        if chosen:
            decisions.append(
                Decision(
                    chosen=", ".join(chosen),
                    by="human",
                    question=coerce.text(question.get("question")),
                    alternatives=tuple(label for label in labels if label and label not in chosen),
                )
            )
    return tuple(decisions)
