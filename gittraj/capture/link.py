"""Links commits to logs by anchors: the call that made a commit, or the edits that the commit contains."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import accumulate, groupby

from gittraj.capture.anchor import Match, match_commits
from gittraj.capture.content import Changed, Common, Writings, none_common
from gittraj.capture.own import Anchor
from gittraj.capture.session import CLOCK, Commit, Log
from gittraj.frozen import dataclass
from gittraj.git import CommitChanges
from gittraj.model.times import seconds
from gittraj.model.values import Prompt, ToolCall

Owned = tuple[Commit, tuple[Log, Match] | None]
"""A commit with the log and the match of the call that made it; None if no call made it."""


@dataclass(slots=True)
class Links:
    """For each log (by trajectory): its new ``anchors``; its ``aliases``, each a commit whose lines were
    written by ``calls`` that already belong to an earlier commit; and its ``writings`` without the committed
    lines.

    ``unfound`` are the commits whose hook's environment names a session or shows an agent, but for which no
    call was found (yet); ``unowned`` are those that no session's call made.
    """

    anchors: dict[str, list[Anchor]] = field(default_factory=dict)
    aliases: dict[str, list[tuple[str, tuple[int, ...]]]] = field(default_factory=dict)
    writings: dict[str, Writings] = field(default_factory=dict)
    unfound: list[Commit] = field(default_factory=list)
    unowned: list[Commit] = field(default_factory=list)

    @property
    def explained(self) -> set[str]:
        """The commits that a session's call made, or that contain text which a session wrote."""
        anchored = {c for anchors in self.anchors.values() for anchor in anchors for c in anchor.commits}
        return anchored | {commit for aliases in self.aliases.values() for commit, _ in aliases}


def link(
    logs: Sequence[Log],
    streams: Sequence[Sequence[Commit]],
    *,
    known: Mapping[str, Sequence[Anchor]],
    past: Mapping[str, Sequence[tuple[CommitChanges, int | None]]] | None = None,
    is_unchecked: Callable[[Log, Commit], bool] = lambda _log, _commit: True,
    may_still_appear: Callable[[Commit], bool] = lambda _: False,
    writings: Mapping[str, Writings] | None = None,
    owned: Collection[str] = (),
    common: Common = none_common,
) -> Links:
    """Link the commits of each worktree (``streams``, in the reflog's order) to the logs.

    ``known`` are anchors found earlier, whose calls are indexes in the log as it is read now; ``past`` are
    the commits that contain lines of a log and were linked earlier, each with the call that made it.
    ``is_unchecked`` returns whether a log is still to be checked for a commit. ``may_still_appear`` returns
    whether a commit's call may still appear in a log: until then the commit is not attributed to a person.
    ``writings`` are the texts that the sessions wrote, if the logs do not contain them any more. ``owned``
    are commits of sessions that are not among the logs: these commits are never matched by content.
    ``common`` returns the lines that prove nothing.
    """
    links = Links(writings=dict(writings or {log.trajectory: Writings.of(log) for log in logs}))
    linker = _Linker(logs, links, known, is_unchecked, common)
    linker.claim(past or {})
    for commit, owner in _in_time([linker.with_owners(each, owned) for each in streams]):
        if owner is not None and (_is_final(commit, *owner) or not may_still_appear(commit)):
            linker.give(commit, *owner)
        elif commit.id in owned:
            linker.take(commit)
        else:
            linker.give_to_person(commit, may_still_appear)
    return links


