"""Merges two histories if one of them was purged: purged text stays out, and everything else of both is kept.

A tip from before the purge contributes only its tree, without what the epoch lists, and never its history. A
purge itself is the same merge with a longer list. This module must not know what a secret looks like.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gittraj.git import Objects, Repository
from gittraj.model.codec import decode_note, encode_note, segment_path, segment_position
from gittraj.model.values import Line, Record, SegmentRef
from gittraj.notes.epoch import FILE, Epoch, SegmentKey, Survey, encode_epoch, read_epoch, survey
from gittraj.notes.join_trees import add_foreign, join_notes, join_trees
from gittraj.notes.merge import merge_lines
from gittraj.notes.refs import move_ref
from gittraj.notes.store import DATA_PREFIX, RECORDS_REF, NotesRef
from gittraj.notes.tree import TreePath, changed_notes, list_folder, note_paths, replace_note, update_paths
from gittraj.record.rewrite_segments import IDS, Renewal, rewrite_note


def _unchanged(line: Line) -> Line:
    return line


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A new purge: ``epoch`` lists what it removes, ``renewal`` has the rewritten parts; ``clean`` rewrites
    each line of a note whose body ``meets`` the purged text."""

    epoch: Epoch = field(default_factory=Epoch)
    renewal: Renewal | None = None
    clean: Callable[[Line], Line] = _unchanged
    meets: Callable[[bytes], bool] = lambda _: False


def merge_purged_records(
    repository: Repository, theirs: str | None = None, *, message: str, change: Change | None = None
) -> int:
    """Merge the records at commit ``theirs`` (None: only purge ours); return how many of our notes changed.
    Raises GitError, StoreError."""
    objects = repository.objects
    change = change or Change()
    changed = 0

    def build(ours: str | None) -> str | None:
        nonlocal changed
        tips = [*filter(None, (ours, theirs))]
        if not tips:
            return None
        found = survey(repository, tips, change.epoch)
        dirty = [tip for tip in tips if tip not in found.clean]
        clean = _clean_trees(objects, found, tips)
        renewal = change.renewal or _find_parts(
            repository, [*found.heads, *dirty] if dirty else [], found.epoch
        )
        cleaned = [_purge_notes(repository, tip, found.epoch, renewal, change) for tip in dirty]
        root, *others = dict.fromkeys([*clean, *cleaned])
        for other in others:
            joined, _ = join_notes(objects, root, other, changed_notes(objects, root, other))
            root = add_foreign(objects, joined, other)
        root = _write_epoch(objects, root, found.epoch)
        before = objects.commit(ours).tree if ours else None
        changed = len(changed_notes(objects, before, root))
        return _commit(objects, root, found.heads, ours, message)

    move_ref(repository, RECORDS_REF, build, message=message)
    return changed


def merge_purged_segments(
    repository: Repository, month: str, theirs: str | None = None, *, message: str
) -> None:
    """Merge the segments of a month at commit ``theirs``, and remove from ours what the records' epoch lists.
    The records must be merged first: a segment at a listed position stays only if a record names it. Raises
    GitError, StoreError."""
    objects = repository.objects

    def build(ours: str | None) -> str | None:
        tips = [*filter(None, (ours, theirs))]
        if not tips:
            return None
        found = survey(repository, tips, _listed(repository, month, tips))
        named = set() if found.clean.issuperset(tips) else _names(repository, found.epoch)
        roots = _clean_trees(objects, found, tips)
        for tip in tips:
            if tip not in found.clean:
                tree = objects.commit(tip).tree
                gone = _refused(objects, tree, month, found.epoch, named)
                roots.append(update_paths(objects, tree, dict.fromkeys(gone)))
        root, *others = dict.fromkeys(roots)
        for other in others:
            root = join_trees(objects, root, other)
        return _commit(objects, _write_epoch(objects, root, found.epoch), found.heads, ours, message)

    move_ref(repository, DATA_PREFIX + month, build, message=message)


def is_purge_applied(repository: Repository, month: str, tip: str) -> bool:
    """Whether a month's tip has everything removed that the records' epoch lists for it."""
    objects = repository.objects
    listed, applied = _listed(repository, month, [tip]), read_epoch(objects, tip)
    return applied.number >= listed.number and applied.segments >= listed.segments and not listed.forgotten


def place_of(trajectory: str, ref: SegmentRef) -> SegmentKey | None:
    """The month, trajectory and position of a segment; None if its name has no position."""
    position = segment_position(ref.name)
    return None if position is None else (ref.month, trajectory, position)


def _clean_trees(objects: Objects, found: Survey, tips: Sequence[str]) -> list[str]:
    """The trees of the heads and tips that contain nothing purged."""
    commits = dict.fromkeys((*found.heads, *tips))
    return [objects.commit(commit).tree for commit in commits if commit in found.clean]


def _commit(objects: Objects, root: str, heads: Sequence[str], ours: str | None, message: str) -> str | None:
    """Return the merge commit; None when the ref already points to it."""
    same = [head for head in heads if objects.commit(head).tree == root]
    if len(heads) == len(same) == 1:
        return None if same[0] == ours else same[0]
    return objects.write_commit(tree=root, parents=heads, message=message)


def _write_epoch(objects: Objects, root: str, epoch: Epoch) -> str:
    return update_paths(objects, root, {(FILE,): objects.write_blob(encode_epoch(epoch))})


# ---------------------------------------------------------------- notes


