"""Reads the outcome of a run from its output."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

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
"""The words for counts of tests in runners' output. ``other`` is in the total, but in no other count."""
_FIELDS = {word: name for name, words in _VOCABULARY.items() for word in words.split()}
_COUNTED = frozenset(("passed", "failed", "skipped", "errors"))
_NOUN = r"(?:(?:tests?|scenarios?|specs?|examples?)\s+)?"
_NUMBER_FIRST = re.compile(rf"(?<![\w.])(\d+)\s+{_NOUN}([A-Za-z]+)")
_WORD_FIRST = re.compile(r"([A-Za-z][A-Za-z ]*?)\s*[:=]\s*\"?(\d+)")
_WORD_THEN_NUMBER = re.compile(r"([A-Za-z]+)\s+(\d+)\b")


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of tests; a count is None if no summary has it. Checks have ``errors``, and no failed tests."""

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
    """The outcome of a run. ``sure``: it is from counts, and not from a line that may mean something else;
    ``blocks`` is the number of summaries."""

    outcome: RunOutcome
    counts: Counts | None = None
    sure: bool = False
    blocks: int = 0


def read_summary(runner: Runner, output: str, words: Sequence[str], view: str) -> Verdict | None:
    """Return the verdict of ``output`` on this runner's tests or checks, if it has one. ``view`` is how much
    of the output there is: the ``whole``, its ``end``, its ``start`` or a ``part``."""
    if not runner.any:
        return _read_own(runner, output, words, view)
    verdicts, output = _read_rows(runner, output, view)
    own = _read_own(runner, output, words, view)
    verdicts += [own] if own else []
    return combine(verdicts) if verdicts else None


def _read_rows(runner: Runner, output: str, view: str) -> tuple[list[Verdict], str]:
    """Return the verdicts by all other runners of the same kind, and the output without their summaries."""
    verdicts: list[Verdict] = []
    for row in all_runners():
        if row.kind != runner.kind or row.any:
            continue
        lines = [match[0] for match in _find_summaries(row, output)]
        if lines or _has_verdict(row, output, tallies=not verdicts):
            verdict = _read_own(row, output, ("...",), view)
            if verdict and (verdict.sure or lines or verdict.outcome != "error"):
                verdicts.append(verdict)
            output = reduce(lambda text, line: text.replace(line, "", 1), lines, output)
    return verdicts, output


def _find_summaries(runner: Runner, output: str) -> Iterator[re.Match[str]]:
    return (match for pattern in runner.summary for match in pattern.finditer(output))


def _has_verdict(runner: Runner, output: str, *, tallies: bool) -> bool:
    """Whether a line says that all passed, that nothing could run, or that nothing was to be run; or, with
    ``tallies``, the result of one test."""
    lines = (runner.passed, runner.blocked, runner.none, *(runner.tally.values() if tallies else ()))
    return any(pattern and pattern.search(output) for pattern in lines)


def combine(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of the verdicts, with their counts added up."""
    verdicts = list(verdicts)
    order: tuple[RunOutcome, ...] = ("failed", "error", "unknown", "passed", "none")
    return Verdict(
        min((v.outcome for v in verdicts), key=order.index),
        _add_up(v.counts for v in verdicts),
        sure=any(v.sure for v in verdicts),
        blocks=sum(v.blocks for v in verdicts),
    )


def _add_up(counts: Iterable[Counts | None]) -> Counts | None:
    known = list(filter(None, counts))
    return sum(known[1:], known[0]) if known else None


@dataclass(frozen=True, slots=True)
class _Signs:
    """Which of a runner's patterns for an outcome match its output."""

    passed: bool
    failed: bool
    error: bool
    none: bool
    blocked: bool

    @property
    def all_passed(self) -> bool:
        return self.passed and not (self.failed or self.error)


def _read_own(runner: Runner, output: str, words: Sequence[str], view: str) -> Verdict | None:
    """Return the verdict by the patterns of one runner; ``words`` are those of its command."""
    patterns = (runner.passed, runner.failed, runner.error, runner.none, runner.blocked)
    signs = _Signs(*(pattern is not None and pattern.search(output) is not None for pattern in patterns))
    blocks = _find_blocks(runner, output, view)
    counts = _add_up(_counts(block, runner, passed=signs.all_passed) for block in blocks)
    partial = _is_partial(runner, words, output, view, blocks[-1] if counts and counts.passed else None)
    outcome, sure = _judge(runner, signs, counts, partial=partial, whole=view == "whole")
    if outcome is None:
        return None
    if outcome == "none" and counts is None and any(_find_summaries(runner, output)):
        counts = Counts(0, 0, 0, 0)
    return Verdict(outcome, counts, sure=sure, blocks=max(len(blocks), int(sure)))


