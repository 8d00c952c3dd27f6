"""Which call of a session wrote a line. Pure.

By content: a call's arguments are compared with the lines of the file, ignoring white space. Context lines of
a change were not written by it, nor were unchanged lines by a call that overwrites the file. Of several
candidates the one whose text matches the line's neighbours wins, else the last. An edit inside a line wrote
it where nothing else in the file has its words. It must not guess: a line that no call wrote has none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from gittraj.model.values import AnyEvent
from gittraj.query.why.written import Edit, Hunk, read_edits

S = TypeVar("S")

_NEAR = 5  # lines on each side that distinguish equal lines
_MOST = 200  # equal lines that are compared
_TELLING = 4  # signs of a line's part; fewer say nothing

MOST = 8
"""Lines that are shown of a change."""
_LONG = 1000  # lines of a hunk; a longer one is not diffed, only its lines that are asked for are shown


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
) -> dict[int, tuple[S, Edit]]:
    """The session and the edit that wrote each of ``lines``, of all sessions' edits in the order of time."""
    owners: dict[int, S] = {}
    timed: list[tuple[str, Edit]] = []
    for session, events in sessions:
        now = ""  # a call without a time was made at that of the call before
        for edit in read_edits(events, paths):
            now = max(now, edit.call.ts or "")
            timed.append((now, edit))
            owners[id(edit)] = session
    edits = [edit for _, edit in sorted(timed, key=lambda each: each[0])]
    return {at: (owners[id(edit)], edit) for at, edit in find_edits(lines, wanted, edits).items()}


def find_edits(lines: Sequence[str], wanted: Iterable[int], edits: Sequence[Edit]) -> dict[int, Edit]:
    """The edit that wrote each of ``lines``, for the indices ``wanted``; lines without one are left out. A
    line without a letter or digit takes its neighbour's edit where it has none."""
    compared = [normalize(line) for line in lines]
    written, mentioned = (_replay([w for w in edits if w.mentioned is kind]) for kind in (False, True))
    asked = sorted(wanted)
    found: dict[int, Edit] = {}
    for at in asked:
        line = compared[at]
        inside = None if written.get(line) else _find_inside(compared, at, edits)
        candidates = written.get(line) or (mentioned.get(line) if _has_text(line) else None)
        if inside is not None:
            found[at] = inside
        elif candidates:
            found[at] = _choose(candidates, compared, at).edit
    for order, step in ((asked, -1), (asked[::-1], 1)):
        for at in (at for at in order if not _has_text(compared[at])):
            if at not in found and at + step in found:
                found[at] = found[at + step]
    return found


def _find_inside(lines: Sequence[str], at: int, edits: Sequence[Edit]) -> Edit | None:
    """The last edit of a part of line ``at``."""
    parts = ((edit, hunk) for edit in reversed(edits) if edit.part for hunk in reversed(edit.hunks))
    return next((edit for edit, hunk in parts if _is_inside(lines, at, hunk)), None)


def _is_inside(lines: Sequence[str], at: int, hunk: Hunk) -> bool:
    """Whether the line has what the hunk wrote of a line, no longer what it replaced, and fits what it wrote
    above or below."""
    old, new = (tuple(map(normalize, side)) for side in hunk)
    if not (old and new) or old == new:
        return False
    if len(new) > 1:
        return _is_an_end(lines, at, old, new)
    line, written = lines[at], new[0]
    gone = old[0] not in line or old[0] in written
    return (
        written in line and gone and _tells(written, old[0]) and sum(written in each for each in lines) == 1
    )


