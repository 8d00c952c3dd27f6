"""Folds what records say about the work into fields of a HEADER: prompt, decisions, caveats, tests, files."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any, TypeVar, get_args

from gittraj.model.codec import camel
from gittraj.model.header import Header
from gittraj.model.values import (
    Decision,
    FileChanged,
    FileKind,
    PartSummary,
    Record,
    RunKind,
    RunOutcome,
    Summary,
    TestRuns,
    ThinkingState,
)
from gittraj.model.words import model_of, share
from gittraj.seal.events import count_readers
from gittraj.startup import sha256

T = TypeVar("T")

STATED = ("agent", "human")
"""The authors of stated decisions; any other author is a rule or a model."""
_QUOTES = 100
"""How many earlier quotes from one message a further one is compared with: a message states only a few."""
_THINKING = ("none", "unknown", "dropped", "clear", "sealed")
PARTS = ("retrospective", "decisions", "summary", "tests", "task")


def fold_account(records: Sequence[Record]) -> Header:
    """Fold what these records say about the work: prompt, summary, decisions, caveats, tests, files."""
    name, struck = records[0].id, struck_in(records)
    figures = [without_struck(name, record.figures, struck) for record in records]
    summary = _first(f.summary for f in reversed(figures))
    redacted = [sum(f.redactions_by_rule.values()) for f in figures]
    return {
        "prompt": _first(f.prompt for f in figures),
        "summary": summary.text if summary else None,
        "summaryBy": summary.by if summary else None,
        "summaryId": _summary_id(name, summary),
        "decisions": _once(_decision(name, d) for f in figures for d in f.decisions),
        **_fold_caveats(name, figures),
        "result": _first(f.result for f in reversed(_since_prompt(figures))),
        "why": _first(f.why for f in figures),
        "tests": _fold_tests([f.tests for f in figures if f.tests]),
        "filesChanged": _fold_files(chain.from_iterable(f.files for f in figures)),
        "thinking": max((known(f.thinking, ThinkingState) for f in figures), key=_THINKING.index),
        "readers": _count_readers(records),
        "redactions": sum(redacted),
        "redactionsAtMost": sum(map(bool, redacted)) > 1,  # two parts may have had the same secret
        "incomplete": any(record.incomplete for record in records),
    }


def _since_prompt(figures: list[PartSummary]) -> list[PartSummary]:
    """Drop the parts of a turn that began earlier: its last message may be about an earlier commit."""
    begins = (at for at, f in enumerate(figures) if f.counts.prompts or not f.prompt)
    return figures[next(begins, len(figures)) :]


def _first(values: Iterable[T | None]) -> T | None:
    """The first value that is not empty, or None."""
    return next((value for value in values if value), None)


def _once(decisions: Iterable[Header]) -> list[Header]:
    """Each decision once. An inferred one is dropped if an earlier one has the same sides, or a quote from
    the same message that overlaps with its own."""
    found: dict[str, Header] = {}
    quoted: dict[str | None, list[str]] = {}  # by event
    seen: set[tuple[str, ...]] = set()
    for decision in decisions:
        sides = tuple(side.lower() for side in (decision["chosen"], *decision["alternatives"]))
        quotes, quote = quoted.setdefault(decision["event"], []), decision["quote"]
        repeated = decision["by"] not in STATED and (
            sides in seen or (quote and any(quote in other or other in quote for other in quotes[-_QUOTES:]))
        )
        if not repeated and found.setdefault(repr(decision), decision) is decision and quote:
            quotes.append(quote)
        seen.add(sides)
    return list(found.values())


def statements(record: Record) -> Iterator[tuple[str, str]]:
    """The id and text of each statement that was inferred in a part."""
    figures = record.figures
    for decision in figures.decisions:
        if (found := _id_of(record.id, decision)) is not None:
            yield found, decision.quote or ""
    for at, caveat in enumerate(figures.caveats):
        yield _caveat_id(record.id, figures, at), caveat
    if found := _summary_id(record.id, figures.summary):
        yield found, figures.summary.text if figures.summary else ""


def without_struck(trajectory: str, figures: PartSummary, struck: frozenset[str]) -> PartSummary:
    """A part's summary without the struck statements, and without a ``why`` that quotes a struck decision."""
    if not struck:
        return figures
    decisions = tuple(d for d in figures.decisions if _id_of(trajectory, d) not in struck)
    kept = [at for at in range(len(figures.caveats)) if _caveat_id(trajectory, figures, at) not in struck]
    summary = None if _summary_id(trajectory, figures.summary) in struck else figures.summary
    if (decisions, len(kept), summary) == (figures.decisions, len(figures.caveats), figures.summary):
        return figures
    wrong = {_words(d.quote or "") for d in figures.decisions if d not in decisions}
    sources = figures.caveat_sources
    return replace(
        figures,
        summary=summary,
        decisions=decisions,
        caveats=tuple(figures.caveats[at] for at in kept),
        caveat_sources=tuple(sources[at] for at in kept if at < len(sources)),
        why=None if _words(figures.why or "") in wrong else figures.why,
    )


def struck_in(records: Iterable[Record]) -> frozenset[str]:
    """The ids of the statements that a person struck as wrong."""
    return frozenset(name for record in records for name in record.figures.struck)


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text))


