"""The changes to files in what a model answered to Aider, in the two forms that show old and new lines.

SEARCH/REPLACE blocks (a line with the path, a fence, ``<<<<<<< SEARCH``, ``=======``, ``>>>>>>> REPLACE``;
aider's editblock_coder.py) and unified diffs in a fence (udiff_coder.py). What breaks the form is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gittraj.formats.base.edits import only_in
from gittraj.model.session_items import Edit

_SEARCH = re.compile(r"<{5,9} SEARCH>?\s*\Z")
_DIVIDER = re.compile(r"={5,9}\s*\Z")
_REPLACE = re.compile(r">{5,9} REPLACE\s*\Z")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,}|</?(?:source|code|pre|codeblock|sourcecode)>)")
_DEV_NULL = "/dev/null"


class _Changes:
    """The lines of one file over all its blocks."""

    def __init__(self) -> None:
        self.added: list[str] = []
        self.removed: list[str] = []
        self.searched = False

    def change(self, old: list[str], new: list[str]) -> None:
        self.added += only_in(new, old)
        self.removed += only_in(old, new)
        self.searched = self.searched or any(line.strip() for line in old)


def edits(text: str) -> tuple[Edit, ...]:
    """One edit for each file, in the order in which the files are first named."""
    files: dict[str, _Changes] = {}
    lines = text.split("\n")
    for path, old, new in (*_blocks(lines), *_diffs(lines)):
        files.setdefault(path, _Changes()).change(old, new)
    return tuple(
        Edit(
            path=path,
            kind="update" if changes.searched else "add",
            added=tuple(changes.added),
            removed=tuple(changes.removed),
        )
        for path, changes in files.items()
    )


_Block = tuple[str, list[str], list[str]]


def _blocks(lines: list[str]) -> Iterator[_Block]:
    path: str | None = None
    old: list[str] | None = None
    new: list[str] | None = None
    for number, line in enumerate(lines):
        if _SEARCH.match(line):
            path = _named(lines, number) or path
            old, new = [], None
        elif old is not None and new is None and _DIVIDER.match(line):
            new = []
        elif old is not None and new is not None and _REPLACE.match(line):
            if path:
                yield path, old, new
            old = new = None
        elif new is not None:
            new.append(line)
        elif old is not None:
            old.append(line)


def _named(lines: list[str], number: int) -> str | None:
    """The path in the lines just before a block: below it there may be a fence."""
    for line in reversed(lines[max(0, number - 3) : number]):
        if _FENCE.match(line):
            continue
        name = line.strip().strip("`*:").removeprefix("# ").strip()
        return name if name and " " not in name and not _REPLACE.match(line) else None
    return None


def _diffs(lines: list[str]) -> Iterator[_Block]:
    inside = False
    path: str | None = None
    old: list[str] = []
    new: list[str] = []
    for number, line in enumerate(lines):
        if _FENCE.match(line):
            if path and (old or new):
                yield path, old, new
            inside, path, old, new = line.strip().startswith("```diff"), None, [], []
        elif not inside:
            continue
        elif line.startswith("--- ") and "".join(lines[number + 1 : number + 2]).startswith("+++ "):
            if path and (old or new):
                yield path, old, new
            named = (lines[number + 1][4:].strip(), line[4:].strip())
            path = next((name.removeprefix("b/") for name in named if name != _DEV_NULL), None)
            old, new = [], []
        elif path and line.startswith("-") and not line.startswith("--- "):
            old.append(line[1:])
        elif path and line.startswith("+") and not line.startswith("+++ "):
            new.append(line[1:])
