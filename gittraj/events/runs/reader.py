"""What one shell call ran, and what came of it.

``passed`` is only said where a summary was read, or where the exit status is certainly the runner's own and
0. What neither shows is ``unknown``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gittraj.events.runs import shell
from gittraj.events.runs.runners import Runner, find_runner
from gittraj.events.runs.statuses import Knowledge, explain
from gittraj.events.runs.summaries import Counts, Verdict, combine, read_summary
from gittraj.events.runs.walk import Run, TooManyWorldsError
from gittraj.events.runs.worlds import OK, World
from gittraj.events.runs.wrappers import unwrap
from gittraj.model.values import RunKind, RunOutcome

OUTPUT_LIMIT = 200_000
"""Characters of an output that are read, at its end: there the summary is."""
LINE_LIMIT = 500
"""Characters of a line of output that are read: no summary is longer, and no pattern takes long."""
_COLOUR = re.compile(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9])")
_PREFIXES = {
    "compose": r"[\w.-]+ +\| ?",
    "docker-compose": r"[\w.-]+ +\| ?",
    "turbo": r"[\w@/.-]+:[A-Za-z][\w:-]*: ",
    "lerna": r"[\w@/.-]+: ",
    "pnpm": r"[\w@/.-]+ [\w:-]+[:$] ",
    "workspaces": r"\[[\w@/.-]+\]: ",
}
"""What may stand before each line of one service's or package's output, by a word that begins the run."""
_LEADING = 4
_SEVERAL = re.compile(r"-r|--recursive|-F|--filter(?:=.*)?|--parallel")
"""The options with which pnpm runs several packages, and sets a prefix."""
_OWN_LINE = r"(?!Tests:|Test Suites:|error TS)"
_CUT = re.compile(
    r"\[\d+ lines? omitted\]|\.\.\. ?\[?\d+ (?:more )?(?:lines?|characters?|chars|tokens)|\[?output truncated"
    r"|truncated (?:after|output)|\d+ tokens truncated|<system>.*truncat|… ?\+?\d+ (?:more )?lines",
    re.I,
)
_SYNTAX = re.compile(
    r"^(?:.*: )?(?:syntax error(?: near|:)|unexpected EOF while looking|unexpected end of file"
    r"|[Ss]yntax error: |parse error near)",
    re.M,
)
_NOT_STARTED = re.compile(
    r"^(?:.*: )?(?P<a>\S+): (?:command )?not found$|^(?:.*: )?command not found: (?P<b>\S+)"
    r"|: No module named '?(?P<c>[\w.]+)'?$|Failed to spawn: `?(?P<d>[^`\s]+)"
    r"|^(?:.*: )?(?P<e>\S+): (?:No such file or directory|Permission denied)$"
    r"|[Cc]ommand not found: \"?(?P<f>[\w.-]+)",
    re.M,
)
_MISSING = re.compile(
    r"Missing script: |No rule to make target|error: no such (?:sub)?command|could not determine executable"
    r"|npm (?:error|ERR!) (?:code E|missing script|request to)|Command \"?\S+\"? not found"
    r"|ERR_PNPM_\w*(?:NO_SCRIPT|RECURSIVE_EXEC)|Couldn't find a script named|No such (?:task|target|recipe)"
    r"|Justfile does not contain recipe|Could not find gem|Unknown command: "
    r"|is not recognized as an internal or external command|Cannot find module '[^']*(?:bin|cli)[^']*'"
    r"|^(?:bash|sh|zsh|dash)?:?(?: line \d+:)? ?cd: |^(?:\S+: ?)?no matches found: "
    r"|/activate: No such file or directory|^service \"[^\"]*\" is not running|^sudo: "
    r"|Cannot connect to the Docker daemon|^Error response from daemon|No such container"
    r"|^OCI runtime exec failed|^ssh: (?:connect to|Could not resolve) ",
    re.M,
)
_BROKEN_OFF = re.compile(
    r"^(?:.*: )?(?:Killed|Terminated|Segmentation fault|Aborted|Bus error)\b"
    r"|^Command timed out|timed out after [\d.]+ ?\w+$",
    re.M,
)
_USAGE = re.compile(
    r"^usage: .*|(?:unrecognized|unknown|invalid|unexpected) (?:arguments?|options?)\b", re.M | re.I
)
_FORGIVEN = re.compile(
    r"(?:\|\| *(?:true|:|exit 0|echo\b[^|&;]*)|; *(?:true|exit 0)|^> (?:true|:|exit 0|echo\b.*))$"
    r"|^\S*make.* Error \d+ \(ignored\)",
    re.M,
)
"""What a manager of scripts prints of one that ends with 0 whatever happens."""
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
    """What a shell call ran; None where it ran neither tests nor checks.

    ``exit_code`` is that of the whole call; None: not known.
    """
    cut = len(output) > OUTPUT_LIMIT
    output = _COLOUR.sub("", output[-OUTPUT_LIMIT:]).replace("\r\n", "\n").replace("\r", "\n")
    output = "\n".join(line[:LINE_LIMIT] for line in output.split("\n"))
    cut = cut or _CUT.search(output) is not None
    known = _explain(command, output, exit_code, cut=cut)
    if (plain := _without_prefixes(output, known.runs)) != output:
        output, cut = plain, cut or _CUT.search(plain) is not None
        known = _explain(command, output, exit_code, cut=cut)
    if _SYNTAX.search(output) and exit_code != 0:
        asked = [runner for run in _rough(command) if (runner := find_runner(run.words))]
        return CallOutcome(_main(asked).kind, "error", ran=False) if asked else None
    runs = [(run, runner) for run in known.runs if (runner := find_runner(run.words))]
    if not runs:
        return None
    results = _results(runs, known, output, cut)
    if not results:
        return CallOutcome(_main(runner for _, runner in runs).kind, "error", ran=False)
    return _fold(results)


def _explain(command: str, output: str, exit_code: int | None, *, cut: bool) -> Knowledge:
    try:
        return explain(shell.parse(command), _is_run, output=output, exit_code=exit_code, cut=cut)
    except (TooManyWorldsError, ValueError):
        return Knowledge(tuple(_rough(command)), (), {})


def _without_prefixes(output: str, runs: Iterable[Run]) -> str:
    """Without what a manager of several packages or services sets before each line, if it ran here: a
    summary of one package alone may look like a prefix."""
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


def _is_run(words: Sequence[str]) -> bool:
    return find_runner(words) is not None


def _rough(command: str) -> Iterator[Run]:
    """The runs in a line that cannot be read as a shell does it: no status of theirs is known."""
    for index, text in enumerate(re.split(r"&&|\|\||[;|\n&()<>]", command[: shell.LINE_LIMIT])):
        words = text.strip(" $").split()
        if words and _is_run(words):
            yield Run(index, tuple(words), view="part", repeated=False)


def _results(runs: Sequence[tuple[Run, Runner]], known: Knowledge, output: str, cut: bool) -> list[_Result]:
    """Of the runs that were reached, or may have been. What is read of one rules out worlds for the others:
    after a failure, what ``&&`` would have run next; and a run whose summary is there was reached."""
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
    code = known.codes.get(status) if status else None
    seen = _read_verdict(run, runner, left, cut=cut, same=same)
    if run.repeated and seen and seen.outcome == "passed" and known.shows_failure(run):
        return _Result(run, runner, Verdict("failed"))
    found = runner.findings is not None and runner.findings.search(left) is not None
    own = status == OK and not (run.repeated or found or _FORGIVEN.search(output))
    if seen and (seen.sure or not own):
        contradicted = status is not None and status != OK and seen.outcome == "passed"
        return _Result(run, runner, Verdict(_by_code(runner, code), seen.counts) if contradicted else seen)
    if status == OK:
        outcome: RunOutcome = "passed" if own else "unknown"
        return _Result(run, runner, Verdict(outcome, seen.counts if seen else None))
    silent = run.view == "whole" and not (cut or output.strip() or runner.silent or known.reached(run))
    cut_off = run.remote and code == _NOT_CONNECTED
    if code in _NEVER_STARTED or silent or cut_off or _did_not_start(run, output):
        return _Result(run, runner, Verdict("error"), started=False)
    if _did_not_end(run, output):
        return _Result(run, runner, Verdict("error"))
    return _Result(run, runner, Verdict(_by_code(runner, code) if status else "unknown"))


def _read_verdict(run: Run, runner: Runner, left: str, *, cut: bool, same: int) -> Verdict | None:
    """What the output in view says; where not all summaries may be in view, only a failure: with fewer than
    runs of the ``same`` runner, and of one that is repeated, behind a filter. With more than runs that print
    one each, whose they are is not known."""
    if run.view == "none":
        return None
    seen = read_summary(runner, left, run.words, "part" if cut and run.view == "whole" else run.view)
    hidden = (run.repeated and run.view != "whole") or (seen is not None and seen.blocks < same and same > 1)
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
    if _MISSING.search(output):
        return True
    words = {word.rpartition("/")[2] for word in (*run.words, *unwrap(run.words))}
    for match in _NOT_STARTED.finditer(output):
        named = next((name for name in match.groups() if name), "")
        if named.rpartition("/")[2] in words or named in run.words:
            return True
    return False


def _did_not_end(run: Run, output: str) -> bool:
    """Killed on the way, or refused for its arguments."""
    if run.view == "none":
        return False
    return _BROKEN_OFF.search(output) is not None or _USAGE.search(output) is not None


def _main(runners: Iterable[Runner]) -> Runner:
    rows = list(runners)
    return next((row for row in rows if row.kind == "test"), rows[0])


def _fold(results: Sequence[_Result]) -> CallOutcome:
    """The worst outcome; of several kinds that of tests, unless something else stopped the line before."""
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
