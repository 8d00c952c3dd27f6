"""Sums up the test runs of a part: how many there were, and the result of the last one."""

from __future__ import annotations

import re
import shlex
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from gittraj.events.runs.edits import edits_files
from gittraj.events.runs.git_commands import GIT, both_ends
from gittraj.events.runs.reader import CallOutcome, read_call
from gittraj.events.runs.summaries import Counts
from gittraj.model.values import AnyEvent, NoteEvent, TestRuns, ToolCall, ToolResult

_REFUSED = re.compile(r"The user doesn't want to (?:proceed|take this action)|\[Request interrupted by user")
_STATUS = re.compile(r"\AExit code \d+(?:\n|\Z)|\A\(Bash completed with no output\)\Z")
"""The line that Claude Code puts before the output of a command that failed, or instead of an empty one."""

_MOVES = re.compile(
    r"(?:^|[;&|(\n])[ \t]*" + GIT + r"(stash|checkout|switch|worktree[ \t]+add)(?![\w-])"
    r"(?![ \t]+(?:-[bBcC]|--orphan)\b)(?:[ \t]+([\w-]+))?"
)
"""A git command that puts other content into this or another work tree, or puts the session's work back, with
the word after the command."""
_MOVES_LIMIT = 5_000  # characters at each end of a command


def fold_runs(events: Sequence[AnyEvent], calls: Iterable[ToolCall] = ()) -> TestRuns | None:
    """Return the number of test runs, or else of checks, and the result of the last one; None without a run.

    A run belongs to the part with its result; ``calls`` are calls outside the part whose results are in it. A
    report of checks that passed or failed counts as a run of tests. A run while the work was stashed, or
    another commit checked out, or in a work tree that the call adds, counts only if there is no other, and
    its result is then unknown.
    """
    known = {call.call_id: call for call in chain(calls, events) if isinstance(call, ToolCall)}
    runs: list[tuple[int, CallOutcome, int | None]] = []
    elsewhere: list[tuple[int, CallOutcome, int | None]] = []
    away = False
    for at, event in enumerate(events):
        command = _command(event, known)
        run = _read(event, command)
        absent, away = _follow(command, away and not event.files, tested=run is not None)
        if run:
            (elsewhere if absent else runs).append((at, *run))
    runs = runs or [(at, replace(run, outcome="unknown", counts=None), code) for at, run, code in elsewhere]
    if not runs:
        return None
    last, outcome, exit_code = next((run for run in reversed(runs) if run[1].kind == "test"), runs[-1])
    *before, _ = outcomes = [each.outcome for _, each, _ in runs if each.kind == outcome.kind]
    counts = outcome.counts or Counts()
    return TestRuns(
        runs=len(outcomes),
        ran=outcome.ran,
        kind=outcome.kind,
        outcome=outcome.outcome,
        last_passed=counts.passed,
        last_failed=counts.failed,
        last_skipped=counts.skipped,
        last_errors=counts.errors,
        last_exit=exit_code,
        failed_before=before.count("failed") or None,
        edited_after=(
            edits_files(_command(events[last], known), outcome, exit_code)
            or any(event.files or edits_files(_command(event, known)) for event in events[last + 1 :])
            or None
        ),
    )


def _command(event: AnyEvent, calls: Mapping[str | None, ToolCall]) -> str:
    """Return the shell command whose result this event is; empty for other events, or if it was refused."""
    call = calls.get(event.call_id) if isinstance(event, ToolResult) and event.call_id else None
    return command_of(call) if call and not _REFUSED.match(event.content) else ""


def _follow(command: str, away: bool, *, tested: bool) -> tuple[bool, bool]:
    """Return whether the session's work is missing from the work tree while the command runs (it is stashed,
    or another commit is checked out meanwhile), and whether it is still stashed afterwards. ``away``: it was
    stashed before. ``tested``: the command runs tests."""
    command = both_ends(command, _MOVES_LIMIT)
    moves = list(_MOVES.finditer(command))
    early = len(moves)
    if tested:
        early = bisect_left(moves, True, key=lambda m: read_call(command[: m.start()], "", None) is not None)
    before, after = moves[:early], moves[early:]
    away = _stash(away, before)
    switched = all(any(move[1] != "stash" for move in some) for some in (before, after))
    added = any(move[1].startswith("worktree") for move in before)
    return away or switched or added, _stash(away, after)


def _stash(away: bool, moves: Iterable[re.Match[str]]) -> bool:
    """Return whether the work is stashed after these commands."""
    for move in moves:
        if move[1] == "stash" and move[2] not in ("list", "show", "create", "store", "branch"):
            away = move[2] not in ("pop", "apply", "drop", "clear")
    return away


def _read(event: AnyEvent, command: str) -> tuple[CallOutcome, int | None] | None:
    """Return the run whose result this event is, and the exit status of its call; None if it is not one."""
    if isinstance(event, NoteEvent):
        report = _read_report(event)
        return (report, None) if report else None
    if not (command and isinstance(event, ToolResult)):
        return None
    outcome = read_call(command, _STATUS.sub("", event.content), event.exit_code)
    return (outcome, event.exit_code) if outcome else None


def _read_report(event: NoteEvent) -> CallOutcome | None:
    checks = event.raw.get("checks") if event.kind == "verification" and isinstance(event.raw, dict) else None
    statuses = (
        [str(c.get("status")) for c in checks if isinstance(c, dict)] if isinstance(checks, list) else []
    )
    passed, failed = statuses.count("passed"), statuses.count("failed")
    if not passed + failed:
        return None
    return CallOutcome("test", "failed" if failed else "passed", counts=Counts(passed, failed))


def command_of(call: ToolCall) -> str:
    """Return the shell command of a call; empty if it does not run one."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    command = arguments.get("command") or arguments.get("cmd") or ""
    return shlex.join(map(str, command)) if isinstance(command, list) else str(command)
