"""The drain: what is new in the worktrees and in the sessions of a repository becomes records.

It finds what to read, reads it, lets ``capture`` decide and hands the drafts to ``pipeline``; it decides
nothing about events itself. Killed anywhere, the next drain gives the same result: refs are written
before the cursors, and the same events make the same parts.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import cast

from gittraj.agents import SessionFile
from gittraj.capture.commits import Moves, is_made, read_moves
from gittraj.capture.link import Links, link
from gittraj.capture.repo_paths import RepoPaths
from gittraj.capture.session import Commit, Kind, Log
from gittraj.config import Config, Environ
from gittraj.errors import TrajError
from gittraj.git import Position, ReflogEntry, Repository, read_changes, read_reflog
from gittraj.history import Rewrite, find_skipped
from gittraj.model.session_items import Cursor, is_unique, trajectory_id
from gittraj.model.values import AnyEvent, Line, Link, Message, Record, SessionInfo
from gittraj.notes.recovery import restore_lost
from gittraj.notes.store import NotesRef
from gittraj.record.drain.forgotten import is_forgotten, read_forgotten, without_forgotten
from gittraj.record.drain.handmade import Handmade, gather, is_due
from gittraj.record.drain.moved import find_fresh, find_given_up, find_moved, squashed
from gittraj.record.drain.plan import Plan, Reading
from gittraj.record.drain.reading import read_log
from gittraj.record.drain.remembered import rebuild_state
from gittraj.record.drain.sessions import Sessions, Wanted
from gittraj.record.pipeline import STUB_REV, Parked, Pipeline
from gittraj.state.active import (
    Active,
    drop_active,
    is_gone,
    load_active,
    mark_logged,
    place_of,
    save_active,
    without,
)
from gittraj.state.cursors import State, Suspension, Waiting, load_state, load_suspension, save, size_of
from gittraj.state.folder import FOLDER
from gittraj.state.spool import Spooled, find_told, read_spool

IDLE = 24 * 3600.0
"""Seconds without growth after which a session counts as over."""
HOOK_RUNS = 0.1
"""Seconds that a hook may take after its commit stands in the reflog."""
SURELY = 60.0
"""Seconds after which a log that has grown and does not show a commit's call will never show it."""
_REWRITES_KEPT = 20_000
_OLD_COMMITS = 300
_LOGS_KEPT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """When git-traj was installed (seconds since the epoch), and how far each reflog was then."""

    time: float
    reflogs: Mapping[str, Position]


@dataclass(slots=True, kw_only=True)
class Report:
    """What a drain came to. ``exposed``: trajectories with a secret that became known after it was pushed.
    ``unfound``: commits whose call may still come; ``unsettled``: sessions of
    which more events are about to belong to a commit; ``remark``: what a user has to know of how thinking is
    sealed, on one line."""

    parts: int = 0
    commits: set[str] = field(default_factory=set)
    parked: list[Parked] = field(default_factory=list)
    exposed: set[str] = field(default_factory=set)
    unfound: int = 0
    unsettled: int = 0
    remark: str | None = None


