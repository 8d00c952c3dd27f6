"""The call that made a commit: by the call id that the hook's environment named, by the commit id that a
result printed, by the message that a command gave at the time when the commit was made, or by matching
a session's commits, in order, to its calls that can commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gittraj.capture.commit_command import (
    can_commit,
    count_commits,
    find_no_commit,
    git_verbs,
    gives_message,
    gives_subject,
    hides_failure,
    may_commit,
    merges_branch,
    normalise,
    prints_ids,
)
from gittraj.capture.own import Anchor
from gittraj.capture.session import Commit, Log
from gittraj.model.times import seconds
from gittraj.model.values import Evidence, Message, Prompt, ToolCall, ToolResult

_COPYING = {"cherry-pick", "revert", "am"}
"""Kinds of commits with another commit's subject: a call that gives it as a message made that other one."""
_CERTAIN = 100.0
_SHORTEST_SUBJECT = 3
_CLOCK = 2.0
"""Seconds: git's times are whole ones, and a log has a call's time a moment after it began."""
_UNANSWERED = 60.0
"""Seconds that a call without a result may have run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """``commit`` was made by the call at index ``call``; ``weight`` decides between logs that could both
    have made it (an agent and its subagent name the same session)."""

    commit: str
    call: int
    evidence: Evidence
    weight: float = 0.0


def match_commits(log: Log, commits: Sequence[Commit], *, known: Sequence[Anchor] = ()) -> list[Match]:
    """The commits (of one worktree, in the reflog's order) that this session made, with their calls. The
    commits of ``known`` keep theirs."""
    fixed = _by_output(log, commits) | _by_call_id(log, commits)
    written = _Written(log)
    fixed = _by_message(log, commits, fixed, written) | fixed
    fixed |= {c: (a.call, a.evidence) for a in known if a.evidence != "content" for c in a.commits}
    named = [c for c in commits if log.name in c.sessions and c.id not in fixed]
    ordered = _by_order(log, commits, named, fixed, written) if named else {}
    matches: list[Match] = []
    for commit in commits:
        if commit.id in fixed:
            call, evidence = fixed[commit.id]
            matches.append(Match(commit=commit.id, call=call, evidence=evidence, weight=_CERTAIN))
        elif commit.id in ordered:
            call = ordered[commit.id]
            weight = _plausibility(log, commit, call, written)
            matches.append(Match(commit=commit.id, call=call, evidence="agent", weight=weight))
    return matches


def commits_elsewhere(log: Log) -> list[int]:
    """The calls that committed in another repository."""
    return [
        index
        for index, place in enumerate(log.places)
        if place == "elsewhere"
        and (command := log.entries[index].command)
        and can_commit(command)
        and not log.failed(index)
    ]


_Found = dict[str, tuple[int, Evidence]]


def _by_call_id(log: Log, commits: Sequence[Commit]) -> _Found:
    calls = {
        entry.event.call_id: index
        for index, entry in enumerate(log.entries)
        if isinstance(entry.event, ToolCall) and entry.event.call_id
    }
    return {
        c.id: (calls[c.call], "agent")
        for c in commits
        if log.name in c.sessions and c.call is not None and c.call in calls
    }


def _by_output(log: Log, commits: Sequence[Commit]) -> _Found:
    """By results that printed a commit's id: only those of calls that may commit, since others may show
    old output. If an id was printed twice (a rebase back onto it), the first call made the commit."""
    calls: dict[str, int] = {}
    for index in _candidates(log):
        result = log.result_of(index)
        if result is not None:
            for short in log.entries[result].commits:
                calls.setdefault(short, index)
    found: _Found = {}
    lengths = {len(short) for short in calls}
    for commit in commits:
        if commit.call is not None and commit.sessions and log.name not in commit.sessions:
            continue  # the environment names another session's call: this one only printed the id
        for index in sorted(calls[short] for n in lengths if (short := commit.id[:n]) in calls):
            if log.places[index] != "elsewhere" or log.name in commit.sessions:
                found[commit.id] = (index, "agent" if log.name in commit.sessions else "output")
                break
    return found


def _by_message(log: Log, commits: Sequence[Commit], fixed: _Found, written: _Written) -> _Found:
    """Commits that no hook named, whose subject is in the command of a call that was running when they were
    made, and whose files the session knew. Only all three together are evidence. A call that printed other
    ids made those; where more commits fit a call than it can make, none of them is matched."""
    made = Counter(call for call, _ in fixed.values())
    left = {
        index: unknown
        for index in _candidates(log)
        if log.places[index] != "elsewhere"
        and not log.failed(index)
        and (unknown := _unknown_commits(log, index, made[index])) > 0
    }
    calls = [(index, normalise(log.entries[index].command or ""), *_span(log, index)) for index in left]
    found: _Found = {}
    contested: set[int] = set()
    earliest = min((begun for _, _, begun, over in calls if begun <= over), default=1.0) - _CLOCK
    latest = max((over for _, _, begun, over in calls if begun <= over), default=0.0) + _CLOCK
    for commit in commits:
        time = commit.changes.time if commit.changes else 0
        if not earliest <= time <= latest or commit.id in fixed or commit.sessions:
            continue
        if len(commit.subject) < _SHORTEST_SUBJECT:
            continue
        fits = [
            index
            for index, command, begun, over in calls
            if begun - _CLOCK <= time <= over + _CLOCK
            and (commit.kind != "amend" or "--amend" in command)
            and (commit.kind not in _COPYING or commit.kind in git_verbs(log.entries[index].command or ""))
            and (
                gives_subject(command, commit.subject)
                or merges_branch(log.entries[index].command or "", commit.subject)
            )
            and _knew(log, commit, index, written)
        ]
        free = [index for index in fits if left[index] > 0]
        if free:
            found[commit.id] = (free[0], "imported")
            left[free[0]] -= 1
        else:
            contested |= set(fits)
    return {commit: match for commit, match in found.items() if match[0] not in contested}


def _unknown_commits(log: Log, call: int, made: int) -> int:
    """How many commits a call may have made without a trace, besides the ``made`` ones that are known."""
    command = log.entries[call].command or ""
    verbs = git_verbs(command)
    result = log.result_of(call)
    if not verbs:
        return 0
    if result is None:
        return count_commits(command) - made
    event = log.entries[result].event
    failed = len(verbs) == 1 and isinstance(event, ToolResult) and find_no_commit(event.content)
    if failed or prints_ids(command):
        return 0
    return count_commits(command) - max(made, len(log.entries[result].commits))


def _knew(log: Log, commit: Commit, call: int, written: _Written) -> bool:
    """Whether the session wrote a file of a commit, or named one in a command, up to a call. True without
    files (a merge, an empty commit), and of a call that succeeded only because git did: that may have found
    the files by itself."""
    if commit.changes is None or len(commit.changes.parents) > 1 or not commit.changes.paths:
        return True
    if log.result_of(call) is not None and not hides_failure(log.entries[call].command or ""):
        return True
    names = {path.rpartition("/")[2] for p in commit.changes.paths for path in (p.path, p.old_path or p.path)}
    commands = (log.entries[index].command or "" for index in range(call, -1, -1))
    return any(name in command for command in commands for name in names) or written.before(call, commit)


def _span(log: Log, index: int) -> tuple[float, float]:
    """From when to when a call ran, in seconds since 1970; an empty span where the log has no times."""
    result = log.result_of(index)
    begun = seconds(log.entries[index].event.ts)
    over = seconds(log.entries[result].event.ts) if result is not None else None
    if begun is None:
        return (1.0, 0.0)
    return (begun, over if over is not None else begun + _UNANSWERED)


def _by_order(
    log: Log,
    commits: Sequence[Commit],
    named: Sequence[Commit],
    fixed: Mapping[str, tuple[int, Evidence]],
    written: _Written,
) -> dict[str, int]:
    """The match of the commits that hooks named for this session with its calls that may commit: in the same
    order, and with the greatest total plausibility."""
    rank = {c.id: i for i, c in enumerate(commits)}
    pins = [(rank[c], call) for c, (call, _) in fixed.items() if c in rank]
    made = Counter(call for call, _ in fixed.values())
    left = {i: count_commits(log.entries[i].command or "") - made[i] for i in _candidates(log)}
    values: list[dict[int, float]] = []
    for commit in named:
        first = max((call for pin, call in pins if pin < rank[commit.id]), default=0)
        last = min((call for pin, call in pins if pin > rank[commit.id]), default=len(log.entries))
        calls = (i for i, more in left.items() if more > 0 and first <= i <= last)
        each = ((i, _plausibility(log, commit, i, written)) for i in calls)
        values.append({i: value for i, value in each if value > 0})
    fits = Counter(call for each in values for call in each)
    slots = [call for call, more in left.items() for _ in range(min(more, fits[call]))]

    best = [[0.0] * (len(slots) + 1)]
    for value in values:
        above, row = best[-1], [0.0]
        for j, call in enumerate(slots, 1):
            taken = above[j - 1] + value[call] if call in value else -1.0
            row.append(max(above[j], row[-1], taken))
        best.append(row)
    matched: dict[str, int] = {}
    i, j = len(named), len(slots)
    while i and j:
        plausible = values[i - 1].get(slots[j - 1])
        if plausible is not None and best[i][j] == best[i - 1][j - 1] + plausible:
            matched[named[i - 1].id] = slots[j - 1]
            i, j = i - 1, j - 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i -= 1
    return matched


def _candidates(log: Log) -> list[int]:
    return [index for index, entry in enumerate(log.entries) if entry.command and may_commit(entry.command)]


def _plausibility(log: Log, commit: Commit, call: int, written: _Written) -> float:
    """How well a command and its result fit a commit; at zero or below they do not."""
    command = log.entries[call].command or ""
    verbs = git_verbs(command)
    result = log.result_of(call)
    away = log.places[call] == "elsewhere"
    if not verbs:
        # a script may have committed, if it ran at the time or the commit holds what the session wrote
        likely = _is_open(log, call) or written.before(call, commit)
        return 0.5 if likely and not away else 0.0
    value = 4.0 if not away else -6.0
    if commit.subject and commit.subject in command:
        value += 8
    elif gives_message(command):
        value -= 3  # another message (a commit-msg hook may have changed it)
    amends = "--amend" in command
    value += 3 if (commit.kind == "amend") == amends else (-2 if amends else -8)
    if commit.kind in ("cherry-pick", "revert", "am"):
        value += 2 if commit.kind in verbs else -2
    elif commit.kind == "merge":
        value += 2 if "commit" in verbs else -2  # the reflog says merge only after a conflict
    if result is None:
        return value + (2 if _is_open(log, call) else 0)
    event = log.entries[result].event
    if isinstance(event, ToolResult):
        value -= 3 if event.is_error else 0
        value -= 15 if find_no_commit(event.content) else 0
    if log.entries[result].commits:
        value -= 3  # it printed other ids
    return value


def _is_open(log: Log, call: int) -> bool:
    """Whether a call is still running as far as the log shows: no result, and nothing after it."""
    if log.result_of(call) is not None:
        return False
    own = log.entries[call].event.response
    later = (log.entries[i].event for i in range(call + 1, len(log.entries)))
    return not any(
        isinstance(e, Prompt | Message) or (isinstance(e, ToolCall) and e.response != own) for e in later
    )


class _Written:
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

    def before(self, call: int, commit: Commit) -> bool:
        """Whether the session wrote a file of the commit before a call."""
        paths = commit.changes.paths if commit.changes else ()
        return any(self._first.get(p.path, call) < call for p in paths)
