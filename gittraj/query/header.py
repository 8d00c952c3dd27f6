"""What a trajectory's records come to: a HEADER of the command contract. Pure.

A trajectory lies on commits as records. Its totals are a fold over its distinct parts in all notes; what a
commit shows is a fold over the records there. Nothing is invented: what no record tells is null. Records may
lie in any order, be copies of each other or overlap; none of it may count twice.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Any, TypeVar

from gittraj.model.codec import camel
from gittraj.model.times import parse_time
from gittraj.model.values import CostSource, Counts, Figures, FileChanged, Key, Record, TestRuns, Usage
from gittraj.notes.merge import order
from gittraj.seal.events import count_readers

Header = dict[str, Any]
"""A HEADER of the command contract, every field there."""
T = TypeVar("T")

_COUNTED = ("prompts", "messages", "thinking", "tool_calls", "api_calls", "errors", "subagents", "omitted")
_ENDED = ("completed", "abandoned")


@dataclass(frozen=True, slots=True)
class Folded:
    """One trajectory: its records on each commit, and what all of them together come to.

    ``numbers`` says the how-manieth of its ``of`` commits a commit is.
    """

    parts: Mapping[str, Sequence[Record]]
    whole: Header
    numbers: Mapping[str, int]
    of: int

    def records(self, commit: str | None, *, explored: bool = False) -> list[Record]:
        """Of one commit, or (None) each part once. Explored ones only on request."""
        if commit is None:
            return distinct(chain.from_iterable(self.parts.values()))
        return [r for r in self.parts.get(commit, ()) if explored or r.role == "produced"]

    def header(self, commit: str | None, *, explored: bool = False) -> Header:
        """Of its records on one commit, or (None) of the whole trajectory.

        ``part.number`` is null for the whole.
        """
        records = self.records(commit, explored=explored)
        number = self.numbers[commit] if commit is not None else None
        return {
            **self.whole,
            **_fold_said(_shown(records)),
            "part": {"number": number, "of": self.of, **_fold_figures(records)},
            "link": _fold_link(records),
        }

    def across(self, commits: Iterable[str]) -> Header:
        """Of its records on these commits, each part once. ``part.number`` is null."""
        records = distinct(chain.from_iterable(self.records(commit) for commit in commits))
        return {
            **self.whole,
            **_fold_said(_shown(records)),
            "part": {"number": None, "of": self.of, **_fold_figures(records)},
            "link": _fold_link(records),
        }


def fold(parts: Mapping[str, Sequence[Record]]) -> Folded:
    """Fold one trajectory, from its records on every commit that carries it."""
    records = distinct(chain.from_iterable(parts.values()))
    total = _fold_figures(records)
    numbers = _number(parts)
    return Folded(parts, {**_fold_whole(records, total), "total": total}, numbers, len({*numbers.values()}))


def distinct(records: Iterable[Record]) -> list[Record]:
    """Each part once, by its highest revision, in readers' order; no stub beside what is told in full."""
    best: dict[Key, Record] = {}
    for record in records:
        other = best.setdefault(record.key, record)
        if (record.rev, not record.link.carried_from) > (other.rev, not other.link.carried_from):
            best[record.key] = record
    told = any(not record.incomplete for record in best.values())
    return sorted((r for r in best.values() if not (r.incomplete and told)), key=order)


def _shown(records: Sequence[Record]) -> list[Record]:
    """Without the parts that lie wholly inside another; ``records`` in readers' order."""
    kept: list[Record] = []
    end = -math.inf  # a record of somebody else may say what it likes
    for record in records:
        span = record.range
        if span is None or span.at is None:
            kept.append(record)
        elif span.at + span.n > end:
            kept.append(record)
            end = span.at + span.n
    return kept


def counted(records: Sequence[Record]) -> list[Record]:
    """Without the parts that overlap one already counted; ``records`` as ``distinct`` gives them."""
    kept: list[Record] = []
    end = -math.inf
    for record in records:
        span = record.range
        if span is None or span.at is None or span.at >= end:
            kept.append(record)
            end = span.at + span.n if span and span.at is not None else end
    return kept


# ---------------------------------------------------------------- the numbers


def _fold_figures(records: Sequence[Record]) -> Header:
    told = [record.figures for record in counted(records)]
    started = min((f.started_at for f in told if f.started_at), default=None)
    ended = max((f.ended_at for f in told if f.ended_at), default=None)
    counts = sum((f.counts for f in told), Counts())
    return {
        "startedAt": started,
        "endedAt": ended,
        "durationSeconds": _seconds(started, ended),
        **fold_spent(told),
        "counts": {camel(name): getattr(counts, name) for name in _COUNTED},
    }


def fold_spent(told: Sequence[Figures]) -> Header:
    """Tokens and cost of parts of which none is counted twice."""
    spent = [f.usage for f in told if f.usage]
    sums = {key: sum(max(getattr(u, name), 0) for u in spent) for name, key in _keys(Usage) or ()}
    return {
        "usage": sums if spent else dict.fromkeys(sums),
        "costUsd": _sum_known(map(cost, told)),
        "costSource": _cost_source(told),
    }


def cost(told: Figures) -> float | None:
    """In US dollars. One below nothing, which anybody may write, is none."""
    known = told.cost_usd
    return known if known is not None and known >= 0 else None


def _seconds(started: str | None, ended: str | None) -> float | None:
    first, last = parse_time(started), parse_time(ended)
    return round((last - first).total_seconds(), 3) if first and last else None


