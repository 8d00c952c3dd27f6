"""Rewrites the refs without the purged text or trajectories, in this order: the new segments are written,
then the records that name them, then each month's data ref; then this clone's derived data are deleted.
Reports what was done, and what others have to do: as lines for people, as JSON for scripts.

A purge that was killed can be run again, with the same result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from gittraj.commands.purge.search import Matches, PurgeTarget, Search, SegmentKey, list_objects
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.index.schema import FOLDER as INDEX
from gittraj.model.codec import segment_path, segment_position
from gittraj.model.values import Key, Record, SegmentRef
from gittraj.model.words import count
from gittraj.notes.epoch import Epoch, read_epoch, unite
from gittraj.notes.merge import every_record
from gittraj.notes.recovery import unfinished_merges
from gittraj.notes.store import DATA_PREFIX, RECORDS_REF, DataRefs, NotesRef
from gittraj.notes.unjoined import COPIES
from gittraj.record.draft import this_month
from gittraj.record.rewrite_segments import Renewal, name_segment
from gittraj.state.active import drop_active, load_active, save_active
from gittraj.state.folder import LocalState
from gittraj.sync.join import join_records, join_segments
from gittraj.sync.purge_merge import Change, is_purge_applied, merge_purged_records, merge_purged_segments
from gittraj.sync.traces import clear_traces, our_refs

STEP = 1000
"""A purged part gets the next multiple of this as its ``rev``, so that it is above any ``rev`` that a clone
without the purge writes meanwhile."""
_MESSAGE = "git-traj: purge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Purge:
    """The result of a purge, or of its dry run.

    ``records`` and ``segments`` count those that contained the purged text; ``refs`` were, or would be,
    rewritten; ``absent`` counts the segments that could not be searched, ``sealed`` the parts with sealed
    thinking, which is not searched; ``elsewhere`` lists the refs of others that lead to the old history;
    ``left`` lists where the purged text still is; ``old`` are the root commits of the old history."""

    records: int = 0
    segments: int = 0
    refs: tuple[str, ...] = ()
    absent: int = 0
    sealed: int = 0
    elsewhere: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    old: tuple[str, ...] = ()


def purge(repository: Repository, target: PurgeTarget, *, dry_run: bool = False) -> Purge:
    """Remove the target for good. Raises TrajError; the purge can then be run again."""
    with LocalState.of(repository).writing():
        if any(unfinished_merges(repository)):
            why = f"a merge of {RECORDS_REF} is not finished"
            raise TrajError(why, "git notes --ref=traj merge --abort, or --commit")
        if not dry_run:
            _join_tracked(repository)
        search = Search(repository, target)
        matches = search.run()
        records = [*every_record(NotesRef(repository).items())]
        done = _count(repository, target, matches, records)
        if dry_run or not (matches.refs or LocalState.of(repository).is_purging):
            return done
        roots = _find_roots(repository, done.refs)
        _rewrite(repository, search, records)
        elsewhere, left = _find_elsewhere(repository, roots), _find_left(repository, target)
        return replace(done, elsewhere=tuple(elsewhere), left=tuple(left), old=tuple(roots))


def _join_tracked(repository: Repository) -> None:
    """Join the fetched refs that are not joined yet, so that they are searched, too, and not lost."""
    for ref in our_refs(repository):
        tip = repository.objects.resolve(ref)
        if tip and ref.startswith(COPIES):
            if ref.endswith("/traj"):
                join_records(repository, tip, ref)
            else:
                join_segments(repository, ref[-7:], tip, ref)


def _count(repository: Repository, target: PurgeTarget, matches: Matches, records: list[Record]) -> Purge:
    searched = records if target.redactor is not None else []
    named = {key for record in searched for key in _name_segments(record)}
    epoch = read_epoch(repository.objects, repository.objects.resolve(RECORDS_REF))
    again = {month for month, *_ in epoch.segments}.intersection(DataRefs(repository).months())
    refs = {ref for ref in matches.refs if not ref.startswith(COPIES)} | {DATA_PREFIX + m for m in again}
    return Purge(
        records=len(matches.parts),
        segments=len(matches.segments),
        # the notes are always rewritten, because the epoch, which lists what was removed, is stored there;
        # each month from which something was purged before is rewritten, too
        refs=tuple(sorted({RECORDS_REF, *refs})) if matches.refs else (),
        absent=len(named - matches.stored) + len(matches.unread),
        sealed=len({record.key for record in searched if record.seals}),
    )


def _name_segments(record: Record) -> Iterator[SegmentKey]:
    return ((ref.month, record.id, ref.name) for ref in (*record.segments, *record.also))


def _rewrite(repository: Repository, search: Search, records: list[Record]) -> None:
    renewal = _renew(search, records)
    with LocalState.of(repository).purging():
        search.target.remember(search.hashes())
        if renewal.files:
            DataRefs(repository).write(this_month(), renewal.files)
        if search.matches.refs:
            change = Change(
                epoch=_make_epoch(repository, search, renewal),
                renewal=renewal,
                clean=search.clean,
                meets=search.target.contains,
            )
            merge_purged_records(repository, message=_MESSAGE, change=change)
        for month in DataRefs(repository).months():
            tip = repository.objects.resolve(DATA_PREFIX + month)
            if tip and not is_purge_applied(repository, month, tip):
                merge_purged_segments(repository, month, message=_MESSAGE)
        _clean_active(repository, search)
        clear_traces(repository)


def _renew(search: Search, records: list[Record]) -> Renewal:
    """Return the records and segments to write: each part that matches, or names a segment that matches, is
    rewritten without the purged text."""
    files: dict[str, bytes] = {}
    new_refs: dict[SegmentKey, tuple[SegmentRef, ...]] = {}
    for key in search.matches.segments.keys() & {key for r in records for key in _name_segments(r)}:
        replacement = search.matches.segments[key]
        bodies = replacement.bodies if replacement else ()
        files.update((segment_path(key[1], name), body) for name, body in bodies)
        new_refs[key] = tuple(name_segment(name, body, this_month()) for name, body in bodies)
    return Renewal(records=_renew_records(search, records, new_refs), files=files)


def _renew_records(
    search: Search, records: list[Record], new_refs: dict[SegmentKey, tuple[SegmentRef, ...]]
) -> dict[Key, Record]:
    def renew(record: Record, refs: tuple[SegmentRef, ...]) -> tuple[SegmentRef, ...]:
        new = (new_refs.get((ref.month, record.id, ref.name), (ref,)) for ref in refs)
        return tuple(dict.fromkeys(chain.from_iterable(new)))

    parts = search.matches.parts
    renewed: dict[Key, Record] = {}
    for record in sorted(records, key=lambda each: each.rev):
        segments, also = renew(record, record.segments), renew(record, record.also)
        has_new_refs = (segments, also) != (record.segments, record.also)
        if record.id not in search.target.forgotten and (has_new_refs or record.key in parts):
            rev = _next_rev(max(record.rev, parts.get(record.key, 0)))
            renewed[record.key] = replace(search.clean_record(record), segments=segments, also=also, rev=rev)
    return renewed


def _next_rev(rev: int) -> int:
    return (rev // STEP + 1) * STEP


def _make_epoch(repository: Repository, search: Search, renewal: Renewal) -> Epoch:
    """Return the new epoch, which lists what no fetch may bring back."""
    matches, forgotten = search.matches, search.target.forgotten
    before = read_epoch(repository.objects, repository.objects.resolve(RECORDS_REF))
    removed = {key: _next_rev(rev) for key, rev in matches.parts.items() if key[0] not in forgotten}
    added = Epoch(
        records=removed | {key: record.rev for key, record in renewal.records.items()},
        segments=frozenset(
            (month, trajectory, position)
            for month, trajectory, name in matches.segments
            if trajectory not in forgotten and (position := segment_position(name)) is not None
        ),
        forgotten=forgotten,
    )
    return replace(unite([before, added]), number=before.number + 1)


def _clean_active(repository: Repository, search: Search) -> None:
    """Remove the purged text from the trajectories that wait for a commit, and delete the forgotten ones."""
    folder = LocalState.of(repository).folder
    for active in load_active(folder):
        header = active.header
        if header.trajectory in search.target.forgotten:
            drop_active(folder, header.trajectory)
        elif search.target.redactor is not None:
            title, task, tags, participants, events = search.clean_value(
                header.trajectory,
                (header.title, header.task, header.tags, header.participants, active.events),
            )
            header = replace(header, title=title, task=task, tags=tags, participants=participants)
            if replace(active, header=header, events=events) != active:
                save_active(folder, replace(active, header=header, events=events))


# ---------------------------------------------------------------- where the purged text remains


def _find_roots(repository: Repository, refs: Iterable[str]) -> list[str]:
    tips = [tip for ref in refs if (tip := repository.objects.resolve(ref))]
    return repository.run("rev-list", "--max-parents=0", *tips, "--").text.split() if tips else []


def _find_elsewhere(repository: Repository, roots: Iterable[str]) -> Iterator[str]:
    """Yield the refs that are not git-traj's and lead to the old history."""
    contains = [f"--contains={root}" for root in roots if repository.objects.exists(root)]
    if contains:
        listed = repository.run("for-each-ref", "--format=%(refname)", *contains).text.splitlines()
        yield from sorted({*listed} - {*our_refs(repository)})


