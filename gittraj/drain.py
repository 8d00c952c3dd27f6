"""The drain: what is new in the worktrees and in the sessions of a repository becomes records.

It finds what to read, reads it, lets ``capture`` decide and hands the drafts to ``pipeline``; it decides
nothing about events itself. Killed anywhere, the next drain gives the same result: refs are written
before the cursors, and the same events make the same parts.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import cast

from gittraj.agents import Agent, SessionFile, all_agents
from gittraj.capture.anchor import commits_elsewhere
from gittraj.capture.commits import Moves, read_moves
from gittraj.capture.content import Writings
from gittraj.capture.link import Links, link
from gittraj.capture.own import Anchor, own
from gittraj.capture.session import Commit, Kind, Log
from gittraj.capture.spool import read_spool
from gittraj.capture.state import (
    Anchored,
    Off,
    SessionState,
    State,
    Stored,
    Waiting,
    load_off,
    load_state,
    save,
)
from gittraj.codec import decode_note
from gittraj.config import Config, Environ
from gittraj.errors import TrajError
from gittraj.git import CommitChanges, Position, ReflogEntry, Repository, read_changes, read_reflog
from gittraj.log import trajectory_id
from gittraj.model import Line, Link, Record, Tombstone, ToolCall, Whole
from gittraj.notes.merge import standing
from gittraj.notes.store import NotesRef
from gittraj.parts import Drafted, Drafter, to_steps, waiting_parts
from gittraj.pipeline import STUB_REV, Parked, Pipeline, Target, Written
from gittraj.reading import read_log, recognise
from gittraj.remembered import rebuild_state
from gittraj.territory import Territory

FOLDER = "traj"
IDLE = 24 * 3600.0
"""Seconds without growth after which a session counts as over."""
_TAKEN_KEPT = 50
_REWRITES_KEPT = 20_000
_OLD_COMMITS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """When git-traj was installed (seconds since the epoch), and how far each reflog was then."""

    time: float
    reflogs: Mapping[str, Position]


@dataclass(slots=True, kw_only=True)
class Report:
    """What a drain came to. ``unfound``: commits whose call may still come; ``unsettled``: sessions of
    which more events are about to belong to a commit."""

    parts: int = 0
    commits: set[str] = field(default_factory=set)
    parked: list[Parked] = field(default_factory=list)
    unfound: int = 0
    unsettled: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A log that was read, what was known of it, and its anchors found before, as indexes."""

    log: Log
    path: Path
    size: int
    known: SessionState
    anchors: tuple[Anchor, ...]
    before: Anchor | None
    first: bool


