"""Runs a drain, which makes records of what is new in the worktrees and sessions of a repository.

Three steps over frozen values: observe (reflogs, spool and logs become a ``Situation``), ``decide``, write.
If it is killed anywhere, the next drain gives the same result: refs are written before the cursors, and the
same events make the same parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gittraj.capture.session import Commit
from gittraj.history.filter_repo import map_stamp, read_map
from gittraj.model.values import AnyEvent, Line
from gittraj.notes.recovery import read_last_tips, read_tips, restore_deleted, restore_lost
from gittraj.notes.store import NotesRef
from gittraj.record.draft import Parked
from gittraj.record.drain.context import Context
from gittraj.record.drain.decision import Decision, Situation, decide
from gittraj.record.drain.forgotten import is_forgotten, read_forgotten, without_forgotten
from gittraj.record.drain.logs import ResumingReader
from gittraj.record.drain.manual_events import is_due
from gittraj.record.drain.moved import squashed
from gittraj.record.drain.news import News, read_news
from gittraj.record.drain.remembered import rebuild_state
from gittraj.record.drain.switched_off import follow_switches
from gittraj.record.drain.waiting import find_waiting, is_patient, to_commit
from gittraj.record.pipeline import Pipeline
from gittraj.state.active import Active, drop_active, is_gone, load_active, save_active, without
from gittraj.state.changed import IDLE
from gittraj.state.cursors import State, Suspension, load_state, load_suspension, save
from gittraj.state.folder import LocalState

_REWRITES_KEPT = 20_000


@dataclass(slots=True, kw_only=True)
class Report:
    """The result of a drain. ``exposed`` are trajectories with a secret that became known after it was
    pushed. ``unfound`` is the number of commits whose call may still appear in a log; ``unsettled``, of
    sessions whose further events may belong to the last commit. ``remark`` is one line for the user, about
    restored refs or how thinking is sealed."""

    parts: int = 0
    commits: set[str] = field(default_factory=set)
    parked: list[Parked] = field(default_factory=list)
    exposed: set[str] = field(default_factory=set)
    unfound: int = 0
    unsettled: int = 0
    remark: str | None = None


def run(context: Context, pipeline: Pipeline) -> Report:
    """Drain once. Raises TrajError: nothing is lost then, and the next drain tries again."""
    off = load_suspension(context.folder)
    if off.paused is not None:
        return Report()
    situation, is_new = _observe(context, off)
    if not is_new:
        save(context.folder, situation.state)
        return Report(remark=_remark_restored(situation))
    return _write(context, pipeline, situation, decide(context, situation))


def _remark_restored(situation: Situation) -> str | None:
    """The remark about restored refs, for a user who deleted them on purpose."""
    refs = ", ".join(situation.restored)
    return (
        f"{refs} was deleted or overwritten, and is restored (git traj uninstall ends that)" if refs else None
    )


def follow(
    rewrites: Mapping[str, tuple[str, ...]], pairs: Sequence[tuple[str, str]]
) -> dict[str, tuple[str, ...]]:
    """Add the pairs (old, new) to the rewrites; the oldest are dropped once there are very many."""
    followed = dict(rewrites)
    for old, new in pairs:
        if old != new:
            followed[old] = tuple(dict.fromkeys((*followed.get(old, ()), new)))
    return dict(list(followed.items())[-_REWRITES_KEPT:])


def _observe(context: Context, off: Suspension) -> tuple[Situation, bool]:
    """Return the situation, and whether there is anything to decide; if there is not, no log was read."""
    state, restored, unrestored = _load_state(context)
    state, off, tombstones = _read_forgotten(context, state, off)
    actives = _load_actives(context, off)
    news, state = read_news(context, state, off)
    off = _update_suspension(context, news, state, off)
    state, rewritten = _read_map(context, state)
    pairs = [*news.pairs(), *(pair for pair in rewritten if pair[1] not in news.silent)]
    squashes = [pair for m in news.moves for pair in m.squashed if pair in pairs]
    state = _with_rewrites(state, pairs, squashes)
    streams = _load_streams(context, state, news, off)
    logs = context.sessions.wanted(state, [c for stream in streams for c in stream])
    wanted = [w for w in logs if not is_forgotten(w.file, off.forgotten)]
    situation = Situation(
        state=state,
        off=off,
        news=news,
        actives=actives,
        pairs=pairs,
        streams=streams,
        tombstones=tombstones,
        restored=restored,
        unrestored=unrestored,
    )
    reader = ResumingReader(
        context=context, state=state, off=off, ended=news.ended, recorded=situation.recorded
    )
    is_new = any([wanted, pairs, any(streams), news.fresh, tombstones, any(map(is_due, actives))])
    return replace(situation, readings=list(reader.read(wanted))), is_new


def _update_suspension(context: Context, news: News, state: State, off: Suspension) -> Suspension:
    """Save and return what is off after the news: sessions that hooks switched off, commits made while
    off."""
    switched = follow_switches(news.spooled, state, off, context.now)
    switched = replace(switched, commits=tuple(dict.fromkeys((*off.commits, *sorted(news.silent)))))
    if switched != off:
        save(context.folder, switched)
    return switched


def _load_streams(context: Context, state: State, news: News, off: Suspension) -> list[list[Commit]]:
    """The commits to explain: those that waited, then each worktree's new ones."""
    streams = context.load_changes([[to_commit(w) for w in state.waiting], *(m.commits for m in news.moves)])
    return [[without_forgotten(c, off.forgotten) for c in stream] for stream in streams]


