"""Folds a trajectory's records into a HEADER of docs/json.md. Pure.

A trajectory's totals are a fold over its distinct parts in all notes; the values for one commit are a fold
over the records on it. No value is invented: unrecorded values are null. Records may come in any order, be
copies of each other or overlap; nothing may count twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import Any, TypeVar

from gittraj import limits
from gittraj.frozen import dataclass
from gittraj.model.codec import camel
from gittraj.model.header import Header
from gittraj.model.times import parse_time
from gittraj.model.values import (
    CostSource,
    Counts,
    Evidence,
    Key,
    Participant,
    PartSummary,
    Record,
    Usage,
)
from gittraj.model.words import share
from gittraj.notes.merge import order
from gittraj.query.account import fold_account, keys_of, known, spell

T = TypeVar("T")

_COUNTED = (
    "prompts",
    "messages",
    "thinking",
    "tool_calls",
    "api_calls",
    "errors",
    "subagents",
    "outside",
    "omitted",
    "malformed",
)
_ENDED = ("completed", "abandoned")
_SOME_TOKENS = 1_000  # no provider gives so many away for free


@dataclass(frozen=True, slots=True)
class Folded:
    """One trajectory: its records by commit, and the HEADER of all of them.

    ``numbers`` is each commit's position, from 1, among the trajectory's ``of`` commits; a link stub has
    none, as no log says where in the session its commit was made. ``looked_back`` is the part in which the
    retrospective of ``whole`` was said.
    """

    parts: Mapping[str, Sequence[Record]]
    whole: Header
    numbers: Mapping[str, int]
    of: int
    looked_back: Record | None = None

    def records(self, commit: str | None, *, explored: bool = False) -> list[Record]:
        """Return the records on one commit, or (None) each part once; explored ones only on request."""
        if commit is None:
            return distinct(chain.from_iterable(self.parts.values()))
        return [r for r in self.parts.get(commit, ()) if explored or r.role == "produced"]

    def explains(self, commit: str) -> bool:
        """Whether a record that counts is on the commit: a link stub does not count."""
        return any(record.explains for record in self.records(commit))

    def header(self, commit: str | None, *, explored: bool = False) -> Header:
        """Return the HEADER of its records on one commit, or (None) of the whole trajectory.

        ``part.number`` is null for the whole.
        """
        records = self.records(commit, explored=explored)
        return self._header(records, self.numbers.get(commit or ""))

    def across(self, commits: Iterable[str]) -> Header:
        """Return the HEADER of its records on these commits, each part once. ``part.number`` is null."""
        return self._header(distinct(chain.from_iterable(map(self.records, commits))), None)

    def _header(self, records: Sequence[Record], number: int | None) -> Header:
        told = _without_contained(records)
        account, link = fold_account(told), _fold_link(records)
        if tests := account["tests"]:
            ran = [r for r in told if (run := r.figures.tests) and (run.kind or "test") == tests["kind"]]
            tests["carried"] = bool((ran or told)[-1].link.carried_from)  # before the commit was rewritten
        part = {"number": number, "of": self.of, **_fold_figures(records)}
        whole = dict(self.whole)
        if (said := self.looked_back) and all(_began_after(record, said) for record in records):
            whole |= {"confidence": None, "retrospective": None}
        return {**whole, **account, "part": part, "link": link}


def fold(parts: Mapping[str, Sequence[Record]]) -> Folded:
    """Fold one trajectory, from its records on every commit that has any."""
    records = distinct(chain.from_iterable(parts.values()))
    total = _fold_figures(records)
    logged = {commit: [r for r in some if not r.incomplete] for commit, some in parts.items()}
    numbers = _number({commit: some for commit, some in logged.items() if some})
    whole = {**_fold_whole(records, total), "total": total}
    return Folded(parts, whole, numbers, len({*numbers.values()}), _find_looked_back(records))


def distinct(records: Iterable[Record]) -> list[Record]:
    """Return each part once, in its highest revision, sorted by ``order``; incomplete parts only if no part
    is complete."""
    best: dict[Key, Record] = {}
    for record in records:
        other = best.setdefault(record.key, record)
        if (record.rev, not record.link.carried_from) > (other.rev, not other.link.carried_from):
            best[record.key] = record
    complete = any(not record.incomplete for record in best.values())
    return sorted((r for r in best.values() if not (r.incomplete and complete)), key=order)


def _without_contained(records: Sequence[Record]) -> list[Record]:
    """Return ``records``, which are sorted by ``order``, without the parts that lie inside another."""
    return _select(records, lambda begin, end, last: end > last)


def without_overlaps(records: Sequence[Record]) -> list[Record]:
    """Return ``records``, from ``distinct``, without the parts that overlap an earlier one."""
    return _select(records, lambda begin, end, last: begin >= last)


def _select(records: Sequence[Record], fits: Callable[[float, float, float], bool]) -> list[Record]:
    """Return the records without a position in a log, and the others that ``fits`` accepts; ``fits`` gets the
    begin and the end of a record, and the end of the last kept record."""
    kept: list[Record] = []
    last = -math.inf  # another writer's record may have any values
    for record in records:
        span = record.range
        if span is None or span.at is None:
            kept.append(record)
        elif fits(span.at, span.at + span.n, last):
            kept.append(record)
            last = span.at + span.n
    return kept


# ---------------------------------------------------------------- the numbers


def _fold_figures(records: Sequence[Record]) -> Header:
    figures = [record.figures for record in without_overlaps(records)]
    # statements that were added later have no position in the log, and do not show when the work was done
    logged = [r.figures for r in records if r.range is None or r.range.at is not None] or figures
    started = min(filter(None, (f.started_at for f in logged)), default=None)
    ended = max(filter(None, (f.ended_at for f in logged)), default=None)
    counts = sum((f.counts for f in figures), Counts())
    return {
        "startedAt": started,
        "endedAt": ended,
        "durationSeconds": _seconds(started, ended),
        **fold_usage(figures),
        "counts": {camel(name): max(getattr(counts, name), 0) for name in _COUNTED},
    }


def fold_usage(figures: Sequence[PartSummary]) -> Header:
    """Add up tokens and cost of parts that do not overlap."""
    spent = [f.usage for f in figures if f.usage]
    sums = {key: sum(max(getattr(u, name), 0) for u in spent) for name, key in keys_of(Usage) or ()}
    return {
        "usage": sums if spent else dict.fromkeys(sums),
        "costUsd": _sum_known(map(cost, figures)),
        "costSource": _cost_source(figures),
    }


def cost(figures: PartSummary) -> float | None:
    """Return the cost in US dollars. A negative or infinite cost, which anybody may write, is ignored, and so
    is a cost of 0 with many tokens: such a log has no prices."""
    known, usage = figures.cost_usd, figures.usage
    if known is None or not 0 <= known <= limits.COST:
        return None
    free = known == 0 and usage is not None and usage.input_tokens + usage.output_tokens >= _SOME_TOKENS
    return None if free else known


def _seconds(started: str | None, ended: str | None) -> float | None:
    first, last = parse_time(started), parse_time(ended)
    return round((last - first).total_seconds(), 3) if first and last else None


def _sum_known(costs: Iterable[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) if known else None


def _cost_source(figures: Sequence[PartSummary]) -> CostSource:
    sources = {f.cost_source for f in figures if cost(f) is not None}
    return "estimated" if "estimated" in sources else "reported" if "reported" in sources else "unknown"


def _number(parts: Mapping[str, Sequence[Record]]) -> dict[str, int]:
    """Return each commit's position among the trajectory's commits, from 1; a rewritten commit has the
    position of its original, and commits that share a part are ordered by their other records."""
    same = {commit: commit for commit in parts}

    def root(commit: str) -> str:
        while same[commit] != commit:
            commit = same[commit]
        return commit

    for commit, records in parts.items():
        for old in {old for record in records for old in record.link.carried_from if old in same}:
            same[root(commit)] = root(old)
    first: dict[str, tuple[Any, ...]] = {}
    for commit, records in parts.items():
        position = (*map(order, records),), commit
        first[root(commit)] = min(first.get(root(commit), position), position)
    numbers = {group: number for number, group in enumerate(sorted(first, key=first.__getitem__), 1)}
    return {commit: numbers[root(commit)] for commit in parts}


# ---------------------------------------------------------------- the words


def _fold_whole(records: Sequence[Record], total: Header) -> Header:
    """Return the trajectory's own fields, the same on all its commits; later parts win.

    ``completedAt`` is the last event's time once the status is final. ``confidence`` is the
    retrospective's.
    """
    wholes = [record.whole for record in records]

    def last(choose: Callable[[Any], T]) -> T | None:
        return next((found for whole in reversed(wholes) if (found := choose(whole))), None)

    status = last(lambda w: w.status)
    retrospective = last(lambda w: w.retrospective)
    if retrospective:
        retrospective = replace(retrospective, confidence=share(retrospective.confidence))
    return {
        "id": records[0].id,
        "title": last(lambda w: w.title),
        "status": status,
        "agent": last(lambda w: w.agent),
        "agentVersion": last(lambda w: w.agent_version),
        "models": list(dict.fromkeys(chain.from_iterable(w.models for w in wholes))),
        "session": last(lambda w: w.session),
        "task": spell(last(lambda w: w.task)),
        "run": spell(last(lambda w: w.run)),
        "tags": list(dict.fromkeys(chain.from_iterable(w.tags for w in wholes))),
        "participants": spell(_participants(chain.from_iterable(w.participants for w in wholes))),
        "parent": spell(last(lambda w: w.parent)),
        "startedAt": total["startedAt"],
        "completedAt": total["endedAt"] if status in _ENDED else None,
        "confidence": retrospective.confidence if retrospective else None,
        "retrospective": spell(retrospective),
        "exit": spell(last(lambda w: w.exit)),
    }


def _find_looked_back(records: Sequence[Record]) -> Record | None:
    """Return the part in which the last retrospective was said; later parts of the log only repeat it."""
    telling = [record for record in records if record.whole.retrospective]
    firsts = [next(run) for _, run in groupby(telling, key=lambda record: record.whole.retrospective)]
    return firsts[-1] if firsts else None


def _began_after(record: Record, said: Record) -> bool:
    """Whether a part is known to begin after the part ``said``: by position, else by time."""
    here, there = record.range, said.range
    if here and there and here.at is not None and there.at is not None:
        return here.at > there.at
    began, ended = record.figures.started_at, said.figures.ended_at
    return began is not None and ended is not None and began > ended


def _participants(found: Iterable[Participant]) -> list[Participant]:
    """Return each name once, with the first role that is known for it."""
    once: dict[str, Participant] = {}
    for each in found:
        before = once.get(each.name)
        once[each.name] = each if before is None or (before.role is None and each.role) else before
    return list(once.values())


def _fold_link(records: Sequence[Record]) -> Header:
    """Return the link of the first record that was not carried over, with the ``carriedFrom`` of all."""
    best = next((r for r in records if not r.link.carried_from), records[0])
    return {
        "evidence": known(best.link.evidence, Evidence),
        "carried": bool(best.link.carried_from),
        "role": "produced" if any(r.role == "produced" for r in records) else "explored",
        "carriedFrom": sorted({old for record in records for old in record.link.carried_from}),
    }
