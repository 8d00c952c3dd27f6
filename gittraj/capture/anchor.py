"""Finds the call that made a commit: by the call id in the hook's environment, by the commit id that a result
printed, by the message in a command that ran when the commit was made (or by its time alone, if the hook's
environment shows the agent), or by matching a session's commits, in order, to its calls that can commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from gittraj.capture.commit_command import can_commit
from gittraj.capture.message import dated_call, match_by_message
from gittraj.capture.own import Anchor
from gittraj.capture.plausibility import Calls, Written, find_candidates, match_in_order, plausibility, ran_at
from gittraj.capture.session import CLOCK, Commit, Log
from gittraj.frozen import dataclass
from gittraj.model.values import Evidence, ToolCall

_CERTAIN = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """``commit`` was made by the call at index ``call``. If two logs could both have made the commit, the
    greater ``weight`` decides (an agent and its subagent name the same session)."""

    commit: str
    call: int
    evidence: Evidence
    weight: float = 0.0


def match_commits(log: Log, commits: Sequence[Commit], *, known: Sequence[Anchor] = ()) -> list[Match]:
    """Match the commits that this session made, among ``commits`` (of one worktree, in the reflog's order),
    with the calls that made them. Commits of the anchors ``known`` keep their calls."""
    written = Written(log)
    fixed = _find_fixed(log, commits, known, written)
    named = [c for c in commits if log.name in c.sessions and c.id not in fixed]
    ordered = match_in_order(log, commits, named, fixed, written) if named else {}
    matches: list[Match] = []
    for commit in commits:
        if commit.id in fixed:
            call, evidence = fixed[commit.id]
            weight = _CERTAIN if evidence != "order" or written.wrote_before(call, commit) else _CERTAIN / 2
            matches.append(Match(commit=commit.id, call=call, evidence=evidence, weight=weight))
        elif commit.id in ordered:
            call = ordered[commit.id]
            weight = plausibility(log, commit, call, written)
            matches.append(Match(commit=commit.id, call=call, evidence="agent", weight=weight))
    return [*matches, *_by_hooks(log, named, matches)]


def _find_fixed(log: Log, commits: Sequence[Commit], known: Sequence[Anchor], written: Written) -> Calls:
    """The calls known from anchors, call ids, printed commit ids and messages, without considering their
    order."""
    fixed = _by_output(log, commits) | _by_call_id(log, commits)
    fixed = match_by_message(log, commits, fixed, written) | fixed
    return fixed | {c: (a.call, a.evidence) for a in known if a.evidence != "content" for c in a.commits}


def _by_hooks(log: Log, named: Sequence[Commit], matches: Iterable[Match]) -> Iterator[Match]:
    """Match commits that one of the user's own hooks made on top of a call's commit, before the call ended.
    After the call, any program that has the session's environment may commit."""
    made = {match.commit: match for match in matches}
    for commit in named:
        parents = commit.changes.parents[:1] if commit.changes else ()
        match = next((made[parent] for parent in parents if parent in made), None)
        if match and commit.id not in made and not commit.terminal and _ran_within(log, match.call, commit):
            made[commit.id] = replace(match, commit=commit.id, evidence="agent")
            yield made[commit.id]


def _ran_within(log: Log, call: int, commit: Commit) -> bool:
    """Whether a commit was made while a call, whose result is known, was running."""
    call_ran = dated_call(log, call) if log.result_of(call) is not None else None
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
        # a terminal that a call opened keeps the call's environment, even after the call
        and ran_at(log, calls[c.call], c) is not False
    }


def _by_output(log: Log, commits: Sequence[Commit]) -> Calls:
    """Match commits whose id a result printed: only a result of a call that may commit, since others may show
    old output. If an id was printed twice (say, by a rebase that returned to it), the first call made the
    commit."""
    calls = _calls_that_printed(log)
    matched: Calls = {}
    lengths = {len(short) for short in calls}
    for commit in commits:
        if _belongs_to_another(commit, log):
            continue  # this session only printed the id
        named = log.name in commit.sessions
        for index in sorted(calls[short] for n in lengths if (short := commit.id[:n]) in calls):
            if named or _may_have_made(log, index, commit):
                matched[commit.id] = (index, "agent" if named else "output")
                break
    return matched


def _belongs_to_another(commit: Commit, log: Log) -> bool:
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
