"""One run over many logs: links sessions to the commits that they made, and writes their parts.

Killed anywhere, what is stored stays, and the next run goes on: refs are written before the cursors, and
the same events make the same parts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from gittraj.agents import SessionFile
from gittraj.capture.link import Links, link
from gittraj.capture.own import Anchor
from gittraj.capture.session import Commit
from gittraj.commands.backfill.copies import find_copies
from gittraj.commands.backfill.crew import Crew, gather_crew
from gittraj.commands.backfill.desk import Desk, Done, Order, Source
from gittraj.commands.backfill.outline import Outline
from gittraj.commands.backfill.report import Report, Taken, unlinked
from gittraj.commands.backfill.telling import tell_orders, tell_stored, tell_unlinked, unreachable
from gittraj.commands.backfill.universe import Universe
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.model.codec import decode_note
from gittraj.notes.carry import is_own
from gittraj.notes.merge import standing
from gittraj.notes.store import NotesRef
from gittraj.record.draft import Prepared
from gittraj.record.drain.forgotten import is_forgotten
from gittraj.record.drain.moved import find_allowed, squashed
from gittraj.record.drain.plan import Reading, own_parts, owner_of
from gittraj.record.drain.remembered import rebuild_state
from gittraj.record.drain.run import follow
from gittraj.record.drain.superseding import is_output_log
from gittraj.record.drain.waiting import IDLE
from gittraj.state.cursors import Anchored, Off, SessionState, State, load_off, load_state, save
from gittraj.state.folder import LocalState, installed_positions

Progress = Callable[[str, int, int], None]
"""Told what is being done, and how many of how many bytes are."""

_BATCH = 16 * 1024 * 1024
"""Bytes of logs after which what is done is named in the refs."""
_COMMITS_REMEMBERED = 60
EMPTY = "it holds no event"
_FORGOTTEN = "it was forgotten (git traj forget)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What is to become of sessions. ``commit``: all of them goes there; ``link``: by evidence; ``explore``:
    what made no commit is stored where it started, even if nothing tells that it worked here."""

    commit: str | None = None
    link: bool = True
    explore: bool = False