def _is_an_end(lines: Sequence[str], at: int, old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the line is the first or last of several that were written, and the next one fits."""
    line = lines[at]
    if (
        line.endswith(new[0])
        and _tells(new[0], old[0])
        and _begins(lines, at + 1, new[1], whole=len(new) > 2)
    ):
        return True
    return (
        line.startswith(new[-1]) and at > 0 and lines[at - 1].endswith(new[-2]) and _tells(new[-1], old[-1])
    )


def _begins(lines: Sequence[str], at: int, text: str, *, whole: bool) -> bool:
    return at < len(lines) and (lines[at] == text if whole else lines[at].startswith(text))


def _tells(new: str, old: str) -> bool:
    return new != old and len(new) >= _TELLING and _has_text(new)


def _has_text(line: str) -> bool:
    return any(map(str.isalnum, line))


def _replay(edits: Sequence[Edit]) -> dict[str, list[_Line]]:
    """The lines that remain after all edits, by their text, oldest first."""
    standing: dict[str, list[_Line]] = {}
    text: list[str] | None = None  # of the file, once a call wrote all of it
    for edit in edits:
        for old, new in edit.hunks:
            before, after = [*map(normalize, old)], [*map(normalize, new)]
            if edit.whole and text is None:
                standing = _overwrite(standing, edit, after)
            else:
                _change(standing, edit, text if edit.whole and text is not None else before, after)
            text = after if edit.whole else text and _replace(text, before, after)
    return standing


def _overwrite(
    standing: Mapping[str, Sequence[_Line]], edit: Edit, after: Sequence[str]
) -> dict[str, list[_Line]]:
    """The file is overwritten: earlier lines remain if they are in the new text."""
    kept = {line: list(found) for line, found in standing.items()}
    stands: dict[str, list[_Line]] = {}
    for place, line in enumerate(after):
        known = kept.get(line)
        stands.setdefault(line, []).append(known.pop(0) if known else _Line(edit, after, place))
    return stands


def _change(
    standing: dict[str, list[_Line]], edit: Edit, before: Sequence[str], after: Sequence[str]
) -> None:
    from difflib import SequenceMatcher  # noqa: PLC0415 - only where a call wrote the whole file

    for tag, i, j, k, m in SequenceMatcher(None, before, after).get_opcodes():
        if tag == "equal":
            continue
        for at in range(i, j):
            if candidates := standing.get(before[at]):
                candidates.remove(_choose(candidates, before, at))
        for place in range(k, m):
            standing.setdefault(after[place], []).append(_Line(edit, after, place))


def _replace(text: list[str], before: Sequence[str], after: Sequence[str]) -> list[str] | None:
    """The file after an edit; None where ``before`` is not in it."""
    size = len(before)
    first = before[0] if before else None
    for at, line in enumerate(text):
        if line == first and text[at : at + size] == before:
            return [*text[:at], *after, *text[at + size :]]
    return None


def _choose(candidates: Sequence[_Line], lines: Sequence[str], at: int) -> _Line:
    """The one whose text agrees with most lines around ``at``; the last of equals."""
    if all(each.edit is candidates[-1].edit for each in candidates):
        return candidates[-1]
    latest = range(max(0, len(candidates) - _MOST), len(candidates))
    return candidates[max(latest, key=lambda i: (_agree(candidates[i], lines, at), i))]


def _agree(candidate: _Line, lines: Sequence[str], at: int) -> int:
    """How many consecutive lines around line ``at`` match those around the candidate."""
    run = 0
    for step in (-1, 1):
        near = 1
        while near <= _NEAR and _same(candidate.text, candidate.place + step * near, lines, at + step * near):
            near += 1
        run += near - 1
    return run


def _same(one: Sequence[str], i: int, other: Sequence[str], j: int) -> bool:
    return 0 <= i < len(one) and 0 <= j < len(other) and one[i] == other[j]


def show_change(edit: Edit, lines: Sequence[str]) -> tuple[list[str], int]:
    """Lines prefixed with ``-`` or ``+``, around those of ``lines`` that the edit wrote, and how many of its
    lines follow."""
    texts = [normalize(line) for line in lines]
    key = next(filter(_has_text, texts), texts[0])
    for hunk in edit.hunks:
        changed = list(_compare(hunk, {*texts}))
        at = next((at for at, line in enumerate(changed) if _shows(line, key, part=edit.part)), None)
        if at is not None:
            begin = at
            while begin > 0 and changed[begin - 1][0] == "-" and at - begin < MOST // 2:
                begin -= 1
            return changed[begin : begin + MOST], max(len(changed) - begin - MOST, 0)
    return [], 0


def _shows(line: str, key: str, *, part: bool) -> bool:
    """Whether it is what was written there, or a ``part`` of it."""
    text = normalize(line[1:])
    return line[0] == "+" and (text == key or (part and bool(text) and text in key))


def _compare(hunk: Hunk, wanted: set[str]) -> Iterator[str]:
    old, new = hunk
    if not old or len(old) + len(new) > _LONG:
        return (f"+{line}" for line in new if normalize(line) in wanted)
    return (f"{mark}{line}" for mark, line in compare_lines(hunk, normalize) if mark != " ")


def compare_lines(hunk: Hunk, key: Callable[[str], str] = str) -> Iterator[tuple[str, str]]:
    """Lines with their mark, ``-``, ``+`` or a blank, compared by ``key``. The time is quadratic."""
    from difflib import SequenceMatcher  # noqa: PLC0415 - only where an edit is shown

    old, new = hunk
    matcher = SequenceMatcher(None, [*map(key, old)], [*map(key, new)], autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            yield from ((" ", line) for line in old[i:j])
        else:
            yield from (("-", line) for line in old[i:j])
            yield from (("+", line) for line in new[k:m])
