"""Finds out what one shell call ran, and the result.

The outcome is ``passed`` only if a summary states it, or the exit status is certainly the runner's own and 0.
Otherwise it is ``unknown``. A *world* is one way in which the command line may have gone (:mod:`.worlds`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import permutations

from gittraj.events.runs import shell
from gittraj.events.runs.runners import Runner, find_runner
from gittraj.events.runs.statuses import Knowledge, explain
from gittraj.events.runs.summaries import Counts, Verdict, combine, read_summary
from gittraj.events.runs.walk import Run, TooManyWorldsError
from gittraj.events.runs.worlds import OK, World
from gittraj.events.runs.wrappers import unwrap
from gittraj.model.values import RunKind, RunOutcome

OUTPUT_LIMIT = 200_000
LINE_LIMIT = 500
"""How many characters of an output are read, at its end (the summary is there), and of a line of it."""
_COLOUR = re.compile(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9])")
_RETRY = re.compile(r"\bdo\s+(?!\[|test\b)[^;&|\n$]{1,300}&&\s*break\b")
"""A loop that ends as soon as its first command, which is the same each time, succeeds."""
_UNTIL = re.compile(r"\b(?:until|while[ \t]+!)[ \t]+([^;&|\n]{0,300}[^;&|\n\s])\s*[;\n]")
_LEADING = 4  # words of a command among which the name of a manager may be
_SEVERAL = re.compile(r"-r|--recursive|-F|--filter(?:=.*)?|--parallel")
"""The options with which pnpm runs several packages, and puts a prefix before each line."""
_OWN_LINE = r"(?!Tests:|Test Suites:|error TS)"  # excludes a runner's own lines that look like prefixed ones
_TABLE = tomllib.loads(files(__package__).joinpath("outputs.toml").read_text("utf-8"))
_PREFIXES: Mapping[str, str] = _TABLE.pop("prefixes")
_SIGNS = {name: re.compile("".join(pattern), re.M) for name, pattern in _TABLE.items()}
"""Patterns for the output of any runner, by the names in ``outputs.toml``."""
_NOT_CONNECTED = 255  # the exit status of ssh
_NEVER_STARTED = (126, 127)
_STOPPED = (124, 130, 134, 137, 139, 143)


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What a call ran, and the result: the outcome ``error`` means that there is no verdict (the run could
    not start, load or end), ``none`` that it selected no test. ``ran``: the runner itself started."""

    kind: RunKind
    outcome: RunOutcome
    ran: bool = True
    counts: Counts | None = None


@dataclass(frozen=True, slots=True)
class _Result:
    run: Run
    runner: Runner
    verdict: Verdict
    started: bool = True


def read_call(command: str, output: str, exit_code: int | None) -> CallOutcome | None:
    """Return the outcome of a shell call; None if it ran neither tests nor checks. ``exit_code`` is that of
    the whole call, or None if it is unknown."""
    whole, output = output, _clean(output)
    cut = len(whole) > OUTPUT_LIMIT or _SIGNS["cut"].search(output) is not None
    known = _explain(command, output, exit_code, cut=cut)
    if (plain := _without_prefixes(output, known.runs)) != output:
        output, cut = plain, cut or _SIGNS["cut"].search(plain) is not None
        known = _explain(command, output, exit_code, cut=cut)
    if _SIGNS["syntax"].search(output) and exit_code != 0:
        runs, results = _find_runners(_split_roughly(command)), []
    else:
        runs = _find_runners(known.runs)
        runs = [(run, replace(row, last=row.last or _is_retried(run, command))) for run, row in runs]
        results = _read_results(runs, known, output, cut)
    if runs and not results:
        return CallOutcome(_main(runner for _, runner in runs).kind, "error", ran=False)
    outcome = _fold(results) if results else None
    pairs = permutations((each.run for each in results if each.started), 2) if "||" in command else ()
    again = any(known.replaces(*pair) for pair in pairs)  # the same tests may have run twice
    return replace(outcome, counts=None) if outcome and again else outcome


def _is_retried(run: Run, command: str) -> bool:
    """Whether a later attempt of the run, in a loop that ends when it passes, replaces the earlier ones."""
    tested = " ".join(run.words) in _UNTIL.findall(command)
    return run.repeated and (tested or _RETRY.search(command) is not None)


def _find_runners(runs: Iterable[Run]) -> list[tuple[Run, Runner]]:
    return [(run, runner) for run in runs if (runner := find_runner(run.words))]


