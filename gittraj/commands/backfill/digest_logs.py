"""Reads all logs for the first time, for linking: makes a digest of each log that needs work, without the
events that a forked or continued session copied from another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from gittraj.commands.backfill.log_digest import LogDigest
from gittraj.commands.backfill.log_task import Source
from gittraj.commands.backfill.report import LogResult, Report, unlinked
from gittraj.commands.backfill.worker_pool import WorkerPool
from gittraj.model.session_items import is_unique
from gittraj.state.cursors import NEVER_AWAY

Progress = Callable[[str, int, int], None]
"""A function that is called with the current activity, the bytes done, and the bytes of all logs."""

EMPTY = "it has no events"
PAUSED = f"{EMPTY} outside a pause (git traj pause)"


def digest_logs(
    pool: WorkerPool,
    sources: Sequence[Source],
    report: Report,
    sizes: Mapping[str, int],
    progress: Progress,
    *,
    skip: Callable[[LogDigest], bool],
) -> dict[str, tuple[Source, LogDigest]]:
    """Return the digests by trajectory, in the order of ``sources``, and report the logs that have none.

    A log that begins with a copy of another's events is read again without them.
    """
    digests: dict[str, tuple[Source, LogDigest]] = {}
    done = 0
    for source, digest in pool.digests(sources):
        file = source.file
        done += sizes[file.trajectory]
        progress("reading", done, report.read)
        if isinstance(digest, str):
            report.taken[file.trajectory] = LogResult(file=file, why=digest)
            report.damaged.append(unlinked(file, digest))
            continue
        why_empty = EMPTY if source.off == NEVER_AWAY else PAUSED
        why = None if digest.log.entries else why_empty
        report.taken[file.trajectory] = LogResult(file=file, damage=digest.log.damage, why=why)
        if why:
            report.unlinked.append(unlinked(file, why))
        elif not skip(digest):
            digests[file.trajectory] = (source, digest)
    _reread_copies(pool, digests)
    order = {source.file.trajectory: index for index, source in enumerate(sources)}
    return dict(sorted(digests.items(), key=lambda pair: order[pair[0]]))


def _reread_copies(pool: WorkerPool, digests: dict[str, tuple[Source, LogDigest]]) -> None:
    copies = find_copies([digest for _, digest in digests.values()])
    sources = [
        replace(digests[copy][0], copied=digests[original][0].file) for copy, original in copies.items()
    ]
    for source, digest in pool.digests(sources):
        if isinstance(digest, LogDigest):
            digests[source.file.trajectory] = (source, digest)


def find_copies(digests: Sequence[LogDigest]) -> dict[str, str]:
    """Map each trajectory that begins with a copy of another's events to the original. If several begin with
    the same event, the original is the parent that the copy names, else the one that ended first."""
    copies: dict[str, str] = {}
    for group in _group_by_first_event(digests):
        ids = {each.log.trajectory for each in group}
        first, *others = sorted(
            group, key=lambda each: (each.log.parent in ids, each.ended or "", each.file.session)
        )
        for each in others:
            parent = each.log.parent
            copies[each.log.trajectory] = parent if parent and parent in ids else first.log.trajectory
    return copies


def _group_by_first_event(digests: Sequence[LogDigest]) -> Iterable[list[LogDigest]]:
    groups: dict[tuple[str, str], list[LogDigest]] = {}
    for each in digests:
        if each.head is not None and is_unique(each.head) and each.file.subagent is None:
            groups.setdefault((each.file.agent, each.head), []).append(each)
    return groups.values()
