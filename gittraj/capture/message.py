"""Finds the call that made a commit by the message in a command that ran when the commit was made, or by its
time alone, if the environment of the commit's hook shows the agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gittraj.capture.commit_command import (
    count_commits,
    find_no_commit,
    gives_message,
    gives_subject,
    hides_failure,
    merges_branch,
    normalise,
    prints_ids,
)
from gittraj.capture.plausibility import COPYING, UNANSWERED, Calls, Written, call_times, find_candidates
from gittraj.capture.session import CLOCK, Commit, Log
from gittraj.events.runs.git_commands import git_verbs
from gittraj.frozen import dataclass
from gittraj.git import CommitChanges
from gittraj.model.signs import CONFIGURED
from gittraj.model.values import ToolResult
from gittraj.state.spool import NAMED

_SHORTEST_SUBJECT = 3


@dataclass(frozen=True, slots=True)
class DatedCall:
    """A call that may have made commits without printing their ids, and when it ran (seconds since 1970)."""

    index: int
    command: str
    normalised: str
    begun: float
    over: float

    def ran_at(self, commit: Commit) -> bool:
        return self.begun - CLOCK <= (commit.time or 0.0) <= self.over + CLOCK

    def gives_message_of(self, commit: Commit, agent: str) -> bool:
        """Whether the command fits the commit's kind and gives its subject. If the environment of the
        commit's hook shows the ``agent``, a command that gives no message fits, too."""
        if not self._fits_kind(commit):
            return False
        if _shows(commit, agent) and not gives_message(self.command):
            return commit.kind == "amend" or not self._amends or count_commits(self.command) > 1
        named = len(commit.subject) >= _SHORTEST_SUBJECT and gives_subject(self.normalised, commit.subject)
        return named or merges_branch(self.command, commit.subject)

    @property
    def _amends(self) -> bool:
        return "--amend" in self.normalised

    def _fits_kind(self, commit: Commit) -> bool:
        if commit.kind in COPYING:
            return commit.kind in git_verbs(self.command)
        return commit.kind != "amend" or self._amends


def _shows(commit: Commit, agent: str) -> bool:
    """Whether the environment of a commit's hook shows an agent, by variables that people do not set
    themselves."""
    return commit.mark == agent and not commit.terminal and commit.mark not in CONFIGURED.values()


def match_by_message(log: Log, commits: Sequence[Commit], fixed: Calls, written: Written) -> Calls:
    """Match commits that no hook named, whose subject is in the command of a call that was running when they
    were made, and whose files the session knew. Only all three together are evidence; if the hook's
    environment shows the agent, no subject is needed. A call that printed other ids made those commits.
    Commits of files that the session wrote come first: another agent may give the same subject at that
    time."""
    left = _count_unknown(log, fixed)
    unnamed = [commit for commit in commits if commit.id not in fixed and _is_unnamed(log, commit)]
    mine, others = _calls_that_fit(log, unnamed, left, written)
    matched = _give_out(mine, left)
    used = {call for call, _ in matched.values()}
    return matched | _give_out(others, {call: count for call, count in left.items() if call not in used})


def _is_unnamed(log: Log, commit: Commit) -> bool:
    """Whether no hook named the session of a commit, and this session may have made it."""
    if commit.sessions or commit.foreign or (commit.hooked and log.agent in NAMED):
        return False
    # a log that does not name its folder may be another repository's
    return not commit.hooked or log.fact("folder") is not None or commit.mark == log.agent


def _calls_that_fit(
    log: Log, commits: Sequence[Commit], candidates: Iterable[int], written: Written
) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """Map each commit to the calls that ran when it was made and gave its subject, if the session knew its
    files. The first map has the commits with a file that the session wrote before such a call, the second the
    others."""
    calls = [call for index in candidates if (call := dated_call(log, index))]
    mine: dict[str, list[int]] = {}
    others: dict[str, list[int]] = {}
    for commit in _made_meanwhile(calls, commits):
        running = (c for c in calls if c.ran_at(commit) and c.gives_message_of(commit, log.agent))
        fit = [call.index for call in running if _knew(log, commit, call.index, written)]
        wrote = any(written.wrote_before(call, commit) for call in fit)
        (mine if wrote else others)[commit.id] = fit
    return mine, others


def _made_meanwhile(calls: Sequence[DatedCall], commits: Sequence[Commit]) -> Iterable[Commit]:
    """The commits between the first call and the last: most of a long history are older or younger."""
    if not calls:
        return ()
    # one call, from the first begin to the last end
    combined = replace(calls[0], begun=min(c.begun for c in calls), over=max(c.over for c in calls))
    return filter(combined.ran_at, commits)


def _give_out(fits: Mapping[str, Sequence[int]], left: Mapping[int, int]) -> Calls:
    """Give each commit one of the calls that fit it; ``left`` says how many commits each call can make. If
    more commits fit a call than it can make, none of them gets it."""
    more = dict(left)
    given: Calls = {}
    contested: set[int] = set()
    for commit, calls in fits.items():
        free = next((call for call in calls if more.get(call, 0) > 0), None)
        if free is None:
            contested |= {*calls}
        else:
            given[commit] = (free, "order")
            more[free] -= 1
    return {commit: match for commit, match in given.items() if match[0] not in contested}


def _count_unknown(log: Log, fixed: Calls) -> dict[int, int]:
    """How many commits, besides the known ones, each call may have made here, if any."""
    made = Counter(call for call, _ in fixed.values())
    able = (i for i in find_candidates(log) if log.places[i] != "elsewhere" and not log.failed(i))
    counts = {index: _unknown_commits(log, index, made[index]) for index in able}
    return {index: count for index, count in counts.items() if count > 0}


def _unknown_commits(log: Log, call: int, made: int) -> int:
    """How many commits a call may have made without printing their ids, besides ``made`` known ones."""
    command = log.entries[call].command or ""
    verbs = git_verbs(command)
    result = log.result_of(call)
    if not verbs:
        return 0
    if result is None:
        return count_commits(command) - made
    event = log.entries[result].event
    failed = len(verbs) == 1 and isinstance(event, ToolResult) and find_no_commit(event.content, command)
    if failed or prints_ids(command):
        return 0
    return count_commits(command) - max(made, len(log.entries[result].commits))


def _knew(log: Log, commit: Commit, call: int, written: Written) -> bool:
    """Whether the session wrote a file of a commit before a call, or named one in a command up to it. True
    for a commit without files (a merge, an empty one), and for a call that succeeds only if git does: git may
    have found the files without their names."""
    changes = commit.changes
    if changes is None or len(changes.parents) > 1 or not changes.paths:
        return True
    if log.result_of(call) is not None and not hides_failure(log.entries[call].command or ""):
        return True
    return _names_file(log, changes, call) or written.wrote_before(call, commit)


def _names_file(log: Log, changes: CommitChanges, call: int) -> bool:
    """Whether the name of a file of a commit is in the command of a call, or in an earlier one."""
    names = {path.rpartition("/")[2] for path in changes.names}
    commands = (log.entries[index].command or "" for index in range(call, -1, -1))
    return any(name in command for command in commands for name in names)


def dated_call(log: Log, index: int) -> DatedCall | None:
    """The call at an index with its times; None if the log has no time for it."""
    begun, over = call_times(log, index)
    if begun is None:
        return None
    command = log.entries[index].command or ""
    return DatedCall(index, command, normalise(command), begun, begun + UNANSWERED if over is None else over)
