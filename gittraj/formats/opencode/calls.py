"""What a call of one of OpenCode's tools does: from its arguments, and better from what it left behind.

A finished call holds both in one record; the difference that a tool made says more than the text that it
was told to replace. Whether it did it is for :mod:`gittraj.formats.opencode.results` to say.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce, patch
from gittraj.formats.base.edits import first, only_in, texts, written
from gittraj.formats.base.outcomes import Call
from gittraj.model.session_items import Edit
from gittraj.model.values import FileKind

SHELLS = ("bash", "shell")
_PATCHES = ("apply_patch", "patch")
_PATHS = ("filePath", "path")
_KINDS: dict[Any, FileKind] = {"add": "add", "delete": "delete", "move": "rename"}
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def call(tool: str, state: dict[str, Any], folder: str | None) -> Call:
    """The call whose ``state`` a tool part holds; ``folder`` is where the session works."""
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
        yield from files or patch.edits(coerce.text(fields.get("patchText")) or "")
    elif path is None:
        return
    elif tool == "write":
        kind: FileKind = "add" if detail.get("exists") is False else "update"
        yield from written(path, fields.get("content"), kind=kind)
    elif tool == "edit":
        if not isinstance(fields.get("newString"), str):  # an edit that gives the whole text
            yield from written(path, fields.get("content"))
        else:
            yield _changed(path, [detail], [fields])
    elif tool == "multiedit":
        yield _changed(path, coerce.objects(detail.get("results")), coerce.objects(fields.get("edits")))


def _changed(path: str, details: list[dict[str, Any]], changes: list[dict[str, Any]]) -> Edit:
    """An edit by the differences that it made, else by the texts (``changes``) that it was given."""
    files = [coerce.mapping(detail.get("filediff")) for detail in details]
    made = [
        coerce.text(f.get("patch")) or coerce.text(d.get("diff")) for f, d in zip(files, details, strict=True)
    ]
    added: list[str] = []
    removed: list[str] = []
    if made and all(made):
        added, removed = _unified("\n".join(filter(None, made)))
    else:
        for change in changes:
            old, new = (coerce.text(change.get(key)) or "" for key in ("oldString", "newString"))
            added += only_in(new.splitlines(), old.splitlines())
            removed += only_in(old.splitlines(), new.splitlines())
    after = files[-1].get("after") if files else None
    return Edit(
        path=path,
        kind="add" if any(change.get("oldString") == "" for change in changes) else "update",
        added=tuple(added),
        removed=tuple(removed),
        whole=after if isinstance(after, str) else None,
    )


def _patched(detail: dict[str, Any]) -> Iterator[Edit]:
    """The files that ``apply_patch`` says it has written."""
    for file in coerce.objects(detail.get("files")):
        path = first(file, ("filePath", "relativePath"))
        if path is None:
            continue
        target = coerce.text(file.get("movePath"))
        if target:
            yield Edit(path=path, kind="delete")
        kind = _KINDS.get(coerce.text(file.get("type")), "update")
        added, removed = _unified(first(file, ("patch", "diff")) or "")
        after = file.get("after")
        yield Edit(
            path=target or path,
            kind=kind,
            added=tuple(added),
            removed=tuple(removed),
            whole=after if isinstance(after, str) and kind != "delete" else None,
        )


def _unified(text: str) -> tuple[list[str], list[str]]:
    """The lines added and removed in a unified diff; its hunks say how long they are, so that a line
    which looks like a head is none."""
    added: list[str] = []
    removed: list[str] = []
    new = old = 0
    for line in text.split("\n"):
        sign, rest = line[:1], line[1:].removesuffix("\r")
        if new <= 0 and old <= 0:
            if hunk := _HUNK.match(line):
                old, new = (int(n[:9]) if n is not None else 1 for n in hunk.groups())
        elif sign == "+":
            new -= 1
            added.append(rest)
        elif sign == "-":
            old -= 1
            removed.append(rest)
        elif sign != "\\":
            new, old = new - 1, old - 1
    return added, removed
