"""Copies the records of rewritten commits to the new commits. Each copy names the old commit.

The old commits keep their records. A carried record keeps its ``rev`` and its evidence. No I/O here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from gittraj.model.codec import encode_line
from gittraj.model.values import Line, Record, Tombstone
from gittraj.notes.merge import deletes, merge_lines, records_on, standing
from gittraj.notes.run_keys import find_run_keys

_LIMIT = 10_000


def carry_line(line: Line, old: str) -> Line:
    """Return the line for a commit that ``old`` became."""
    if not isinstance(line, Record):
        return line
    commits = tuple(sorted({*line.link.carried_from, old}))
    return replace(line, link=replace(line.link, carried_from=commits))


def carry_note(old: str, lines: Iterable[Line]) -> list[Line]:
    """Return the lines of the note of ``old`` that are to be carried: the records that count, and tombstones.
    A tombstone for this commit is narrowed to the records that it deleted here: if several commits became
    one, a trajectory that was unlinked from ``old`` may still belong to the new commit because of another."""
    merged = merge_lines(old, lines)
    records = [line for line in merged if isinstance(line, Record)]
    carried: list[Line] = list(standing(old, merged))
    for tombstone in (line for line in merged if isinstance(line, Tombstone)):
        carried += [tombstone] if tombstone.scope == "all" else _narrow(tombstone, records)
    return [carry_line(line, old) for line in carried]


def _narrow(tombstone: Tombstone, records: Iterable[Record]) -> list[Tombstone]:
    """Return one tombstone for each of the ``records`` that ``tombstone`` deletes."""
    deleted = [record for record in records if deletes(tombstone, record)]
    return [replace(tombstone, first=r.key[1], rev=tombstone.rev if r.range else r.rev) for r in deleted]


def records_by_commit(notes: Iterable[tuple[str, bytes]]) -> tuple[dict[str, list[Record]], set[str]]:
    """Return the records of each commit that has any, and which of these commits have work of their own.
    Records of runs are left out: they are not on a commit."""
    bodies = dict(notes)
    run_keys = {*find_run_keys(bodies)}
    records_of = {
        c: records for c, body in bodies.items() if c not in run_keys and (records := records_on(c, body))
    }
    return records_of, {c for c, records in records_of.items() if any(is_own(c, each) for each in records)}


def is_own(commit: str, record: Record) -> bool:
    """Whether ``record`` shows that ``commit`` has work of its own: the record was first written there or
    not carried, has more evidence than the commit's content, and says that the work produced the commit."""
    own = not record.link.carried_from or (record.origin is not None and record.origin.commit == commit)
    return own and record.link.evidence != "content" and record.role == "produced"


def add_copies(
    batch: dict[str, list[Line]],
    rewrites: Mapping[str, tuple[str, ...]],
    *,
    select: Callable[[str, str, list[Line]], list[Line]] = lambda _old, _new, lines: lines,
) -> None:
    """Add to a ``batch`` (commit: new lines) copies of its lines for all commits that its commits became
    according to ``rewrites`` (old: new). ``select(old, new, lines)`` returns the lines of an old commit that
    belong to a new one."""
    queue = dict.fromkeys(batch)  # a commit comes again whenever a copy changes its lines
    for _ in range(_LIMIT):
        if not queue:
            return
        old = next(iter(queue))
        del queue[old]
        for new in rewrites.get(old, ()):
            before = batch.get(new, [])
            copies = [carry_line(line, old) for line in select(old, new, batch[old])]
            merged = merge_lines(new, [*before, *copies])
            if {encode_line(line) for line in merged} != {encode_line(line) for line in before}:
                batch[new] = merged
                queue[new] = None
