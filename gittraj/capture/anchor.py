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
    git_verbs,
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
    Calls,
    Written,
    find_candidates,
    match_in_order,
    plausibility,
    ran_at,
)
from gittraj.capture.session import CLOCK, Commit, Log
from gittraj.frozen import dataclass
from gittraj.git import CommitChanges
from gittraj.model.signs import CONFIGURED
from gittraj.model.times import seconds
from gittraj.model.values import Evidence, ToolCall, ToolResult
from gittraj.state.spool import NAMED

_CERTAIN = 100.0
_SHORTEST_SUBJECT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """``commit`` was made by the call at index ``call``. The greatest ``weight`` decides between logs which
    could both have made the commit (an agent and its subagent name the same session)."""

    commit: str
    call: int
    evidence: Evidence
    weight: float = 0.0


def match_commits(log: Log, commits: Sequence[Commit], *, known: Sequence[Anchor] = ()) -> list[Match]:
    """Match those of ``commits`` (of one worktree, in the reflog's order) that this session made with their
    calls. Commits of the anchors ``known`` keep their calls."""
    written = Written(log)
    fixed = _find_fixed(log, commits, known, written)
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


def _find_fixed(log: Log, commits: Sequence[Commit], known: Sequence[Anchor], written: Written) -> Calls:
    """The calls that known anchors, call ids, printed commit ids and messages show, without their order."""
    fixed = _by_output(log, commits) | _by_call_id(log, commits)
    fixed = _by_message(log, commits, fixed, written) | fixed
    return fixed | {c: (a.call, a.evidence) for a in known if a.evidence != "content" for c in a.commits}


def _by_hooks(log: Log, named: Sequence[Commit], matches: Iterable[Match]) -> Iterator[Match]:
    """Match commits that one of the user's own hooks made on top of a call's commit, before the call ended:
    whatever runs with the session's environment may commit a moment later."""
    made = {match.commit: match for match in matches}
    for commit in named:
        below = commit.changes.parents[:1] if commit.changes else ()
        match = next((made[parent] for parent in below if parent in made), None)
        if match and commit.id not in made and not commit.terminal and _ran_within(log, match.call, commit):
            made[commit.id] = replace(match, commit=commit.id, evidence="agent")
            yield made[commit.id]


def _ran_within(log: Log, call: int, commit: Commit) -> bool:
    """Whether a commit was made while a call, whose result is known, was running."""
    call_ran = _dated_call(log, call) if log.result_of(call) is not None else None
    return call_ran is not None and call_ran.begun - CLOCK <= (commit.time or 0.0) <= call_ran.over


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


def _by_call_id(log: Log, commits: Sequence[Commit]) -> Calls:
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


def _by_output(log: Log, commits: Sequence[Commit]) -> Calls:
    """Match commits whose id a result printed: only a result of a call that may commit, since others may show
    old output. If an id was printed twice (a rebase back onto it), the first call made the commit."""
    calls = _calls_that_printed(log)
    matched: Calls = {}
    lengths = {len(short) for short in calls}
    for commit in commits:
        if _is_of_another(commit, log):
            continue  # this session only printed the id
        named = log.name in commit.sessions
        for index in sorted(calls[short] for n in lengths if (short := commit.id[:n]) in calls):
            if named or _may_have_made(log, index, commit):
                matched[commit.id] = (index, "agent" if named else "output")
                break
    return matched


def _is_of_another(commit: Commit, log: Log) -> bool:
    """Whether the environment of the commit's hook names a call of another session."""
    return commit.call is not None and bool(commit.sessions) and log.name not in commit.sessions


def _calls_that_printed(log: Log) -> dict[str, int]:
    """Map each (short) commit id that a result printed to the first call that printed it and may commit."""
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
    """A call that may have made commits without printing their ids, and when it ran (seconds since 1970)."""

    index: int
    command: str
    normalised: str
    begun: float
    over: float

    def ran_at(self, commit: Commit) -> bool:
        return self.begun - CLOCK <= (commit.time or 0.0) <= self.over + CLOCK

    def gives_message_of(self, commit: Commit, agent: str) -> bool:
        """Whether the command fits the commit's kind and gives its subject; or no message, if the environment
        of the commit's hook shows the ``agent``."""
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


def _by_message(log: Log, commits: Sequence[Commit], fixed: Calls, written: Written) -> Calls:
    """Match commits that no hook named, whose subject is in the command of a call that was running when they
    were made, and whose files the session knew. Only all three together are evidence; if the hook's
    environment shows the agent, no subject is needed. A call that printed other ids made those commits.
    Commits of files that the session wrote come first: another agent may give the same subject then."""
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
    """The calls that ran when each commit was made, gave its subject, and knew its files: first those of
    commits with a file that the session wrote before such a call, then those of other commits."""
    calls = [call for index in candidates if (call := _dated_call(log, index))]
    mine: dict[str, list[int]] = {}
    others: dict[str, list[int]] = {}
    for commit in _made_meanwhile(calls, commits):
        running = (c for c in calls if c.ran_at(commit) and c.gives_message_of(commit, log.agent))
        fit = [call.index for call in running if _knew(log, commit, call.index, written)]
        wrote = any(written.before(call, commit) for call in fit)
        (mine if wrote else others)[commit.id] = fit
    return mine, others


def _made_meanwhile(calls: Sequence[_Call], commits: Sequence[Commit]) -> Iterable[Commit]:
    """The commits between the first call and the last: most of a long history are older or younger."""
    if not calls:
        return ()
    whole = replace(calls[0], begun=min(c.begun for c in calls), over=max(c.over for c in calls))
    return filter(whole.ran_at, commits)


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
    return _names_file(log, changes, call) or written.before(call, commit)


def _names_file(log: Log, changes: CommitChanges, call: int) -> bool:
    """Whether the name of a file of a commit is in the command of a call, or in an earlier one."""
    names = {path.rpartition("/")[2] for p in changes.paths for path in (p.path, p.old_path or p.path)}
    commands = (log.entries[index].command or "" for index in range(call, -1, -1))
    return any(name in command for command in commands for name in names)


def _dated_call(log: Log, index: int) -> _Call | None:
    """The call at an index with its times; None if the log has no time for it."""
    begun = seconds(log.entries[index].event.ts)
    if begun is None:
        return None
    result = log.result_of(index)
    over = seconds(log.entries[result].event.ts) if result is not None else None
    command = log.entries[index].command or ""
    return _Call(index, command, normalise(command), begun, begun + UNANSWERED if over is None else over)