def _statement_id(trajectory: str, event: str, quote: str) -> str:
    """A statement's id, the same in every clone: ten hexadecimal digits, of which people type a prefix."""
    return sha256("\0".join((trajectory, event, quote)).encode("utf-8", "replace")).hexdigest()[:10]


def _id_of(trajectory: str, decision: Decision) -> str | None:
    """The id of an inferred decision; None for a stated one."""
    if decision.by in STATED:
        return None
    return _statement_id(trajectory, decision.event or "", decision.quote or decision.chosen)


def _summary_id(trajectory: str, summary: Summary | None) -> str | None:
    """The summary's id; None for one that no model wrote."""
    return _statement_id(trajectory, "", summary.text) if summary and model_of(summary.by) else None


def _caveat_id(trajectory: str, figures: PartSummary, at: int) -> str:
    event = figures.caveat_sources[at].event if at < len(figures.caveat_sources) else ""
    return _statement_id(trajectory, event, figures.caveats[at])


def _decision(trajectory: str, decision: Decision) -> Header:
    return {**spell(decision), "confidence": share(decision.confidence), "id": _id_of(trajectory, decision)}


def _fold_caveats(name: str, figures: Sequence[PartSummary]) -> Header:
    """Each caveat once, with its source; null in records of earlier versions, which did not store it."""
    found: dict[str, Any] = {}
    for summary in figures:
        for at, caveat in enumerate(summary.caveats):
            source = summary.caveat_sources[at] if at < len(summary.caveat_sources) else None
            named = source and {**spell(source), "id": _caveat_id(name, summary, at)}
            found[caveat] = found.get(caveat) or named
    return {"caveats": list(found), "caveatSources": list(found.values())}


def _fold_tests(found: Sequence[TestRuns]) -> Header | None:
    """The last run of tests, or else the last check. An older record has no outcome: its counts do not show
    whether all passed."""
    runs = [replace(run, ran=run.ran is not False, kind=run.kind or "test") for run in found]
    if not runs:
        return None
    last = next((run for run in reversed(runs) if run.kind == "test"), runs[-1])
    same = [run for run in runs if run.kind == last.kind]
    before = sum(run is not last and run.outcome == "failed" for run in same)
    before += sum(max(run.failed_before or 0, 0) for run in same)
    return {
        **{k: max(n, 0) if type(n) is int and k != "lastExit" else n for k, n in spell(last).items()},
        "runs": sum(max(run.runs, 0) for run in same),
        "failedBefore": before or None,
        "kind": known(str(last.kind), RunKind),
        "outcome": known(str(last.outcome), RunOutcome),
    }


def _count_readers(records: Sequence[Record]) -> int | None:
    seals = chain.from_iterable(record.seals.values() for record in records)
    return max(map(count_readers, seals), default=None)


def _fold_files(found: Iterable[FileChanged]) -> list[Header]:
    files: dict[str, FileChanged] = {}
    for each in found:
        file = replace(each, edits=max(each.edits, 0), reverts=max(each.reverts, 0))
        before = files.get(file.path)
        files[file.path] = _join_files(before, file) if before else file
    return [{**spell(files[path]), "kind": known(files[path].kind, FileKind)} for path in sorted(files)]


def _join_files(before: FileChanged, after: FileChanged) -> FileChanged:
    known = before.lines is not None and after.lines is not None
    return replace(
        after,
        kind="add" if (before.kind, after.kind) == ("add", "update") else after.kind,
        edits=before.edits + after.edits,
        reverts=before.reverts + after.reverts,
        lines=(before.lines or 0) + (after.lines or 0) if known else None,
    )


def known(word: str, words: Any) -> str:
    """``word``, or ``unknown`` for one of a later version; ``words``: the ``Literal`` of those known."""
    return word if word in get_args(words) else "unknown"


def unique(items: Iterable[T]) -> list[T]:
    """Each item once, in order; items must be hashable."""
    return list(dict.fromkeys(items))


def spell(value: Any) -> Any:
    """JSON with every field, including nulls (stored JSON omits them)."""
    if isinstance(value, tuple | list):
        return [spell(item) for item in value]
    names = keys_of(value.__class__)
    if names is None:
        return value
    return {**getattr(value, "extra", {}), **{key: spell(getattr(value, name)) for name, key in names}}


@cache
def keys_of(kind: type) -> tuple[tuple[str, str], ...] | None:
    """Names and JSON keys of a dataclass's fields; None for any other type."""
    if not dataclasses.is_dataclass(kind):
        return None
    return tuple((f.name, camel(f.name)) for f in dataclasses.fields(kind) if f.name != "extra")


def complete(whole: Header) -> Header:
    """Which of ``PARTS``, in that order, are ``present`` and ``missing`` in a whole trajectory's HEADER.

    ``decisions`` means stated ones, not inferred ones; ``tests`` that some were run.
    """
    contents = {
        "retrospective": whole["retrospective"],
        "decisions": [decision for decision in whole["decisions"] if decision["by"] in STATED],
        "summary": whole["summary"] or (whole["retrospective"] or {}).get("summary"),
        "tests": whole["tests"] and whole["tests"]["runs"],
        "task": whole["task"],
    }
    return {
        "present": [part for part in PARTS if contents[part]],
        "missing": [part for part in PARTS if not contents[part]],
    }
