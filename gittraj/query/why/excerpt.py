"""The change that wrote some lines, in a few of them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gittraj.query.why.line_origin import Piece, Writing, bare

MOST = 8
"""Lines that are shown of a change."""
_LONG = 1000  # lines of a piece that is not compared: only what it wrote of the lines is shown


def show_change(writing: Writing, lines: Sequence[str]) -> list[str]:
    """Lines with ``-`` or ``+`` before them, around those of ``lines`` that the writing wrote."""
    wanted = {bare(line) for line in lines}
    told = [bare(line) for line in lines if any(map(str.isalnum, line))]
    key = told[0] if told else bare(lines[0])
    for piece in writing.pieces:
        changed = list(_compare(piece, wanted))
        at = next((i for i, line in enumerate(changed) if line[0] == "+" and bare(line[1:]) == key), None)
        if at is not None:
            begin = at
            while begin > 0 and changed[begin - 1][0] == "-" and at - begin < MOST // 2:
                begin -= 1
            return changed[begin : begin + MOST]
    return []


def _compare(piece: Piece, wanted: set[str]) -> Iterator[str]:
    old, new = piece
    if not old or len(old) + len(new) > _LONG:
        yield from (f"+{line}" for line in new if bare(line) in wanted)
        return
    from difflib import SequenceMatcher  # noqa: PLC0415 - only where an edit is shown

    matcher = SequenceMatcher(None, [*map(bare, old)], [*map(bare, new)], autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag != "equal":
            yield from (f"-{line}" for line in old[i:j])
            yield from (f"+{line}" for line in new[k:m])