class _Linker:
    """Links one commit after the other to the logs that it belongs to."""

    def __init__(
        self,
        logs: Sequence[Log],
        links: Links,
        known: Mapping[str, Sequence[Anchor]],
        is_unchecked: Callable[[Log, Commit], bool],
        common: Common,
    ) -> None:
        self.links = links
        self._common = common
        self._logs = logs
        self._known = known
        self._is_unchecked = is_unchecked
        self._writers = _find_writers(logs, links.writings)  # only these are checked for a path's commits
        self._claimed: dict[str, int] = {}
        """The index of the last event of each log that belongs to a commit already."""

    def claim(self, past: Mapping[str, Sequence[tuple[CommitChanges, int | None]]]) -> None:
        """Note which events and lines earlier drains gave to commits."""
        for log in self._logs:
            closes = (_find_last_event(log, anchor.call) for anchor in self._known.get(log.trajectory, ()))
            self._claimed[log.trajectory] = max(closes, default=-1)
        for trajectory, taken in past.items():
            for changes, call in taken:
                self.links.writings[trajectory].take(Changed(changes), before=call)

    def with_owners(self, stream: Sequence[Commit], owned: Collection[str]) -> list[Owned]:
        """Return each commit with its session: the one with the best evidence."""
        matches: dict[str, list[tuple[Log, Match]]] = {}
        for log in self._logs:
            news = [c for c in stream if self._is_unchecked(log, c)]
            for match in match_commits(log, news, known=self._known.get(log.trajectory, ())):
                matches.setdefault(match.commit, []).append((log, match))
        best = {commit: _best_match(each, owned=commit in owned) for commit, each in matches.items()}
        owners = {commit: owner for commit, owner in best.items() if owner is not None}
        return [(commit, owners.get(commit.id)) for commit in _calls_first(stream, owners)]

    def give(self, commit: Commit, owning: Log, match: Match) -> None:
        """Link a commit that has an anchor. Another session adds a part only for lines that it wrote and the
        owner did not."""
        self._add(owning, Anchor(call=match.call, commits=(commit.id,), evidence=match.evidence))
        if commit.changes is None:
            return
        changed = Changed(commit.changes, self._common)
        others = [log for log in self._find_writing_logs(changed) if log is not owning]
        mine = self.links.writings[owning.trajectory]
        for log in () if _merges(commit) else others:
            if self._is_unchecked(log, commit):
                self._add_content(
                    log, commit, self.links.writings[log.trajectory].explain_rest(changed, mine)
                )
        mine.take(changed, before=match.call)
        self._take(others, changed)

    def give_to_person(self, commit: Commit, may_still_appear: Callable[[Commit], bool]) -> None:
        """Treat a commit without a call as a person's, unless its call may still appear."""
        awaited = bool(commit.sessions or commit.mark)
        if awaited:
            self.links.unfound.append(commit)
        if not awaited or _went_on(self._logs, commit) or not may_still_appear(commit):
            self.links.unowned.append(commit)
            self._explain(commit)

    def _explain(self, commit: Commit) -> None:
        """Link a commit without an anchor, which a person made: by content, or not at all."""
        if commit.changes is None:
            return
        changed = Changed(commit.changes, self._common)
        near = self._find_writing_logs(changed)
        for log in () if _merges(commit) else near:
            if self._is_unchecked(log, commit):
                self._add_content(log, commit, self.links.writings[log.trajectory].explain(changed))
        self._take(near, changed)

    def take(self, commit: Commit) -> None:
        """Note that the lines of a commit, made by a session that is not among the logs, explain no later
        commit."""
        if commit.changes is not None:
            changed = Changed(commit.changes)
            self._take(self._find_writing_logs(changed), changed)

    def _find_writing_logs(self, changed: Changed) -> list[Log]:
        wrote = {name for change in changed.paths for name in self._writers.get(change.path, ())}
        if any(change.kind in ("add", "rename") for change in changed.paths):  # perhaps under another name
            wrote |= {name for name, each in self.links.writings.items() if each.may_have(changed)}
        return [log for log in self._logs if log.trajectory in wrote] if wrote else []

    def _take(self, logs: Sequence[Log], changed: Changed) -> None:
        for log in logs:
            self.links.writings[log.trajectory].take(changed)

    def _add_content(self, log: Log, commit: Commit, calls: Sequence[int]) -> None:
        if not calls:
            return
        if calls[-1] > self._claimed[log.trajectory]:
            self._add(log, Anchor(call=calls[-1], commits=(commit.id,), evidence="content"))
        else:
            self.links.aliases.setdefault(log.trajectory, []).append((commit.id, tuple(calls)))

    def _add(self, log: Log, anchor: Anchor) -> None:
        self.links.anchors.setdefault(log.trajectory, []).append(anchor)
        end = _find_last_event(log, anchor.call)
        self._claimed[log.trajectory] = max(self._claimed[log.trajectory], end)


