"""Decides what a drain writes, from one frozen situation. Nothing is written here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from gittraj.capture.link import Links, link
from gittraj.capture.session import Commit
from gittraj.git import Repository, find_common
from gittraj.history.history import Rewrite
from gittraj.model.times import seconds
from gittraj.model.values import AnyEvent, Line
from gittraj.notes.store import NotesRef
from gittraj.record.draft import Draft, Target
from gittraj.record.drain.context import Context
from gittraj.record.drain.manual_events import Manual, gather
from gittraj.record.drain.moved import find_moved
from gittraj.record.drain.news import News, read_old_commits
from gittraj.record.drain.plan import Plan, owner_of
from gittraj.record.drain.reading import Reading
from gittraj.record.drain.waiting import find_stubs, is_patient
from gittraj.state.active import Active, mark_logged
from gittraj.state.cursors import State, Suspension


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Everything that is known when a drain decides. ``off`` says what is not recorded, ``actives`` are the
    trajectories in which commands recorded events. ``streams`` are the new commits of each worktree, with
    their changes; ``pairs`` are rewrites (old, new); ``tombstones`` are to be written, each on its commit;
    ``restored`` are deleted refs that are back, ``unrestored`` those that are not, with their tips."""

    state: State
    off: Suspension
    news: News
    actives: Sequence[Active] = ()
    pairs: Sequence[tuple[str, str]] = ()
    streams: Sequence[Sequence[Commit]] = ()
    tombstones: Sequence[tuple[str, Line]] = ()
    readings: Sequence[Reading] = ()
    restored: Sequence[str] = ()
    unrestored: Mapping[str, str] = field(default_factory=dict)

    @property
    def recorded(self) -> dict[str, AnyEvent]:
        """The events that commands recorded in full, by id."""
        return {event.id: event for active in self.actives for event in active.events}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The changes that a drain writes. ``moved`` are rewrites that no hook reported."""

    links: Links
    plans: Sequence[Plan]
    manual: Manual
    moved: Sequence[Rewrite]
    stubs: Sequence[tuple[str, Line]]

    @property
    def drafts(self) -> list[Draft]:
        return [*(d.draft for plan in self.plans for d in plan.drafted), *self.manual.drafts]

    def lines(self, notes: NotesRef) -> Iterator[tuple[str, Line]]:
        """The lines that are not drafted: stubs, copies and tombstones."""
        yield from self.stubs
        for plan in self.plans:
            yield from plan.lines(notes)
        yield from self.manual.lines


def decide(context: Context, situation: Situation) -> Decision:
    links, commits = _link(context, situation)
    plans = _make_plans(context, situation.readings, links, commits)
    return Decision(
        links=links,
        plans=plans,
        manual=_find_manual(context, situation, links),
        moved=_find_moved(context, situation, plans),
        stubs=list(find_stubs(context, situation.state, links)),
    )


def _link(context: Context, situation: Situation) -> tuple[Links, dict[str, Commit]]:
    """Link commits to logs. Return the links, and all commits that are known now, by id."""
    readings = situation.readings
    news = _by_id(situation.streams)
    streams = [*_load_old_commits(context, readings), *situation.streams]
    commits = _by_id(streams)
    commits |= _known_commits(context, readings, commits)
    changes = {c.id: c.changes for c in commits.values() if c.changes is not None}
    by_log = {r.log.trajectory: r for r in readings}
    links = link(
        [r.log for r in readings],
        streams,
        known={r.log.trajectory: r.anchors for r in readings},
        past={r.log.trajectory: r.past(changes) for r in readings},
        is_unchecked=lambda log, c: c.id in news or by_log[log.trajectory].first,
        may_still_appear=partial(is_patient, context, situation.state),
        common=partial(find_common, context.repository),
    )
    return links, commits


def _by_id(streams: Iterable[Sequence[Commit]]) -> dict[str, Commit]:
    return {commit.id: commit for stream in streams for commit in stream}


def _load_old_commits(context: Context, readings: Iterable[Reading]) -> list[list[Commit]]:
    """The commits made before the installation, if a log that is read for the first time began before it."""
    if any(r.first and _began_before(r, context.installed.time) for r in readings):
        return context.load_changes([read_old_commits(context.repository, context.installed)])
    return []


def _make_plans(
    context: Context, readings: Iterable[Reading], links: Links, commits: Mapping[str, Commit]
) -> list[Plan]:
    head = context.repository.head()
    waiting = {c.id for c in links.unfound} - {c.id for c in links.unowned}
    # a commit that waits for its call has not taken any lines yet
    commits = {c: commit for c, commit in commits.items() if c not in waiting}
    plans: list[Plan] = []
    for reading in sorted(readings, key=lambda r: r.log.started_by is not None):
        above = next((p for p in plans if p.reading.log.trajectory == reading.log.parent), None)
        owner = owner_of(reading.log, above.reading.log, above.parts) if above is not None else None
        plans.append(Plan.make(reading, links, commits, owner=owner, head=head, ci=context.environ.ci))
    return plans


def _find_manual(context: Context, situation: Situation, links: Links) -> Manual:
    """The events that somebody recorded by command, without those that are in a log."""
    if not situation.actives:
        return Manual()
    recorded = situation.recorded
    logged = {e.event.id for r in situation.readings for e in r.log.entries if e.event.id in recorded}
    return gather(
        [mark_logged(active, logged) for active in situation.actives],
        _commits_of_people(links, situation.news.worktrees),
        NotesRef(context.repository),
        head=context.repository.head(),
        sessions=situation.state.sessions,
        last_writes={r.log.trajectory: context.now - r.age for r in situation.readings},
        present=partial(_find_present, context.repository, situation.state.rewrites),
    )


def _commits_of_people(links: Links, worktrees: Mapping[str, str]) -> dict[str, list[str]]:
    """The commits that no session made, by worktree; ``worktrees`` has that of each new commit."""
    commits: dict[str, list[str]] = {}
    for commit in links.unowned:
        if commit.stored and not commit.sessions and commit.id in worktrees:
            commits.setdefault(worktrees[commit.id], []).append(commit.id)
    return commits


def _find_present(
    repository: Repository, rewrites: Mapping[str, tuple[str, ...]], commit: str | None
) -> str | None:
    """The commit if it still exists, else the first existing one of those that it was rewritten to."""
    chain = dict.fromkeys([commit] if commit else [])
    for each in (waiting := [*chain]):
        if repository.objects.exists(each):
            return each
        fresh = [new for new in rewrites.get(each, ()) if new not in chain]
        chain.update(dict.fromkeys(fresh))
        waiting += fresh
    return None


def _find_moved(context: Context, situation: Situation, plans: Sequence[Plan]) -> list[Rewrite]:
    """Find rewrites that hooks missed, of commits whose records are stored or are written now."""
    state = situation.state
    targets = [t for plan in plans for d in plan.drafted for t in d.draft.targets]
    return find_moved(
        context.repository,
        situation.news.fresh,
        (t.commit for t in targets),
        rewrites=state.rewrites,
        gathered=state.gathered,
        taken=_commits_made_by_calls(state, targets),
        silent=situation.off.commits,
    )


def _commits_made_by_calls(state: State, targets: Iterable[Target]) -> set[str]:
    known = (a for s in state.sessions.values() for a in s.anchors if a.evidence != "content")
    new = {t.commit for t in targets if t.role == "produced" and t.link.evidence != "content"}
    return new.union(*(anchor.commits for anchor in known))


def _known_commits(
    context: Context, readings: Sequence[Reading], news: Mapping[str, Commit]
) -> dict[str, Commit]:
    """The commits, explained by earlier drains, that have parts of these logs or took lines of them."""
    stored = {c: a.stored for r in readings for a in r.known.anchors for c in a.commits}
    ids = dict.fromkeys([*stored, *(c for r in readings for c in r.known.taken)])
    old = [Commit(id=c, stored=stored.get(c, True)) for c in ids if c not in news]
    return {c.id: c for c in context.load_changes([old])[0]}


def _began_before(reading: Reading, time: float) -> bool:
    first = seconds(next((e.event.ts for e in reading.log.entries if e.event.ts), None))
    return first is None or first < time
