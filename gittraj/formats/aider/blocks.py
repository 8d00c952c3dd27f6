"""Reads changes to files from a model's answer to Aider, in the two forms that show old and new lines.

The forms are SEARCH/REPLACE blocks (a line with the path, a fence, ``<<<<<<< SEARCH``, ``=======``,
``>>>>>>> REPLACE``; aider's editblock_coder.py) and unified diffs in a fence (udiff_coder.py). Malformed ones
are left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Literal

from gittraj.formats.base.edits import only_in
from gittraj.model.session_items import Edit

_SEARCH = re.compile(r"<{5,9} SEARCH>?\s*\Z")
_DIVIDER = re.compile(r"={5,9}\s*\Z")
_REPLACE = re.compile(r">{5,9} REPLACE\s*\Z")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,}|</?(?:source|code|pre|codeblock|sourcecode)>)")
_DEV_NULL = "/dev/null"
_SIDES: dict[str, Literal[1, 2]] = {"-": 1, "+": 2}
"""The item of a ``_Block`` that gets the lines beginning with this character."""
_CHANGED = re.compile(r"([-+])(?!\1\1 )")
"""Matches a line that a diff removes or adds, not the names of its files (``--- a``, ``+++ b``)."""


_Block = tuple[str, list[str], list[str]]
"""A path, old lines, and the new lines that replace them."""


def edits(text: str) -> tuple[Edit, ...]:
    """One edit for each file, in the order in which the answer first names the files."""
    files: defaultdict[str, list[_Block]] = defaultdict(list)
    lines = text.split("\n")
    for block in (*_blocks(lines), *_diffs(lines)):
        files[block[0]].append(block)
    return tuple(_edit(path, blocks) for path, blocks in files.items())


def _edit(path: str, blocks: list[_Block]) -> Edit:
    """The edit of one file, from all its blocks, which have no old lines if the file is new."""
    has_old = any(line.strip() for _, old, _ in blocks for line in old)
    return Edit(
        path=path,
        kind="update" if has_old else "add",
        added=tuple(line for _, old, new in blocks for line in only_in(new, old)),
        removed=tuple(line for _, old, new in blocks for line in only_in(old, new)),
    )


def _blocks(lines: list[str]) -> Iterator[_Block]:
    path: str | None = None
    sides: list[list[str]] = []  # the old lines, then the new ones
    for number, line in enumerate(lines):
        if _SEARCH.match(line):
            path, sides = _path_above(lines, number) or path, [[]]
        elif len(sides) == 1 and _DIVIDER.match(line):
            sides.append([])
        elif len(sides) == 2 and _REPLACE.match(line):
            if path:
                yield path, sides[0], sides[1]
            sides = []
        elif sides:
            sides[-1].append(line)


def _path_above(lines: list[str], number: int) -> str | None:
    """The path in the lines just above a block; there may be a fence in between."""
    for line in reversed(lines[max(0, number - 3) : number]):
        if _FENCE.match(line):
            continue
        name = line.strip().strip("`*:").removeprefix("# ").strip()
        return name if name and " " not in name and not _REPLACE.match(line) else None
    return None


def _diffs(lines: list[str]) -> Iterator[_Block]:
    inside = False
    block: _Block | None = None
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        path = None
        if _FENCE.match(line):
            inside = line.strip().startswith("```diff")
        elif inside and _is_header(line, below):
            path = _changed_path(below[4:].strip(), line[4:].strip())
        else:
            if block and (changed := _CHANGED.match(line)):
                block[_SIDES[changed[1]]].append(line[1:])
            continue
        if block and any(block[1:]):
            yield block
        block = (path, [], []) if path else None


def _is_header(line: str, below: str) -> bool:
    """Whether two lines of a diff begin the changes of a file."""
    return line.startswith("--- ") and below.startswith("+++ ")


def _changed_path(after: str, before: str) -> str | None:
    return next((name.removeprefix("b/") for name in (after, before) if name != _DEV_NULL), None)