def _best_match(matches: Sequence[tuple[Log, Match]], *, owned: bool) -> tuple[Log, Match] | None:
    """The match with the best evidence; None if that is only the message (``order``), and another log's
    match by message is as good or the commit is ``owned`` by another session."""
    owner = log, best = max(matches, key=lambda each: _rank(each[1]))
    rivals = [match for other, match in matches if other is not log and match.evidence == "order"]
    if (owned and best.evidence == "order") or any(_rank(match) == _rank(best) for match in rivals):
        return None
    return owner


def _find_writers(logs: Sequence[Log], writings: Mapping[str, Writings]) -> dict[str, set[str]]:
    """The trajectories that wrote each path."""
    writers: dict[str, set[str]] = {}
    for log in logs:
        for path in writings[log.trajectory].by_path:
            writers.setdefault(path, set()).add(log.trajectory)
    return writers


def _in_time(streams: Sequence[Sequence[Owned]]) -> Iterator[Owned]:
    """Yield the commits of all worktrees in order of time, so that a squash comes after what it squashed. In
    the same second, a merge comes after its parents, and a person's commit, which may be a cherry-pick, after
    those that calls made. Each stream keeps its order, whatever its times say."""
    left = [_with_times(stream)[::-1] for stream in streams]
    remaining_ids = {commit.id for stream in streams for commit, _ in stream}
    while heads := [stream for stream in left if stream]:
        able = [stream for stream in heads if remaining_ids.isdisjoint(_parents(stream[-1][1]))]
        _, each = min(able or heads, key=lambda stream: (stream[-1][0], stream[-1][1][1] is None)).pop()
        remaining_ids.discard(each[0].id)
        yield each


def _with_times(stream: Sequence[Owned]) -> list[tuple[float, Owned]]:
    """The commits with their times, each at least that of the commit before it."""
    return [*zip(accumulate((commit.time or 0 for commit, _ in stream), max), stream, strict=True)]


def _parents(owned: Owned) -> tuple[str, ...]:
    return owned[0].changes.parents if owned[0].changes else ()


def _calls_first(stream: Sequence[Commit], owners: Collection[str]) -> Iterator[Commit]:
    """Sort the commits of one second: first those that calls made, with their parents and the commits that
    they amend; then a person's, because a person may rewrite or squash the others immediately."""
    for _, together in groupby(stream, key=lambda commit: int(commit.time or 0)):
        group = list(together)
        first = {*owners}
        for at, commit in reversed([*enumerate(group)]):
            if commit.id in first and commit.changes:
                first.update(commit.changes.parents)
            if commit.id in first and commit.kind == "amend" and at > 0:
                first.add(group[at - 1].id)
        yield from sorted(group, key=lambda c: c.id not in first)


_SURE = 2.0
"""Weight of a match below which a likelier call may still appear in the log."""


def _is_final(commit: Commit, log: Log, match: Match) -> bool:
    """Whether no likelier call can appear: the match is sure, or the session went on after the commit."""
    return match.weight >= _SURE or _has_begun(log, match.call + 1, commit)


def _went_on(logs: Sequence[Log], commit: Commit) -> bool:
    """Whether the only log of the session that a commit's hook named has gone on after the commit without a
    call that made it, so that a person must have made it. False if there are several logs: those of further
    agents that the session started may appear later."""
    named = [log for log in logs if log.name in commit.sessions]
    return len(named) == 1 and _has_begun(named[0], 0, commit)


def _has_begun(log: Log, first: int, commit: Commit) -> bool:
    """Whether a prompt or call at index ``first`` or later began after a commit. A log has prompts and calls
    in the order in which they began."""
    if commit.time is None:
        return False
    events = (entry.event for entry in log.entries[first:])
    begun = (seconds(event.ts) for event in events if isinstance(event, Prompt | ToolCall))
    return any(at is not None and at > commit.time + CLOCK for at in begun)


def _rank(match: Match) -> tuple[bool, float]:
    return match.evidence == "agent", match.weight


def _merges(commit: Commit) -> bool:
    """Whether a commit is a merge: the commits that it brings in are linked themselves."""
    return commit.changes is not None and len(commit.changes.parents) > 1


def _find_last_event(log: Log, call: int) -> int:
    """The index of a call's result or, without one, of the call; -1 for a call before the log's start."""
    if call < 0:
        return -1
    result = log.result_of(call)
    return call if result is None else result
