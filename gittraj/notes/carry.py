"""Copies records to the commits that rewritten ones became, with where they came from. Pure.

The old commits keep their records. A carried record keeps its ``rev`` and its evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from gittraj.model.codec import encode_line
from gittraj.model.values import Line, Record, Tombstone
from gittraj.notes.merge import deletes, merge_lines, records_on, standing
from gittraj.notes.places import find_places

_LIMIT = 10_000


def carry_line(line: Line, old: str) -> Line:
    """Return the line for a commit that ``old`` became."""
    if not isinstance(line, Record):
        return line
    commits = tuple(sorted({*line.link.carried_from, old}))
    return replace(line, link=replace(line.link, carried_from=commits))


def carry_note(old: str, lines: Iterable[Line]) -> list[Line]:
    """The lines of the note of ``old`` to carry: records that count, and tombstones of what they deleted.

    A trajectory unlinked from ``old`` may belong on the new commit by way of another that became the same.
    """
    merged = merge_lines(old, lines)
    records = [line for line in merged if isinstance(line, Record)]
    going: list[Line] = list(standing(old, merged))
    for stone in (line for line in merged if isinstance(line, Tombstone)):
        dead = [r for r in records if stone.scope == "commit" and deletes(stone, r)]
        going += [replace(stone, first=r.key[1], rev=stone.rev if r.range else r.rev) for r in dead]
        if stone.scope == "all":
            going.append(stone)
    return [carry_line(line, old) for line in going]


def held_records(notes: Iterable[tuple[str, bytes]]) -> tuple[dict[str, list[Record]], set[str]]:
    """The records of each commit that has some, without those of runs, which are not on a commit; and those
    of these commits that have work of their own."""
    bodies = dict(notes)
    places = {*find_places(bodies)}
    held = {c: records for c, body in bodies.items() if c not in places and (records := records_on(c, body))}
    return held, {c for c, records in held.items() if any(is_own(c, record) for record in records)}


def is_own(commit: str, record: Record) -> bool:
    """Whether a record says that a commit has work of its own: it was not only carried here, has more
    evidence than the commit's content, and does not only say that somebody worked there."""
    own = not record.link.carried_from or (record.origin is not None and record.origin.commit == commit)
    return own and record.link.evidence != "content" and record.role == "produced"


def spread(
    batch: dict[str, list[Line]],
    rewrites: Mapping[str, tuple[str, ...]],
    *,
    fitting: Callable[[str, str, list[Line]], list[Line]] = lambda _old, _new, lines: lines,
) -> None:
    """Add to a batch (commit: new lines) the copies for all that its commits have become since. ``fitting``
    returns the lines of an old commit that belong on a new one."""
    queue = dict.fromkeys(batch)  # several ways to one commit add to the same record
    for _ in range(_LIMIT):
        if not queue:
            return
        old = next(iter(queue))
        del queue[old]
        for new in rewrites.get(old, ()):
            before = batch.get(new, [])
            copies = [carry_line(line, old) for line in fitting(old, new, batch[old])]
            merged = merge_lines(new, [*before, *copies])
            if {encode_line(line) for line in merged} != {encode_line(line) for line in before}:
                batch[new] = merged
                queue[new] = None
