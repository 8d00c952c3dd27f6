"""The change that wrote some lines, in a few of them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gittraj.query.why.line_origin import Edit, Hunk, normalize

MOST = 8
"""Lines that are shown of a change."""
_LONG = 1000  # lines of a hunk; a longer one is not diffed, only its lines that are asked for are shown


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
        yield from (f"+{line}" for line in new if normalize(line) in wanted)
        return
    from difflib import SequenceMatcher  # noqa: PLC0415 - only where an edit is shown

    matcher = SequenceMatcher(None, [*map(normalize, old)], [*map(normalize, new)], autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag != "equal":
            yield from (f"-{line}" for line in old[i:j])
            yield from (f"+{line}" for line in new[k:m])
