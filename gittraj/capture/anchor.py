"""The call that made a commit: by the call id that the hook's environment named, by the commit id that a
result printed, or by matching a session's commits, in order, to its calls that can commit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gittraj.capture.own import Anchor
from gittraj.capture.session import Commit, Log
from gittraj.model import Evidence, Message, Prompt, ToolCall, ToolResult

# No two ways to match the same text: commands come from an agent, and a regex can take for ever.
_WORD = r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"])++"
_GIT = rf"\bgit(?:\s+-[cC]\s+{_WORD}|\s+-(?![cC]\s)[\w-]+(?:={_WORD})?)*+\s+"
_COMMITS = re.compile(
    _GIT + r"(commit|cherry-pick|revert|am|merge|rebase|pull)(?![\w-])(?![^;&|\n]*--dry-run)"
)
_SCRIPT = re.compile(
    r"(?:^|[;&|(\n])[ \t]*(?:\.{0,2}/|(?:bash|sh|make|just|npm|pnpm|yarn|python3?|uv|cargo|tox)\b)"
)
_LOOP = re.compile(r"\b(?:for|while|until|xargs|parallel)\b")
_MESSAGE = re.compile(r"(?:^|\s)(?:-[a-zA-Z]*m|--message)\b")
_NOTHING = re.compile(
    r"nothing to commit|no changes added to commit|nothing added to commit|Aborting commit|"
    r"^CONFLICT |Automatic merge failed|could not apply",
    re.MULTILINE,
)
_SLOTS_OF_A_LOOP = 50
_END_OF_COMMAND = 5_000
_CERTAIN = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """``commit`` was made by the call at index ``call``; ``weight`` decides between sessions that could
    both have made it (an agent, and one that it started, name the same session)."""

    commit: str
    call: int
    evidence: Evidence
    weight: float = 0.0


def match_commits(log: Log, commits: Sequence[Commit], *, known: Sequence[Anchor] = ()) -> list[Match]:
    """The commits (of one worktree, in the reflog's order) that this session made, with their calls.
    What the calls of ``known`` made is no longer asked."""
    fixed = _by_output(log, commits) | _by_call_id(log, commits)
    fixed |= {c: (a.call, a.evidence) for a in known if a.evidence != "content" for c in a.commits}
    named = [c for c in commits if log.name in c.sessions and c.id not in fixed]
    ordered = _by_order(log, commits, named, fixed) if named else {}
    matches: list[Match] = []
    for commit in commits:
        if commit.id in fixed:
            call, evidence = fixed[commit.id]
            matches.append(Match(commit=commit.id, call=call, evidence=evidence, weight=_CERTAIN))
        elif commit.id in ordered:
            call = ordered[commit.id]
            weight = _plausibility(log, commit, call)
            matches.append(Match(commit=commit.id, call=call, evidence="agent", weight=weight))
    return matches


def anchors(log: Log, matches: Sequence[Match]) -> list[Anchor]:
    """One anchor per call, and one for each call that committed in another repository."""
    made: dict[int, list[Match]] = {}
    for match in matches:
        made.setdefault(match.call, []).append(match)
    found = [
        Anchor(call=call, commits=tuple(m.commit for m in group), evidence=group[0].evidence)
        for call, group in made.items()
    ]
    return found + [Anchor(call=call, commits=()) for call in commits_elsewhere(log) if call not in made]


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


def can_commit(command: str) -> bool:
    """Whether a shell command runs git so that a commit may come of it."""
    return bool(_verbs(command))


@lru_cache(maxsize=1024)
def _verbs(command: str) -> tuple[str, ...]:
    """What git is told to do, where a commit may come of it. Of a long command its two ends: between
    them stands a file that it writes."""
    if len(command) > 2 * _END_OF_COMMAND:
        command = f"{command[:_END_OF_COMMAND]}\n{command[-_END_OF_COMMAND:]}"
    return tuple(_COMMITS.findall(command))


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
    """A result that printed a commit's id. Only of a call that can commit: another may have shown
    somebody's output. One commit may be printed twice (a rebase back onto it): the first made it."""
    calls: dict[str, int] = {}
    for index in _candidates(log):
        result = log.result_of(index)
        if result is not None:
            for short in log.entries[result].commits:
                calls.setdefault(short, index)
    found: _Found = {}
    for commit in commits:
        if commit.call is not None and commit.sessions and log.name not in commit.sessions:
            continue  # the environment names another session's call: this one only printed the id
        for short, index in calls.items():
            away = log.places[index] == "elsewhere" and log.name not in commit.sessions
            if commit.id.startswith(short) and not away:
                found[commit.id] = (index, "agent" if log.name in commit.sessions else "output")
                break
    return found


def _by_order(
    log: Log, commits: Sequence[Commit], named: Sequence[Commit], fixed: Mapping[str, tuple[int, Evidence]]
) -> dict[str, int]:
    """The order-preserving match of the commits that the environment gives to this session with its calls
    that can commit, of the greatest total plausibility."""
    rank = {c.id: i for i, c in enumerate(commits)}
    pins = [(rank[c], call) for c, (call, _) in fixed.items() if c in rank]
    made = Counter(call for call, _ in fixed.values())
    slots: list[int] = []
    for index in _candidates(log):
        left = _capacity(log.entries[index].command or "") - made[index]
        slots += [index] * min(left, len(named))

    def score(commit: Commit, call: int) -> float:
        here = rank[commit.id]
        if any((here < pin and call > at) or (here > pin and call < at) for pin, at in pins):
            return -1.0
        return _plausibility(log, commit, call)

    best = [[0.0] * (len(slots) + 1) for _ in range(len(named) + 1)]
    for i, commit in enumerate(named, 1):
        for j, call in enumerate(slots, 1):
            value = score(commit, call)
            taken = best[i - 1][j - 1] + value if value > 0 else -1.0
            best[i][j] = max(best[i - 1][j], best[i][j - 1], taken)
    matched: dict[str, int] = {}
    i, j = len(named), len(slots)
    while i and j:
        value = score(named[i - 1], slots[j - 1])
        if value > 0 and best[i][j] == best[i - 1][j - 1] + value:
            matched[named[i - 1].id] = slots[j - 1]
            i, j = i - 1, j - 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i -= 1
    return matched


def _candidates(log: Log) -> list[int]:
    return [
        index
        for index, entry in enumerate(log.entries)
        if entry.command and (can_commit(entry.command) or _SCRIPT.search(entry.command))
    ]


def _capacity(command: str) -> int:
    """How many commits a command may make."""
    made = len(_verbs(command))
    return _SLOTS_OF_A_LOOP if not made or _LOOP.search(command) else made


def _plausibility(log: Log, commit: Commit, call: int) -> float:
    """How well a command and its result fit a commit; nothing above zero means: not this one."""
    command = log.entries[call].command or ""
    verbs = _verbs(command)
    result = log.result_of(call)
    away = log.places[call] == "elsewhere"
    if not verbs:
        # a script may have committed, if it ran at the time or the commit holds what the session wrote
        likely = _is_open(log, call) or _wrote(log, commit, call)
        return 0.5 if likely and not away else 0.0
    value = 4.0 if not away else -6.0
    said = bool(commit.subject) and commit.subject in command
    if said:
        value += 8
    elif _MESSAGE.search(command) and "$(" not in command and "--amend" not in command:
        value -= 3  # a message was given, and it is another one (a commit-msg hook may have changed it)
    amends = "--amend" in command
    value += 3 if (commit.kind == "amend") == amends else (-2 if amends else -8)
    if commit.kind in ("cherry-pick", "revert", "am"):
        value += 2 if commit.kind in verbs else -2
    elif commit.kind == "merge":
        value += 2 if "commit" in verbs else -2  # the reflog names so only what ended a conflict
    if result is None:
        return value + (2 if _is_open(log, call) else 0)
    event = log.entries[result].event
    if isinstance(event, ToolResult):
        value -= 3 if event.is_error else 0
        value -= 15 if _NOTHING.search(event.content) else 0
    if log.entries[result].commits:
        value -= 3  # it printed ids, and not this one
    return value


def _is_open(log: Log, call: int) -> bool:
    """Whether a call runs still, as far as the log tells: it has no result, and nothing came after it."""
    own = log.entries[call].event.response
    later = (entry.event for entry in log.entries[call + 1 :])
    return log.result_of(call) is None and not any(
        isinstance(e, Prompt | Message) or (isinstance(e, ToolCall) and e.response != own) for e in later
    )


def _wrote(log: Log, commit: Commit, call: int) -> bool:
    """Whether the session wrote a file of the commit before a call."""
    paths = {p.path for p in commit.changes.paths} if commit.changes else set()
    return any(edit.path in paths for index in range(call) for edit in log.edits(index))