class Drain:
    """One drain of one repository. ``pipeline`` is made with the rewrites known by then."""

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
        self.agents: dict[str, Agent] = {
            name: agent for name, agent in all_agents().items() if name not in config.exclude
        }
        self.now = time.time()

    def run(self) -> Report:
        """Raises TrajError; then nothing is lost, and the next drain does it again."""
        off = load_off(self.folder)
        if off.paused is not None:
            return Report()
        notes = NotesRef(self.repository)
        state = load_state(self.folder) or rebuild_state(notes, self.installed.reflogs)
        moves, state = self._moves(state, off)
        waiting = [c for w in state.waiting if (c := _waited(w)) is not None]
        streams = [waiting, *(m.commits for m in moves)]
        pairs = tuple(p for m in moves for p in m.pairs)
        state = replace(state, rewrites=_follow(state.rewrites, pairs))
        files = list(self._files(state, streams))
        if not files and not pairs and not any(streams):
            save(self.folder, state)
            return Report()
        self.territory = Territory(self.repository, home=self.environ.home)
        readings = [r for f in files if (r := self._read(f, state, off)) is not None]
        if any(r.first for r in readings):
            streams = [self._old_commits(), *streams]
        return self._write(state, readings, streams, pairs)

    # ------------------------------------------------------------ what happened

    def _moves(self, state: State, off: Off) -> tuple[list[Moves], State]:
        """What the worktrees' reflogs and the spool say since the last drain."""
        spooled, offset = read_spool(self.folder, state.spool)
        reflogs = dict(state.reflogs)
        moves: list[Moves] = []
        away = {name for name, spans in off.sessions.items() if spans and spans[-1].end is None}
        for git_dir in [tree.git_dir for tree in self.repository.worktrees()]:
            entries, position = read_reflog(self.repository, git_dir, self._position(reflogs, git_dir))
            here = [line for line in spooled if _same(line.git_dir, git_dir)]
            if entries or here:
                moves.append(
                    read_moves(
                        entries,
                        here,
                        earlier=partial(self._history, git_dir),
                        off=off.commits,
                        away=away,
                    )
                )
            reflogs[str(git_dir)] = (str(position.size), position.digest)
        return moves, replace(state, spool=offset, reflogs=reflogs)

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

    # ------------------------------------------------------------ which logs

    def _files(self, state: State, streams: Sequence[Sequence[Commit]]) -> Iterator[SessionFile]:
        """The logs to read: those that the commits' hooks named, those that are near, and those of which
        more was to come."""
        found: dict[str, SessionFile] = {}
        commits = [c for stream in streams for c in stream]
        for name in dict.fromkeys(name for c in commits for name in c.sessions):
            agent, _, session = name.partition(":")
            known = state.sessions.get(trajectory_id(agent, session))
            path = Path(known.path) if known else self._find(agent, session)
            if path is not None and path.exists():
                found[name] = SessionFile(agent=agent, session=session, path=path)
        if commits:
            for file in self._near():
                found.setdefault(f"{file.agent}:{file.session}", file)
        for known in state.sessions.values():
            name = f"{known.agent}:{known.session}"
            if name not in found and (commits or not known.settled):
                found[name] = SessionFile(agent=known.agent, session=known.session, path=Path(known.path))
        for name, file in found.items():
            known_state = state.sessions.get(trajectory_id(file.agent, file.session))
            named = any(name in c.sessions for c in commits)
            if self._worth_reading(file, known_state, named=named, some=bool(commits)):
                yield file

    def _worth_reading(
        self, file: SessionFile, known: SessionState | None, *, named: bool, some: bool
    ) -> bool:
        if file.agent not in self.agents:
            return False
        size = _size(file.path)
        if size is None:
            return False
        if known is None or named:
            return True
        return size != known.size or (some and bool(known.open_paths)) or not known.settled

    def _near(self) -> Iterator[SessionFile]:
        roots = Territory(self.repository).roots
        for agent in self.agents.values():
            yield from agent.sessions(self.environ, roots, since=self.installed.time - 7 * IDLE)
        for place in self.config.sessions:
            yield from _mounted(place, self.agents)

    def _find(self, agent: str, session: str) -> Path | None:
        if agent not in self.agents:
            return None
        found = self.agents[agent].find(self.environ, session)
        if found is None:
            mounted = (f for place in self.config.sessions for f in _mounted(place, self.agents))
            found = next((f.path for f in mounted if f.agent == agent and f.session == session), None)
        return found

    # ------------------------------------------------------------ reading

    def _read(self, file: SessionFile, state: State, off: Off) -> _Reading | None:
        trajectory = trajectory_id(file.agent, file.session)
        known = state.sessions.get(trajectory)
        first = known is None
        known = known or SessionState(agent=file.agent, session=file.session, path=str(file.path))
        try:
            log, size = read_log(
                file,
                known,
                territory=self.territory,
                config=self.config,
                off=off.sessions.get(f"{file.agent}:{file.session}", ()),
                now=self.now,
            )
        except (OSError, TrajError):
            return None  # a log that cannot be read is no reason to stop; its commits wait
        inside, before = _locate(log, known.anchors)
        return _Reading(
            log=log, path=file.path, size=size, known=known, anchors=inside, before=before, first=first
        )

    # ------------------------------------------------------------ deciding and writing

    def _write(
        self,
        state: State,
        readings: Sequence[_Reading],
        streams: Sequence[Sequence[Commit]],
        pairs: Sequence[tuple[str, str]],
    ) -> Report:
        streams, changes = self._with_changes(readings, streams)
        commits = {c.id: c for stream in streams for c in stream}
        fresh = {c.id for stream in streams for c in stream if c.stored}
        by_log = {r.log.trajectory: r for r in readings}
        links = link(
            [r.log for r in readings],
            streams,
            known={r.log.trajectory: r.anchors for r in readings},
            past={r.log.trajectory: _past(r, changes) for r in readings},
            considers=lambda log, c: by_log[log.trajectory].first or c.id in fresh,
            patient=lambda c: self._patient(state, c),
        )
        for reading in readings:
            for anchor in reading.known.anchors:
                for c in anchor.commits:
                    known = Commit(id=c, stored=anchor.stored, changes=changes.get(c))
                    commits.setdefault(c, known)
        head = self.repository.head()
        plans = [self._plan(r, links, commits, head) for r in readings]
        lines = [*self._stubs(state, links), *(line for p in plans for line in p.lines(self))]
        written = self.pipeline.write(
            [d.draft for p in plans for d in p.drafted],
            carry=pairs,
            lines=lines,
        )
        after = self._remember(state, plans, links, written)
        save(self.folder, after)
        return Report(
            parts=sum(len(p.drafted) for p in plans),
            commits=written.commits,
            parked=written.parked,
            unfound=len(links.unfound),
            unsettled=sum(not after.sessions[p.reading.log.trajectory].settled for p in plans),
        )

    def _with_changes(
        self, readings: Sequence[_Reading], streams: Sequence[Sequence[Commit]]
    ) -> tuple[list[list[Commit]], dict[str, CommitChanges]]:
        wanted = [c.id for stream in streams for c in stream]
        for reading in readings:
            wanted += (c for anchor in reading.known.anchors for c in anchor.commits)
            wanted += reading.known.taken
        here = [c for c in dict.fromkeys(wanted) if self.repository.objects.exists(c)]
        changes = read_changes(self.repository, here) if readings and here else {}
        known = {c: changes.get(c) for c in here}
        kept = [[replace(c, changes=known[c.id]) for c in stream if c.id in known] for stream in streams]
        return kept, changes

    def _patient(self, state: State, commit: Commit) -> bool:
        """Whether the call of a commit may still come into the log: for a moment after its hook ran."""
        since = next((w.since for w in state.waiting if w.commit == commit.id), self.now)
        return self.now - since < self.patience

    def _plan(
        self, reading: _Reading, links: Links, commits: Mapping[str, Commit], head: str | None
    ) -> _Plan:
        log = reading.log
        found = links.anchors.get(log.trajectory, [])
        anchors, copies = _combine(reading.anchors, found, reading.known.parts)
        made = {a.call for a in anchors}
        elsewhere = [Anchor(call=call, commits=()) for call in commits_elsewhere(log) if call not in made]
        steps = to_steps(log)
        idle = self.now - _mtime(reading.path, self.now) > IDLE
        parts = own(steps, [*anchors, *elsewhere], before=reading.before, ended=log.quiet or idle)
        drafter = Drafter(log, commits=commits, ci=self.environ.ci)
        aliases, more = _aliases(links.aliases.get(log.trajectory, ()), reading, log)
        drafted = drafter.draft(parts, reading.known.parts, aliases=aliases)
        owned = max((p.last + 1 for p in parts), default=0)
        if idle and head and owned < len(steps) and any(s.here for s in steps[owned:]):
            waiting = waiting_parts(steps, owned, head)
            have = {p.range.first for p in reading.known.parts if p.explored}
            drafted += [
                d
                for d in drafter.draft(waiting, reading.known.parts, explored=True)
                if d.stored.range.first not in have
            ]
        return _Plan(
            reading=reading,
            anchors=anchors,
            drafted=drafted,
            copies=[*copies, *more],
            owned=owned,
            commits=commits,
        )

    def _stubs(self, state: State, links: Links) -> Iterator[tuple[str, Line]]:
        """For commits whose hook named a session that cannot be read here."""
        for commit in links.unfound:
            for name in commit.sessions[:1]:
                agent, _, session = name.partition(":")
                if self._gone(state, commit, agent, session):
                    yield (
                        commit.id,
                        Record(
                            id=trajectory_id(agent, session),
                            rev=STUB_REV,
                            link=Link(evidence="agent", call=commit.call),
                            origin=self.pipeline.origin(commit.id),
                            whole=Whole(agent=agent, session=session),
                            incomplete=True,
                        ),
                    )

    def _gone(self, state: State, commit: Commit, agent: str, session: str) -> bool:
        known = state.sessions.get(trajectory_id(agent, session))
        path = Path(known.path) if known else self._find(agent, session)
        if path is None or not path.exists():
            return True
        wait = next((w for w in state.waiting if w.commit == commit.id), None)
        return wait is not None and self.now - wait.since > IDLE and _size(path) == wait.size

    # ------------------------------------------------------------ remembering

    def _remember(self, state: State, plans: Sequence[_Plan], links: Links, written: Written) -> State:
        sessions = dict(state.sessions)
        for plan in plans:
            sessions[plan.reading.log.trajectory] = plan.remember(links, written)
        waits = {w.commit: w for w in state.waiting}
        waiting = []
        for commit in links.unfound:
            old = waits.get(commit.id)
            if old and self.now - old.since > IDLE:
                continue
            agent, _, session = commit.sessions[0].partition(":")
            path = self._find(agent, session)
            waiting.append(
                old
                or Waiting(
                    commit=commit.id,
                    kind=commit.kind,
                    sessions=commit.sessions,
                    call=commit.call,
                    since=self.now,
                    size=(_size(path) or 0) if path else -1,
                )
            )
        return replace(state, sessions=sessions, waiting=tuple(waiting), notes=written.tip or state.notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What is to be written for one log, and to be remembered of it."""

    reading: _Reading
    anchors: Sequence[Anchor]
    drafted: Sequence[Drafted]
    copies: Sequence[tuple[Stored, Target]]
    owned: int
    commits: Mapping[str, Commit]

    def lines(self, drain: Drain) -> Iterator[tuple[str, Line]]:
        """Records that stand already, for further commits; tombstones for explored copies that are
        produced now."""
        notes = NotesRef(drain.repository)
        for stored, target in self.copies:
            for commit in stored.commits:
                record = _standing(notes, commit, self.reading.log.trajectory, stored.range.first)
                if record is not None:
                    origin = drain.pipeline.origin(target.commit)
                    yield target.commit, replace(record, link=target.link, role=target.role, origin=origin)
                    break
        produced = {d.stored.range.first for d in self.drafted if not d.stored.explored}
        for stored in self.reading.known.parts:
            if stored.explored and stored.range.first in produced:
                for commit in stored.commits:
                    yield (
                        commit,
                        Tombstone(
                            id=self.reading.log.trajectory,
                            first=stored.range.first,
                            deleted="produced another commit",
                        ),
                    )

    def remember(self, links: Links, written: Written) -> SessionState:
        reading, log = self.reading, self.reading.log
        parked = {p.first for p in written.parked}
        produced = {d.stored.range.first for d in self.drafted if not d.stored.explored}
        parts = [p for p in reading.known.parts if not (p.explored and p.range.first in produced)]
        for stored, target in self.copies:
            parts = [
                replace(p, commits=tuple(dict.fromkeys((*p.commits, target.commit)))) if p == stored else p
                for p in parts
            ]
        for d in self.drafted:
            key = (log.trajectory, d.stored.range.first)
            segments = written.segments.get(key, ())
            parts.append(replace(d.stored, segments=segments, parked=d.stored.range.first in parked))
        writings = links.writings[log.trajectory]
        taken = (*reading.known.taken, *(c.id for c in self.commits.values() if _touches(c, writings)))
        start = max((i for i in log.marks if i <= self.owned), default=None)
        open_turn = self.owned < len(log.entries) or not _ends(log)
        return replace(
            reading.known,
            path=str(reading.path),
            size=reading.size,
            cursor=log.marks[start] if start is not None else reading.known.cursor,
            anchors=_anchored(log, reading.known.anchors, self.anchors, self.commits),
            parts=tuple(parts),
            open_paths=tuple(sorted(writings.paths())),
            taken=tuple(dict.fromkeys(taken))[-_TAKEN_KEPT:],
            facts={k: tuple(map(str, v)) for k, v in log.facts.items() if k in _SAFE_FACTS},
            waiting=len(log.entries) - self.owned,
            settled=not (open_turn and (self.anchors or reading.before)),
        )


_SAFE_FACTS = {
    *("agent_version", "model", "session", "entrypoint", "parent_session", "parent_kind", "start_commit"),
    "started_at",
}


def _ends(log: Log) -> bool:
    """Whether the last turn is over."""
    return not log.entries or log.quiet or len(log.entries) - 1 in log.turn_ends


def _touches(commit: Commit, writings: Writings) -> bool:
    paths = {p.path for p in commit.changes.paths} if commit.changes else set()
    return any(w.path in paths for w in writings.found)


def _anchored(
    log: Log, known: Sequence[Anchored], anchors: Sequence[Anchor], commits: Mapping[str, Commit]
) -> tuple[Anchored, ...]:
    """All anchors by the name of their call, in the log's order as far as it was read."""
    named: dict[str, Anchored] = {a.call: a for a in known}
    for anchor in sorted(anchors, key=lambda a: a.call):
        if anchor.call >= 0:
            call = _call_name(log, anchor.call)
            named[call] = Anchored(
                call=call,
                commits=anchor.commits,
                evidence=anchor.evidence,
                stored=all(commits[c].stored for c in anchor.commits if c in commits),
            )
    return tuple(named.values())


def _call_name(log: Log, index: int) -> str:
    event = log.entries[index].event
    return (event.call_id or event.id) if isinstance(event, ToolCall) else event.id


def _locate(log: Log, known: Sequence[Anchored]) -> tuple[tuple[Anchor, ...], Anchor | None]:
    """The anchors found before, as indexes of this log; the latest one above it apart."""
    index = {_call_name(log, i): i for i, e in enumerate(log.entries) if isinstance(e.event, ToolCall)}
    inside: list[Anchor] = []
    before: Anchor | None = None
    for anchored in known:
        call = index.get(anchored.call, -1)
        anchor = Anchor(call=call, commits=anchored.commits, evidence=anchored.evidence)
        if anchor.call >= 0:
            inside.append(anchor)
        else:
            before = anchor
    return tuple(inside), before


def _combine(
    known: Sequence[Anchor], found: Sequence[Anchor], stored: Sequence[Stored]
) -> tuple[list[Anchor], list[tuple[Stored, Target]]]:
    """One anchor a call. A commit that joins a call whose parts stand already gets their records."""
    by_call: dict[int, Anchor] = {a.call: a for a in known}
    copies: list[tuple[Stored, Target]] = []
    for anchor in found:
        old = by_call.get(anchor.call)
        if old is None:
            by_call[anchor.call] = anchor
            continue
        fresh = tuple(c for c in anchor.commits if c not in old.commits)
        by_call[anchor.call] = replace(old, commits=(*old.commits, *fresh))
        for part in stored:
            if set(part.commits) & set(old.commits):
                copies += [(part, Target(commit=c, link=Link(evidence=anchor.evidence))) for c in fresh]
    return list(by_call.values()), copies


def _aliases(
    aliases: Iterable[tuple[str, tuple[int, ...]]], reading: _Reading, log: Log
) -> tuple[dict[int, list[Target]], list[tuple[Stored, Target]]]:
    """Commits that took lines of events which belong to an earlier commit: the parts that hold those
    events go to them too, whether they stand already or are written now."""
    positions = {entry.event.id: i for i, entry in enumerate(log.entries)}
    fresh: dict[int, list[Target]] = {}
    copies: list[tuple[Stored, Target]] = []
    for commit, calls in aliases:
        target = Target(commit=commit, link=Link(evidence="content", call=_call_name(log, calls[-1])))
        for call in calls:
            for part in reading.known.parts:
                first = positions.get(part.range.first)
                if first is not None and first <= call < first + part.range.n:
                    copies.append((part, target))
                    break
            else:
                fresh.setdefault(call, []).append(target)
    return fresh, list(dict.fromkeys(copies))


def _past(reading: _Reading, changes: Mapping[str, CommitChanges]) -> list[tuple[CommitChanges, int | None]]:
    past: list[tuple[CommitChanges, int | None]] = []
    past += [(changes[c], None) for c in reading.known.taken if c in changes]
    for anchor in reading.anchors:
        before = None if anchor.evidence == "content" else anchor.call
        past += [(changes[c], before) for c in anchor.commits if c in changes]
    return past


def _standing(notes: NotesRef, commit: str, trajectory: str, first: str) -> Record | None:
    body = notes.read(commit)
    records = standing(commit, decode_note(body)) if body else []
    return next((r for r in records if r.key == (trajectory, first)), None)


def _follow(
    rewrites: Mapping[str, tuple[str, ...]], pairs: Sequence[tuple[str, str]]
) -> dict[str, tuple[str, ...]]:
    followed = dict(rewrites)
    for old, new in pairs:
        if old != new:
            followed[old] = tuple(dict.fromkeys((*followed.get(old, ()), new)))
    return dict(list(followed.items())[-_REWRITES_KEPT:])


def _waited(waiting: Waiting) -> Commit | None:
    return Commit(
        id=waiting.commit, kind=cast(Kind, waiting.kind), sessions=waiting.sessions, call=waiting.call
    )


def _mounted(place: Path, agents: Mapping[str, Agent]) -> Iterator[SessionFile]:
    """Logs in a folder that the user named."""
    for path in sorted(place.rglob("*.jsonl")) if place.is_dir() else [place] if place.is_file() else []:
        agent, session = recognise(path)
        if agent is not None and agent in agents:
            yield SessionFile(agent=agent, session=session, path=path)


def _same(one: Path, other: Path) -> bool:
    return one == other or one.resolve() == other.resolve()


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _mtime(path: Path, default: float) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return default
