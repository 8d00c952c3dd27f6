"""Compares the two sides of a hunk, and selects the part of an edit that explains given lines. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import product, takewhile

from gittraj.query.why.written import Edit, Hunk

MOST = 8  # lines of a change that are shown
_REPLACED = 100  # the most removed lines to consider before the first added one
_LONG = 2000  # lines of a hunk; a longer one is not compared line by line


Row = tuple[str, str]
"""A mark (``-``, ``+`` or a space) and a line."""


def normalize(line: str) -> str:
    """Return a line without white space, for comparison."""
    return "".join(line.split())


def has_text(line: str) -> bool:
    return any(map(str.isalnum, line))


def is_long(hunk: tuple[Sequence[str], Sequence[str]]) -> bool:
    """Whether a hunk is too long to be compared line by line."""
    return sum(map(len, hunk)) > _LONG


def compare(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield the opcodes of difflib, whose time is quadratic: for very many lines, only an opcode for each
    line that one side lacks."""
    if is_long((old, new)):
        kept = {*old} & {*new}
        yield from (("delete", at, at + 1, 0, 0) for at, line in enumerate(old) if line not in kept)
        yield from (("insert", 0, 0, at, at + 1) for at, line in enumerate(new) if line not in kept)
    else:
        from difflib import SequenceMatcher  # noqa: PLC0415 - only where an edit replaced something

        yield from SequenceMatcher(None, old, new, autojunk=False).get_opcodes()


def compare_lines(hunk: Hunk, key: Callable[[str], str] = str) -> Iterator[Row]:
    """Yield the lines with their mark, ``-``, ``+`` or a blank, compared by ``key``."""
    old, new = hunk
    for tag, i, j, k, m in compare([*map(key, old)], [*map(key, new)]):
        if tag == "equal":
            yield from ((" ", line) for line in new[k:m])
        else:
            yield from (("-", line) for line in old[i:j])
            yield from (("+", line) for line in new[k:m])


def show_change(edit: Edit, lines: Sequence[str]) -> tuple[list[str], int]:
    """Return lines prefixed with ``-``, ``+`` or a blank, from the first to the last of ``lines`` that a hunk
    wrote, and how many changed lines follow. Nothing is shown for lines without a letter or digit."""
    wanted = {text for text in map(normalize, lines) if has_text(text)}
    parts = product(dict.fromkeys((False, edit.part)), edit.hunks)  # matches of whole lines are preferred
    shown = next(filter(None, (_show(hunk, wanted, part=part) for part, hunk in parts)), [])
    return [mark + line for mark, line in shown[:MOST]], sum(mark != " " for mark, _ in shown[MOST:])


def _show(hunk: Hunk, wanted: Collection[str], *, part: bool) -> list[Row]:
    old, rows = hunk[0], [*compare_lines(hunk, normalize)]
    texts = [normalize(line) if mark == "+" else "" for mark, line in rows]
    at = [i for i, text in enumerate(texts) if text in wanted or (part and old and _is_in(text, wanted))]
    if not at:
        return []
    first, end = at[0], at[-1] + 1
    replaced = [*takewhile(lambda row: row[0] == "-", reversed(rows[max(0, first - _REPLACED) : first]))]
    more = takewhile(lambda row: row[0] != " ", rows[end:] if old else ())
    return [*reversed(replaced), *rows[first:end], *more]


def _is_in(text: str, wanted: Collection[str]) -> bool:
    return bool(text) and any(text in each for each in wanted)