def _clean(output: str) -> str:
    """Return the end of the output, without colours, with long lines cut."""
    text = _COLOUR.sub("", output[-OUTPUT_LIMIT:]).replace("\r\n", "\n").replace("\r", "\n")
    return "\n".join(line[:LINE_LIMIT] for line in text.split("\n"))


def _explain(command: str, output: str, exit_code: int | None, *, cut: bool) -> Knowledge:
    try:
        return explain(shell.parse(command), find_runner, output=output, exit_code=exit_code, cut=cut)
    except (TooManyWorldsError, ValueError, RecursionError):
        return Knowledge(tuple(_split_roughly(command)), (), {})


def _without_prefixes(output: str, runs: Iterable[Run]) -> str:
    """Return the output without the prefix that a manager of several packages or services puts before each
    line, if the command runs such a manager: the summary of a single package may look like a prefix."""
    for run in runs:
        leading = [*run.words[:_LEADING], *unwrap(run.words)[:_LEADING]]
        names = {word.rpartition("/")[2] if word == run.words[0] else word for word in leading}
        for prefix in dict.fromkeys(_PREFIXES[name] for name in _PREFIXES if name in names):
            pattern = re.compile(f"^{_OWN_LINE}{prefix}", re.M)
            rows = re.findall(r"^[^\s•].*", output, re.M)
            several = "pnpm" in names and any(map(_SEVERAL.fullmatch, leading))
            if several or 2 * sum(map(bool, map(pattern.match, rows))) > len(rows):
                output = pattern.sub("", output)
    return output


def _split_roughly(command: str) -> Iterator[Run]:
    """Yield the runs in a line that cannot be parsed as a shell does it: their statuses are unknown."""
    for index, text in enumerate(re.split(r"&&|\|\||[;|\n&()<>]", command[: shell.LINE_LIMIT])):
        words = text.strip(" $").split()
        if find_runner(words):
            yield Run(index, tuple(words), view="part", repeated=False)


def _read_results(
    runs: Sequence[tuple[Run, Runner]], known: Knowledge, output: str, cut: bool
) -> list[_Result]:
    """Return the results of the runs that were reached, or may have been. The result of one run rules out
    worlds for the others: after a failure, ``&&`` ran nothing more; and a run with a summary was reached."""
    results: list[_Result] = []
    before = known
    for _ in range(2 if len(runs) > 1 else 1):
        results, left = [], output
        for run, runner in sorted(runs, key=lambda pair: pair[1].any):
            if known.reached(run) is False:
                continue
            absent = {each.run.index for each in results if not each.started}
            same = sum(
                other.name == runner.name and one.view != "none" and one.index not in absent
                for one, other in runs
            )
            result = _read_result(run, runner, known, left, output, cut=cut, same=same)
            results.append(result)
            known = known.where(_agrees_with(result, alone=len(runs) == 1))
            left = _without_summaries(left, result)
    results = [each for each in results if known.reached(each.run) is not False]
    started = [each.run for each in results if each.started]
    return [r for r in results if r.started or not any(before.replaces(run, r.run) for run in started)]


def _without_summaries(output: str, result: _Result) -> str:
    if result.verdict.blocks and not result.runner.any:
        for pattern in result.runner.summary:
            output = pattern.sub("", output)
    return output


def _agrees_with(result: _Result, *, alone: bool) -> Callable[[World], bool]:
    index, verdict = result.run.index, result.verdict

    def agrees(world: World) -> bool:
        status = dict(world.runs).get(index)
        if not result.started and not alone:
            return status != OK
        if verdict.outcome in ("failed", "error"):
            return status != OK and (status is not None or not verdict.blocks)
        return status is not None or not verdict.blocks

    return agrees


def _read_result(
    run: Run, runner: Runner, known: Knowledge, left: str, output: str, *, cut: bool, same: int
) -> _Result:
    """Return the result of a run. ``left`` is the output without the summaries of other runs; ``same`` is how
    many runs of this runner there are whose output is visible."""
    status = known.status(run)
    seen = _read_verdict(run, runner, left, cut=cut, same=same)
    passed = status == OK and not _may_hide_failure(run, runner, left, output)
    if seen and (seen.sure or not (passed or _did_not_start(run, output))):
        return _Result(run, runner, _correct(seen, run, runner, known))
    if status == OK:
        return _Result(run, runner, Verdict("passed" if passed else "unknown", seen.counts if seen else None))
    return _read_silent_result(run, runner, known, output, cut=cut)


def _may_hide_failure(run: Run, runner: Runner, left: str, output: str) -> bool:
    """Whether something may have failed although the status of the run is 0."""
    finds = runner.findings is not None and runner.findings.search(left) is not None
    unseen = runner.any and run.view == "whole" and not _SIGNS["tested"].search(output)
    return run.repeated or finds or unseen or _SIGNS["forgiven"].search(output) is not None


