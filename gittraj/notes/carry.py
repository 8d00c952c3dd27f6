"""Records follow rewritten commits: copies on the new ids, with where they came from. Pure.

Old ids keep theirs. A record keeps its ``rev`` and its evidence; that it was carried changes neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gittraj.codec import encode_line
from gittraj.model import Line, Record, Tombstone
from gittraj.notes.merge import standing

_LIMIT = 10_000


def carry_line(line: Line, old: str) -> Line:
    """The line as it stands on a commit that ``old`` became."""
    if not isinstance(line, Record):
        return line
    commits = tuple(sorted({*line.link.carried_from, old}))
    return replace(line, link=replace(line.link, carried_from=commits))


def carry_note(old: str, lines: Iterable[Line]) -> list[Line]:
    """What of the note of ``old`` goes along: records that stand, and tombstones."""
    lines = list(lines)
    going: list[Line] = [*standing(old, lines), *(line for line in lines if isinstance(line, Tombstone))]
    return [carry_line(line, old) for line in going]


def spread(batch: dict[str, list[Line]], rewrites: Mapping[str, tuple[str, ...]]) -> None:
    """Add to a batch (commit: new lines) the copies for all that its commits have become since."""
    have = {commit: {encode_line(line) for line in lines} for commit, lines in batch.items()}
    queue = list(batch)
    for _ in range(_LIMIT):
        if not queue:
            return
        old = queue.pop()
        for new in rewrites.get(old, ()):
            copies = {encode_line(copy): copy for copy in (carry_line(line, old) for line in batch[old])}
            fresh = copies.keys() - have.setdefault(new, set())
            if fresh:
                have[new] |= fresh
                batch.setdefault(new, []).extend(copies[key] for key in sorted(fresh))
                queue.append(new)