def _find_left(repository: Repository, target: PurgeTarget) -> Iterator[str]:
    """Search again, by the bytes alone, and yield where the purged text still is."""
    for ref in our_refs(repository):
        for oid, path in list_objects(repository, [ref]):
            kind_and_content = repository.objects.read(oid)
            if kind_and_content and target.contains(kind_and_content[1]):
                yield f"{ref}:{path}"
    for folder in (LocalState.of(repository).folder, repository.common_dir / INDEX):
        for file in sorted(folder.rglob("*")):
            if file.is_file() and target.contains(file.read_bytes()):
                yield str(file)


def collect_garbage(repository: Repository, done: Purge) -> bool:
    """Let git delete all unreachable objects, not only git-traj's, without expiring the user's reflogs.
    Returns whether the old history was deleted: packs with a ``.keep`` stay, and so do the objects that a
    partial clone has from its promisor. Raises GitError."""
    repository.objects.close()
    keep = ("-c", "gc.reflogExpire=never", "-c", "gc.reflogExpireUnreachable=never")
    repository.run(*keep, "gc", "--quiet", "--prune=now")
    return not any(map(repository.objects.exists, done.old))


def purge_to_lines(done: Purge, remotes: Sequence[str], *, dry_run: bool, gc: bool) -> list[str]:
    """Return the rewritten refs and the remaining steps. ``gc``: the old objects were deleted."""
    if not done.refs:
        return ["it is not in git-traj's refs or reflogs here"]
    counts = f"{count(done.records, 'record')} and {count(done.segments, 'segment')}"
    where = f"{counts}: {', '.join(done.refs)}"
    if dry_run:
        return [f"would remove it from {where}"]
    pushes = [f"{f'{name}:':<13} git traj push --replace {name}" for name in remotes]
    return [f"removed it from {where}", *([] if gc else [_HERE]), *_OTHERS, *pushes]


