"""Folds what records say about the work into fields of a HEADER: prompt, decisions, caveats, tests, files."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from operator import attrgetter
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
"""How many earlier quotes from a message each quote is compared with: a message states only a few
decisions."""
_THINKING = ("none", "unknown", "dropped", "clear", "sealed")  # of several states, the last of these counts
PARTS = ("retrospective", "decisions", "summary", "tests", "task")


def fold_account(records: Sequence[Record]) -> Header:
    """Fold what these records say about the work: prompt, summary, decisions, caveats, tests, files."""
    name, struck = records[0].id, struck_in(records)
    figures = [without_struck(name, record.figures, struck) for record in records]
    summary = _first(map(attrgetter("summary"), reversed(figures)))
    redacted = [sum(f.redactions_by_rule.values()) for f in figures]
    return {
        "prompt": _first(map(attrgetter("prompt"), figures)),
        "summary": summary.text if summary else None,
        "summaryBy": summary.by if summary else None,
        "summaryId": _summary_id(name, summary),
        "decisions": _once(_decision(name, d) for f in figures for d in f.decisions),
        **_fold_caveats(name, figures),
        "result": _first(f.result for f in reversed(_since_prompt(figures))),
        "why": _first(map(attrgetter("why"), figures)),
        "tests": _fold_tests(records),
        "filesChanged": _fold_files(chain.from_iterable(map(attrgetter("files"), figures))),
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
    """Return the first value that is not empty, or None."""
    return next((value for value in values if value), None)


def _once(decisions: Iterable[Header]) -> list[Header]:
    """Return each decision once. An inferred decision is dropped if an earlier one has the same sides, or an
    overlapping quote from the same message."""
    unique_decisions: dict[str, Header] = {}
    quoted: dict[str | None, list[str]] = {}  # by event
    seen: set[tuple[str, ...]] = set()
    for decision in decisions:
        sides = tuple(side.lower() for side in (decision["chosen"], *decision["alternatives"]))
        quotes, quote = quoted.setdefault(decision["event"], []), decision["quote"]
        repeated = decision["by"] not in STATED and (
            sides in seen or (quote and any(quote in other or other in quote for other in quotes[-_QUOTES:]))
        )
        if not repeated and unique_decisions.setdefault(repr(decision), decision) is decision and quote:
            quotes.append(quote)
        seen.add(sides)
    return list(unique_decisions.values())


def statements(record: Record) -> Iterator[tuple[str, str]]:
    """Yield the id and text of each statement that was inferred in a part."""
    figures = record.figures
    for decision in figures.decisions:
        if (identity := _id_of(record.id, decision)) is not None:
            yield identity, decision.quote or ""
    for at, caveat in enumerate(figures.caveats):
        yield _caveat_id(record.id, figures, at), caveat
    if identity := _summary_id(record.id, figures.summary):
        yield identity, figures.summary.text if figures.summary else ""


def without_struck(trajectory: str, figures: PartSummary, struck: frozenset[str]) -> PartSummary:
    """Return a part's summary without the statements that were struck as wrong, and without a ``why`` that
    quotes a struck decision."""
    if not struck:
        return figures
    figures = _without_struck_caveats(trajectory, figures, struck)
    decisions = tuple(d for d in figures.decisions if _id_of(trajectory, d) not in struck)
    wrong = {_words(d.quote or "") for d in figures.decisions if d not in decisions}
    return replace(
        figures,
        summary=None if _summary_id(trajectory, figures.summary) in struck else figures.summary,
        decisions=decisions,
        why=None if _words(figures.why or "") in wrong else figures.why,
    )


def _without_struck_caveats(trajectory: str, figures: PartSummary, struck: frozenset[str]) -> PartSummary:
    kept = [at for at in range(len(figures.caveats)) if _caveat_id(trajectory, figures, at) not in struck]
    sources = figures.caveat_sources
    return replace(
        figures,
        caveats=tuple(figures.caveats[at] for at in kept),
        caveat_sources=tuple(sources[at] for at in kept if at < len(sources)),
    )


def struck_in(records: Iterable[Record]) -> frozenset[str]:
    """Return the ids of the statements that a person struck as wrong."""
    return frozenset(name for record in records for name in record.figures.struck)


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text))


def _statement_id(trajectory: str, event: str, quote: str) -> str:
    """Return a statement's id, the same in every clone: ten hexadecimal digits; people type a prefix of
    them."""
    return sha256("\0".join((trajectory, event, quote)).encode("utf-8", "replace")).hexdigest()[:10]


def _id_of(trajectory: str, decision: Decision) -> str | None:
    """Return the id of an inferred decision; None for a stated one."""
    if decision.by in STATED:
        return None
    return _statement_id(trajectory, decision.event or "", decision.quote or decision.chosen)


def _summary_id(trajectory: str, summary: Summary | None) -> str | None:
    """Return the summary's id; None for a summary that no model wrote."""
    return _statement_id(trajectory, "", summary.text) if summary and model_of(summary.by) else None


