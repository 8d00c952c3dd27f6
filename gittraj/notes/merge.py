"""Computes the union of notes: which of several lines for one part counts. Commutative, associative,
idempotent; no I/O.

Per key the highest ``rev`` wins, then this commit's own link over a carried one, then the stronger evidence,
then the larger part, then the greater canonical bytes. (A link is the commit's own if the record's origin is
this commit; ``carriedFrom`` alone does not show that after lines were merged.) ``carriedFrom`` is the union
over all lines of the key, ``seals`` the union over those with the highest ``rev``, because a later ``rev``
may have removed a reader. All other lines, including tombstones and lines of other tools, are simply united,
as ``git notes merge`` would do with its strategy ``cat_sort_uniq``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import get_args

from gittraj.model.codec import decode_note, encode_line, encode_note
from gittraj.model.values import Evidence, Key, Line, Record, Tombstone

_EVIDENCE = get_args(Evidence)


def merge_lines(commit: str, lines: Iterable[Line]) -> list[Line]:
    """Return the lines of the note of ``commit`` with one record per key and every other line once."""
    records: dict[Key, list[Record]] = {}
    others: dict[bytes, Line] = {}
    for line in lines:
        if isinstance(line, Record):
            records.setdefault(line.key, []).append(line)
        else:
            others[encode_line(line)] = line
    return [merge_records(commit, same) for same in records.values()] + list(others.values())


def merge_records(commit: str, records: Sequence[Record]) -> Record:
    """Return the one record that replaces several ``records`` with the same key."""
    if len(records) == 1 and not records[0].seals and len(records[0].link.carried_from) < 2:
        return records[0]  # nothing to sort: the usual case for a reader of many notes
    winner = max(records, key=partial(_rank, commit))
    carried = sorted({commit for record in records for commit in record.link.carried_from})
    seals: dict[str, set[str]] = {}
    for record in records:
        if record.rev == winner.rev:
            for name, headers in record.seals.items():
                seals.setdefault(name, set()).update(headers)
    return replace(
        winner,
        link=replace(winner.link, carried_from=tuple(carried)),
        seals={name: tuple(sorted(headers)) for name, headers in seals.items()},
    )


def _rank(commit: str, record: Record) -> tuple[int, bool, int, int, bytes]:
    """The sort key that decides between records of one part, from fields that no union changes."""
    own = record.origin is not None and record.origin.commit == commit
    bare = replace(record, link=replace(record.link, carried_from=()), seals={})
    strength = (
        -_EVIDENCE.index(record.link.evidence) if record.link.evidence in _EVIDENCE else -len(_EVIDENCE)
    )
    return record.rev, own, strength, record.range.n if record.range else 0, encode_line(bare)


def merge_notes(commit: str, *bodies: bytes) -> bytes:
    """Return the union of several bodies of one commit's note."""
    return encode_note(merge_lines(commit, (line for body in bodies for line in decode_note(body))))


def standing(commit: str, lines: Iterable[Line]) -> list[Record]:
    """The records of one note that count: merged, without those that its tombstones delete, and without a
    link stub if there is a record of the same trajectory."""
    merged = merge_lines(commit, lines)
    tombstones: dict[str, list[Tombstone]] = {}
    for line in merged:
        if isinstance(line, Tombstone):
            tombstones.setdefault(line.id, []).append(line)
    records = [
        r
        for r in merged
        if isinstance(r, Record) and not any(deletes(each, r) for each in tombstones.get(r.id, ()))
    ]
    return sorted((r for r in records if not is_redundant_stub(r, records)), key=order)


def records_on(commit: str, body: bytes | None) -> list[Record]:
    """The records that count in ``body``, the note of a commit (None: it has no note)."""
    return standing(commit, decode_note(body)) if body else []


def iter_records(notes: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Record]]:
    """Yield the records that count in ``notes``, each with its commit."""
    return ((commit, record) for commit, body in notes for record in records_on(commit, body))


def every_record(notes: Iterable[tuple[str, bytes]]) -> Iterator[Record]:
    """Yield every record in ``notes``, also those that are withdrawn or outdated."""
    return (line for _, body in notes for line in decode_note(body) if isinstance(line, Record))


def is_redundant_stub(record: Record, records: Iterable[Record]) -> bool:
    """Whether ``record`` is a link stub that another one of the ``records`` of its commit makes redundant: a
    record with events of the same trajectory or, if the stub names no session, any record with events that
    produced the commit."""
    without_session = record.whole.session is None and record.link.evidence == "environment"
    return record.incomplete and any(
        not other.incomplete and (other.id == record.id or (without_session and other.role == "produced"))
        for other in records
    )


def deletes(tombstone: Tombstone, record: Record) -> bool:
    return (
        tombstone.id == record.id
        and tombstone.first in (None, record.range.first if record.range else None)
        and (tombstone.rev >= record.rev or tombstone.scope == "all")
    )


def order(record: Record) -> tuple[bool, int, str, int, str]:
    """The key by which readers sort records: by position, larger parts first, then by key; records whose
    events are not in a log come last, by time."""
    span = record.range
    if span is None or span.at is None:
        return (True, 0, record.figures.started_at or "", 0, span.first if span else "")
    return (False, span.at, "", -span.n, span.first)
