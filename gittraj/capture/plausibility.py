"""Rates how well a session's call fits a commit, and matches calls, in order, to commits that hooks named."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from gittraj.capture.commit_command import (
    count_commits,
    find_no_commit,
    gives_message,
    gives_subject,
    may_commit,
    normalise,
)
from gittraj.capture.session import CLOCK, Commit, Log
from gittraj.events.runs.git_commands import git_verbs
from gittraj.model.times import seconds
from gittraj.model.values import Evidence, Message, Prompt, ToolCall, ToolResult

COPYING = {"cherry-pick", "revert", "am"}
"""Kinds of commits with another commit's subject: a call that gives it as a message made that other one."""
UNANSWERED = 60.0
"""Seconds that a call without a result may have run."""
_READS = re.compile(r"\s*(?:ls|cat|head|tail|grep|rg|pwd|wc|git (?:status|log|diff|show))\b[^;&|\n]*$")
Calls = dict[str, tuple[int, Evidence]]
"""The index of the call that made each commit, and the evidence for it, by the commit's id."""


class Written:
    """When a session first wrote each path; computed on first use."""

    def __init__(self, log: Log) -> None:
        self._log = log

    @cached_property
    def _first(self) -> dict[str, int]:
        first: dict[str, int] = {}
        for index in range(len(self._log.entries)):
            for edit in self._log.edits(index):
                first.setdefault(edit.path, index)
        return first

    def wrote_before(self, call: int, commit: Commit) -> bool:
        """Whether the session wrote a file of the commit before a call."""
        paths = commit.changes.paths if commit.changes else ()
        return any(self._first.get(p.path, call) < call for p in paths)


def find_candidates(log: Log) -> list[int]:
    """The calls that may commit."""
    return [
        index
        for index, entry in enumerate(log.entries)
        if entry.prints or (entry.command and may_commit(entry.command))
    ]


def match_in_order(
    log: Log, commits: Sequence[Commit], named: Sequence[Commit], fixed: Calls, written: Written
) -> dict[str, int]:
    """Match the ``named`` among ``commits`` with calls: in the same order, and with the greatest total
    plausibility. The calls of commits that are ``fixed`` already limit which calls the others may have."""
    rank = {c.id: i for i, c in enumerate(commits)}
    pins = [(rank[c], call) for c, (call, _) in fixed.items() if c in rank]
    left = _count_left(log, named, fixed)
    values: list[dict[int, float]] = []
    for commit in named:
        calls = _between(pins, rank[commit.id], left)
        values.append(_rate_calls(log, commit, calls, written))
    fits = Counter(call for each in values for call in each)
    slots = [call for call, more in left.items() for _ in range(min(more, fits[call]))]
    return {named[i].id: call for i, call in _align(values, slots).items()}


def _rate_calls(log: Log, commit: Commit, calls: Iterable[int], written: Written) -> dict[int, float]:
    """The plausibility of each call that may have made a commit."""
    rated = ((call, plausibility(log, commit, call, written)) for call in calls)
    return {call: value for call, value in rated if value > 0}


def _count_left(log: Log, named: Iterable[Commit], fixed: Calls) -> dict[int, int]:
    """How many commits, besides the ``fixed`` ones, each call may have made: for calls that can commit, or
    ran when one of ``named`` was made. Calls that can have made no further commit are left out."""
    made = Counter(call for call, _ in fixed.values())
    able = {*find_candidates(log), *(i for commit in named for i in _running(log, commit))}
    left = {i: count_commits(log.entries[i].command or "") - made[i] for i in sorted(able)}
    return {i: more for i, more in left.items() if more > 0}


def _between(pins: Sequence[tuple[int, int]], rank: int, calls: Iterable[int]) -> list[int]:
    """Those of ``calls`` from the latest call of the commits pinned before a rank to the earliest call of
    those pinned after it, both included; ``pins`` are pairs of rank and call."""
    first = max((call for pin, call in pins if pin < rank), default=0)
    last = min((call for pin, call in pins if pin > rank), default=math.inf)
    return [call for call in calls if first <= call <= last]


def _align(values: Sequence[Mapping[int, float]], slots: Sequence[int]) -> dict[int, int]:
    """Which of the ``slots`` (calls) each row of ``values`` gets, so that both keep their order and the sum
    is the greatest: the longest common subsequence, weighted. A row without a slot is left out."""
    best = [[0.0] * (len(slots) + 1)]
    for value in values:
        above, row = best[-1], [0.0]
        for j, call in enumerate(slots, 1):
            taken = above[j - 1] + value[call] if call in value else -1.0
            row.append(max(above[j], row[-1], taken))
        best.append(row)
    aligned: dict[int, int] = {}
    i, j = len(values), len(slots)
    while i and j:
        value_here = values[i - 1].get(slots[j - 1])
        if value_here is not None and best[i][j] == best[i - 1][j - 1] + value_here:
            aligned[i - 1] = slots[j - 1]
            i, j = i - 1, j - 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i -= 1
    return aligned


