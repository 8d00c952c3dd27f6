"""Which call of a session wrote a line. Pure.

By content: a call's arguments are compared with the lines of the file, ignoring white space. Context lines of
a change were not written by it, nor were unchanged lines by a call that overwrites the file. Of several
candidates the one whose text matches the line's neighbours wins, else the last. It must not guess: a line
that no call wrote has none.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from gittraj.frozen import dataclass
from gittraj.model.values import AnyEvent, ToolCall

_NEW = ("new_string", "newString", "new_str", "newText", "new_text", "new_source", "code_edit")
_OLD = ("old_string", "oldString", "old_str", "oldText", "old_text", "old_source")
_WHOLE = ("content", "contents", "file_text")
_HEADER = re.compile(r"\*\*\* (?:Add File|Update File|Move to): (.*)")
_UNIFIED = re.compile(r"^--- .*\n\+\+\+ (?:b/)?(.*)$", re.MULTILINE)
_BEGIN = "*** Begin Patch"
_HUNK = re.compile(r"^@@ -\d", re.MULTILINE)
_NEAR = 5  # lines on each side that distinguish equal lines
_MOST = 200  # equal lines that are compared

Hunk = tuple[tuple[str, ...], tuple[str, ...]]
"""Old lines, and the new ones that replace them."""


MOST = 8
"""Lines that are shown of a change."""
_LONG = 1000  # lines of a hunk; a longer one is not diffed, only its lines that are asked for are shown


@dataclass(frozen=True, slots=True)
class Edit:
    """What a call wrote of a file. ``whole``: its new lines are the whole file; ``mentioned``: they are only
    text of its command, which may have written them."""

    call: ToolCall
    hunks: tuple[Hunk, ...]
    whole: bool = False
    mentioned: bool = False


class _Line:
    """A line that an edit put into a file, at index ``place`` of the normalized ``text``."""

    __slots__ = ("edit", "place", "text")

    def __init__(self, edit: Edit, text: Sequence[str], place: int) -> None:
        self.edit, self.text, self.place = edit, text, place


def normalize(line: str) -> str:
    """A line without white space, for comparison."""
    return "".join(line.split())


def read_edits(events: Iterable[AnyEvent], paths: Collection[str]) -> list[Edit]:
    """The edits of a file, known by ``paths``, among ``events`` (in the log's order)."""
    names = {posixpath.basename(path) for path in paths}
    found = []
    for event in events:
        if not isinstance(event, ToolCall):
            continue
        if any(file.path in paths for file in event.files):
            hunks, whole = read_hunks(event.arguments, paths)
            if hunks:
                found.append(Edit(event, tuple(hunks), whole))
        elif not event.files:
            mentioned = "\n".join(_texts(event.arguments))
            if any(name in mentioned for name in names):
                found.append(Edit(event, (((), tuple(mentioned.split("\n"))),), mentioned=True))
    return found


def find_edits(lines: Sequence[str], wanted: Iterable[int], edits: Sequence[Edit]) -> dict[int, Edit]:
    """The edit that wrote each of ``lines``, for the indices ``wanted``; lines without one are left out. A
    line without a letter or digit takes its neighbour's edit where it has none."""
    compared = [normalize(line) for line in lines]
    standing = [_replay([w for w in edits if w.mentioned is mentioned]) for mentioned in (False, True)]
    asked = sorted(wanted)
    found: dict[int, Edit] = {}
    for at in asked:
        line = compared[at]
        candidates = standing[0].get(line) or (standing[1].get(line) if _has_text(line) else None)
        if candidates:
            found[at] = _choose(candidates, compared, at).edit
    for order, step in ((asked, -1), (asked[::-1], 1)):
        for at in order:
            if at not in found and not _has_text(compared[at]) and at + step in found:
                found[at] = found[at + step]
    return found


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


# ---------------------------------------------------------------- arguments


def read_hunks(arguments: Any, paths: Collection[str]) -> tuple[list[Hunk], bool]:
    """The hunks of these files in a call's arguments, and whether they are a whole file."""
    if isinstance(arguments, str):
        return (list(_read_patch(arguments, paths)), False) if _is_patch(arguments) else ([], False)
    if isinstance(arguments, list):
        found = [read_hunks(item, paths) for item in arguments]
        return [hunk for hunks, _ in found for hunk in hunks], False
    if not isinstance(arguments, dict):
        return [], False
    new, old, whole = (_first(arguments, keys) for keys in (_NEW, _OLD, _WHOLE))
    if new is not None:
        return [(_lines(old or ""), _lines(new))], False
    if whole is not None and not _is_patch(whole):
        return [((), _lines(whole))], True
    return read_hunks(list(arguments.values()), paths)


def _first(arguments: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    return next((value for key in keys if isinstance(value := arguments.get(key), str)), None)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.removesuffix("\n").splitlines()) if text else ()


def _is_patch(text: str) -> bool:
    return _BEGIN in text or _HUNK.search(text) is not None


def _read_patch(text: str, paths: Collection[str]) -> Iterator[Hunk]:
    """The hunks of ``paths`` in a patch, in Codex's format or as a unified diff; all before the first
    name."""
    old: list[str] = []
    new: list[str] = []
    ours = True
    text = _UNIFIED.sub(r"*** Update File: \1", text.replace("\r\n", "\n"))
    for line in [*text.split("\n"), "@@"]:
        named = _HEADER.match(line)
        if named or line.startswith(("@@", "*** ", "diff --git ")):
            if ours and (old or new):
                yield tuple(old), tuple(new)
            old, new = [], []
            ours = _is_one_of(named[1].strip(), paths) if named else ours
            continue
        if line[:1] in ("+", " "):
            new.append(line[1:])
        if line[:1] in ("-", " "):
            old.append(line[1:])


def _is_one_of(path: str, paths: Collection[str]) -> bool:
    """Patches name a file relative to their call's folder."""
    return any(path == p or path.endswith(f"/{p}") or p.endswith(f"/{path}") for p in paths)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def show_change(edit: Edit, lines: Sequence[str]) -> list[str]:
    """Lines prefixed with ``-`` or ``+``, around those of ``lines`` that the edit wrote."""
    wanted = {normalize(line) for line in lines}
    wordy = [normalize(line) for line in lines if any(map(str.isalnum, line))]
    key = wordy[0] if wordy else normalize(lines[0])
    for hunk in edit.hunks:
        changed = list(_compare(hunk, wanted))
        at = next(
            (i for i, line in enumerate(changed) if line[0] == "+" and normalize(line[1:]) == key), None
        )
        if at is not None:
            begin = at
            while begin > 0 and changed[begin - 1][0] == "-" and at - begin < MOST // 2:
                begin -= 1
            return changed[begin : begin + MOST]
    return []


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