_HERE = "here:         git gc --prune=now deletes the old objects (all unreachable ones, including your own)"
_OTHERS = (
    "if it was pushed, treat it as known: rotate it. Others have to clean up their copies:",
    "every clone:  git traj sync, then git gc --prune=now; forks too",
    "every server: keeps the old objects until its own gc, and longer on pull request pages and in caches: "
    "ask its operator",
)


def purge_to_warnings(done: Purge) -> list[str]:
    """Return where the purged text remains, and what could not be searched."""
    lines = [f"still there: {where}" for where in done.left]
    lines += [
        f"{ref} is not ours and keeps the old history: git update-ref -d {ref}" for ref in done.elsewhere
    ]
    if done.absent:
        lines.append(f"not searched, because it is missing or unreadable: {done.absent}")
    if done.sealed:
        lines.append(f"not searched, because it is sealed: the thinking of {done.sealed} parts")
    return lines


def purge_to_json(done: Purge, *, dry_run: bool) -> dict[str, object]:
    """Return the document that ``--purge --json`` prints."""
    return {
        "version": 1,
        "dryRun": dry_run,
        "records": done.records,
        "segments": done.segments,
        "refs": list(done.refs),
        "notSearched": {"segments": done.absent, "sealed": done.sealed},
        "elsewhere": list(done.elsewhere),
        "left": list(done.left),
    }
