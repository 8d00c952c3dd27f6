"""Reads Codex's patch language: what an ``apply_patch`` text does to files.

The grammar is in codex-rs/apply-patch of github.com/openai/codex: ``*** Begin Patch``, then
``*** Add File: p`` with ``+`` lines, ``*** Delete File: p``, or ``*** Update File: p`` with an
optional ``*** Move to: q`` and hunks of `` ``, ``-`` and ``+`` lines, then ``*** End Patch``.
No patch is applied here. From text that breaks the grammar, the valid part is returned.
"""

from __future__ import annotations

from collections.abc import Iterator

from gittraj.formats.base.edits import only_in
from gittraj.model.session_items import Edit
from gittraj.model.values import FileKind

_BEGIN = "*** Begin Patch"
_END = "*** End Patch"
_FILES: dict[str, FileKind] = {
    "*** Add File: ": "add",
    "*** Delete File: ": "delete",
    "*** Update File: ": "update",
}
_MOVE = "*** Move to: "


def find_patch(command: str) -> str | None:
    """The patch in a shell command that runs ``apply_patch``, as here-document or as argument."""
    before, begin, rest = command.partition(_BEGIN)
    if not begin or ("apply_patch" not in before and "applypatch" not in before):
        return None
    body, end, _ = rest.partition(_END)
    return begin + body + end


def edits(text: str) -> tuple[Edit, ...]:
    """The edits of the files that the patch writes; paths are as in the patch."""
    return tuple(edit for file in _files(text) for edit in file.edits())


class _File:
    def __init__(self, kind: FileKind, path: str) -> None:
        self.kind = kind
        self.path = path
        self.target: str | None = None
        self.added: list[str] = []
        self.removed: list[str] = []

    def edits(self) -> Iterator[Edit]:
        if self.target is not None:
            yield Edit(path=self.path, kind="delete")
        yield Edit(
            path=self.path if self.target is None else self.target,
            kind=self.kind if self.target is None else "rename",
            added=only_in(self.added, self.removed),
            removed=only_in(self.removed, self.added),
            whole="".join(f"{line}\n" for line in self.added) if self.kind == "add" else None,
        )


def _files(text: str) -> list[_File]:
    files: list[_File] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if opened := next((prefix for prefix in _FILES if line.startswith(prefix)), None):
            files.append(_File(_FILES[opened], line[len(opened) :].strip()))
        elif line.strip() == _END:
            break
        elif not files:
            continue
        elif line.startswith(_MOVE):
            files[-1].target = line[len(_MOVE) :].strip()
        elif line.startswith("+"):
            files[-1].added.append(line[1:])
        elif line.startswith("-"):
            files[-1].removed.append(line[1:])
    return files
