"""Reads the outcome of a run from its output."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gittraj.events.runs.runners import Runner, all_runners
from gittraj.model.values import RunOutcome

_VOCABULARY = {
    "passed": "passed passing pass passes succeeded success successes ok",
    "failed": "failed failing fail fails failure failures",
    "skipped": "skipped skip skips pending pendings ignored disabled omissions omitted",
    "errors": "error errors cancelled canceled",
    "total": "total tests test run runs ran examples example completed scenarios scenario doctests doctest"
    " properties property features feature specs spec",
    "other": "xfailed xpassed excluded todo todos incomplete risky notifications expected_failures"
    " unexpected_successes",
}
"""The runners' words in counts of tests. ``other`` is part of the total, but not of another count."""
_FIELDS = {word: name for name, words in _VOCABULARY.items() for word in words.split()}
_NOUN = r"(?:(?:tests?|scenarios?|specs?|examples?)\s+)?"
_NUMBER_FIRST = re.compile(rf"(?<![\w.])(\d+)\s+{_NOUN}([A-Za-z]+)")
_WORD_FIRST = re.compile(r"([A-Za-z][A-Za-z ]*?)\s*[:=]\s*\"?(\d+)")
_WORD_THEN_NUMBER = re.compile(r"([A-Za-z]+)\s+(\d+)\b")


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of tests; None if no summary has them. Checks have ``errors``, and no failed tests."""

    passed: int | None = None
    failed: int | None = None
    skipped: int | None = None
    errors: int | None = None

    def __add__(self, other: Counts) -> Counts:
        def plus(one: int | None, two: int | None) -> int | None:
            return None if one is None and two is None else (one or 0) + (two or 0)

        return Counts(
            plus(self.passed, other.passed),
            plus(self.failed, other.failed),
            plus(self.skipped, other.skipped),
            plus(self.errors, other.errors),
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """``sure``: from counts, not a line that may mean something else. ``blocks``: the number of summaries."""

    outcome: RunOutcome
    counts: Counts | None = None
    sure: bool = False
    blocks: int = 0


def read_summary(runner: Runner, output: str, words: Sequence[str], view: str) -> Verdict | None:
    """The verdict of ``output`` on this runner's tests or checks, if any. ``view``: how much of the output
    there is: the ``whole``, its ``end``, its ``start`` or a ``part``."""
    if not runner.any:
        return _read_own(runner, output, words, view)
    found, rest = _read_rows(runner, output, view)
    own = _read_own(runner, rest, words, view)
    return combine([*found, own] if own else found) if own or found else None


def _read_rows(runner: Runner, output: str, view: str) -> tuple[list[Verdict], str]:
    """The verdicts of all runners of a kind, and the output without their summaries."""
    found: list[Verdict] = []
    for row in (row for row in all_runners() if row.kind == runner.kind and not row.any):
        lines = [match[0] for pattern in row.summary for match in pattern.finditer(output)]
        if lines or _tells(row, output, tallies=not found):
            verdict = _read_own(row, output, ("...",), view)
            if verdict and (verdict.sure or lines or verdict.outcome != "error"):
                found.append(verdict)
            for line in lines:
                output = output.replace(line, "", 1)
    return found, output


def _tells(runner: Runner, output: str, *, tallies: bool) -> bool:
    """Whether a line says that all passed, that nothing could run, or that nothing was to be run; or, with
    ``tallies``, the result of one test."""
    lines = (runner.passed, runner.blocked, runner.none, *(runner.tally.values() if tallies else ()))
    return any(pattern and pattern.search(output) for pattern in lines)


def combine(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of them, with their counts added up."""
    verdicts = list(verdicts)
    counts = [v.counts for v in verdicts if v.counts]
    order: tuple[RunOutcome, ...] = ("failed", "error", "unknown", "passed", "none")
    return Verdict(
        min((v.outcome for v in verdicts), key=order.index),
        sum(counts[1:], counts[0]) if counts else None,
        sure=any(v.sure for v in verdicts),
        blocks=sum(v.blocks for v in verdicts),
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """Which of a runner's patterns for an outcome match its output."""

    passed: bool
    failed: bool
    error: bool
    none: bool
    blocked: bool


def _read_own(runner: Runner, output: str, words: Sequence[str], view: str) -> Verdict | None:
    patterns = (runner.passed, runner.failed, runner.error, runner.none, runner.blocked)
    said = _Said(*(pattern is not None and pattern.search(output) is not None for pattern in patterns))
    blocks = _find_blocks(runner, output, view)
    all_passed = said.passed and not (said.failed or said.error)
    known = [c for block in blocks if (c := _counts(block, runner, passed=all_passed))]
    counts = sum(known[1:], known[0]) if known else None
    partial = _is_partial(runner, words, output, view, blocks[-1] if counts and counts.passed else None)
    outcome, sure = _judge(runner, said, counts, partial=partial, whole=view == "whole")
    if outcome is None:
        return None
    if outcome == "none" and counts is None and any(pattern.search(output) for pattern in runner.summary):
        counts = Counts(0, 0, 0, 0)
    return Verdict(outcome, counts, sure=sure, blocks=max(len(blocks), int(sure)))


def _is_partial(
    runner: Runner, words: Sequence[str], output: str, view: str, counted: dict[str, int] | None
) -> bool:
    """Whether what passed may not be all that ran; ``counted``: the last summary, if it counts some."""
    if _is_one_item(runner, words, view, counted=counted is not None):
        return True
    return counted is not None and _may_lack_failures(runner, counted, output, view)


def _judge(
    runner: Runner, said: _Said, counts: Counts | None, *, partial: bool, whole: bool
) -> tuple[RunOutcome | None, bool]:
    """The outcome, and whether it is sure. ``partial``: what passed may not be all that ran."""
    number = counts or Counts()
    cases: tuple[tuple[object, RunOutcome | None, bool], ...] = (
        (number.failed, "failed", True),
        (said.blocked, "error", True),
        (number.errors, "error" if runner.kind == "test" else "failed", True),
        (number.passed and not (runner.also or partial), "passed", True),
        (said.failed, "failed", False),
        (said.error, "error", False),
        (counts and runner.kind != "test", "passed", True),  # 0 errors in all, not one of several files
        (partial, None, False),
        (number.passed, "passed", True),
        (number.passed == 0 and not said.none, "none" if whole else None, True),
        (said.passed, "passed", True),
        (said.none, "none", True),
    )
    return next(((found, sure) for holds, found, sure in cases if holds), (None, False))


def _find_blocks(runner: Runner, output: str, view: str) -> list[dict[str, int]]:
    blocks = list(_blocks(runner, output))
    if not blocks and runner.tally and view == "whole":
        tallied = {name: len(pattern.findall(output)) for name, pattern in runner.tally.items()}
        blocks = [tallied] if tallied["passed"] or (runner.full and any(tallied.values())) else []
    return blocks[-1:] if runner.last else blocks


def _is_one_item(runner: Runner, words: Sequence[str], view: str, *, counted: bool) -> bool:
    """Whether a line that says passed may be about one package or file of several."""
    if view == "start" and runner.also:
        return True
    tells = view == "whole" and (counted or not runner.also)
    return not tells and runner.items is not None and runner.items.search(" ".join(words)) is not None


def _may_lack_failures(runner: Runner, block: dict[str, int], output: str, view: str) -> bool:
    """Whether a line that counts failures may have been cut off."""
    if not runner.failures or "failed" in block or view == "whole":
        return False
    first = output.lstrip().partition("\n")[0]
    at_top = any(pattern.match(line) for pattern in runner.summary for line in (first, f" {first}"))
    return view != "end" or (runner.failures == "above" and at_top)


def _blocks(runner: Runner, output: str) -> Iterator[dict[str, int]]:
    """The counts of each summary; lines with different counts make one summary together, unless each line is
    one."""
    found = sorted(
        (match.start(), at, match)
        for at, pattern in enumerate(runner.summary)
        for match in pattern.finditer(output)
    )
    block: dict[str, int] = {}
    for _, _, match in found:
        counts = _line_counts(match)
        if block and (runner.full or {*counts} & {*block}):
            yield block
            block = {}
        block = {**block, **counts}
    if block:
        yield block


def _line_counts(match: re.Match[str]) -> dict[str, int]:
    named = {name: int(text) if text.isdigit() else 0 for name, text in match.groupdict().items() if text}
    if named:
        return named
    pairs = [(word, number) for number, word in _NUMBER_FIRST.findall(match[0]) if word.lower() in _FIELDS]
    counts: Counter[str] = Counter()
    for word, number in pairs or _WORD_FIRST.findall(match[0]) or _WORD_THEN_NUMBER.findall(match[0]):
        phrase = word.strip().lower()
        name = _FIELDS.get(phrase.replace(" ", "_")) or _FIELDS.get(phrase.rpartition(" ")[2])
        if name and len(number) < 10:
            counts[name] += int(number)
    return dict(counts)


def _counts(block: dict[str, int], runner: Runner, *, passed: bool) -> Counts | None:
    """The counts of a summary. ``passed``: the output says that all did; without that, a bare total says
    nothing."""
    if runner.kind != "test":
        return Counts(failed=0, errors=block["errors"]) if "errors" in block else None
    named = {name: block[name] for name in ("passed", "failed", "skipped", "errors") if name in block}
    if "total" in block and "passed" not in named and (passed or named or "other" in block):
        rest = sum(block.get(name, 0) for name in ("failed", "skipped", "errors", "other"))
        named["passed"] = max(0, block["total"] - rest)
    elif not named:
        return None
    whole = Counts(0, 0, 0, 0) if {"passed", "total"} & block.keys() or runner.full else None
    return replace(whole or (Counts(failed=0, errors=0) if passed else Counts()), **named)
