"""Links the sessions of many logs to the commits that they made, and writes their parts.

It can be killed at any point and run again: refs are written before the cursors, and the same events make the
same parts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain

from gittraj.capture.link import Links, link
from gittraj.capture.own import Anchor
from gittraj.capture.session import Commit, Log
from gittraj.commands.backfill.candidate_commits import CandidateCommits
from gittraj.commands.backfill.digest_logs import Progress, digest_logs
from gittraj.commands.backfill.log_digest import LogDigest, find_noted, find_touched, is_stored
from gittraj.commands.backfill.log_task import OF_RUNS, Aim, DraftRequest, DraftResult, LogTask, Source
from gittraj.commands.backfill.report import (
    LogResult,
    Report,
    report_planned,
    report_stored,
    report_unlinked,
    unlinked,
)
from gittraj.commands.backfill.worker_pool import WorkerPool, open_worker_pool
from gittraj.errors import TrajError
from gittraj.git import Repository, find_common
from gittraj.history.reading import find_unreachable
from gittraj.notes.carry import records_by_commit
from gittraj.notes.merge import iter_records
from gittraj.notes.run_keys import run_key
from gittraj.notes.store import NotesRef
from gittraj.record.draft import Prepared, this_month
from gittraj.record.drain.forgotten import is_forgotten
from gittraj.record.drain.moved import find_allowed, squashed
from gittraj.record.drain.plan import own_parts, owner_of
from gittraj.record.drain.reading import Reading, is_output_log
from gittraj.record.drain.remembered import rebuild_state
from gittraj.record.drain.run import follow
from gittraj.state.changed import IDLE
from gittraj.state.cursors import SessionState, State, Suspension, load_state, load_suspension, save
from gittraj.state.folder import LocalState, installed_positions

_BATCH = 16 * 1024 * 1024
"""The refs are updated whenever logs of this many bytes have been drafted."""
_COMMITS_REMEMBERED = 60  # of those that changed a file which a session wrote
_FORGOTTEN = "it was removed with git traj forget"


class BackfillRun:
    """One run over many logs, under the drain's lock."""

    def __init__(self, repository: Repository, log_task: LogTask, local: LocalState) -> None:
        self.repository = repository
        self.log_task = log_task
        self.folder = local.folder
        self.off: Suspension = load_suspension(local.folder)
        if self.off.paused is not None:
            raise TrajError("git-traj is paused here", "git traj resume")
        self.notes = NotesRef(repository)
        state = load_state(local.folder)
        if state is None:
            value = local.read("installed.json")
            positions = installed_positions(value)[1] if value is not None else {}
            state = rebuild_state(self.notes, positions)
        self.state: State = state
        self.roots = log_task.territory(None).roots

    def link_logs(
        self,
        rounds: Sequence[Sequence[Source]],
        *,
        aim: Aim,
        dry_run: bool = False,
        progress: Progress,
    ) -> list[Report]:
        """Link the logs of each round, one round after the other, and return a report for each round. A round
        must not have a session twice. Raises TrajError."""
        before = {(record.id, commit) for commit, record in iter_records(self.notes.items())}
        linked = [self._link_round(each, aim, progress, dry_run=dry_run) for each in rounds]
        reports = [report for report, *_ in linked]
        if not dry_run:
            self._carry()
        report_stored(reports, self.notes)
        gone = find_unreachable(self.repository, {row.commit for report in reports for row in report.linked})
        for report, readings, links in linked:
            report.before = before
            # notes are sorted by commit, planned rows by log: a dry run must print the rows in the same order
            report.linked.sort(key=lambda row: (row.trajectory, row.commit))
            report.gone |= gone & {row.commit for row in report.linked}
            if aim.link:
                report_unlinked(report, readings, links)
        return reports

    def _link_round(
        self, sources: Sequence[Source], aim: Aim, progress: Progress, *, dry_run: bool
    ) -> tuple[Report, list[Reading], Links]:
        sizes = {s.file.trajectory: s.size for s in sources}
        report = Report(sessions=len(sources), read=sum(sizes.values()))
        forgotten = [s.file for s in sources if is_forgotten(s.file, self.off.forgotten)]
        sources = [s for s in sources if s.file not in forgotten]
        for file in forgotten:
            report.unlinked.append(unlinked(file, _FORGOTTEN))
            report.taken[file.trajectory] = LogResult(file=file, why=_FORGOTTEN)
        with open_worker_pool(self.log_task, report.read) as pool:
            digests = digest_logs(pool, sources, report, sizes, progress, skip=self._is_superseded)
            links, commits = self._link(digests, aim)
            requests = self._requests(digests, links, commits, aim)
            if dry_run:
                self._preview(report, requests)
            else:
                self._write(pool, requests, report, sizes, progress)
        readings = [self._reading(digest) for _, digest in digests.values()] if aim.link else []
        return report, readings, links

    def _is_superseded(self, digest: LogDigest) -> bool:
        """Return whether a log is only the output of an agent whose own log is stored already."""
        return is_output_log(digest.log) and any(not part.output for part in self._known(digest).parts)

    def _link(
        self, digests: Mapping[str, tuple[Source, LogDigest]], aim: Aim
    ) -> tuple[Links, dict[str, Commit]]:
        read = [digest for _, digest in digests.values()]
        writings = {digest.log.trajectory: digest.writings for digest in read}
        if not aim.link:
            return Links(writings=writings), {}
        commits = self._list_commits(read)
        links = link(
            [digest.log for digest in read],
            [commits],
            known={digest.log.trajectory: self._reading(digest).anchors for digest in read},
            writings=writings,
            owned=self._owned(writings),
            common=partial(find_common, self.repository),
        )
        return links, {commit.id: commit for commit in commits}

    def _list_commits(self, digests: Sequence[LogDigest]) -> list[Commit]:
        known = {c for digest in digests for anchor in self._known(digest).anchors for c in anchor.commits}
        return CandidateCommits(self.repository, digests, off=self.off.commits).commits(digests, known)

    def _owned(self, read: Collection[str]) -> set[str]:
        """Return the commits that records attribute to sessions other than those ``read``."""
        return {
            commit
            for commit, record in iter_records(self.notes.items())
            if record.id not in read and record.role == "produced" and record.link.evidence != "content"
        }

    def _requests(
        self,
        digests: Mapping[str, tuple[Source, LogDigest]],
        links: Links,
        commits: Mapping[str, Commit],
        aim: Aim,
    ) -> list[DraftRequest]:
        """Return a request for each log that is not stored completely."""
        requests: list[DraftRequest] = []
        for trajectory, (source, digest) in digests.items():
            owner = self._owner(digest.log, digests, links, aim)
            known = self._known(digest)
            noted = list(find_noted(digest.log))
            anchors = links.anchors.get(trajectory, [])
            aliases = links.aliases.get(trajectory, [])
            linking = (*anchors, *noted, *([owner] if owner else []))
            linked = {*chain.from_iterable(a.commits for a in linking), *(c for c, _ in aliases)}
            if is_stored(digest, known, linked):
                continue
            touched = find_touched(digest, commits)[-_COMMITS_REMEMBERED:]
            needed = {*linked, *chain.from_iterable(a.commits for a in known.anchors), *touched}
            requests.append(
                DraftRequest(
                    source=source,
                    known=known,
                    anchors=anchors,
                    aliases=aliases,
                    writings=digest.writings,
                    commits={
                        c: commits.get(c) or Commit(id=c, stored=c not in self.off.commits) for c in needed
                    },
                    owner=owner,
                    head=self._choose_head(digest, aim),
                    over=aim.explore or digest.age > IDLE,
                    explore=aim.explore,
                    onto=aim.commit,
                    noted=noted,
                )
            )
        return requests

    def _owner(
        self, log: Log, digests: Mapping[str, tuple[Source, LogDigest]], links: Links, aim: Aim
    ) -> Anchor | None:
        """Return the anchor that takes the whole log, if there is one: the commit to import onto, or the
        parent's call that started a subagent."""
        if aim.commit:
            return Anchor(call=-1, commits=(aim.commit,), evidence="imported")
        if not log.started_by or not log.parent or log.parent not in digests:
            return None
        parent = digests[log.parent][1]
        return owner_of(log, parent.log, own_parts(self._reading(parent), links)[2])

    def _known(self, digest: LogDigest) -> SessionState:
        """Return a session's state. An anchor is ``stored`` unless one of its commits was made during a
        pause; work from before the installation, which a drain leaves out, is stored here."""
        log = digest.log
        known = self.state.sessions.get(log.trajectory)
        if known is None:
            return SessionState(agent=log.agent, session=log.session, path=str(digest.file.path))
        anchors = (replace(a, stored=not {*a.commits} & {*self.off.commits}) for a in known.anchors)
        return replace(known, anchors=tuple(anchors))

    def _reading(self, digest: LogDigest) -> Reading:
        known, idle = self._known(digest), digest.age > IDLE
        return Reading.of(digest.log, digest.file.path, digest.size, known, idle=idle)

    def _choose_head(self, digest: LogDigest, aim: Aim) -> str | None:
        """Return the commit on which a session without a commit is stored: the one where it started, else
        HEAD. An imported run of a benchmark belongs to no commit; it is stored under a key for such runs."""
        if aim.explore and any(digest.log.fact(name) for name in OF_RUNS):
            return run_key(self.repository.object_format, this_month(), digest.log.trajectory)
        start = digest.log.fact("start_commit")
        exists = start is not None and self.repository.objects.kind(start) == "commit"
        return start if exists else self.repository.head()

    def _write(
        self,
        pool: WorkerPool,
        requests: Sequence[DraftRequest],
        report: Report,
        sizes: Mapping[str, int],
        progress: Progress,
    ) -> None:
        waiting: list[DraftResult] = []
        size = done = 0
        for request, result in pool.drafts(requests):
            trajectory = request.source.file.trajectory
            done += sizes[trajectory]
            size += sizes[trajectory]
            progress("storing", done, report.read)
            report.taken[trajectory] = replace(
                report.taken[trajectory], parts=result.parts, explored=result.explored, why=result.failure
            )
            if result.failure is not None:
                report.damaged.append(unlinked(request.source.file, result.failure))
                continue
            waiting.append(result)
            if size > _BATCH:
                self._store(waiting, report)
                waiting, size = [], 0
        self._store(waiting, report)

    def _store(self, results: Sequence[DraftResult], report: Report) -> None:
        prepared: list[Prepared] = [r.prepared for r in results if r.prepared is not None]
        if not prepared:
            return
        pipeline = replace(self.log_task.pipeline, rewrites=self.state.rewrites)
        written = pipeline.store(prepared)
        report.parts += sum(r.parts + r.explored for r in results)
        report.remark = report.remark or written.remark
        report.parked += [f"{p.source}: {p.why}" for p in written.parked]
        fresh = {r.trajectory: r.state for r in results if r.state is not None}
        self.state = replace(self.state, sessions={**self.state.sessions, **fresh})
        save(self.folder, self.state)

    def _preview(self, report: Report, requests: Sequence[DraftRequest]) -> None:
        """Report what would be linked, and to which rewritten commits."""
        report_planned(report, requests)
        rows = {row.commit: row for row in report.linked}
        taken = {commit for commit, row in rows.items() if row.evidence != "content"}
        for rewrite in find_allowed(self.repository, rows, taken=taken, silent=self.off.commits):
            report.linked.append(replace(rows[rewrite.old], commit=rewrite.new, carried=True))

    def _carry(self) -> None:
        """Copy the records of commits that were rewritten to the new commits."""
        records_of, with_own_work = records_by_commit(self.notes.items())
        found = find_allowed(self.repository, records_of, taken=with_own_work, silent=self.off.commits)
        pairs = [(rewrite.old, rewrite.new) for rewrite in found]
        rewrites = follow(self.state.rewrites, pairs)
        gathered = follow(self.state.gathered, squashed(found))
        self.state = replace(self.state, rewrites=rewrites, gathered=gathered)
        replace(self.log_task.pipeline, rewrites=rewrites, gathered=gathered).store([], carry=pairs)
        save(self.folder, self.state)


@contextmanager
def open_run(repository: Repository, log_task: LogTask) -> Iterator[BackfillRun]:
    """Yield a :class:`BackfillRun` under the drain's lock. Raises TrajError."""
    if log_task.environ.off:
        raise TrajError("GIT_TRAJ=0 switches git-traj off", "unset it")
    local = LocalState.of(repository)
    with local.writing():
        local.tidy()
        yield BackfillRun(repository, log_task, local)
