"""The call that made a commit: by the call id that the hook's environment named, by the commit id that a
result printed, by the message that a command gave at the time when the commit was made, or by matching
a session's commits, in order, to its calls that can commit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from gittraj.capture.own import Anchor
from gittraj.capture.session import Commit, Log
from gittraj.model.times import seconds
from gittraj.model.values import Evidence, Message, Prompt, ToolCall, ToolResult

# No two ways to match the same text: commands come from an agent, and a regex can take for ever.
_WORD = r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"])++"
_GIT = rf"\bgit(?:\s+-[cC]\s+{_WORD}|\s+-(?![cC]\s)[\w-]+(?:={_WORD})?)*+\s+"
_COMMITS = re.compile(
    _GIT + r"(commit|cherry-pick|revert|am|merge|rebase|pull)(?![\w-])(?![^;&|\n]*--dry-run)"
)
_SCRIPT = re.compile(
    r"(?:^|[;&|(\n])[ \t]*(?:\.{0,2}/|(?:bash|sh|make|just|npm|pnpm|yarn|python3?|uv|cargo|tox)\b)"
)
_HIDES = re.compile(r"[;|\n]|(?<!&)&(?!&)")
"""What lets a command succeed though git in it did not."""
_LOOP = re.compile(r"\b(?:for|while|until|xargs|parallel)\b")
_MESSAGE = re.compile(r"(?:^|\s)(?:-[a-zA-Z]*m|--message)\b")
_NOTHING = re.compile(
    r"nothing to commit|no changes added to commit|nothing added to commit|Aborting commit|"
    r"Already up to date|^CONFLICT |Automatic merge failed|could not apply",
    re.MULTILINE,
)
_TELLING = {"commit", "cherry-pick", "revert"}
"""What prints the id of a commit that it makes, unless it is told to be quiet or nobody sees what it says."""
_COPYING = {"cherry-pick", "revert", "am"}
"""Kinds of commits whose subject is another's: a call that gave it made that one."""
_QUIET = re.compile(r"(?:^|\s)(?:-[a-zA-Z]*q|--quiet)|>|(?<!\|)\|(?!\|)")
_MESSAGE_IS = re.compile(r"(?:\s-[a-zA-Z]*m|\s--message)[ =]?\0?$")
_MERGED = re.compile(r"Merge (?:remote-tracking )?branch '([^']+)'")
_SLOTS_OF_A_LOOP = 50
_END_OF_COMMAND = 5_000
_CERTAIN = 100.0
_SHORTEST_SUBJECT = 3
_CLOCK = 2.0
"""Seconds: git's times are whole ones, and a log tells of a call a moment after it began."""
_UNANSWERED = 60.0
"""Seconds that a call without a result may have run."""


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
    """A commit that no environment tells of, whose subject stands in the command of a call that ran when it
    was made, and of whose files the session knew. None of it alone says anything; a call that printed other
    ids made others, and where more commits fit than a call can make, it may have made any of them."""
    made = Counter(call for call, _ in fixed.values())
    left = {
        index: unseen
        for index in _candidates(log)
        if log.places[index] != "elsewhere"
        and not log.failed(index)
        and (unseen := _unseen(log, index, made[index])) > 0
    }
    calls = [(index, _spelled(log.entries[index].command or ""), *_span(log, index)) for index in left]
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
            and (commit.kind not in _COPYING or commit.kind in _verbs(log.entries[index].command or ""))
            and (_gives(command, commit.subject) or _merges(log, index, commit))
            and _knew(log, commit, index, written)
        ]
        free = [index for index in fits if left[index] > 0]
        if free:
            found[commit.id] = (free[0], "imported")
            left[free[0]] -= 1
        else:
            contested |= set(fits)
    return {commit: match for commit, match in found.items() if match[0] not in contested}


def _merges(log: Log, call: int, commit: Commit) -> bool:
    """Whether a call names the branch that a merge, by git's own message, brought in."""
    command = log.entries[call].command or ""
    found = _MERGED.match(commit.subject)
    return bool(
        found and "merge" in _verbs(command) and re.search(rf"(?<!\S){re.escape(found[1])}(?!\S)", command)
    )


