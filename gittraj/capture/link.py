"""From logs and commits to anchors: every commit gets the call that made it, or the edits that it took."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby

from gittraj.capture.anchor import Match, match_commits
from gittraj.capture.content import Changed, Writings
from gittraj.capture.own import Anchor
from gittraj.capture.session import Commit, Log
from gittraj.git import CommitChanges

Owned = tuple[Commit, tuple[Log, Match] | None]
"""A commit, and whose call made it."""


@dataclass(slots=True)
class Links:
    """Per log (by trajectory): new ``anchors``, ``aliases`` (a commit that took lines of events which
    belong to an earlier one: commit, calls), and ``writings`` as the commits left them.

    ``unfound`` are commits whose hook named a session in which no call is to be found (yet); ``unowned``
    those that no session's call made.
    """

    anchors: dict[str, list[Anchor]] = field(default_factory=dict)
    aliases: dict[str, list[tuple[str, tuple[int, ...]]]] = field(default_factory=dict)
    writings: dict[str, Writings] = field(default_factory=dict)
    unfound: list[Commit] = field(default_factory=list)
    unowned: list[Commit] = field(default_factory=list)


def link(
    logs: Sequence[Log],
    streams: Sequence[Sequence[Commit]],
    *,
    known: Mapping[str, Sequence[Anchor]],
    past: Mapping[str, Sequence[tuple[CommitChanges, int | None]]] | None = None,
    considers: Callable[[Log, Commit], bool] = lambda _log, _commit: True,
    patient: Callable[[Commit], bool] = lambda _: False,
    writings: Mapping[str, Writings] | None = None,
    owned: Collection[str] = (),
) -> Links:
    """Link the commits of each worktree (``streams``, in the reflog's order) to the logs.

    ``known`` are the anchors found before (indexes into what was read of the log), ``past`` the commits
    that took lines of it before, with the call that made each; ``considers`` says whether a commit is
    news to a log; a commit for which ``patient`` holds is not given to a human while
    its call may still come. ``writings`` are what the logs wrote, where they do not hold it any more;
    ``owned`` the commits that sessions made which are not among the logs: content gives those to nobody.
    """
    links = Links(writings=dict(writings or {log.trajectory: Writings.of(log) for log in logs}))
    claimed = {log.trajectory: _claimed(log, known.get(log.trajectory, ())) for log in logs}
    for trajectory, taken in (past or {}).items():
        for changes, call in taken:
            links.writings[trajectory].take(Changed(changes), before=call)
    writers = _writers(logs, links.writings)
    owned_streams = []
    for stream in streams:
        owners = _owners(logs, stream, known, considers)
        owners = {c: o for c, o in owners.items() if c not in owned or o[1].evidence != "imported"}
        owned_streams.append([(commit, owners.get(commit.id)) for commit in _calls_first(stream, owners)])
    for commit, owner in _in_time(owned_streams):
        changed = Changed(commit.changes) if commit.changes else None
        near = _near(logs, writers, changed)
        if owner is not None and (owner[1].weight >= _SURE or not patient(commit)):
            owning, match = owner
            others = [log for log in near if log is not owning]
            asked = [log for log in others if considers(log, commit)]
            _give(links, commit, changed, match, owning=owning, others=asked, claimed=claimed)
            _take(links, others, changed)
        elif commit.id in owned:
            _take(links, near, changed)
        elif commit.sessions and patient(commit):
            links.unfound.append(commit)
        else:
            if commit.sessions:
                links.unfound.append(commit)
            links.unowned.append(commit)
            _explain(links, [log for log in near if considers(log, commit)], commit, changed, claimed)
            _take(links, near, changed)
    return links


def _writers(logs: Sequence[Log], writings: Mapping[str, Writings]) -> dict[str, set[str]]:
    """The trajectories that wrote each path: no other is asked about a commit of it."""
    found: dict[str, set[str]] = {}
    for log in logs:
        for path in writings[log.trajectory].by_path:
            found.setdefault(path, set()).add(log.trajectory)
    return found


def _near(logs: Sequence[Log], writers: Mapping[str, set[str]], changed: Changed | None) -> list[Log]:
    wrote = {name for change in changed.paths for name in writers.get(change.path, ())} if changed else None
    return [log for log in logs if log.trajectory in wrote] if wrote else []


def _in_time(streams: Sequence[Sequence[Owned]]) -> Iterator[Owned]:
    """All worktrees' commits as they came: who squashes another worktree's commit comes after it, and in the
    same second who merges it; a person, who may have picked it, after what calls made. Each stream keeps its
    order, whatever its times say."""
    left: list[list[tuple[int, Owned]]] = []
    for stream in streams:
        times = accumulate((c.changes.time if c.changes else 0 for c, _ in stream), max)
        left.append([*zip(times, stream, strict=True)][::-1])
    coming = {commit.id for stream in streams for commit, _ in stream}
    while heads := [stream for stream in left if stream]:
        able = [stream for stream in heads if coming.isdisjoint(_parents(stream[-1][1]))]
        _, each = min(able or heads, key=lambda stream: (stream[-1][0], stream[-1][1][1] is None)).pop()
        coming.discard(each[0].id)
        yield each


def _parents(owned: Owned) -> tuple[str, ...]:
    return owned[0].changes.parents if owned[0].changes else ()


def _calls_first(stream: Sequence[Commit], owners: Collection[str]) -> Iterator[Commit]:
    """Of commits of one second, those that calls made come first, with those below them and those that they
    amend: a person who rewrites or gathers them at once comes after."""
    for _, together in groupby(stream, key=lambda c: c.changes.time if c.changes else 0):
        group = list(together)
        first = {*owners}
        for at, commit in reversed([*enumerate(group)]):
            if commit.id in first and commit.changes:
                first.update(commit.changes.parents)
            if commit.id in first and commit.kind == "amend" and at > 0:
                first.add(group[at - 1].id)
        yield from sorted(group, key=lambda c: c.id not in first)


def _owners(
    logs: Sequence[Log],
    stream: Sequence[Commit],
    known: Mapping[str, Sequence[Anchor]],
    considers: Callable[[Log, Commit], bool],
) -> dict[str, tuple[Log, Match]]:
    """Each commit's session: one, the best by evidence."""
    found: dict[str, tuple[Log, Match]] = {}
    for log in logs:
        news = [c for c in stream if considers(log, c)]
        for match in match_commits(log, news, known=known.get(log.trajectory, ())):
            best = found.get(match.commit)
            if best is None or _rank(match) > _rank(best[1]):
                found[match.commit] = (log, match)
    return found


_SURE = 2.0
"""Weight of a match below which a likelier call may still come into the log."""


def _rank(match: Match) -> tuple[bool, float]:
    return match.evidence == "agent", match.weight


def _give(
    links: Links,
    commit: Commit,
    changed: Changed | None,
    match: Match,
    *,
    owning: Log,
    others: Sequence[Log],
    claimed: dict[str, int],
) -> None:
    """A commit with an anchor. Another session adds a part only for lines that it wrote and the owner
    did not; what a merge brings in was explained where it was made."""
    _add(links, owning, Anchor(call=match.call, commits=(commit.id,), evidence=match.evidence), claimed)
    if changed is None:
        return
    mine = links.writings[owning.trajectory]
    for log in () if _merges(commit) else others:
        calls = links.writings[log.trajectory].beside(changed, mine)
        if calls and calls[-1] > claimed[log.trajectory]:
            _add(links, log, Anchor(call=calls[-1], commits=(commit.id,), evidence="content"), claimed)
        elif calls:
            links.aliases.setdefault(log.trajectory, []).append((commit.id, tuple(calls)))
    mine.take(changed, before=match.call)


def _explain(
    links: Links, logs: Sequence[Log], commit: Commit, changed: Changed | None, claimed: dict[str, int]
) -> None:
    """A commit without an anchor: a human's, explained by content or not at all. What a merge brings in
    was explained where it was made."""
    if changed is None or _merges(commit):
        return
    for log in logs:
        calls = links.writings[log.trajectory].explain(changed)
        if calls and calls[-1] > claimed[log.trajectory]:
            _add(links, log, Anchor(call=calls[-1], commits=(commit.id,), evidence="content"), claimed)
        elif calls:
            links.aliases.setdefault(log.trajectory, []).append((commit.id, tuple(calls)))


def _merges(commit: Commit) -> bool:
    return commit.changes is not None and len(commit.changes.parents) > 1


def _take(links: Links, logs: Sequence[Log], changed: Changed | None) -> None:
    if changed is not None:
        for log in logs:
            links.writings[log.trajectory].take(changed)


def _add(links: Links, log: Log, anchor: Anchor, claimed: dict[str, int]) -> None:
    links.anchors.setdefault(log.trajectory, []).append(anchor)
    claimed[log.trajectory] = max(claimed[log.trajectory], _close(log, anchor.call))


def _claimed(log: Log, anchors: Sequence[Anchor]) -> int:
    return max((_close(log, anchor.call) for anchor in anchors), default=-1)


def _close(log: Log, call: int) -> int:
    if call < 0:
        return -1
    result = log.result_of(call)
    return call if result is None else result
