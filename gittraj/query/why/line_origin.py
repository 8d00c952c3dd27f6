"""Which call of a session wrote a line. Pure.

By content: a call's arguments are compared with the lines of the file, ignoring white space. Context lines of
a change were not written by it, nor were unchanged lines by a call that overwrites the file. Of several
candidates the one whose text matches the line's neighbours wins, else the last. An edit inside a line wrote
what it makes of a line that was there. It must not guess: a line that no call wrote has none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import eq
from typing import TypeVar

from gittraj.model.values import AnyEvent
from gittraj.query.why.written import Edit, Hunk, read_edits

S = TypeVar("S")

_NEAR = 5  # lines on each side that distinguish equal lines
_MOST = 200  # equal lines that are compared
_WORK = 10_000_000  # lines in which parts are looked for

MOST = 8
"""Lines that are shown of a change."""
_LONG = 1000  # lines of a hunk; a longer one is not diffed


class _Line:
    """A line that an edit put into a file, at index ``place`` of the normalized ``text``."""

    __slots__ = ("edit", "place", "text")

    def __init__(self, edit: Edit, text: Sequence[str], place: int) -> None:
        self.edit, self.text, self.place = edit, text, place


def normalize(line: str) -> str:
    """A line without white space, for comparison."""
    return "".join(line.split())


def find_writers(
    lines: Sequence[str],
    wanted: Collection[int],
    sessions: Iterable[tuple[S, Iterable[AnyEvent]]],
    paths: Collection[str],
    before: Callable[[], Sequence[str]] = tuple,
) -> dict[int, tuple[S, Edit]]:
    """The session and the edit that wrote each of ``lines``, for the indices ``wanted``, of all edits in the
    order of time; lines without one are left out. ``before`` reads what the file had before them.

    A line without a letter or digit takes its neighbour's edit where it has none. What a command's text says
    counts where no edit wrote the line.
    """
    owners: dict[int, S] = {}
    timed: list[tuple[str, Edit]] = []
    for session, events in sessions:
        now = ""  # a call without a time was made at that of the call before
        for edit in read_edits(events, paths):
            now = max(now, edit.call.ts or "")
            timed.append((now, edit))
            owners[id(edit)] = session
    edits = [edit for _, edit in sorted(timed, key=lambda each: each[0])]
    compared = [normalize(line) for line in lines]
    standing = _replay(edits, before)
    asked = sorted(wanted)
    found: dict[int, Edit] = {}
    for at in asked:
        candidates = standing.get(compared[at], [])
        edited = [each for each in candidates if not each.edit.mentioned]
        if edited or (candidates and _has_text(compared[at])):
            found[at] = _choose(edited or candidates, compared, at).edit
    for order, step in ((asked, -1), (asked[::-1], 1)):
        for at in (at for at in order if not _has_text(compared[at])):
            if at not in found and at + step in found:
                found[at] = found[at + step]
    return {at: (owners[id(edit)], edit) for at, edit in found.items()}


def _has_text(line: str) -> bool:
    return any(map(str.isalnum, line))


def _replay(edits: Sequence[Edit], before: Callable[[], Sequence[str]]) -> dict[str, list[_Line]]:
    """The lines that remain after all edits, by their text, oldest first; with what edits made of parts of
    lines."""
    standing: dict[str, list[_Line]] = {}
    former = {*map(normalize, before())} if any(edit.part for edit in edits) else set()
    left = _WORK
    for edit in edits:
        for old, new in edit.hunks:
            gone, after = [*map(normalize, old)], [*map(normalize, new)]
            lines = former | standing.keys() if edit.part and gone and left > 0 else set()
            left -= len(lines)
            for made in {*_remake(gone, after or [""], lines)} if lines else ():
                standing.setdefault(made, []).append(_Line(edit, (), 0))
            if edit.whole:
                standing = _overwrite(standing, edit, after)
            else:
                _change(standing, edit, gone, after)
    return standing


def _remake(old: Sequence[str], new: Sequence[str], lines: Iterable[str]) -> Iterator[str]:
    """What becomes of the ``lines`` in which ``old`` begins and ends."""
    first, last = old[0], old[-1]
    heads, tails = [], []
    for line in lines:
        if len(old) > 1:
            heads += [line.removesuffix(first)] if first and line.endswith(first) else []
            tails += [line.removeprefix(last)] if last and line.startswith(last) else []
        elif first and first in line:
            head, _, tail = line.partition(first)
            ends = [head + new[0], new[-1] + tail] if len(new) > 1 else [line.replace(first, new[0])]
            yield from (end for end in ends if end != line)
    if len(new) > 1:
        yield from (head + new[0] for head in heads if first != new[0])
        yield from (new[-1] + tail for tail in tails if last != new[-1])
    elif len(heads) * len(tails) <= _MOST:
        yield from (head + new[0] + tail for head in heads for tail in tails)


def _overwrite(
    standing: Mapping[str, list[_Line]], edit: Edit, after: Sequence[str]
) -> dict[str, list[_Line]]:
    """The file is overwritten: earlier lines remain if they are in the new text."""
    stands: dict[str, list[_Line]] = {}
    for place, line in enumerate(after):
        known = standing.get(line)
        stands.setdefault(line, []).append(known.pop(0) if known else _Line(edit, after, place))
    return stands


def _change(
    standing: dict[str, list[_Line]], edit: Edit, before: Sequence[str], after: Sequence[str]
) -> None:
    for gone, i, made, k in _differ(before, after):
        for at in range(i, i + gone):
            if candidates := standing.get(before[at]):
                candidates.remove(_choose(candidates, before, at))
        for place in range(k, k + made):
            standing.setdefault(after[place], []).append(_Line(edit, after, place))


def _differ(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """How many lines go, and from where, and how many come. Of very many lines those that are on one side."""
    if len(before) + len(after) > _LONG:
        kept = {*before} & {*after}
        yield from ((1, at, 0, 0) for at, line in enumerate(before) if line not in kept)
        yield from ((0, 0, 1, at) for at, line in enumerate(after) if line not in kept)
        return
    from difflib import SequenceMatcher  # noqa: PLC0415 - only where an edit replaced something

    for tag, i, j, k, m in SequenceMatcher(None, before, after).get_opcodes():
        if tag != "equal":
            yield j - i, i, m - k, k


def _choose(candidates: Sequence[_Line], lines: Sequence[str], at: int) -> _Line:
    """The one whose text agrees with most lines around ``at``; the last of equals."""
    if all(each.edit is candidates[-1].edit for each in candidates):
        return candidates[-1]
    latest = range(max(0, len(candidates) - _MOST), len(candidates))
    return candidates[max(latest, key=lambda i: (_agree(candidates[i], lines, at), i))]


def _agree(candidate: _Line, lines: Sequence[str], at: int) -> int:
    """How many lines around line ``at`` match those around the candidate."""
    above = min(_NEAR, at, candidate.place)
    text = candidate.text[candidate.place - above : candidate.place + _NEAR + 1]
    return sum(map(eq, text, lines[at - above : at + _NEAR + 1]))


def show_change(edit: Edit, lines: Sequence[str]) -> tuple[list[str], int]:
    """Lines prefixed with ``-``, ``+`` or a blank, from the first to the last of ``lines`` that a hunk wrote,
    and how many changed ones follow. Of lines without a word there is nothing to show."""
    wanted = {text for text in map(normalize, lines) if _has_text(text)}
    for hunk in edit.hunks:
        changed = _compare(hunk)
        at = [
            i
            for i, (mark, line) in enumerate(changed)
            if mark == "+" and _is_of(normalize(line), wanted, edit)
        ]
        if at:
            begin, end = at[0], at[-1] + 1
            while begin > 0 and changed[begin - 1][0] == "-" and at[0] - begin < MOST // 2:
                begin -= 1
            while hunk[0] and end < len(changed) and changed[end][0] != " ":
                end += 1
            shown = [f"{mark}{line}" for mark, line in changed[begin:end]]
            return shown[:MOST], sum(line[0] != " " for line in shown[MOST:])
    return [], 0


def _is_of(text: str, wanted: Collection[str], edit: Edit) -> bool:
    return text in wanted or (edit.part and bool(text) and any(text in each for each in wanted))


def _compare(hunk: Hunk) -> list[tuple[str, str]]:
    old, new = hunk
    if not old or len(old) + len(new) > _LONG:
        return [("+", line) for line in new]
    return [*compare_lines(hunk, normalize)]


def compare_lines(hunk: Hunk, key: Callable[[str], str] = str) -> Iterator[tuple[str, str]]:
    """Lines with their mark, ``-``, ``+`` or a blank, compared by ``key``. The time is quadratic."""
    from difflib import SequenceMatcher  # noqa: PLC0415 - only where an edit is shown

    old, new = hunk
    matcher = SequenceMatcher(None, [*map(key, old)], [*map(key, new)], autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            yield from ((" ", line) for line in new[k:m])
        else:
            yield from (("-", line) for line in old[i:j])
            yield from (("+", line) for line in new[k:m])
