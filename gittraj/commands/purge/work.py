"""Rewrites the refs without what was found, in this order: new segments, records that name them, months,
traces. Then reports what it did, and what others have to do: as lines for people, as JSON for scripts.

If it is killed in between, it can be run again, with the same result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gittraj.commands.purge.search import Found, Search, Sought, Stored
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.index.fast_open import FOLDER as INDEX
from gittraj.model.codec import decode_note, segment_path, segment_position
from gittraj.model.values import Key, Record, SegmentRef
from gittraj.model.words import count
from gittraj.notes.epoch import Epoch, read_epoch, unite
from gittraj.notes.recovery import unfinished_merges
from gittraj.notes.store import DATA_PREFIX, RECORDS_REF, DataRefs, NotesRef
from gittraj.record.draft import this_month
from gittraj.record.rewrite_segments import Renewal
from gittraj.state.active import drop_active, load_active, save_active
from gittraj.state.folder import LocalState
from gittraj.sync.join import join_records, join_segments
from gittraj.sync.purge_merge import Change, is_purge_applied, merge_purged_records, merge_purged_segments
from gittraj.sync.traces import clear_traces, our_refs

STEP = 1000
"""A purged part gets the next multiple as its ``rev``: revisions that a clone without the purge writes
meanwhile stay below."""
_MESSAGE = "git-traj: purge"
_TRACKED = "refs/notes-remote/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Purge:
    """``records`` and ``segments`` that had it, the ``refs`` that were, or would be, rewritten; ``absent``:
    segments that could not be searched; ``sealed``: parts with sealed thinking, which is not searched;
    ``elsewhere``: refs that are not ours and lead to the old history; ``left``: where it still is."""

    records: int = 0
    segments: int = 0
    refs: tuple[str, ...] = ()
    absent: int = 0
    sealed: int = 0
    elsewhere: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    old: tuple[str, ...] = ()


def purge(repository: Repository, sought: Sought, *, dry_run: bool = False) -> Purge:
    """Remove what is sought for good. Raises TrajError; it can then be run again."""
    with LocalState.of(repository).writing():
        if any(unfinished_merges(repository)):
            what = f"a merge of {RECORDS_REF} is not finished"
            raise TrajError(what, "git notes --ref=traj merge --abort, or --commit")
        if not dry_run:
            _join_tracked(repository)
        search = Search(repository, sought)
        found = search.run()
        records = _noted(repository)
        done = _count(sought, found, records)
        if dry_run or not (found.refs or LocalState.of(repository).is_purging):
            return done
        roots = _roots(repository, done.refs)
        _rewrite(repository, search, records)
        elsewhere, left = _elsewhere(repository, roots), _left(repository, sought)
        return replace(done, elsewhere=tuple(elsewhere), left=tuple(left), old=tuple(roots))


def _join_tracked(repository: Repository) -> None:
    """Join what was fetched and not joined yet: it is then searched too, and not lost with its ref."""
    for ref in our_refs(repository):
        tip = repository.objects.resolve(ref)
        if tip and ref.startswith(_TRACKED):
            if ref.endswith("/traj"):
                join_records(repository, tip, ref)
            else:
                join_segments(repository, ref[-7:], tip, ref)


def _noted(repository: Repository) -> list[Record]:
    """Every record in our notes, also those that are withdrawn or outdated."""
    return [
        line
        for _, body in NotesRef(repository).items()
        for line in decode_note(body)
        if isinstance(line, Record)
    ]


def _count(sought: Sought, found: Found, records: list[Record]) -> Purge:
    searched = [record for record in records if sought.redactor is not None]
    named = {(ref.month, r.id, ref.name) for r in searched for ref in (*r.segments, *r.also)}
    months = {ref for ref in found.refs if not ref.startswith(_TRACKED)}
    return Purge(
        records=len(found.parts),
        segments=len(found.segments),
        refs=tuple(sorted({RECORDS_REF, *months})) if found.refs else (),  # records: lists what is gone
        absent=len(named - found.stored) + len(found.unread),
        sealed=len({record.key for record in searched if record.seals}),
    )


def _rewrite(repository: Repository, search: Search, records: list[Record]) -> None:
    renewal = _renew(search, records)
    with LocalState.of(repository).purging():
        search.sought.remember(search.hashes())
        if renewal.files:
            DataRefs(repository).write(this_month(), renewal.files)
        if search.found.refs:
            change = Change(
                epoch=_list(repository, search, renewal),
                renewal=renewal,
                clean=search.clean,
                meets=search.sought.holds,
            )
            merge_purged_records(repository, message=_MESSAGE, change=change)
        for month in DataRefs(repository).months():
            tip = repository.objects.resolve(DATA_PREFIX + month)
            if tip and not is_purge_applied(repository, month, tip):
                merge_purged_segments(repository, month, message=_MESSAGE)
        _clean_active(repository, search)
        clear_traces(repository)


def _renew(search: Search, records: list[Record]) -> Renewal:
    """Rewrite the parts that have it, or name a segment that does, without it."""
    found, month = search.found, this_month()
    files: dict[str, bytes] = {}
    instead: dict[Stored, tuple[SegmentRef, ...]] = {}
    for stored in {(ref.month, r.id, ref.name) for r in records for ref in (*r.segments, *r.also)}:
        if stored in found.segments:
            replacement = found.segments[stored]
            bodies = replacement.bodies if replacement else ()
            files.update((segment_path(stored[1], name), body) for name, body in bodies)
            instead[stored] = tuple(_name(name, month, body) for name, body in bodies)

    def named(record: Record, refs: tuple[SegmentRef, ...]) -> tuple[SegmentRef, ...]:
        new = (instead.get((ref.month, record.id, ref.name), (ref,)) for ref in refs)
        return tuple(dict.fromkeys(ref for each in new for ref in each))

    records_without: dict[Key, Record] = {}
    for record in sorted(records, key=lambda each: each.rev):
        segments, also = named(record, record.segments), named(record, record.also)
        renewed = (segments, also) != (record.segments, record.also)
        if record.id not in search.sought.forgotten and (renewed or record.key in found.parts):
            rev = _next(max(record.rev, found.parts.get(record.key, 0)))
            records_without[record.key] = replace(
                search.clean_record(record), segments=segments, also=also, rev=rev
            )
    return Renewal(records=records_without, files=files)


def _name(name: str, month: str, body: bytes) -> SegmentRef:
    return SegmentRef(name=name, month=month, bytes=len(body), sha256=hashlib.sha256(body).hexdigest())


def _next(rev: int) -> int:
    return (rev // STEP + 1) * STEP


def _list(repository: Repository, search: Search, renewal: Renewal) -> Epoch:
    """The epoch, which lists what must not come back."""
    found, forgotten = search.found, search.sought.forgotten
    objects = repository.objects
    before = read_epoch(objects, objects.resolve(RECORDS_REF))
    gone = {key: _next(rev) for key, rev in found.parts.items() if key[0] not in forgotten}
    fresh = Epoch(
        records=gone | {key: record.rev for key, record in renewal.records.items()},
        segments=frozenset(
            (month, trajectory, position)
            for month, trajectory, name in found.segments
            if trajectory not in forgotten and (position := segment_position(name)) is not None
        ),
        forgotten=forgotten,
    )
    return replace(unite([before, fresh]), number=before.number + 1)


def _clean_active(repository: Repository, search: Search) -> None:
    """Clean what waits for a commit."""
    folder = LocalState.of(repository).folder
    for active in load_active(folder):
        header = active.header
        if header.trajectory in search.sought.forgotten:
            drop_active(folder, header.trajectory)
        elif search.sought.redactor is not None:
            title, task, tags, participants, events = search.clean_value(
                header.trajectory,
                (header.title, header.task, header.tags, header.participants, active.events),
            )
            header = replace(header, title=title, task=task, tags=tags, participants=participants)
            if replace(active, header=header, events=events) != active:
                save_active(folder, replace(active, header=header, events=events))


# ---------------------------------------------------------------- what is still there


def _roots(repository: Repository, refs: Iterable[str]) -> list[str]:
    tips = [tip for ref in refs if (tip := repository.objects.resolve(ref))]
    return repository.run("rev-list", "--max-parents=0", *tips, "--").text.split() if tips else []


def _elsewhere(repository: Repository, roots: Iterable[str]) -> Iterator[str]:
    """The refs that are not ours and lead to the old history."""
    contains = [f"--contains={root}" for root in roots if repository.objects.exists(root)]
    if contains:
        listed = repository.run("for-each-ref", "--format=%(refname)", *contains).text.splitlines()
        yield from sorted({*listed} - {*our_refs(repository)})


def _left(repository: Repository, sought: Sought) -> Iterator[str]:
    """Search again, by the bytes alone, and yield where it still is."""
    for ref in our_refs(repository):
        listed = repository.run("rev-list", "--objects", "--missing=allow-any", ref, "--").out
        for line in listed.decode("utf-8", "surrogateescape").splitlines():
            oid, _, path = line.partition(" ")
            found = repository.objects.read(oid)
            if found and sought.holds(found[1]):
                yield f"{ref}:{path}"
    for folder in (LocalState.of(repository).folder, repository.common_dir / INDEX):
        for file in sorted(folder.rglob("*")):
            if file.is_file() and sought.holds(file.read_bytes()):
                yield str(file)


def collect_garbage(repository: Repository, done: Purge) -> bool:
    """Let git delete all unreachable objects, not only ours; none of the user's reflogs is expired for that.
    Returns whether the old history was deleted: a pack with a ``.keep`` stays, and all that a partial clone
    has from its promisor. Raises GitError."""
    repository.objects.close()
    keep = ("-c", "gc.reflogExpire=never", "-c", "gc.reflogExpireUnreachable=never")
    repository.run(*keep, "gc", "--quiet", "--prune=now")
    return not any(map(repository.objects.exists, done.old))


def purge_to_lines(done: Purge, remotes: Sequence[str], *, dry_run: bool, gc: bool) -> list[str]:
    """The refs that were, or would be, rewritten, and the remaining steps. ``gc``: old objects are gone."""
    if not done.refs:
        return ["it is not in git-traj's refs or reflogs here"]
    parts = f"{count(done.records, 'record')} and {count(done.segments, 'segment')}"
    what = f"{parts}: {', '.join(done.refs)}"
    pushes = [f"{f'{name}:':<13} git traj push --replace {name}" for name in remotes]
    if dry_run:
        return [f"would remove it from {what}"]
    return [f"removed it from {what}", *([] if gc else [_HERE]), *_OTHERS, *pushes]


_HERE = "here:         git gc --prune=now deletes the old objects (all unreachable ones, including your own)"
_OTHERS = (
    "if it was pushed, treat it as known: rotate it. Others have to clean up their copies:",
    "every clone:  git traj sync, then git gc --prune=now; forks too",
    "every server: keeps the old objects until its own gc, and longer on pull request pages and in caches: "
    "ask its operator",
)


def purge_to_warnings(done: Purge) -> list[str]:
    """Say where the purged text remains, and what could not be searched."""
    lines = [f"still there: {place}" for place in done.left]
    lines += [
        f"{ref} is not ours and keeps the old history: git update-ref -d {ref}" for ref in done.elsewhere
    ]
    if done.absent:
        lines.append(f"not searched, because it is missing or unreadable: {done.absent}")
    if done.sealed:
        lines.append(f"not searched, because it is sealed: the thinking of {done.sealed} parts")
    return lines


def purge_to_json(done: Purge, *, dry_run: bool) -> dict[str, object]:
    """The document of ``--purge --json``."""
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