def _is_partial(
    runner: Runner, words: Sequence[str], output: str, view: str, counted: dict[str, int] | None
) -> bool:
    """Whether more tests may have run than passed; ``counted`` is the last summary, if tests passed."""
    if _is_one_item(runner, words, view, counted=counted is not None):
        return True
    return counted is not None and _may_lack_failures(runner, counted, output, view)


def _judge(
    runner: Runner, signs: _Signs, counts: Counts | None, *, partial: bool, whole: bool
) -> tuple[RunOutcome | None, bool]:
    """Return the outcome, and whether it is sure. ``partial``: more tests may have run than passed."""
    number = counts or Counts()
    cases: tuple[tuple[object, RunOutcome | None, bool], ...] = (
        (number.failed, "failed", True),
        (signs.blocked, "error", True),
        (number.errors, "error" if runner.kind == "test" else "failed", True),
        (number.passed and not (runner.also or partial), "passed", True),
        (signs.failed, "failed", False),
        (signs.error, "error", False),
        (counts and runner.kind != "test", "passed", True),  # 0 errors in all, not one of several files
        (partial, None, False),
        (number.passed, "passed", True),
        (number.passed == 0 and not signs.none, "none" if whole else None, True),
        (signs.passed, "passed", True),
        (signs.none, "none", True),
    )
    return next(((outcome, sure) for applies, outcome, sure in cases if applies), (None, False))


def _find_blocks(runner: Runner, output: str, view: str) -> list[dict[str, int]]:
    """Return the counts of each summary that matters, or else those of the lines about single tests."""
    blocks = list(_blocks(runner, output))
    if not blocks and runner.tally and view == "whole":
        tallied = {name: len(pattern.findall(output)) for name, pattern in runner.tally.items()}
        blocks = [tallied] if tallied["passed"] or (runner.full and any(tallied.values())) else []
    return blocks[-1:] if runner.last else blocks


def _is_one_item(runner: Runner, words: Sequence[str], view: str, *, counted: bool) -> bool:
    """Whether a line that says passed may be about one package or file of several."""
    if view == "start" and runner.also:
        return True
    complete = view == "whole" and (counted or not runner.also)
    return not complete and runner.items is not None and runner.items.search(" ".join(words)) is not None


def _may_lack_failures(runner: Runner, block: dict[str, int], output: str, view: str) -> bool:
    """Whether a line that counts failures may have been cut off."""
    if not runner.failures or "failed" in block or view == "whole":
        return False
    first = output.lstrip().partition("\n")[0]
    at_top = any(pattern.match(line) for pattern in runner.summary for line in (first, f" {first}"))
    return view != "end" or (runner.failures == "above" and at_top)


def _blocks(runner: Runner, output: str) -> Iterator[dict[str, int]]:
    """Yield the counts of each summary; several lines with different counts are one summary together, unless
    the runner's summary is a single line."""
    matches = sorted(
        (match.start(), at, match)
        for at, pattern in enumerate(runner.summary)
        for match in pattern.finditer(output)
    )
    block: dict[str, int] = {}
    for _, _, match in matches:
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
    counts: Counter[str] = Counter()
    for word, number in _find_pairs(match[0]):
        phrase = word.strip().lower()
        name = _FIELDS.get(phrase.replace(" ", "_")) or _FIELDS.get(phrase.rpartition(" ")[2])
        if name and len(number) < 10:
            counts[name] += int(number)
    return dict(counts)


def _find_pairs(line: str) -> list[tuple[str, str]]:
    """Return the words and numbers in a line, as ``3 passed``, ``passed: 3`` or ``passed 3``."""
    pairs = [(word, number) for number, word in _NUMBER_FIRST.findall(line) if word.lower() in _FIELDS]
    return pairs or _WORD_FIRST.findall(line) or _WORD_THEN_NUMBER.findall(line)


def _counts(block: dict[str, int], runner: Runner, *, passed: bool) -> Counts | None:
    """Return the counts of a summary. ``passed``: the output says that all tests passed; if it does not, a
    total alone does not show that."""
    if runner.kind != "test":
        return Counts(failed=0, errors=block["errors"]) if "errors" in block else None
    named = {name: block[name] for name in _COUNTED.intersection(block)}
    if "total" in block and "passed" not in named and (passed or named or "other" in block):
        others = sum(map(Counter(block).__getitem__, ("failed", "skipped", "errors", "other")))
        named["passed"] = max(0, block["total"] - others)
    return replace(_implied_counts(block, runner, passed=passed), **named) if named else None


def _implied_counts(block: dict[str, int], runner: Runner, *, passed: bool) -> Counts:
    """Return the counts that a summary implies for those that it does not state."""
    if runner.full or "passed" in block or "total" in block:
        return Counts(0, 0, 0, 0)
    return Counts(failed=0, errors=0) if passed else Counts()
