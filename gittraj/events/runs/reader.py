"""Finds out what one shell call ran, and the result.

The outcome is ``passed`` only if a summary says so, or the exit status is certainly the runner's own and 0.
Without either it is ``unknown``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from gittraj.events.runs import shell
from gittraj.events.runs.runners import Runner, find_runner
from gittraj.events.runs.statuses import Knowledge, explain
from gittraj.events.runs.summaries import Counts, Verdict, combine, read_summary
from gittraj.events.runs.walk import Run, TooManyWorldsError
from gittraj.events.runs.worlds import OK, World
from gittraj.events.runs.wrappers import unwrap
from gittraj.model.values import RunKind, RunOutcome

OUTPUT_LIMIT = 200_000
"""Characters of an output that are read, at its end, where the summary is."""
LINE_LIMIT = 500
"""Characters of a line of output that are read: no summary is longer, and no pattern takes long."""
_COLOUR = re.compile(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9])")
_LEADING = 4
_SEVERAL = re.compile(r"-r|--recursive|-F|--filter(?:=.*)?|--parallel")
"""The options with which pnpm runs several packages, and sets a prefix."""
_OWN_LINE = r"(?!Tests:|Test Suites:|error TS)"
_TABLE = tomllib.loads(files(__package__).joinpath("outputs.toml").read_text("utf-8"))
_PREFIXES: Mapping[str, str] = _TABLE.pop("prefixes")
_SIGNS = {name: re.compile("".join(pattern), re.M) for name, pattern in _TABLE.items()}
"""Patterns for the output of any runner, by the names in ``outputs.toml``."""
_NOT_CONNECTED = 255
_NEVER_STARTED = (126, 127)
_STOPPED = (124, 130, 134, 137, 139, 143)


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """``outcome``: ``error`` is a run without a verdict (it could not start, load or end), ``none`` one that
    selected no test. ``ran``: the runner itself started."""

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
    """The outcome of a shell call; None if it ran neither tests nor checks.

    ``exit_code`` is that of the whole call; None: not known.
    """
    whole, output = output, _clean(output)
    cut = len(whole) > OUTPUT_LIMIT or _SIGNS["cut"].search(output) is not None
    known = _explain(command, output, exit_code, cut=cut)
    if (plain := _without_prefixes(output, known.runs)) != output:
        output, cut = plain, cut or _SIGNS["cut"].search(plain) is not None
        known = _explain(command, output, exit_code, cut=cut)
    if _SIGNS["syntax"].search(output) and exit_code != 0:
        asked = [runner for run in _rough(command) if (runner := find_runner(run.words))]
        return CallOutcome(_main(asked).kind, "error", ran=False) if asked else None
    runs = [(run, runner) for run in known.runs if (runner := find_runner(run.words))]
    if not runs:
        return None
    results = _results(runs, known, output, cut)
    if not results:
        return CallOutcome(_main(runner for _, runner in runs).kind, "error", ran=False)
    return _fold(results)


def _clean(output: str) -> str:
    """The end of the output, without colours, with long lines cut."""
    text = _COLOUR.sub("", output[-OUTPUT_LIMIT:]).replace("\r\n", "\n").replace("\r", "\n")
    return "\n".join(line[:LINE_LIMIT] for line in text.split("\n"))


def _explain(command: str, output: str, exit_code: int | None, *, cut: bool) -> Knowledge:
    try:
        return explain(shell.parse(command), find_runner, output=output, exit_code=exit_code, cut=cut)
    except (TooManyWorldsError, ValueError):
        return Knowledge(tuple(_rough(command)), (), {})


def _without_prefixes(output: str, runs: Iterable[Run]) -> str:
    """The output without the prefix that a manager of several packages or services puts before each line, if
    it ran here: a summary of one package alone may look like a prefix."""
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


def _rough(command: str) -> Iterator[Run]:
    """The runs in a line that cannot be parsed as a shell does it: their statuses are unknown."""
    for index, text in enumerate(re.split(r"&&|\|\||[;|\n&()<>]", command[: shell.LINE_LIMIT])):
        words = text.strip(" $").split()
        if find_runner(words):
            yield Run(index, tuple(words), view="part", repeated=False)


def _results(runs: Sequence[tuple[Run, Runner]], known: Knowledge, output: str, cut: bool) -> list[_Result]:
    """The results of the runs that were reached, or may have been. The result of one rules out worlds for the
    others: after a failure, ``&&`` ran nothing more; and a run with a summary was reached."""
    found: list[_Result] = []
    for _ in range(2 if len(runs) > 1 else 1):
        found, left = [], output
        for run, runner in sorted(runs, key=lambda pair: pair[1].any):
            if known.reached(run) is False:
                continue
            same = sum(other.name == runner.name and one.view != "none" for one, other in runs)
            result = _result(run, runner, known, left, output, cut=cut, same=same)
            found.append(result)
            known = known.where(_agrees_with(result, alone=len(runs) == 1))
            if result.verdict.blocks and not runner.any:
                for pattern in runner.summary:
                    left = pattern.sub("", left)
    return [each for each in found if known.reached(each.run) is not False]


def _agrees_with(result: _Result, *, alone: bool) -> Callable[[World], bool]:
    index, verdict = result.run.index, result.verdict

    def agrees(world: World) -> bool:
        status = dict(world.runs).get(index)
        if not result.started and not alone:
            return status is None
        if verdict.outcome in ("failed", "error"):
            return status != OK and (status is not None or not verdict.blocks)
        return status is not None or not verdict.blocks

    return agrees


def _result(
    run: Run, runner: Runner, known: Knowledge, left: str, output: str, *, cut: bool, same: int
) -> _Result:
    """``left``: the output without the summaries of other runs; ``same``: runs of this runner in view."""
    status = known.status(run)
    seen = _read_verdict(run, runner, left, cut=cut, same=same)
    found = runner.findings is not None and runner.findings.search(left)
    own = status == OK and not (run.repeated or found or _SIGNS["forgiven"].search(output))
    if run.repeated and seen and seen.outcome == "passed" and known.shows_failure(run):
        return _Result(run, runner, Verdict("failed"))
    if seen and (seen.sure or not own):
        if status and seen.outcome == "passed":  # contradicted
            seen = Verdict(_by_code(runner, known.codes.get(status)), seen.counts)
        return _Result(run, runner, seen)
    if status == OK:
        return _Result(run, runner, Verdict("passed" if own else "unknown", seen.counts if seen else None))
    return _silent_result(run, runner, known, output, cut=cut)


def _silent_result(run: Run, runner: Runner, known: Knowledge, output: str, *, cut: bool) -> _Result:
    """The result of a run that may have failed, and whose output does not state its outcome."""
    status = known.status(run)
    code = known.codes.get(status) if status else None
    silent = not (cut or output.strip() or runner.silent or known.reached(run)) and run.view == "whole"
    cut_off = run.remote and code == _NOT_CONNECTED
    if code in _NEVER_STARTED or silent or cut_off or _did_not_start(run, output):
        return _Result(run, runner, Verdict("error"), started=False)
    ended = not _did_not_end(run, output)
    outcome: RunOutcome = _by_code(runner, code) if status else "unknown"
    return _Result(run, runner, Verdict(outcome if ended else "error"))


def _read_verdict(run: Run, runner: Runner, left: str, *, cut: bool, same: int) -> Verdict | None:
    """The verdict of the visible output; only a failure if some summaries may be hidden: if there are fewer
    than runs of the ``same`` runner, or the run is repeated and filtered. If runs print one summary each and
    there are more than runs, it is unknown whose they are."""
    if run.view == "none":
        return None
    seen = read_summary(runner, left, run.words, "part" if cut and run.view == "whole" else run.view)
    hidden = (run.repeated and run.view != "whole") or (seen is not None and seen.blocks < same > 1)
    if seen and hidden and seen.outcome in ("passed", "none"):
        return None
    if seen and runner.full and not run.repeated and seen.blocks > same:
        return replace(seen, counts=None, blocks=same) if seen.outcome == "passed" else None
    return seen


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
    """Whether it was killed while it ran, or rejected its arguments."""
    if run.view == "none":
        return False
    return _SIGNS["broken_off"].search(output) is not None or _SIGNS["usage"].search(output) is not None


def _main(runners: Iterable[Runner]) -> Runner:
    rows = list(runners)
    return next((row for row in rows if row.kind == "test"), rows[0])


def _fold(results: Sequence[_Result]) -> CallOutcome:
    """The worst outcome; of several kinds that of tests, unless something else stopped the line earlier."""
    main = _main(result.runner for result in results)
    tests = [result.verdict for result in results if result.runner.kind == main.kind]
    outcome, own = combine(result.verdict for result in results).outcome, combine(tests)
    seen = all(verdict.counts for verdict in tests) or sum(v.blocks for v in tests) >= len(tests)
    complete = outcome != "unknown" and seen
    return CallOutcome(
        main.kind,
        own.outcome if own.outcome == "error" else outcome,
        ran=any(result.started for result in results),
        counts=own.counts if complete else None,
    )
