"""Finds the call of a session that wrote a line. Pure.

It compares the text in a call's arguments with the lines of the file, ignoring white space. A change did not
write its context lines, nor did a call that overwrites the file write the unchanged lines. Of several
candidates the one whose text matches the line's neighbours wins, or else the last. An edit inside a line
wrote the whole resulting line. This module must not guess: a line that no call wrote has no call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, product
from operator import eq, itemgetter
from typing import TypeVar

from gittraj.model.values import AnyEvent
from gittraj.query.why.changes import compare, has_text, normalize
from gittraj.query.why.written import Edit, read_edits

S = TypeVar("S")

_NEAR = 5  # lines on each side that distinguish equal lines
_MOST = 200  # equal lines that are compared
_WORK = 10_000_000  # lines that are searched, at most, for the text that edits inside lines replaced


def find_writers(
    lines: Sequence[str],
    wanted: Collection[int],
    sessions: Iterable[tuple[S, Iterable[AnyEvent]]],
    paths: Collection[str],
    before: Callable[[], Sequence[str]] = tuple,
) -> dict[int, tuple[S, Edit]]:
    """Return the session and the edit that wrote each of ``lines`` whose index is ``wanted``; all edits are
    replayed in the order of time. A line that no edit wrote is left out. ``before`` reads the file as it was
    before the edits."""
    timed = _order(sessions, paths)
    written = _Written(before)
    for _, _, edit in timed:
        written.apply(edit)
    if not timed:
        return {}
    compared = [*map(normalize, lines)]
    writers = {at: writer for at in wanted if (writer := written.find(compared, at))}
    _lend(writers, [at for at in sorted(wanted) if not has_text(compared[at])])
    owners = {id(edit): session for _, session, edit in timed}
    return {at: (owners[id(edit)], edit) for at, edit in writers.items()}


def _order(
    sessions: Iterable[tuple[S, Iterable[AnyEvent]]], paths: Collection[str]
) -> list[tuple[str, S, Edit]]:
    """Return all edits, in the order of time; a call without a time gets that of the call before it."""
    timed: list[tuple[str, S, Edit]] = []
    for session, events in sessions:
        edits = read_edits(events, paths)
        times = accumulate((edit.call.ts or "" for edit in edits), max)
        timed += [(time, session, edit) for time, edit in zip(times, edits, strict=True)]
    return sorted(timed, key=itemgetter(0))


def _lend(writers: dict[int, Edit], bare: Sequence[int]) -> None:
    """Give each line without a letter or digit its neighbour's edit, if no edit is known for it."""
    for order, step in ((bare, -1), (bare[::-1], 1)):
        for at in order:
            if at not in writers and at + step in writers:
                writers[at] = writers[at + step]


class _Line:
    """A line that an edit put into a file: line ``at`` of the normalized ``text``, which is empty for an edit
    inside a line."""

    __slots__ = ("at", "edit", "text")

    def __init__(self, edit: Edit, text: Sequence[str] = (), at: int = 0) -> None:
        self.edit, self.text, self.at = edit, text, at


class _Written:
    """The lines that edits have written so far, by their normalized text, the oldest first. ``before`` reads
    the file before the edits."""

    def __init__(self, before: Callable[[], Sequence[str]]) -> None:
        self._lines: dict[str, list[_Line]] = {}
        self._former = cache(lambda: {*map(normalize, before())})
        self._left = _WORK

    def find(self, lines: Sequence[str], at: int) -> Edit | None:
        """Return the edit that wrote line ``at`` of the normalized ``lines``. Text in a command counts only
        if no other edit wrote the line, and if the line has a letter or digit."""
        candidates = self._lines.get(lines[at], [])
        edited = [line for line in candidates if not line.edit.mentioned]
        if not edited and not (candidates and has_text(lines[at])):
            return None
        return _choose(edited or candidates, lines, at).edit

    def apply(self, edit: Edit) -> None:
        for old, new in edit.hunks:
            gone, came = [*map(normalize, old)], [*map(normalize, new)]
            if edit.part and gone:
                self._remake(edit, gone, came or [""])
            if edit.whole:
                self._overwrite(edit, came)
            else:
                self._change(edit, gone, came)

    def _add(self, text: str, line: _Line) -> None:
        self._lines.setdefault(text, []).append(line)

    def _remake(self, edit: Edit, gone: Sequence[str], came: Sequence[str]) -> None:
        """Add the lines that an edit inside known lines may have made of them."""
        known = self._former() | self._lines.keys() if self._left > 0 else set()
        self._left -= len(known)
        for made in {*(_inside if len(gone) == 1 else _across)(gone, came, known)}:
            self._add(made, _Line(edit))

    def _overwrite(self, edit: Edit, came: Sequence[str]) -> None:
        """Replace the whole file; earlier lines remain if they are in the new text."""
        earlier, self._lines = self._lines, {}
        for at, text in enumerate(came):
            known = earlier.get(text)
            self._add(text, known.pop(0) if known else _Line(edit, came, at))

    def _change(self, edit: Edit, gone: Sequence[str], came: Sequence[str]) -> None:
        for _, i, j, k, m in (each for each in compare(gone, came) if each[0] != "equal"):
            for at in range(i, j):
                if candidates := self._lines.get(gone[at]):
                    candidates.remove(_choose(candidates, gone, at))
            for at in range(k, m):
                self._add(came[at], _Line(edit, came, at))


def _inside(gone: Sequence[str], came: Sequence[str], lines: Iterable[str]) -> Iterator[str]:
    """Yield the results of replacing ``gone``, a part of a line, with ``came`` in the ``lines`` that have
    it."""
    (old,) = gone
    for line in lines if old else ():
        head, found, tail = line.partition(old)
        if found:
            ends = [line.replace(old, came[0])] if len(came) == 1 else [head + came[0], came[-1] + tail]
            yield from (end for end in ends if end != line)


def _across(gone: Sequence[str], came: Sequence[str], lines: Collection[str]) -> Iterator[str]:
    """Yield the results of replacing ``gone`` in those of ``lines`` in which it may begin, or end."""
    first, last = gone[0], gone[-1]
    heads, tails = _cut(lines, first, str.removesuffix), _cut(lines, last, str.removeprefix)
    if len(came) > 1:
        yield from (head + came[0] for head in heads if first != came[0])
        yield from (came[-1] + tail for tail in tails if last != came[-1])
    elif len(heads) * len(tails) <= _MOST:
        yield from (head + came[0] + tail for head, tail in product(heads, tails))


def _cut(lines: Iterable[str], part: str, cut: Callable[[str, str], str]) -> list[str]:
    return [rest for line in lines if (rest := cut(line, part)) != line]


def _choose(candidates: Sequence[_Line], lines: Sequence[str], at: int) -> _Line:
    """Return the candidate whose text agrees with most lines around ``at``; the last of equal candidates."""
    if all(each.edit is candidates[-1].edit for each in candidates):
        return candidates[-1]
    return max(reversed(candidates[-_MOST:]), key=lambda each: _agree(each, lines, at))


def _agree(candidate: _Line, lines: Sequence[str], at: int) -> int:
    """Return how many lines around line ``at`` match those around the candidate."""
    above = min(_NEAR, at, candidate.at)
    text = candidate.text[candidate.at - above : candidate.at + _NEAR + 1]
    return sum(map(eq, text, lines[at - above : at + _NEAR + 1]))