def plausibility(log: Log, commit: Commit, call: int, written: Written) -> float:
    """Rate how well a command and its result fit a commit; at zero or below they do not."""
    command = log.entries[call].command or ""
    away = log.places[call] == "elsewhere"
    ran = ran_at(log, call, commit)
    if ran is False:
        return 0.0  # a person made it, in a terminal that the agent opened, or typed it into the agent
    named = _names(command, commit.subject)
    if commit.terminal and not named and not written.wrote_before(call, commit):
        return 0.0  # some agents give their shells a terminal, but a person's has one too
    if not git_verbs(command):
        # any program that a call runs may commit, if it ran at the time or, if that is not known, the
        # commit has a file that the session wrote
        likely = ran or _is_open(log, call) or written.wrote_before(call, commit)
        value = 0.5 if likely and not away else 0.0
    else:
        value = (-6.0 if away else 4.0) + _fit_command(command, commit) + _fit_result(log, call)
    # of two calls that fit equally, the one that ran when the commit was made wins
    return value * (1 - _seconds_apart(log, call, commit) / 10)


def _names(command: str, subject: str) -> bool:
    """Whether a command gives a subject: all of a message's first line, since the next commit may be called
    like this one, and more."""
    longest = max(re.findall(r"\w+", subject), key=len, default=subject)
    # most commands do not have it
    return bool(subject) and longest in command and gives_subject(normalise(command), subject)


def ran_at(log: Log, call: int, commit: Commit) -> bool | None:
    """Whether a call was running when a commit was made. None if that is not known: the log has no times, or
    the commit's time is before the whole log, and so was set by hand if the commit was made here."""
    begun, over = call_times(log, call)
    if begun is None or commit.time is None:
        return None
    first = _first_time(log)
    if first is not None and commit.seen and commit.time < first - CLOCK:
        return None
    if over is None and not _is_open(log, call):
        over = begun + UNANSWERED
    return begun - CLOCK <= commit.time and (over is None or commit.time <= over + CLOCK)


def _first_time(log: Log) -> float | None:
    """When a session started, if it is known; its first event may have been stored earlier."""
    started = next(map(str, log.facts.get("started_at", ())), None)
    return seconds(started or (None if log.start else log.entries[0].event.ts))


def call_times(log: Log, call: int) -> tuple[float | None, float | None]:
    """When a call began and ended, if the log has these times."""
    result = log.result_of(call)
    over = seconds(log.entries[result].event.ts) if result is not None else None
    return seconds(log.entries[call].event.ts), over


def _seconds_apart(log: Log, call: int, commit: Commit) -> float:
    """The seconds, at most ``CLOCK``, between a call and a commit's time, which git rounds down."""
    begun, over = call_times(log, call)
    time = commit.time
    if begun is None or time is None:
        return 0.0
    early = begun - time - float(time).is_integer()
    return min(CLOCK, max(0.0, early, time - over if over else 0.0))


def _running(log: Log, commit: Commit) -> Iterator[int]:
    """The calls that ran a program when a commit was made, except those that only read."""
    for index, entry in enumerate(log.entries):
        if entry.command and not _READS.match(entry.command) and ran_at(log, index, commit):
            yield index


def _fit_command(command: str, commit: Commit) -> float:
    """Rate how well a command fits a commit's subject and kind."""
    value = 0.0
    if _names(command, commit.subject):
        value += 8
    elif gives_message(command):
        value -= 3  # another message (a commit-msg hook may have changed it)
    amends = "--amend" in command
    if (commit.kind == "amend") == amends:
        value += 3
    else:
        value -= 2 if amends else 8
    if commit.kind in COPYING:
        value += 2 if commit.kind in git_verbs(command) else -2
    elif commit.kind == "merge":
        value += 2 if "commit" in git_verbs(command) else -2  # the reflog says merge only after a conflict
    return value


def _fit_result(log: Log, call: int) -> float:
    """Rate how well a call's result fits a call that made a commit."""
    result = log.result_of(call)
    if result is None:
        return 2.0 if _is_open(log, call) else 0.0
    value = 0.0
    event = log.entries[result].event
    if isinstance(event, ToolResult):
        value -= 3 if event.is_error else 0
        value -= 15 if find_no_commit(event.content, log.entries[call].command or "") else 0
    if log.entries[result].commits:
        value -= 3  # it printed other ids
    return value


def _is_open(log: Log, call: int) -> bool:
    """Whether the log shows no result of a call, and no sign that the session went on without it."""
    if log.result_of(call) is not None:
        return False
    own = log.entries[call].event.response
    later = (log.entries[i].event for i in range(call + 1, len(log.entries)))
    return not any(
        isinstance(e, Prompt | Message) or (isinstance(e, ToolCall) and e.response != own) for e in later
    )
