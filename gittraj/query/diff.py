"""Parses the lines that a change's diff shows, and finds the line that a text is about. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from gittraj.frozen import dataclass

_HUNK = re.compile(r"@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@")
_NAME = re.compile(r"[^\W\d]\w{3,99}")
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*")
_CODE = re.compile(r"`([^`\n]{1,200})`|\b(\w+)\(\)|\b(\w*_\w+|[a-z]+[A-Z]\w*)\b")
_LINES = 20_000
"""How many lines of one change are examined."""


@dataclass(frozen=True, slots=True)
class Diff:
    """The lines of a diff. ``files`` maps both a path and its last name to the path; ``lines`` has, by path,
    the numbers that the shown lines have in the new file; ``names`` has, by name in the code, path and number
    of the first added line with that name."""

    files: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, frozenset[int]] = field(default_factory=dict)
    names: Mapping[str, tuple[str, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, paths: Iterable[str], patches: Mapping[str, str] | None = None) -> Diff:
        """Parse ``patches``: each file's hunks, as ``git diff`` prints them."""
        lines: dict[str, set[int]] = {}
        names: dict[str, tuple[str, int]] = {}
        left = _LINES
        for path, patch in (patches or {}).items():
            for number, text, added in _shown(patch):
                left -= 1
                if left < 0:
                    break
                lines.setdefault(path, set()).add(number)
                for name in _NAME.findall(text) if added else ():
                    names.setdefault(name, (path, number))
        files = {name: path for path in paths for name in (path.rpartition("/")[2], path)}
        return cls(files, {path: frozenset(found) for path, found in lines.items()}, names)

    def find(
        self, text: str, path: str | None = None, line: int | None = None
    ) -> tuple[str | None, int | None]:
        """Return the file and line that ``text`` is about, if the diff has them: ``path`` and ``line`` from
        the text's record, else a file that the text names, else the line that added a symbol that it
        names."""
        if path and self.files.get(path) == path:
            return path, line if line in self.lines.get(path, ()) else self._line(text, path)
        named = [self.files[name] for word in _PATH.findall(text) if (name := word.strip(".-")) in self.files]
        if named:
            longest = max(named, key=len)
            return longest, self._line(text, longest)
        return next((self.names[name] for name in _symbols(text) if name in self.names), (None, None))

    def _line(self, text: str, path: str) -> int | None:
        added = (self.names[name] for name in _symbols(text) if name in self.names)
        return next((number for where, number in added if where == path), None)


def _symbols(text: str) -> Iterator[str]:
    """Yield the words of ``text`` that are written as code."""
    for found in _CODE.finditer(text):
        yield from _NAME.findall(next(filter(None, found.groups())))


def _shown(patch: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the number and text of each line on the new side of the hunks, and whether it was added."""
    number = None
    for line in patch.split("\n"):
        if hunk := _HUNK.match(line):
            number = int(hunk[1])
        elif number is not None and line[:1] in ("+", " "):
            yield number, line[1:], line[0] == "+"
            number += 1


def split_patches(diff: str) -> dict[str, str]:
    """Return the hunks of each file in the output of ``git diff``, by its new path. Paths that git quotes are
    left out."""
    patches: dict[str, str] = {}
    for part in re.split(r"^diff --git ", diff, flags=re.MULTILINE)[1:]:
        head, sign, hunks = part.partition("\n@@ ")
        if sign and (name := re.search(r"^\+\+\+ b/(.*?)\t?$", head, re.MULTILINE)):
            patches[name[1]] = f"@@ {hunks}"
    return patches
