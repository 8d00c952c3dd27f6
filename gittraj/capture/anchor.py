"""Finds the call that made a commit: by the call id in the hook's environment, by the commit id that a result
printed, by the message in a command that ran when the commit was made (or by its time alone, if the hook's
environment shows the agent), or by matching a session's commits, in order, to its calls that can commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from gittraj.capture.commit_command import (
    can_commit,
    count_commits,
    find_no_commit,
    gives_message,
    gives_subject,
    hides_failure,
    merges_branch,
    normalise,
    prints_ids,
)
from gittraj.capture.own import Anchor
from gittraj.capture.plausibility import (
    COPYING,
    UNANSWERED,
    Found,
    Written,
    find_candidates,
    match_in_order,
    plausibility,
    ran_at,
)
from gittraj.capture.session import CLOCK, Commit, Log
from gittraj.events.runs.git_commands import git_verbs
from gittraj.frozen import dataclass
from gittraj.model.signs import CONFIGURED
from gittraj.model.times import seconds
from gittraj.model.values import Evidence, ToolCall, ToolResult
from gittraj.state.spool import NAMED

_CERTAIN = 100.0
_SHORTEST_SUBJECT = 3


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
    written = Written(log)
    fixed = _by_message(log, commits, fixed, written) | fixed
    fixed |= {c: (a.call, a.evidence) for a in known if a.evidence != "content" for c in a.commits}
    named = [c for c in commits if log.name in c.sessions and c.id not in fixed]
    ordered = match_in_order(log, commits, named, fixed, written) if named else {}
    matches: list[Match] = []
    for commit in commits:
        if commit.id in fixed:
            call, evidence = fixed[commit.id]
            weight = _CERTAIN if evidence != "order" or written.before(call, commit) else _CERTAIN / 2
            matches.append(Match(commit=commit.id, call=call, evidence=evidence, weight=weight))
        elif commit.id in ordered:
            call = ordered[commit.id]
            weight = plausibility(log, commit, call, written)
            matches.append(Match(commit=commit.id, call=call, evidence="agent", weight=weight))
    return [*matches, *_by_hooks(log, named, matches)]


def _by_hooks(log: Log, named: Sequence[Commit], matches: Iterable[Match]) -> Iterator[Match]:
    """The commits that a hook of the user's made on top of a call's commit, before the call ended: whatever
    runs with the session's environment may commit a moment later."""
    made = {match.commit: match for match in matches}
    for commit in named:
        below = commit.changes.parents[:1] if commit.changes else ()
        match = next((made[parent] for parent in below if parent in made), None)
        if match and commit.id not in made and not commit.terminal and _ran_within(log, match.call, commit):
            made[commit.id] = replace(match, commit=commit.id, evidence="agent")
            yield made[commit.id]


def _ran_within(log: Log, call: int, commit: Commit) -> bool:
    call_ran = _dated_call(log, call) if log.result_of(call) is not None else None
    time = commit.changes.time if commit.changes else 0.0
    return call_ran is not None and call_ran.begun - CLOCK <= time <= call_ran.over


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


def _by_call_id(log: Log, commits: Sequence[Commit]) -> Found:
    calls = {
        entry.event.call_id: index
        for index, entry in enumerate(log.entries)
        if isinstance(entry.event, ToolCall) and entry.event.call_id
    }
    return {
        c.id: (calls[c.call], "agent")
        for c in commits
        if log.name in c.sessions
        and c.call is not None
        and c.call in calls
        # a terminal that a call opened keeps the call's environment
        and ran_at(log, calls[c.call], c) is not False
    }


def _by_output(log: Log, commits: Sequence[Commit]) -> Found:
    """Match results that printed a commit's id: only those of calls that may commit, since others may show
    old output. If an id was printed twice (a rebase back onto it), the first call made the commit."""
    calls = _calls_that_printed(log)
    found: Found = {}
    lengths = {len(short) for short in calls}
    for commit in commits:
        named = log.name in commit.sessions
        if commit.call is not None and commit.sessions and not named:
            continue  # the environment names another session's call: this one only printed the id
        for index in sorted(calls[short] for n in lengths if (short := commit.id[:n]) in calls):
            if named or _may_have_made(log, index, commit):
                found[commit.id] = (index, "agent" if named else "output")
                break
    return found


def _calls_that_printed(log: Log) -> dict[str, int]:
    """The first call that may commit whose result printed each (short) commit id."""
    calls: dict[str, int] = {}
    for index in find_candidates(log):
        result = log.result_of(index)
        if result is not None:
            for short in log.entries[result].commits:
                calls.setdefault(short, index)
    return calls