def _correct(seen: Verdict, run: Run, runner: Runner, known: Knowledge) -> Verdict:
    """Return the verdict of the output, or that of the exit statuses if these contradict a success."""
    if seen.outcome != "passed":
        return seen
    if run.repeated and known.shows_failure(run):
        return Verdict("failed")
    status = known.status(run)
    return Verdict(_by_code(runner, known.codes.get(status)), seen.counts) if status else seen


def _read_silent_result(run: Run, runner: Runner, known: Knowledge, output: str, *, cut: bool) -> _Result:
    """Return the result of a run that may have failed, and whose output does not state its outcome."""
    status = known.status(run)
    code = known.codes.get(status) if status else None
    silent = not known.reached(run) and _lacks_output(run, runner, output, cut=cut)
    cut_off = run.remote and code == _NOT_CONNECTED
    if code in _NEVER_STARTED or silent or cut_off or _did_not_start(run, output):
        return _Result(run, runner, Verdict("error"), started=False)
    ended = not _did_not_end(run, output)
    outcome: RunOutcome = _by_code(runner, code) if status else "unknown"
    return _Result(run, runner, Verdict(outcome if ended else "error"))


def _read_verdict(run: Run, runner: Runner, left: str, *, cut: bool, same: int) -> Verdict | None:
    """Return the verdict of the visible output, but only a failure if some summaries may be hidden: there are
    fewer than runs of this runner (``same``), or the run is repeated and filtered. If each run prints one
    summary, and there are more summaries than runs, it is unknown to which runs they belong."""
    if run.view == "none":
        return None
    seen = read_summary(runner, left, run.words, "part" if cut and run.view == "whole" else run.view)
    if seen is None:
        return None
    incomplete = seen.blocks < same > 1 or (run.repeated and run.view != "whole")
    if incomplete and seen.outcome in ("passed", "none"):
        return None
    return _without_foreign_counts(seen, run, runner, same)


def _without_foreign_counts(seen: Verdict, run: Run, runner: Runner, same: int) -> Verdict | None:
    """Drop the counts if there are more summaries than runs; drop the verdict, too, unless all passed."""
    if run.repeated or not runner.full or seen.blocks <= same:
        return seen
    return replace(seen, counts=None, blocks=same) if seen.outcome == "passed" else None


def _lacks_output(run: Run, runner: Runner, output: str, *, cut: bool) -> bool:
    """Whether there is no output, or none but what an earlier command printed when it failed, although the
    runner would have printed some if it had started."""
    if run.view != "whole" or cut or runner.silent:
        return False
    if runner.full and _SIGNS["stopped"].search(output):
        return not any(pattern.search(output) for pattern in runner.summary)
    return not output.strip()


def _by_code(runner: Runner, code: int | None) -> RunOutcome:
    if code in _NEVER_STARTED or code in _STOPPED:
        return "error"
    return runner.statuses.get(code or 1, "failed")


def _did_not_start(run: Run, output: str) -> bool:
    if run.view == "none":
        return False
    if _SIGNS["missing"].search(output):
        return True
    words = {word.rpartition("/")[2] for word in (*run.words, *unwrap(run.words))}
    for match in _SIGNS["not_started"].finditer(output):
        named = next((name for name in match.groups() if name), "")
        if named.rpartition("/")[2] in words or named in run.words:
            return True
    return False


def _did_not_end(run: Run, output: str) -> bool:
    """Whether the runner was killed while it ran, or rejected its arguments."""
    if run.view == "none":
        return False
    return _SIGNS["broken_off"].search(output) is not None or _SIGNS["usage"].search(output) is not None


def _main(runners: Iterable[Runner]) -> Runner:
    rows = list(runners)
    return next((row for row in rows if row.kind == "test"), rows[0])


def _fold(results: Sequence[_Result]) -> CallOutcome:
    """Return the worst outcome; of several kinds of runs, that of the tests, unless something else stopped
    the command line earlier."""
    main = _main(result.runner for result in results)
    tests = [result.verdict for result in results if result.runner.kind == main.kind]
    outcome, own = combine(result.verdict for result in results).outcome, combine(tests)
    counted = all(verdict.counts for verdict in tests) or own.blocks >= len(tests)
    return CallOutcome(
        main.kind,
        own.outcome if own.outcome == "error" else outcome,
        ran=any(result.started for result in results),
        counts=own.counts if counted and outcome != "unknown" else None,
    )
