"""What a drain is to write, decided from one frozen situation. Nothing is written here."""

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
from gittraj.record.draft import Draft
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
    """Everything that is known when a drain decides. ``streams``: the new commits of each worktree, with what
    they changed; ``pairs``: rewrites (old, new); ``tombstones``: those that are missing, by commit;
    ``restored``: refs that were gone; ``unrestored``: those that could not be, and where they were."""

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
    """``moved``: rewrites that no hook reported."""

    links: Links
    plans: Sequence[Plan]
    manual: Manual
    moved: Sequence[Rewrite]
    stubs: Sequence[tuple[str, Line]]

    @property
    def drafts(self) -> list[Draft]:
        return [*(d.draft for plan in self.plans for d in plan.drafted), *self.manual.drafts]

    def lines(self, notes: NotesRef) -> Iterator[tuple[str, Line]]:
        """Ready lines: stubs, copies and tombstones."""
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
    """Which commits belong to which logs; and all commits that are known now, by id."""
    readings = situation.readings
    streams = list(situation.streams)
    news = {c.id for stream in streams for c in stream}
    if any(r.first and _began_before(r, context.installed.time) for r in readings):
        streams = [*context.load_changes([read_old_commits(context.repository, context.installed)]), *streams]
    commits = {c.id: c for stream in streams for c in stream}
    commits |= _known_commits(context, readings, commits)
    changes = {c.id: c.changes for c in commits.values() if c.changes is not None}
    by_log = {r.log.trajectory: r for r in readings}
    links = link(
        [r.log for r in readings],
        streams,
        known={r.log.trajectory: r.anchors for r in readings},
        past={r.log.trajectory: r.past(changes) for r in readings},
        considers=lambda log, c: c.id in news or by_log[log.trajectory].first,
        patient=partial(is_patient, context, situation.state),
        common=partial(find_common, context.repository),
    )
    return links, commits


def _make_plans(
    context: Context, readings: Iterable[Reading], links: Links, commits: Mapping[str, Commit]
) -> list[Plan]:
    head = context.repository.head()
    waiting = {c.id for c in links.unfound} - {c.id for c in links.unowned}
    commits = {c: commit for c, commit in commits.items() if c not in waiting}  # which took nothing yet
    plans: list[Plan] = []
    for reading in sorted(readings, key=lambda r: r.log.started_by is not None):
        above = next((p for p in plans if p.reading.log.trajectory == reading.log.parent), None)
        owner = owner_of(reading.log, above.reading.log, above.parts) if above is not None else None
        plans.append(Plan.make(reading, links, commits, owner=owner, head=head, ci=context.environ.ci))
    return plans


def _find_manual(context: Context, situation: Situation, links: Links) -> Manual:
    """What authors recorded, except for what is in a log."""
    if not situation.actives:
        return Manual()
    worktrees, recorded = situation.news.worktrees, situation.recorded
    made: dict[str, list[str]] = {}
    for commit in links.unowned:
        if commit.stored and not commit.sessions and commit.id in worktrees:
            made.setdefault(worktrees[commit.id], []).append(commit.id)
    logged = {e.event.id for r in situation.readings for e in r.log.entries if e.event.id in recorded}
    return gather(
        [mark_logged(active, logged) for active in situation.actives],
        made,
        NotesRef(context.repository),
        head=context.repository.head(),
        sessions=situation.state.sessions,
        grown={r.log.trajectory: context.now - r.age for r in situation.readings},
        present=partial(_find_present, context.repository, situation.state.rewrites),
    )


def _find_present(
    repository: Repository, rewrites: Mapping[str, tuple[str, ...]], commit: str | None
) -> str | None:
    """The commit, or the first that it became that is still here."""
    chain = dict.fromkeys([commit] if commit else [])
    for each in (waiting := [*chain]):
        if repository.objects.exists(each):
            return each
        fresh = [new for new in rewrites.get(each, ()) if new not in chain]
        chain.update(dict.fromkeys(fresh))
        waiting += fresh
    return None


def _find_moved(context: Context, situation: Situation, plans: Sequence[Plan]) -> list[Rewrite]:
    """What hooks missed: where else the stored records belong, and those that are about to be."""
    state = situation.state
    targets = [t for plan in plans for d in plan.drafted for t in d.draft.targets]
    known = (a for s in state.sessions.values() for a in s.anchors if a.evidence != "content")
    own = {t.commit for t in targets if t.role == "produced" and t.link.evidence != "content"}
    return find_moved(
        context.repository,
        situation.news.fresh,
        (t.commit for t in targets),
        rewrites=state.rewrites,
        gathered=state.gathered,
        taken=own.union(*(a.commits for a in known)),
        silent=situation.off.commits,
    )


def _known_commits(
    context: Context, readings: Sequence[Reading], news: Mapping[str, Commit]
) -> dict[str, Commit]:
    """The commits of earlier drains that these logs' parts belong to, or that took their lines."""
    stored = {c: a.stored for r in readings for a in r.known.anchors for c in a.commits}
    ids = dict.fromkeys([*stored, *(c for r in readings for c in r.known.taken)])
    old = [Commit(id=c, stored=stored.get(c, True)) for c in ids if c not in news]
    return {c.id: c for c in context.load_changes([old])[0]}


def _began_before(reading: Reading, time: float) -> bool:
    first = seconds(next((e.event.ts for e in reading.log.entries if e.event.ts), None))
    return first is None or first < time