def _purge_notes(repository: Repository, tip: str, epoch: Epoch, renewal: Renewal, change: Change) -> str:
    """The tree of a tip from before the purge, without what the epoch lists."""
    objects = repository.objects
    root = objects.commit(tip).tree
    listed = set(map(str.encode, epoch.trajectories))
    instead = _stand_ins(renewal, epoch)
    paths: dict[TreePath, str | None] = {}
    for commit, body in NotesRef(repository).items(tip):
        met = change.meets(body)
        if not met and listed.isdisjoint(IDS.findall(body)):
            continue
        lines = decode_note(body)
        kept = [_rename(line, instead) for line in lines if epoch.allows(line)]
        new = [_without_traces(line) for line in rewrite_note(commit, lines, renewal)]
        merged = merge_lines(commit, map(change.clean, [*kept, *new]) if met or new else kept)
        fresh = encode_note(merged)
        if fresh != body:
            known = note_paths(objects, root, commit)
            blob = objects.write_blob(fresh) if fresh else None
            paths |= replace_note(objects, root, commit, blob, known=known)
    return update_paths(objects, root, paths)


def _without_traces(line: Line) -> Line:
    """Drop the patch id and tree of the commit: they could confirm a guess of the purged text."""
    if isinstance(line, Record) and line.origin is not None:
        return replace(line, origin=replace(line.origin, patch_id=None, tree=None))
    return line


def _find_parts(repository: Repository, tips: Iterable[str], epoch: Epoch) -> Renewal:
    """The parts that the epoch lists, each with its latest record written since the purge."""
    parts: dict[tuple[str, str | None], Record] = {}
    for tip in tips:
        for record in _records(repository, tip, epoch):
            if record.key in epoch.records and epoch.allows(record):
                known = parts.setdefault(record.key, record)
                parts[record.key] = max(known, record, key=lambda each: each.rev)
    return Renewal(records=parts)


def _stand_ins(renewal: Renewal, epoch: Epoch) -> Mapping[SegmentKey, tuple[SegmentRef, ...]]:
    """Map each segment position in ``epoch`` to the segments that replace it; there may be none."""
    found: dict[SegmentKey, dict[SegmentRef, None]] = {place: {} for place in epoch.segments}
    by_position = defaultdict[tuple[str, int], list[SegmentKey]](list)
    for place in epoch.segments:
        by_position[place[1:]].append(place)
    for record in renewal.records.values():
        for ref in record.segments:
            position = place_of(record.id, ref)
            for place in by_position[position[1:]] if position else ():
                found[place][ref] = None
    return {place: tuple(refs) for place, refs in found.items()}


def _rename(line: Line, instead: Mapping[SegmentKey, tuple[SegmentRef, ...]]) -> Line:
    """Let a record name the segments that replace those at listed positions."""
    if not isinstance(line, Record):
        return line

    def named(refs: Sequence[SegmentRef]) -> tuple[SegmentRef, ...]:
        places = [(ref, place_of(line.id, ref)) for ref in refs]
        return tuple(
            dict.fromkeys(new for ref, at in places for new in (instead.get(at, (ref,)) if at else (ref,)))
        )

    return replace(line, segments=named(line.segments), also=named(line.also))


def _records(repository: Repository, tip: str, epoch: Epoch) -> Iterator[Record]:
    """All records of the listed trajectories, superseded ones too."""
    listed = {name.encode() for name in epoch.trajectories}
    for _, body in NotesRef(repository).items(tip):
        if not listed.isdisjoint(IDS.findall(body)):
            for line in decode_note(body):
                if isinstance(line, Record) and line.id in epoch.trajectories:
                    yield line


# ---------------------------------------------------------------- segments


def _listed(repository: Repository, month: str, tips: Iterable[str]) -> Epoch:
    """The part of the records' epoch for a month; of the forgotten trajectories, those in one of ``tips``. It
    has the number of all purges, because each may have removed what replaced a segment that is listed."""
    objects = repository.objects
    whole = read_epoch(objects, objects.resolve(RECORDS_REF))
    roots = [objects.commit(tip).tree for tip in tips] if whole.forgotten else []
    segments = frozenset(place for place in whole.segments if place[0] == month)
    return Epoch(
        number=whole.number if segments else 0,
        segments=segments,
        forgotten=frozenset(
            name
            for name in whole.forgotten
            if any(list_folder(objects, root, _folder(name)) for root in roots)
        ),
    )


def _names(repository: Repository, epoch: Epoch) -> set[tuple[str, str]]:
    """The segments (trajectory, name) that our records name."""
    tip = repository.objects.resolve(RECORDS_REF)
    records = _records(repository, tip, epoch) if tip else ()
    return {(record.id, ref.name) for record in records for ref in (*record.segments, *record.also)}


def _refused(
    objects: Objects, root: str, month: str, epoch: Epoch, named: set[tuple[str, str]]
) -> Iterator[TreePath]:
    """Yield the segments of a month that must not stay: those of forgotten trajectories, and those at a
    listed position that no record names."""
    for name in epoch.forgotten:
        yield from ((*_folder(name), entry.name) for entry in list_folder(objects, root, _folder(name)))
    listed = defaultdict[str, set[int]](set)
    for where, trajectory, position in epoch.segments:
        if where == month:
            listed[trajectory].add(position)
    for trajectory, positions in listed.items():
        for entry in list_folder(objects, root, _folder(trajectory)):
            label = entry.name.decode("utf-8", "replace")
            if segment_position(label) in positions and (trajectory, label) not in named:
                yield (*_folder(trajectory), entry.name)


def _folder(trajectory: str) -> TreePath:
    *folder, _ = segment_path(trajectory, "").split("/")
    return tuple(part.encode("utf-8", "surrogateescape") for part in folder)
