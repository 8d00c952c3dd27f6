"""The first reading of all logs, for linking: one digest each, except for logs that need no work, and without
the events that a fork or a continued session copied from another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from gittraj.commands.backfill.log_digest import LogDigest
from gittraj.commands.backfill.log_task import Source
from gittraj.commands.backfill.report import LogResult, Report, unlinked
from gittraj.commands.backfill.worker_pool import WorkerPool
from gittraj.model.session_items import is_unique
from gittraj.state.cursors import NEVER_AWAY

Progress = Callable[[str, int, int], None]
"""Called with the activity, the bytes done, and all bytes."""

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
    found: dict[str, tuple[Source, LogDigest]] = {}
    done = 0
    for source, digest in pool.digests(sources):
        file = source.file
        done += sizes[file.trajectory]
        progress("reading", done, report.read)
        if isinstance(digest, str):
            report.taken[file.trajectory] = LogResult(file=file, why=digest)
            report.damaged.append(unlinked(file, digest))
            continue
        nothing = EMPTY if source.off == NEVER_AWAY else PAUSED
        why = None if digest.log.entries else nothing
        report.taken[file.trajectory] = LogResult(file=file, damage=digest.log.damage, why=why)
        if why:
            report.unlinked.append(unlinked(file, why))
        elif not skip(digest):
            found[file.trajectory] = (source, digest)
    copies = find_copies([digest for _, digest in found.values()])
    again = [replace(found[t][0], copied=found[of][0].file) for t, of in copies.items()]
    for source, digest in pool.digests(again):
        if isinstance(digest, LogDigest):
            found[source.file.trajectory] = (source, digest)
    order = {s.file.trajectory: i for i, s in enumerate(sources)}
    return dict(sorted(found.items(), key=lambda pair: order[pair[0]]))


def find_copies(digests: Sequence[LogDigest]) -> dict[str, str]:
    """Map each copying trajectory to its original: of those that begin with the same event, the parent that
    it names, else the one that ended first."""
    groups: dict[tuple[str, str], list[LogDigest]] = {}
    for each in digests:
        if each.head is not None and is_unique(each.head) and each.file.subagent is None:
            groups.setdefault((each.file.agent, each.head), []).append(each)
    copies: dict[str, str] = {}
    for group in groups.values():
        here = {each.log.trajectory for each in group}
        first, *others = sorted(
            group, key=lambda each: (each.log.parent in here, each.ended or "", each.file.session)
        )
        for each in others:
            named = each.log.parent
            copies[each.log.trajectory] = named if named in here and named else first.log.trajectory
    return copies
