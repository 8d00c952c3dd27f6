"""Computes the counts that a commit adds to statistics, small enough to cache for every commit. Pure.

A part is stored with its key and all that decides whether it counts, so that sums over several commits agree
with a listing: a part counts once, on however many commits it is. This module must not add anything up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.model.values import Counts, Link, PartSummary, Range, Record, Usage
from gittraj.query.header import Folded
from gittraj.query.log.filters import names_of_task

_USAGE = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens")
OTHER_COUNTS = ("subagents", "runs", "verifications", "artifacts", "checkpoints")
"""The names of the counts besides prompts, messages and calls."""
_OWN, _CARRIED = Link(evidence="agent"), Link(evidence="agent", carried_from=("",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """One trajectory on one commit. ``present`` is from ``completeness`` of the whole trajectory; ``run``,
    ``task``, ``status``, ``seconds`` and ``malformed`` are also those of the whole trajectory.

    ``records`` have only what decides whether they count, tokens, costs and ``OTHER_COUNTS``; ``bytes`` has
    for each record the size of its segments; ``note`` is the size of the trajectory's lines in the commit's
    note.
    """

    id: str
    agent: str | None
    session: str | None
    models: tuple[str, ...]
    present: frozenset[str]
    records: tuple[Record, ...]
    bytes: tuple[int, ...]
    note: int
    run: str | None = None
    task: str | None = None
    status: str | None = None
    seconds: float | None = None
    malformed: int = 0


@dataclass(frozen=True, slots=True)
class Tallies:
    """One commit: the ``bytes`` of its note, and its trajectories."""

    bytes: int
    trajectories: Sequence[Tally]


def tally(folded: Folded, commit: str, *, present: Sequence[str], size: int) -> Header:
    """Return the JSON form of a trajectory on a commit; ``size`` is its number of bytes in the note."""
    whole = folded.whole
    return {
        **{name: whole[name] for name in ("id", "agent", "session", "models")},
        "present": [*present],
        "note": size,
        "status": whole["status"],
        "run": whole["run"]["id"] if whole["run"] else None,
        "task": names_of_task(whole["task"])[-1] if whole["task"] else None,
        "seconds": whole["total"]["durationSeconds"],
        "malformed": whole["total"]["counts"]["malformed"],
        "parts": [_part(record) for record in folded.records(commit, explored=True)],
    }


def read_tallies(stored: Header) -> Tallies:
    return Tallies(stored["bytes"], [_read_tally(each) for each in stored["trajectories"]])


def _read_tally(stored: Header) -> Tally:
    return Tally(
        id=stored["id"],
        agent=stored["agent"],
        session=stored["session"],
        models=tuple(stored["models"]),
        present=frozenset(stored["present"]),
        records=tuple(_record(stored["id"], part) for part in stored["parts"]),
        bytes=tuple(part[-1] for part in stored["parts"]),
        **{name: stored[name] for name in ("note", "status", "run", "task", "seconds", "malformed")},
    )


def _part(record: Record) -> list[Any]:
    span, figures = record.range, record.figures
    return [
        [span.first, span.n, span.at] if span else None,
        record.role,
        bool(record.link.carried_from),
        record.incomplete,
        figures.started_at,
        [getattr(figures.usage, name) for name in _USAGE] if figures.usage else None,
        figures.cost_usd,
        figures.cost_source,
        [max(getattr(figures.counts, name), 0) for name in OTHER_COUNTS],
        sum(max(segment.bytes, 0) for segment in record.segments),
    ]


def _record(identity: str, part: Sequence[Any]) -> Record:
    span, role, carried, incomplete, started, usage, cost, source, other_counts, _ = part
    return Record(
        id=identity,
        link=_CARRIED if carried else _OWN,
        range=Range(first=span[0], last=span[0], n=span[1], at=span[2]) if span else None,
        role=role,
        incomplete=incomplete,
        figures=PartSummary(
            started_at=started,
            usage=Usage(**dict(zip(_USAGE, usage, strict=True))) if usage else None,
            cost_usd=cost,
            cost_source=source,
            counts=Counts(**dict(zip(OTHER_COUNTS, other_counts, strict=True))),
        ),
    )
