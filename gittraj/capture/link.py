"""From logs and commits to anchors: every commit gets the call that made it, or the edits that it took."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gittraj.capture.anchor import Match, match_commits
from gittraj.capture.content import Writings
from gittraj.capture.own import Anchor
from gittraj.capture.session import Commit, Log
from gittraj.git import CommitChanges


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
) -> Links:
    """Link the commits of each worktree (``streams``, in the reflog's order) to the logs.

    ``known`` are the anchors found before (indexes into what was read of the log), ``past`` the commits
    that took lines of it before, with the call that made each; ``considers`` says whether a commit is
    news to a log; a commit for which ``patient`` holds is not given to a human while
    its call may still come.
    """
    links = Links(writings={log.trajectory: Writings.of(log) for log in logs})
    claimed = {log.trajectory: _claimed(log, known.get(log.trajectory, ())) for log in logs}
    for trajectory, taken in (past or {}).items():
        for changes, call in taken:
            links.writings[trajectory].take(changes, before=call)
    for stream in streams:
        owners = _owners(logs, stream, known, considers)
        for commit in stream:
            if commit.id in owners and (owners[commit.id][1].weight >= _SURE or not patient(commit)):
                owning, match = owners[commit.id]
                others = [log for log in logs if log is not owning and considers(log, commit)]
                _give(links, commit, match, owning=owning, others=others, claimed=claimed)
                _take(links, [log for log in logs if log is not owning], commit)
            elif commit.sessions and patient(commit):
                links.unfound.append(commit)
            else:
                if commit.sessions:
                    links.unfound.append(commit)
                links.unowned.append(commit)
                _explain(links, [log for log in logs if considers(log, commit)], commit, claimed)
                _take(links, logs, commit)
    return links


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
    match: Match,
    *,
    owning: Log,
    others: Sequence[Log],
    claimed: dict[str, int],
) -> None:
    """A commit with an anchor. Another session adds a part only for lines that it wrote and the owner
    did not."""
    _add(links, owning, Anchor(call=match.call, commits=(commit.id,), evidence=match.evidence), claimed)
    if commit.changes is None:
        return
    mine = links.writings[owning.trajectory]
    for log in others:
        calls = links.writings[log.trajectory].beside(commit.changes, mine)
        if calls and calls[-1] > claimed[log.trajectory]:
            _add(links, log, Anchor(call=calls[-1], commits=(commit.id,), evidence="content"), claimed)
    mine.take(commit.changes, before=match.call)


def _explain(links: Links, logs: Sequence[Log], commit: Commit, claimed: dict[str, int]) -> None:
    """A commit without an anchor: a human's, explained by content or not at all. What a merge brings in
    was explained where it was made."""
    if commit.changes is None or len(commit.changes.parents) > 1:
        return
    for log in logs:
        calls = links.writings[log.trajectory].explain(commit.changes)
        if calls and calls[-1] > claimed[log.trajectory]:
            _add(links, log, Anchor(call=calls[-1], commits=(commit.id,), evidence="content"), claimed)
        elif calls:
            links.aliases.setdefault(log.trajectory, []).append((commit.id, tuple(calls)))


def _take(links: Links, logs: Sequence[Log], commit: Commit) -> None:
    if commit.changes is not None:
        for log in logs:
            links.writings[log.trajectory].take(commit.changes)


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