def _load_state(context: Context) -> tuple[State, list[str], dict[str, str]]:
    """Return the cursors of the last drain, rebuilt from the refs if they were lost; the refs that were
    restored; and the tips of refs that could not be restored: the next drain tries again."""
    state = load_state(context.folder)
    tips = state.tips if state else read_last_tips(context.repository)
    deleted = restore_deleted(context.repository, tips)
    restored = [ref for ref, why in deleted.items() if why is None]
    unrestored = {ref: tips[ref] for ref, why in deleted.items() if why}
    complete_tip = restore_lost(context.repository, since=state.whole if state else None)
    if state is None:
        state = rebuild_state(NotesRef(context.repository), context.installed.reflogs)
    tips = {**read_tips(context.repository), **unrestored}
    return replace(state, whole=complete_tip, tips=tips), restored, unrestored


def _read_map(context: Context, state: State) -> tuple[State, list[tuple[str, str]]]:
    """Read the rewrites by ``git filter-repo`` since the last drain, of the commits with records."""
    stamp = map_stamp(context.repository.common_dir)
    if stamp is None or stamp == state.mapped:
        return state, []
    recorded = {commit for commit, _ in NotesRef(context.repository).items()}
    return replace(state, mapped=stamp), read_map(context.repository.common_dir, recorded)


def _read_forgotten(
    context: Context, state: State, off: Suspension
) -> tuple[State, Suspension, list[tuple[str, Line]]]:
    """Remember what tombstones on the notes say; also return the tombstones that are still to be written."""
    notes = NotesRef(context.repository)
    tip = notes.tip()
    forgotten, tombstones = read_forgotten(notes, state.notes, off.forgotten)
    if not forgotten <= {*off.forgotten}:
        off = replace(off, forgotten=tuple(sorted(forgotten)))
        save(context.folder, off)
    return replace(state, notes=tip), off, tombstones


def _load_actives(context: Context, off: Suspension) -> list[Active]:
    """Load the trajectories that somebody recorded by command; delete forgotten ones in this clone, too."""
    actives = []
    for active in load_active(context.folder):
        header = active.header
        if header.trajectory in off.forgotten:
            drop_active(context.folder, header.trajectory)
        elif header.by_hand and not header.ended and is_gone(header, context.repository.common_dir):
            actives.append(replace(active, header=replace(header, over=True)))
        else:
            actives.append(active)
    return actives


def _with_rewrites(
    state: State, pairs: Sequence[tuple[str, str]], squashes: Sequence[tuple[str, str]]
) -> State:
    return replace(state, rewrites=follow(state.rewrites, pairs), gathered=follow(state.gathered, squashes))


def _write(context: Context, pipeline: Pipeline, situation: Situation, decision: Decision) -> Report:
    """Write the refs, then the cursors, then the recorded events that are on no commit yet."""
    notes = NotesRef(context.repository)
    plans, links = decision.plans, decision.links
    pairs = [*situation.pairs, *((r.old, r.new) for r in decision.moved)]
    state = _with_rewrites(situation.state, pairs, squashed(decision.moved))
    written = replace(pipeline, rewrites=state.rewrites, gathered=state.gathered).write(
        decision.drafts, carry=pairs, lines=[*situation.tombstones, *decision.lines(notes)]
    )
    sessions = {plan.reading.log.trajectory: plan.remember(written) for plan in plans}
    waiting = tuple(find_waiting(context, state, links))
    complete_tip = restore_lost(context.repository, since=state.whole)
    sessions = {**state.sessions, **sessions}
    tips = {**read_tips(context.repository), **situation.unrestored}
    state = replace(state, sessions=sessions, waiting=waiting, whole=complete_tip, tips=tips)
    save(context.folder, state)
    done = {c.id for stream in situation.streams for c in stream} - {w.commit for w in waiting}
    LocalState(context.folder).drop_moments(done, before=context.now - IDLE)
    _keep_actives(context, situation.recorded, decision)
    return Report(
        parts=len(decision.drafts),
        commits=written.commits,
        parked=written.parked,
        exposed=written.exposed,
        remark=_remark_restored(situation) or written.remark,
        unfound=sum(is_patient(context, state, c) for c in links.unfound),
        unsettled=sum(not session.settled for session in sessions.values()),
    )


def _keep_actives(context: Context, recorded: Mapping[str, AnyEvent], decision: Decision) -> None:
    """Save the recorded events that are on no commit yet."""
    drafted = (d.draft.trajectory.events for plan in decision.plans for d in plan.drafted)
    stored = {event.id for events in drafted for event in events if event.id in recorded}
    before = {active.header.trajectory: active for active in load_active(context.folder)}
    for active in decision.manual.after:
        kept = without(active, stored)
        if kept != before.get(active.header.trajectory):
            save_active(context.folder, kept)