class Drain:
    """One drain of one repository. ``patience``: seconds that a commit's call may take to be logged."""

    def __init__(
        self,
        repository: Repository,
        config: Config,
        environ: Environ,
        *,
        installed: Installed,
        pipeline: Pipeline,
        patience: float = 0.0,
    ) -> None:
        self.repository = repository
        self.config = config
        self.environ = environ
        self.installed = installed
        self.pipeline = pipeline
        self.patience = patience
        self.folder = repository.common_dir / FOLDER
        self.territory = RepoPaths(repository, home=environ.home)
        self.sessions = Sessions(config, environ, self.territory.roots, installed=installed.time)
        self.now = time.time()
        self.ended: frozenset[str] = frozenset()
        self.silent: frozenset[str] = frozenset()
        self.fresh: Mapping[str, Sequence[str]] = {}
        self.actives: list[Active] = []
        self.recorded: dict[str, AnyEvent] = {}
        self.worktrees: dict[str, str] = {}
        self.ages: dict[str, float] = {}

    def run(self) -> Report:
        """Raises TrajError; then nothing is lost, and the next drain does it again."""
        off = load_suspension(self.folder)
        if off.paused is not None:
            return Report()
        state = load_state(self.folder)
        whole = restore_lost(self.repository, since=state.whole if state else None)
        if state is None:
            state = rebuild_state(NotesRef(self.repository), self.installed.reflogs)
        state = replace(state, whole=whole)
        state, off, stones = self._read_forgotten(state, off)
        self.actives = self._load_actives(off)
        self.recorded = {event.id: event for active in self.actives for event in active.events}
        moves, state = self._moves(state, off)
        silent = {c.id for m in moves for c in m.commits if not c.stored}
        if not silent <= set(off.commits):
            off = replace(off, commits=tuple(dict.fromkeys((*off.commits, *silent))))
            save(self.folder, off)
        self.silent = frozenset(off.commits)
        pairs = [pair for m in moves for pair in m.pairs if pair[1] not in silent]
        squashes = [pair for m in moves for pair in m.squashed if pair in pairs]
        state = replace(
            state, rewrites=follow(state.rewrites, pairs), gathered=follow(state.gathered, squashes)
        )
        self.pipeline = replace(self.pipeline, rewrites=state.rewrites, gathered=state.gathered)
        streams = self._load_changes([[_waited(w) for w in state.waiting], *(m.commits for m in moves)])
        streams = [[without_forgotten(c, off.forgotten) for c in stream] for stream in streams]
        wanted = [
            w
            for w in self.sessions.wanted(state, [c for stream in streams for c in stream])
            if not is_forgotten(w.file, off.forgotten)
        ]
        news = wanted or pairs or any(streams) or self.fresh or stones or any(map(is_due, self.actives))
        if not news:
            save(self.folder, state)
            return Report()
        readings = [r for w in wanted if (r := self._read(w, state, off)) is not None]
        return self._write(state, readings, streams, pairs, stones)

    def _load_actives(self, off: Suspension) -> list[Active]:
        """What authors recorded; what was forgotten goes from here too."""
        found = []
        for active in load_active(self.folder):
            header = active.header
            if header.trajectory in off.forgotten:
                drop_active(self.folder, header.trajectory)
            elif header.by_hand and not header.ended and is_gone(header, self.repository.common_dir):
                found.append(replace(active, header=replace(header, over=True)))
            else:
                found.append(active)
        return found

    def _read_forgotten(
        self, state: State, off: Suspension
    ) -> tuple[State, Suspension, list[tuple[str, Line]]]:
        """What tombstones on the notes say, remembered; and those that are still to be set."""
        notes = NotesRef(self.repository)
        tip = notes.tip()
        forgotten, stones = read_forgotten(notes, state.notes, off.forgotten)
        if not forgotten <= {*off.forgotten}:
            off = replace(off, forgotten=tuple(sorted(forgotten)))
            save(self.folder, off)
        return replace(state, notes=tip), off, stones

    # ------------------------------------------------------------ what happened

    def _moves(self, state: State, off: Suspension) -> tuple[list[Moves], State]:
        """What the worktrees' reflogs and the spool say since the last drain."""
        reflogs = dict(state.reflogs)
        found: dict[Path, list[ReflogEntry]] = {}
        for git_dir in [tree.git_dir for tree in self.repository.worktrees()]:
            entries, position = read_reflog(self.repository, git_dir, self._position(reflogs, git_dir))
            found[git_dir] = entries
            reflogs[str(git_dir)] = (str(position.size), position.digest)
        made = {entry.new for entries in found.values() for entry in entries if is_made(entry)}
        self.fresh = find_fresh(self.repository, [e for entries in found.values() for e in entries])
        spooled, offset = self._spooled(state, made)
        told, self.ended = find_told(spooled)
        logs = [(name, log) for name, log in state.logs.items() if name not in told] + [*told.items()]
        spooled = [line for line in spooled if line.kind != "session"]
        away = {name for name, spans in off.sessions.items() if spans and spans[-1].end is None}
        moves: list[Moves] = []
        gone = [line for line in spooled if not any(_same(line.git_dir, tree) for tree in found)]
        if gone:  # the worktree was removed, and its reflog with it
            moves.append(read_moves((), gone, off=off.commits, away=away))
            self.worktrees.update((line.id, f"{self._place(line.git_dir)}#") for line in gone)
        for git_dir, entries in found.items():
            here = [line for line in spooled if _same(line.git_dir, git_dir)]
            if entries or here:
                earlier = partial(self._history, git_dir)
                each = read_moves(entries, here, earlier=earlier, off=off.commits, away=away)
                moves.append(self._without_false(each, git_dir))
                self.worktrees.update((c.id, self._place(git_dir)) for c in moves[-1].commits)
        return moves, replace(state, spool=offset, reflogs=reflogs, logs=dict(logs[-_LOGS_KEPT:]))

    def _place(self, git_dir: Path) -> str:
        return place_of(git_dir, self.repository.common_dir)

    def _spooled(self, state: State, made: set[str]) -> tuple[list[Spooled], int]:
        """The spool's new lines. git writes the reflog before it runs the hook: a commit's line gets a
        moment to come, or an agent's commit would count as a person's."""
        spooled, offset = read_spool(self.folder, state.spool)
        end = time.monotonic() + HOOK_RUNS
        while made - {line.id for line in spooled} and time.monotonic() < end:
            time.sleep(0.02)
            spooled, offset = read_spool(self.folder, state.spool)
        return spooled, offset

    def _without_false(self, moves: Moves, git_dir: Path) -> Moves:
        """git names the commit below for what a rebase left out; and a squash may have been given up."""
        false = find_given_up(self.repository, moves.squashed)
        if moves.rebased:
            false |= find_skipped(self.repository, moves.rebased, self._history(git_dir))
        return replace(moves, pairs=tuple(pair for pair in moves.pairs if pair not in false))

    def _history(self, git_dir: Path) -> list[ReflogEntry]:
        return read_reflog(self.repository, git_dir, None)[0]

    def _position(self, reflogs: Mapping[str, tuple[str, ...]], git_dir: Path) -> Position | None:
        known = reflogs.get(str(git_dir))
        if known is None:
            return self.installed.reflogs.get(str(git_dir))
        return Position(int(known[0]), known[1])

    def _old_commits(self) -> tuple[Commit, ...]:
        """Those made before the installation: they take their events with them and store none."""
        old: list[Commit] = []
        for git_dir, position in self.installed.reflogs.items():
            entries, _ = read_reflog(self.repository, Path(git_dir), None)
            later, _ = read_reflog(self.repository, Path(git_dir), position)
            before = entries[: len(entries) - len(later)] if len(later) < len(entries) else []
            old += read_moves(before[-_OLD_COMMITS:], (), stored=False).commits
        return tuple(old)

    # ------------------------------------------------------------ reading

    def _load_changes(self, streams: Sequence[Sequence[Commit]]) -> list[list[Commit]]:
        """The commits with what they changed; without those that are gone (pruned, never made)."""
        ids = [c.id for stream in streams for c in stream]
        changes = read_changes(self.repository, [c for c in ids if self.repository.objects.exists(c)])
        return [[replace(c, changes=changes[c.id]) for c in stream if c.id in changes] for stream in streams]

    def _read(self, wanted: Wanted, state: State, off: Suspension) -> Reading | None:
        known = state.sessions.get(wanted.file.trajectory)
        cursor = known.cursor if known and not wanted.whole else Cursor()
        facts = known.facts if known else {}
        try:
            log, size, age = self._read_log(wanted.file, cursor, facts, off)
            source = self._copied_from(log, state) if cursor.offset == 0 else None
            if source is not None:
                other = self._read_log(source, Cursor(), {}, off)[0]
                told = {**facts, "parent_session": (source.session,), "parent_kind": ("fork",)}
                copies = {entry.event.id for entry in other.entries}
                log, size, age = self._read_log(wanted.file, cursor, told, off, skip=copies)
        except (OSError, TrajError):
            return None  # a log that cannot be read is no reason to stop; its commits wait
        over = wanted.file.subagent is None and wanted.file.name in self.ended
        if over and log.entries and isinstance(log.entries[-1].event, Message):
            log = replace(log, quiet=True)  # its agent says so; nobody need wait whether the file rests
        self.ages[log.trajectory] = age
        return Reading.of(log, wanted.file.path, size, known, idle=age > IDLE)

    def _read_log(
        self,
        file: SessionFile,
        cursor: Cursor,
        facts: Mapping[str, Sequence[str]],
        off: Suspension,
        *,
        skip: Collection[str] = (),
    ) -> tuple[Log, int, float]:
        return read_log(
            file,
            cursor,
            facts=facts,
            territory=self.territory,
            config=self.config,
            off=off.sessions.get(file.name, ()) if file.subagent is None else (),
            skip=skip,
            recall=self.recorded.get,
            now=self.now,
        )

    def _copied_from(self, log: Log, state: State) -> SessionFile | None:
        """The session that a log begins with a copy of, if parts of that one stand: a fork."""
        ids = {entry.event.id for entry in log.entries}
        for trajectory, other in state.sessions.items():
            ours = trajectory == log.trajectory or other.agent != log.agent or not other.path
            firsts = (p.range.first for p in other.parts)
            if not ours and log.subagent is None and any(is_unique(f) and f in ids for f in firsts):
                return SessionFile(agent=other.agent, session=other.session, path=Path(other.path))
        return None

    # ------------------------------------------------------------ deciding and writing

    def _write(
        self,
        state: State,
        readings: Sequence[Reading],
        streams: Sequence[Sequence[Commit]],
        pairs: Sequence[tuple[str, str]],
        stones: Sequence[tuple[str, Line]],
    ) -> Report:
        news = {c.id for stream in streams for c in stream}
        if any(r.first and self._began_before(r) for r in readings):
            streams = [*self._load_changes([self._old_commits()]), *streams]
        commits = {c.id: c for stream in streams for c in stream}
        commits |= self._known_commits(readings, commits)
        changes = {c.id: c.changes for c in commits.values() if c.changes is not None}
        by_log = {r.log.trajectory: r for r in readings}
        links = link(
            [r.log for r in readings],
            streams,
            known={r.log.trajectory: r.anchors for r in readings},
            past={r.log.trajectory: r.past(changes) for r in readings},
            considers=lambda log, c: c.id in news or by_log[log.trajectory].first,
            patient=lambda c: self._patient(state, c),
        )
        head = self.repository.head()
        plans: list[Plan] = []
        for reading in sorted(readings, key=lambda r: r.log.started_by is not None):
            above = next((p for p in plans if p.reading.log.trajectory == reading.log.parent), None)
            owner = above.owner_of(reading.log) if above is not None else None
            plans.append(Plan.make(reading, links, commits, owner=owner, head=head, ci=self.environ.ci))
        notes = NotesRef(self.repository)
        handmade = self._handmade(state, readings, links, notes)
        moved = self._moved(state, plans)
        pairs = [*pairs, *((r.old, r.new) for r in moved)]
        gathered = follow(state.gathered, squashed(moved))
        state = replace(state, rewrites=follow(state.rewrites, pairs), gathered=gathered)
        written = replace(self.pipeline, rewrites=state.rewrites, gathered=gathered).write(
            [*(d.draft for plan in plans for d in plan.drafted), *handmade.drafts],
            carry=pairs,
            lines=[
                *stones,
                *self._stubs(state, links),
                *(ln for plan in plans for ln in plan.lines(notes)),
                *handmade.lines,
            ],
        )
        sessions = {plan.reading.log.trajectory: plan.remember(written) for plan in plans}
        waiting = tuple(self._still_waiting(state, links))
        whole = restore_lost(self.repository, since=state.whole)
        state = replace(state, sessions={**state.sessions, **sessions}, waiting=waiting, whole=whole)
        save(self.folder, state)
        self._keep(handmade, plans)
        return Report(
            parts=sum(len(plan.drafted) for plan in plans) + len(handmade.drafts),
            commits=written.commits,
            parked=written.parked,
            exposed=written.exposed,
            remark=written.remark,
            unfound=sum(self._patient(state, c) for c in links.unfound),
            unsettled=sum(not session.settled for session in sessions.values()),
        )

    def _handmade(self, state: State, readings: Sequence[Reading], links: Links, notes: NotesRef) -> Handmade:
        """What authors recorded, but for what a log tells."""
        if not self.actives:
            return Handmade()
        made: dict[str, list[str]] = {}
        for commit in links.unowned:
            if commit.stored and not commit.sessions and commit.id in self.worktrees:
                made.setdefault(self.worktrees[commit.id], []).append(commit.id)
        met = {e.event.id for r in readings for e in r.log.entries if e.event.id in self.recorded}
        self.actives = [mark_logged(active, met) for active in self.actives]
        return gather(
            self.actives,
            made,
            notes,
            head=self.repository.head(),
            sessions=state.sessions,
            grown={name: self.now - age for name, age in self.ages.items()},
            present=partial(self._present, state.rewrites),
        )

    def _present(self, rewrites: Mapping[str, tuple[str, ...]], commit: str | None) -> str | None:
        """The commit, or the first that it became that is still here."""
        chain = dict.fromkeys([commit] if commit else [])
        for each in (waiting := [*chain]):
            if self.repository.objects.exists(each):
                return each
            fresh = [new for new in rewrites.get(each, ()) if new not in chain]
            chain.update(dict.fromkeys(fresh))
            waiting += fresh
        return None

    def _keep(self, handmade: Handmade, plans: Sequence[Plan]) -> None:
        """What is recorded now and still stands on no commit."""
        drafted = (d.draft.trajectory.events for plan in plans for d in plan.drafted)
        stored = {event.id for events in drafted for event in events if event.id in self.recorded}
        before = {active.header.trajectory: active for active in load_active(self.folder)}
        for active in handmade.after:
            kept = without(active, stored)
            if kept != before.get(active.header.trajectory):
                save_active(self.folder, kept)

    def _moved(self, state: State, plans: Sequence[Plan]) -> list[Rewrite]:
        """What hooks missed: where else the records belong that stand, or are about to."""
        targets = [t for plan in plans for d in plan.drafted for t in d.draft.targets]
        known = (a for s in state.sessions.values() for a in s.anchors if a.evidence != "content")
        own = {t.commit for t in targets if t.role == "produced" and t.link.evidence != "content"}
        return find_moved(
            self.repository,
            self.fresh,
            (t.commit for t in targets),
            rewrites=state.rewrites,
            gathered=state.gathered,
            taken=own.union(*(a.commits for a in known)),
            silent=self.silent,
        )

    def _began_before(self, reading: Reading) -> bool:
        first = next((e.event.ts for e in reading.log.entries if e.event.ts), None)
        return first is None or first < _iso(self.installed.time)

    def _known_commits(self, readings: Sequence[Reading], news: Mapping[str, Commit]) -> dict[str, Commit]:
        """The commits of earlier drains that these logs' parts belong to, or that took their lines."""
        stored = {c: a.stored for r in readings for a in r.known.anchors for c in a.commits}
        ids = dict.fromkeys([*stored, *(c for r in readings for c in r.known.taken)])
        old = [Commit(id=c, stored=stored.get(c, True)) for c in ids if c not in news]
        return {c.id: c for c in self._load_changes([old])[0]}

    def _patient(self, state: State, commit: Commit) -> bool:
        """Whether the call of a commit may still come into the log: for a moment after its hook ran."""
        since = next((w.since for w in state.waiting if w.commit == commit.id), self.now)
        late = self.now - since >= self.patience
        return not late and self.sessions.find(commit.sessions[0], state) is not None

    def _stubs(self, state: State, links: Links) -> Iterator[tuple[str, Line]]:
        """For commits whose hook named a session that cannot be read here."""
        for commit in links.unfound:
            if commit.stored and self._gone(state, commit):
                agent, _, session = commit.sessions[0].partition(":")
                yield (
                    commit.id,
                    Record(
                        id=trajectory_id(agent, session),
                        rev=STUB_REV,
                        link=Link(evidence="agent", call=commit.call),
                        whole=SessionInfo(agent=agent, session=session),
                        incomplete=True,
                    ),
                )

    def _gone(self, state: State, commit: Commit) -> bool:
        path = self.sessions.find(commit.sessions[0], state)
        if path is None:
            return True
        wait = next((w for w in state.waiting if w.commit == commit.id), None)
        return wait is not None and self.now - wait.since > IDLE and size_of(path) == wait.size

    def _still_waiting(self, state: State, links: Links) -> Iterator[Waiting]:
        """Commits whose call was not found: until the log has grown past it, or for a day."""
        waits = {w.commit: w for w in state.waiting}
        for commit in links.unfound:
            path = self.sessions.find(commit.sessions[0], state)
            size = size_of(path) if path else -1
            old = waits.get(commit.id) or Waiting(
                commit=commit.id,
                kind=commit.kind,
                sessions=commit.sessions,
                call=commit.call,
                since=self.now,
                size=size,
            )
            age = self.now - old.since
            if age <= SURELY or (age <= IDLE and size == old.size):
                yield old


def follow(
    rewrites: Mapping[str, tuple[str, ...]], pairs: Sequence[tuple[str, str]]
) -> dict[str, tuple[str, ...]]:
    followed = dict(rewrites)
    for old, new in pairs:
        if old != new:
            followed[old] = tuple(dict.fromkeys((*followed.get(old, ()), new)))
    return dict(list(followed.items())[-_REWRITES_KEPT:])


def _waited(waiting: Waiting) -> Commit:
    return Commit(
        id=waiting.commit, kind=cast(Kind, waiting.kind), sessions=waiting.sessions, call=waiting.call
    )


def _same(one: Path, other: Path) -> bool:
    return one == other or one.resolve() == other.resolve()


def _iso(seconds: float) -> str:
    stamp = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return stamp.replace("+00:00", "Z")