def _unseen(log: Log, call: int, made: int) -> int:
    """How many commits a call may have made of which nothing tells, beside ``made`` ones that are known."""
    command = log.entries[call].command or ""
    verbs = _verbs(command)
    result = log.result_of(call)
    if not verbs:
        return 0
    if result is None:
        return _capacity(command) - made
    event = log.entries[result].event
    failed = len(verbs) == 1 and isinstance(event, ToolResult) and told_nothing(event.content)
    if failed or (_TELLING.issuperset(verbs) and not _QUIET.search(command)):
        return 0
    return _capacity(command) - max(made, len(log.entries[result].commits))


def _knew(log: Log, commit: Commit, call: int, written: _Written) -> bool:
    """Whether the session wrote a file of a commit, or a command named one, until a call. A merge and an
    empty commit have none of their own; and a call that had to make a commit may have found its files."""
    if commit.changes is None or len(commit.changes.parents) > 1 or not commit.changes.paths:
        return True
    if log.result_of(call) is not None and not _HIDES.search(log.entries[call].command or ""):
        return True
    names = {path.rpartition("/")[2] for p in commit.changes.paths for path in (p.path, p.old_path or p.path)}
    told = (log.entries[index].command or "" for index in range(call, -1, -1))
    return any(name in command for command in told for name in names) or written.before(call, commit)


def told_nothing(output: str) -> str:
    """The words in an output by which git says that it made no commit; empty if there are none."""
    found = _NOTHING.search(output)
    return found[0] if found else ""


def _spelled(text: str) -> str:
    """A text as a shell may be told it: blanks folded, a mark for quotes and line ends, without escapes."""
    marked = re.sub(r"(?:\\+n|['\"\n])+", "\0", text).replace("\\", "")
    return re.sub(r"[ \t]*\0[ \t\0]*", "\0", " ".join(re.split(r"[ \t]+", marked)))


def _gives(command: str, subject: str) -> bool:
    """Whether a command (spelled) holds a subject as a whole: in quotes, on a line, or a word after -m."""
    told = _spelled(subject).strip("\0")
    at = command.find(told) if told else -1
    while at >= 0:
        before, after = command[:at], command[at + len(told) :]
        begins = before.endswith("\0") or not before
        named = _MESSAGE_IS.search(before) is not None
        ends = not after or after.startswith("\0")
        if (begins or named) and (ends or (named and " " not in told and after[0] in " ;&|)")):
            return True
        at = command.find(told, at + 1)
    return False


def _span(log: Log, index: int) -> tuple[float, float]:
    """When a call ran, in seconds since 1970; never, where the log has no times."""
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
    """The order-preserving match of the commits that the environment gives to this session with its calls
    that can commit, of the greatest total plausibility."""
    rank = {c.id: i for i, c in enumerate(commits)}
    pins = [(rank[c], call) for c, (call, _) in fixed.items() if c in rank]
    made = Counter(call for call, _ in fixed.values())
    left = {i: _capacity(log.entries[i].command or "") - made[i] for i in _candidates(log)}
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
    return [
        index
        for index, entry in enumerate(log.entries)
        if entry.command and (can_commit(entry.command) or _SCRIPT.search(entry.command))
    ]


def _capacity(command: str) -> int:
    """How many commits a command may make."""
    made = len(_verbs(command))
    return _SLOTS_OF_A_LOOP if not made or _LOOP.search(command) else made


def _plausibility(log: Log, commit: Commit, call: int, written: _Written) -> float:
    """How well a command and its result fit a commit; nothing above zero means: not this one."""
    command = log.entries[call].command or ""
    verbs = _verbs(command)
    result = log.result_of(call)
    away = log.places[call] == "elsewhere"
    if not verbs:
        # a script may have committed, if it ran at the time or the commit holds what the session wrote
        likely = _is_open(log, call) or written.before(call, commit)
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
    if log.result_of(call) is not None:
        return False
    own = log.entries[call].event.response
    later = (log.entries[i].event for i in range(call + 1, len(log.entries)))
    return not any(
        isinstance(e, Prompt | Message) or (isinstance(e, ToolCall) and e.response != own) for e in later
    )


class _Written:
    """When a session first wrote each path; found out when somebody asks."""

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