def _may_have_made(log: Log, call: int, commit: Commit) -> bool:
    """False if the call only shows a commit that was made earlier or elsewhere."""
    return not commit.foreign and log.places[call] != "elsewhere" and ran_at(log, call, commit) is not False


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that may have made commits without a trace, and when it ran, in seconds since 1970."""

    index: int
    command: str
    normalised: str
    begun: float
    over: float

    def ran_at(self, time: float) -> bool:
        return self.begun - CLOCK <= time <= self.over + CLOCK

    def gives(self, commit: Commit, agent: str) -> bool:
        """Whether the command fits the commit's kind and gives its subject; or no message, if the environment
        of the commit's hook shows the ``agent``."""
        amends = "--amend" in self.normalised
        if commit.kind == "amend" and not amends:
            return False
        if commit.kind in COPYING and commit.kind not in git_verbs(self.command):
            return False
        # people set such variables in shells of their own
        signed = commit.mark == agent and not commit.terminal and commit.mark not in CONFIGURED.values()
        if signed and not gives_message(self.command):
            return commit.kind == "amend" or not amends or count_commits(self.command) > 1
        named = len(commit.subject) >= _SHORTEST_SUBJECT and gives_subject(self.normalised, commit.subject)
        return named or merges_branch(self.command, commit.subject)


def _by_message(log: Log, commits: Sequence[Commit], fixed: Found, written: Written) -> Found:
    """Commits that no hook named, whose subject is in the command of a call that was running when they were
    made, and whose files the session knew. Only all three together are evidence; if the hook's environment
    shows the agent, no subject is needed. A call that printed other
    ids made those. Commits of files that the session wrote come first: another agent may give the same
    subject at the same moment."""
    left = _count_unknown(log, fixed)
    unnamed = [commit for commit in commits if commit.id not in fixed and _is_unnamed(log, commit)]
    fits = _calls_that_fit(log, unnamed, left, written)
    mine = {c.id for c in unnamed if any(written.before(call, c) for call in fits.get(c.id, ()))}
    found = _give_out({c: each for c, each in fits.items() if c in mine}, left)
    left = {call: left[call] for call in left if call not in {made for made, _ in found.values()}}
    return found | _give_out({c: each for c, each in fits.items() if c not in mine}, left)


def _is_unnamed(log: Log, commit: Commit) -> bool:
    """Whether no hook named a commit's session, and it may be this one's."""
    if commit.sessions or commit.foreign or (commit.hooked and log.agent in NAMED):
        return False
    # a log that does not name its folder may be another repository's
    return not commit.hooked or log.fact("folder") is not None or commit.mark == log.agent


def _calls_that_fit(
    log: Log, commits: Sequence[Commit], candidates: Iterable[int], written: Written
) -> dict[str, list[int]]:
    """The calls that ran when each commit was made, gave its subject, and knew its files."""
    calls = [call for index in candidates if (call := _dated_call(log, index))]
    if not calls:
        return {}
    # most commits of a long history are older or younger than all calls
    whole = replace(calls[0], begun=min(c.begun for c in calls), over=max(c.over for c in calls))
    fits: dict[str, list[int]] = {}
    for commit in commits:
        time = commit.changes.time if commit.changes else 0
        if whole.ran_at(time):
            running = (call for call in calls if call.ran_at(time) and call.gives(commit, log.agent))
            fits[commit.id] = [call.index for call in running if _knew(log, commit, call.index, written)]
    return fits


def _give_out(fits: Mapping[str, Sequence[int]], left: Mapping[int, int]) -> Found:
    """Give each commit one of its calls. If more commits fit a call than it can make, none gets it."""
    more = dict(left)
    found: Found = {}
    contested: set[int] = set()
    for commit, calls in fits.items():
        free = next((call for call in calls if more.get(call, 0) > 0), None)
        if free is None:
            contested |= {*calls}
        else:
            found[commit] = (free, "order")
            more[free] -= 1
    return {commit: match for commit, match in found.items() if match[0] not in contested}


def _count_unknown(log: Log, fixed: Found) -> dict[int, int]:
    """How many commits each call may have made here besides those that are known; only calls with some."""
    made = Counter(call for call, _ in fixed.values())
    able = (i for i in find_candidates(log) if log.places[i] != "elsewhere" and not log.failed(i))
    counts = {index: _unknown_commits(log, index, made[index]) for index in able}
    return {index: count for index, count in counts.items() if count > 0}


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
    failed = len(verbs) == 1 and isinstance(event, ToolResult) and find_no_commit(event.content, command)
    if failed or prints_ids(command):
        return 0
    return count_commits(command) - max(made, len(log.entries[result].commits))


def _knew(log: Log, commit: Commit, call: int, written: Written) -> bool:
    """Whether the session wrote a file of a commit, or named one in a command, up to a call. True without
    files (a merge, an empty commit), and for a call that succeeds only if git does: git may have found the
    files by itself."""
    changes = commit.changes
    if changes is None or len(changes.parents) > 1 or not changes.paths:
        return True
    if log.result_of(call) is not None and not hides_failure(log.entries[call].command or ""):
        return True
    names = {path.rpartition("/")[2] for p in changes.paths for path in (p.path, p.old_path or p.path)}
    commands = (log.entries[index].command or "" for index in range(call, -1, -1))
    return any(name in command for command in commands for name in names) or written.before(call, commit)


def _dated_call(log: Log, index: int) -> _Call | None:
    """The call with its times; None if the log has none."""
    begun = seconds(log.entries[index].event.ts)
    if begun is None:
        return None
    result = log.result_of(index)
    over = seconds(log.entries[result].event.ts) if result is not None else None
    command = log.entries[index].command or ""
    return _Call(index, command, normalise(command), begun, begun + UNANSWERED if over is None else over)