def _caveat_id(trajectory: str, figures: PartSummary, at: int) -> str:
    event = figures.caveat_sources[at].event if at < len(figures.caveat_sources) else ""
    return _statement_id(trajectory, event, figures.caveats[at])


def _decision(trajectory: str, decision: Decision) -> Header:
    return {**spell(decision), "confidence": share(decision.confidence), "id": _id_of(trajectory, decision)}


def _fold_caveats(name: str, figures: Sequence[PartSummary]) -> Header:
    """Return each caveat once, with its source: null in records of earlier versions, which did not store
    it."""
    sources: dict[str, Any] = {}
    for summary in figures:
        for at, caveat in enumerate(summary.caveats):
            source = summary.caveat_sources[at] if at < len(summary.caveat_sources) else None
            named = source and {**spell(source), "id": _caveat_id(name, summary, at)}
            sources[caveat] = sources.get(caveat) or named
    return {"caveats": list(sources), "caveatSources": list(sources.values())}


def _fold_tests(records: Sequence[Record]) -> Header | None:
    """Return the last run of tests, or else the last check. An older record has no outcome: its counts do not
    show whether all tests passed. A run in the last part of the log may have come after the call that made
    the commit, and so after a rewrite, too."""
    runs = [
        (at, replace(run, ran=run.ran is not False, kind=run.kind or "test"))
        for at, record in enumerate(records)
        if (run := record.figures.tests)
    ]
    if not runs:
        return None
    at, last = next((pair for pair in reversed(runs) if pair[1].kind == "test"), runs[-1])
    same = [run for _, run in runs if run.kind == last.kind]
    link = records[at].link
    later = [record for record in records[at + 1 :] if record.range and record.range.at is not None]
    edited = last.edited_after or any(record.figures.files for record in later)
    return {
        **_spell_run(last),
        "runs": sum(max(run.runs, 0) for run in same),
        "failedBefore": _count_failed_before(last, same) or None,
        "kind": known(str(last.kind), RunKind),
        "outcome": known(str(last.outcome), RunOutcome),
        "editedAfter": edited or None,
        "carried": bool(link.carried_from and (later or not link.maker)),
    }


def _spell_run(run: TestRuns) -> Header:
    return {k: max(n, 0) if type(n) is int and k != "lastExit" else n for k, n in spell(run).items()}


def _count_failed_before(last: TestRuns, runs: Sequence[TestRuns]) -> int:
    failed = sum(run is not last and run.outcome == "failed" for run in runs)
    return failed + sum(max(run.failed_before or 0, 0) for run in runs)


def _count_readers(records: Sequence[Record]) -> int | None:
    seals = chain.from_iterable(record.seals.values() for record in records)
    return max(map(count_readers, seals), default=None)


def _fold_files(changes: Iterable[FileChanged]) -> list[Header]:
    files: dict[str, FileChanged] = {}
    for each in changes:
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
    """Return ``word``, or ``unknown`` for a word of a later version; ``words`` is the ``Literal`` type of the
    known words."""
    return word if word in get_args(words) else "unknown"


def spell(value: Any) -> Any:
    """Return the JSON form with every field, including nulls, which stored JSON omits."""
    if isinstance(value, tuple | list):
        return [spell(item) for item in value]
    names = keys_of(value.__class__)
    if names is None:
        return value
    return {**getattr(value, "extra", {}), **{key: spell(getattr(value, name)) for name, key in names}}


@cache
def keys_of(kind: type) -> tuple[tuple[str, str], ...] | None:
    """Return the names and JSON keys of a dataclass's fields; None for any other type."""
    if not dataclasses.is_dataclass(kind):
        return None
    return tuple((f.name, camel(f.name)) for f in dataclasses.fields(kind) if f.name != "extra")


def complete(whole: Header) -> Header:
    """Return which of ``PARTS``, in that order, are ``present`` and ``missing`` in a whole trajectory's
    HEADER.

    Inferred decisions do not count as ``decisions``; ``tests`` are present if some were run.
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