def _sum_known(costs: Iterable[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) if known else None


def _cost_source(told: Sequence[Figures]) -> CostSource:
    sources = {f.cost_source for f in told if cost(f) is not None}
    return "estimated" if "estimated" in sources else "reported" if "reported" in sources else "unknown"


def _number(parts: Mapping[str, Sequence[Record]]) -> dict[str, int]:
    """Which of the trajectory's commits each commit is, from 1; a rewritten one is the same commit as what
    it was, and those of one shared part follow each other by what else they carry."""
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
        place = (*map(order, records),), commit
        first[root(commit)] = min(first.get(root(commit), place), place)
    numbers = {group: number for number, group in enumerate(sorted(first, key=first.__getitem__), 1)}
    return {commit: numbers[root(commit)] for commit in parts}


# ---------------------------------------------------------------- the words


def _fold_whole(records: Sequence[Record], total: Header) -> Header:
    """What is told of the trajectory itself, the same on all its commits; later parts know better.

    ``completedAt`` is the last event's time once the trajectory is said to have ended. ``confidence`` is that
    of the retrospective: a decision's stands with the decision.
    """
    known = [record.whole for record in records]

    def last(choose: Callable[[Any], T]) -> T | None:
        return next((found for whole in reversed(known) if (found := choose(whole))), None)

    status = last(lambda w: w.status)
    retrospective = last(lambda w: w.retrospective)
    return {
        "id": records[0].id,
        "title": last(lambda w: w.title),
        "status": status,
        "agent": last(lambda w: w.agent),
        "agentVersion": last(lambda w: w.agent_version),
        "models": _once(chain.from_iterable(w.models for w in known)),
        "session": last(lambda w: w.session),
        "task": spell(last(lambda w: w.task)),
        "tags": _once(chain.from_iterable(w.tags for w in known)),
        "participants": spell(_once(chain.from_iterable(w.participants for w in known))),
        "parent": spell(last(lambda w: w.parent)),
        "startedAt": total["startedAt"],
        "completedAt": total["endedAt"] if status in _ENDED else None,
        "confidence": retrospective.confidence if retrospective else None,
        "retrospective": spell(retrospective),
        "exit": spell(last(lambda w: w.exit)),
    }


def _fold_said(records: Sequence[Record]) -> Header:
    """What these records say of the work: asked, done, decided, doubted."""
    told = [record.figures for record in records]
    summary = next((f.summary for f in reversed(told) if f.summary), None)
    return {
        "prompt": next((f.prompt for f in told if f.prompt), None),
        "summary": summary.text if summary else None,
        "summaryBy": summary.by if summary else None,
        "decisions": _once(map(spell, chain.from_iterable(f.decisions for f in told))),
        "caveats": _once(chain.from_iterable(f.caveats for f in told)),
        "tests": spell(_fold_tests([f.tests for f in told if f.tests])),
        "filesChanged": [spell(file) for file in _fold_files(chain.from_iterable(f.files for f in told))],
        "thinking": max((f.thinking for f in told), key=("none", "dropped", "clear", "sealed").index),
        "readers": max(
            (count_readers(headers) for r in records for headers in r.seals.values()), default=None
        ),
        "redactions": sum(chain.from_iterable(f.redactions_by_rule.values() for f in told)),
        "incomplete": any(record.incomplete for record in records),
    }


def _fold_tests(found: Sequence[TestRuns]) -> TestRuns | None:
    return replace(found[-1], runs=sum(tests.runs for tests in found)) if found else None


def _fold_files(found: Iterable[FileChanged]) -> list[FileChanged]:
    files: dict[str, FileChanged] = {}
    for file in found:
        before = files.get(file.path)
        files[file.path] = _join_files(before, file) if before else file
    return [files[path] for path in sorted(files)]


def _join_files(before: FileChanged, after: FileChanged) -> FileChanged:
    known = before.lines is not None and after.lines is not None
    return replace(
        after,
        kind="add" if (before.kind, after.kind) == ("add", "update") else after.kind,
        edits=before.edits + after.edits,
        reverts=before.reverts + after.reverts,
        lines=(before.lines or 0) + (after.lines or 0) if known else None,
    )


def _fold_link(records: Sequence[Record]) -> Header:
    """From the first record that was not carried here; where any of them was carried from."""
    best = next((r for r in records if not r.link.carried_from), records[0])
    return {
        "evidence": best.link.evidence,
        "role": "produced" if any(r.role == "produced" for r in records) else "explored",
        "carriedFrom": sorted({old for record in records for old in record.link.carried_from}),
    }


def _once(items: Iterable[T]) -> list[T]:
    found: list[T] = []
    for item in items:
        if item not in found:
            found.append(item)
    return found


def spell(value: Any) -> Any:
    """JSON with every field written out, nulls too (what is stored leaves them out)."""
    if isinstance(value, tuple | list):
        return [spell(item) for item in value]
    names = _keys(value.__class__)
    if names is None:
        return value
    return {**getattr(value, "extra", {}), **{key: spell(getattr(value, name)) for name, key in names}}


@cache
def _keys(kind: type) -> tuple[tuple[str, str], ...] | None:
    """Names and JSON keys of a dataclass's fields; None for any other type."""
    if not dataclasses.is_dataclass(kind):
        return None
    return tuple((f.name, camel(f.name)) for f in dataclasses.fields(kind) if f.name != "extra")