class Past:
    """One run over many logs, under the drain's lock."""

    def __init__(self, repository: Repository, desk: Desk, local: LocalState) -> None:
        self.repository = repository
        self.desk = desk
        self.folder = local.folder
        self.off: Off = load_off(local.folder)
        if self.off.paused is not None:
            raise TrajError("git-traj is paused here", "git traj resume")
        self.notes = NotesRef(repository)
        state = load_state(local.folder)
        if state is None:
            value = local.read("installed.json")
            positions = installed_positions(value)[1] if value is not None else {}
            state = rebuild_state(self.notes, positions)
        self.state: State = state
        self.roots = desk.territory(None).roots
        self._head = repository.head()

    # ------------------------------------------------------------ what to do

    def run(
        self, sources: Sequence[Source], *, aim: Aim = Aim(), dry_run: bool = False, progress: Progress
    ) -> Report:
        sizes = {s.file.trajectory: _size(s.file) for s in sources}
        report = Report(sessions=len(sources), read=sum(sizes.values()))
        forgotten = [s.file for s in sources if is_forgotten(s.file, self.off.forgotten)]
        sources = [s for s in sources if s.file not in forgotten]
        report.unlinked += [unlinked(file, _FORGOTTEN) for file in forgotten]
        for file in forgotten:
            report.taken[file.trajectory] = Taken(file=file, why=_FORGOTTEN)
        with gather_crew(self.desk, report.read) as crew:
            outlines = self._outline(crew, sources, report, sizes, progress)
            links, commits = self._link(outlines, aim)
            orders = self._orders(outlines, links, commits, aim)
            if dry_run:
                self._foretell(report, orders)
            else:
                self._write(crew, orders, report, sizes, progress)
                tell_stored(report, self.notes)
        report.gone |= unreachable(self.repository, {row.commit for row in report.linked})
        if aim.link:
            tell_unlinked(report, [self._reading(o) for _, o in outlines.values()], links)
        return report

    def _outline(
        self,
        crew: Crew,
        sources: Sequence[Source],
        report: Report,
        sizes: Mapping[str, int],
        progress: Progress,
    ) -> dict[str, tuple[Source, Outline]]:
        found: dict[str, tuple[Source, Outline]] = {}
        done = 0
        for source, outline in crew.outlines(sources):
            done += sizes[source.file.trajectory]
            progress("reading", done, report.read)
            file = source.file
            damage = outline.log.damage if isinstance(outline, Outline) else 0
            empty = isinstance(outline, Outline) and not outline.log.entries
            why = EMPTY if empty else outline if isinstance(outline, str) else None
            report.taken[file.trajectory] = Taken(file=file, damage=damage, why=why)
            if isinstance(outline, str):
                report.damaged.append(unlinked(file, outline))
            elif empty:
                report.unlinked.append(unlinked(file, EMPTY))
            elif not self._is_superseded(outline):
                found[file.trajectory] = (source, outline)
        copies = find_copies([outline for _, outline in found.values()])
        again = [replace(found[t][0], copied=found[of][0].file) for t, of in copies.items()]
        for source, outline in crew.outlines(again):
            if isinstance(outline, Outline):
                found[source.file.trajectory] = (source, outline)
        order = {s.file.trajectory: i for i, s in enumerate(sources)}
        return dict(sorted(found.items(), key=lambda pair: order[pair[0]]))

    def _is_superseded(self, outline: Outline) -> bool:
        """Whether a log is what an agent printed, and the agent's own log is stored already."""
        known = self._known(outline).parts
        return is_output_log(outline.log) and any(not part.output for part in known)

    def _link(
        self, outlines: Mapping[str, tuple[Source, Outline]], aim: Aim
    ) -> tuple[Links, dict[str, Commit]]:
        each = [outline for _, outline in outlines.values()]
        if not aim.link:
            return Links(writings={o.log.trajectory: o.writings for o in each}), {}
        known = {c for o in each for a in self._known(o).anchors for c in a.commits}
        commits = Universe(self.repository, each, off=self.off.commits).commits(each, known)
        readings = {o.log.trajectory: self._reading(o) for o in each}
        links = link(
            [o.log for o in each],
            [commits],
            known={t: r.anchors for t, r in readings.items()},
            writings={o.log.trajectory: o.writings for o in each},
            owned=self._owned({o.log.trajectory for o in each}),
        )
        return links, {c.id: c for c in commits}

    def _owned(self, here: Collection[str]) -> set[str]:
        """The commits that sessions made which are not among the logs, as their records say."""
        return {
            commit
            for commit, body in self.notes.items()
            for record in standing(commit, decode_note(body))
            if record.id not in here and record.role == "produced" and record.link.evidence != "content"
        }

    def _orders(
        self,
        outlines: Mapping[str, tuple[Source, Outline]],
        links: Links,
        commits: Mapping[str, Commit],
        aim: Aim,
    ) -> list[Order]:
        orders: list[Order] = []
        for trajectory, (source, outline) in outlines.items():
            log = outline.log
            owner = Anchor(call=-1, commits=(aim.commit,), evidence="imported") if aim.commit else None
            if owner is None and log.started_by and log.parent and log.parent in outlines:
                above = outlines[log.parent][1]
                owner = owner_of(log, above.log, own_parts(self._reading(above), links)[2])
            known = self._known(outline)
            noted = [
                Anchor(call=index, commits=(entry.on,), evidence="imported")
                for index, entry in enumerate(log.entries)
                if entry.on
            ]
            anchors = links.anchors.get(trajectory, [])
            aliases = links.aliases.get(trajectory, [])
            named = {c for a in (*anchors, *noted) for c in a.commits} | {c for c, _ in aliases}
            if _is_told(outline, known, {*named, *(owner.commits if owner else ())}):
                continue
            named |= {c for a in known.anchors for c in a.commits}
            named |= set(owner.commits) if owner else set()
            touched = [
                c.id
                for c in commits.values()
                if c.changes and any(p.path in outline.writings.by_path for p in c.changes.paths)
            ]
            wanted = {*named, *touched[-_COMMITS_REMEMBERED:]}
            orders.append(
                Order(
                    source=source,
                    known=known,
                    anchors=anchors,
                    aliases=aliases,
                    writings=outline.writings,
                    commits={c: self._commit(c, commits) for c in wanted},
                    owner=owner,
                    head=self._start(outline),
                    over=aim.explore or outline.age > IDLE,
                    explore=aim.explore,
                    onto=aim.commit,
                    noted=noted,
                    stays=not aim.explore,
                )
            )
        return orders

    def _commit(self, commit: str, commits: Mapping[str, Commit]) -> Commit:
        return commits.get(commit) or Commit(id=commit, stored=commit not in self.off.commits)

    def _known(self, outline: Outline) -> SessionState:
        """What stands of a session. What was before the installation may be stored now; what was switched
        off may not."""
        log = outline.log
        known = self.state.sessions.get(log.trajectory)
        if known is None:
            return SessionState(agent=log.agent, session=log.session, path=str(outline.file.path))
        anchors = tuple(self._allowed(anchored) for anchored in known.anchors)
        return replace(known, anchors=anchors)

    def _allowed(self, anchored: Anchored) -> Anchored:
        return replace(anchored, stored=not set(anchored.commits) & set(self.off.commits))

    def _reading(self, outline: Outline) -> Reading:
        known = self._known(outline)
        over = outline.age > IDLE
        return Reading.of(outline.log, outline.file.path, outline.size, known, idle=over)

    def _start(self, outline: Outline) -> str | None:
        """Where a session stands that made no commit: where it started, else where HEAD is now."""
        start = outline.log.fact("start_commit")
        here = start is not None and self.repository.objects.kind(start) == "commit"
        return start if here else self._head

    # ------------------------------------------------------------ writing

    def _write(
        self,
        crew: Crew,
        orders: Sequence[Order],
        report: Report,
        sizes: Mapping[str, int],
        progress: Progress,
    ) -> None:
        waiting: list[Done] = []
        size = done = 0
        for order, result in crew.drafts(orders):
            trajectory = order.source.file.trajectory
            done += sizes[trajectory]
            size += sizes[trajectory]
            progress("storing", done, report.read)
            report.taken[trajectory] = replace(
                report.taken[trajectory], parts=result.parts, explored=result.explored, why=result.failure
            )
            if result.failure is not None:
                report.damaged.append(unlinked(order.source.file, result.failure))
                continue
            waiting.append(result)
            if size > _BATCH:
                self._store(waiting, report)
                waiting, size = [], 0
        self._store(waiting, report)
        self._carry()

    def _store(self, results: Sequence[Done], report: Report) -> None:
        prepared: list[Prepared] = [r.prepared for r in results if r.prepared is not None]
        if not prepared:
            return
        pipeline = replace(self.desk.pipeline, rewrites=self.state.rewrites)
        written = pipeline.store(prepared)
        report.parts += sum(r.parts + r.explored for r in results)
        report.remark = report.remark or written.remark
        report.parked += [f"{p.source}: {p.why}" for p in written.parked]
        fresh = {r.trajectory: r.state for r in results if r.state is not None}
        self.state = replace(self.state, sessions={**self.state.sessions, **fresh})
        save(self.folder, self.state)

    def _foretell(self, report: Report, orders: Sequence[Order]) -> None:
        """What would be linked, and where the work of rewritten commits is now."""
        tell_orders(report, orders)
        rows = {row.commit: row for row in report.linked}
        taken = {commit for commit, row in rows.items() if row.evidence != "content"}
        for found in find_allowed(self.repository, rows, taken=taken, silent=self.off.commits):
            report.linked.append(replace(rows[found.old], commit=found.new, carried=True))

    def _carry(self) -> None:
        """The records of rewritten commits also go to where those are now."""
        held = {commit: standing(commit, decode_note(body)) for commit, body in self.notes.items()}
        held = {commit: records for commit, records in held.items() if records}
        own = {commit for commit, records in held.items() if any(is_own(commit, r) for r in records)}
        found = find_allowed(self.repository, held, taken=own, silent=self.off.commits)
        pairs = [(r.old, r.new) for r in found]
        rewrites = follow(self.state.rewrites, pairs)
        gathered = follow(self.state.gathered, squashed(found))
        self.state = replace(self.state, rewrites=rewrites, gathered=gathered)
        replace(self.desk.pipeline, rewrites=rewrites, gathered=gathered).store([], carry=pairs)
        save(self.folder, self.state)


@contextmanager
def opened(repository: Repository, desk: Desk) -> Iterator[Past]:
    """A :class:`Past` under the drain's lock. Raises TrajError."""
    if desk.environ.off:
        raise TrajError("GIT_TRAJ=0 switches git-traj off", "unset it")
    local = LocalState.of(repository)
    with local.writing():
        local.tidy()
        yield Past(repository, desk, local)


def _is_told(outline: Outline, known: SessionState, commits: set[str]) -> bool:
    """Whether all of a log stands already, on these commits too. Runs of a thread have an output each."""
    if is_output_log(outline.log):
        return False
    parts = [part for part in known.parts if not part.output]
    on = {commit for part in parts if not part.explored for commit in part.commits}
    on |= {commit for anchored in known.anchors if not anchored.stored for commit in anchored.commits}
    return commits <= on and sum(part.range.n for part in parts) >= len(outline.log.entries) > 0


def _size(file: SessionFile) -> int:
    try:
        return file.path.stat().st_size
    except OSError:
        return 0
