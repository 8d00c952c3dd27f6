"""The union of notes: which of several lines of one part counts. Pure; commutative, associative, idempotent.

Per key the highest ``rev`` wins, then this commit's own link over a carried one (its origin is this
commit: ``carriedFrom`` alone does not show it once it is a union), then the stronger evidence, then the
larger part, then the greater canonical bytes. ``carriedFrom`` is the union over all lines of the key,
``seals`` over those of that highest ``rev`` (a later ``rev`` may have taken a reader away). Everything
else, tombstones and foreign lines included, is a union of lines, as plain git's would be.
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
    """Return one line per key, and every other line once, of the note of ``commit``."""
    records: dict[Key, list[Record]] = {}
    others: dict[bytes, Line] = {}
    for line in lines:
        if isinstance(line, Record):
            records.setdefault(line.key, []).append(line)
        else:
            others[encode_line(line)] = line
    return [merge_records(commit, found) for found in records.values()] + list(others.values())


def merge_records(commit: str, found: Sequence[Record]) -> Record:
    """Return the one record that replaces several of the same key."""
    if len(found) == 1 and not found[0].seals and len(found[0].link.carried_from) < 2:
        return found[0]  # nothing to sort: the usual case for a reader of many notes
    winner = max(found, key=partial(_rank, commit))
    carried = sorted({commit for record in found for commit in record.link.carried_from})
    seals: dict[str, set[str]] = {}
    for record in found:
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
    """The union of several bodies of one commit's note."""
    return encode_note(merge_lines(commit, (line for body in bodies for line in decode_note(body))))


def standing(commit: str, lines: Iterable[Line]) -> list[Record]:
    """The records of one note that count: merged, without those that its tombstones delete, and without a
    link stub if there is a record of the same trajectory."""
    merged = merge_lines(commit, lines)
    stones: dict[str, list[Tombstone]] = {}
    for line in merged:
        if isinstance(line, Tombstone):
            stones.setdefault(line.id, []).append(line)
    records = [
        r for r in merged if isinstance(r, Record) and not any(deletes(s, r) for s in stones.get(r.id, ()))
    ]
    return sorted((r for r in records if not yields(r, records)), key=order)


def records_on(commit: str, body: bytes | None) -> list[Record]:
    """The records that count in ``body``, the note of a commit (None: it has no note)."""
    return standing(commit, decode_note(body)) if body else []


def iter_records(notes: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Record]]:
    """The records that count in ``notes``, each with its commit."""
    return ((commit, record) for commit, body in notes for record in records_on(commit, body))


def yields(record: Record, records: Iterable[Record]) -> bool:
    """Whether ``record`` is a link stub that the ``records`` of its commit make redundant: one of its
    trajectory has events, or, if it names no session, any with events produced the commit."""
    nameless = record.whole.session is None and record.link.evidence == "environment"
    return record.incomplete and any(
        not other.incomplete and (other.id == record.id or (nameless and other.role == "produced"))
        for other in records
    )


def deletes(stone: Tombstone, record: Record) -> bool:
    return (
        stone.id == record.id
        and stone.first in (None, record.range.first if record.range else None)
        and (stone.rev >= record.rev or stone.scope == "all")
    )


def order(record: Record) -> tuple[bool, int, str, int, str]:
    """The readers' sort key: by position, larger first, then key; events outside a log last, by time."""
    span = record.range
    if span is None or span.at is None:
        return (True, 0, record.figures.started_at or "", 0, span.first if span else "")
    return (False, span.at, "", -span.n, span.first)
