"""Reads and writes the file ``epoch`` at the root of a ref's tree, which lists what was purged from the ref,
and finds the commits of a history that have it.

The file lists keys and positions, never hashes, because those would let anybody confirm a guessed password. A
purge begins a new history, in which every commit has the file; a history with a commit that lacks it is from
before the purge, even if it was joined in later. This module must not know how a purge is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from gittraj.errors import FormatError, StoreError
from gittraj.frozen import dataclass
from gittraj.git import Objects, Repository
from gittraj.model.codec import dump, load_json
from gittraj.model.values import ForeignLine, Key, Line, Record
from gittraj.notes.tree import find_file

FILE = b"epoch"
_VERSION = 1
SegmentKey = tuple[str, str, int]
"""A segment's month, trajectory and position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """Everything that was purged from a ref, in ``number`` purges. ``records`` maps a part's key to the
    lowest ``rev`` that its record may have. Of the segments with a key in ``segments``, only those that a
    record names may stay; of the ``forgotten`` trajectories nothing may."""

    number: int = 0
    records: Mapping[Key, int] = field(default_factory=dict)
    segments: frozenset[SegmentKey] = frozenset()
    forgotten: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.number or self.records or self.segments or self.forgotten)

    @property
    def trajectories(self) -> frozenset[str]:
        return self.forgotten.union((t for t, _ in self.records), (t for _, t, _ in self.segments))

    def covers(self, other: Epoch) -> bool:
        """Whether this epoch lists everything that ``other`` lists."""
        return (
            self.number >= other.number
            and self.segments >= other.segments
            and self.forgotten >= other.forgotten
            and all(self.records.get(key, 0) >= rev for key, rev in other.records.items())
        )

    def allows(self, line: Line) -> bool:
        """Whether a line from before the purges may stay. A damaged line that names a listed trajectory may
        not, because it may contain anything."""
        if isinstance(line, ForeignLine):
            return not any(name.encode() in line.text for name in self.trajectories)
        if isinstance(line, Record):
            return line.id not in self.forgotten and line.rev >= self.records.get(line.key, 0)
        return True


def unite(epochs: Iterable[Epoch]) -> Epoch:
    """Return the union of ``epochs``, counted as one more purge if none of them covers it. An epoch without a
    number only adds its lists."""
    given = list(epochs)
    records: dict[Key, int] = {}
    for each in given:
        for key, rev in each.records.items():
            records[key] = max(rev, records.get(key, 0))
    union = Epoch(
        number=max((each.number for each in given), default=0),
        records=records,
        segments=frozenset[SegmentKey]().union(*(each.segments for each in given)),
        forgotten=frozenset[str]().union(*(each.forgotten for each in given)),
    )
    if not union or any(each.number and each.covers(union) for each in given):
        return union
    return Epoch(number=union.number + 1, records=records, segments=union.segments, forgotten=union.forgotten)


def encode_epoch(epoch: Epoch) -> bytes:
    listed = {
        "records": sorted([[*key, rev] for key, rev in epoch.records.items()], key=str),
        "segments": sorted(map(list, epoch.segments)),
        "forgotten": sorted(epoch.forgotten),
    }
    return dump({"v": _VERSION, "epoch": epoch.number, **{k: v for k, v in listed.items() if v}}) + b"\n"


def decode_epoch(body: bytes) -> Epoch:
    """Parse the file; a mere number is an epoch without lists. Raises StoreError for an unknown form."""
    try:
        value = load_json(body, "epoch")
        if type(value) is int:
            return Epoch(number=value)
        if value["v"] != _VERSION:
            raise ValueError
        return Epoch(
            number=_count(value["epoch"]),
            records={
                (str(t), None if f is None else str(f)): _count(r) for t, f, r in value.get("records", ())
            },
            segments=frozenset((str(m), str(t), _count(n)) for m, t, n in value.get("segments", ())),
            forgotten=frozenset(map(str, value.get("forgotten", ()))),
        )
    except (FormatError, ValueError, TypeError, KeyError, AttributeError):
        raise StoreError(
            "a ref was purged in a way that this version does not understand", "install a later git-traj"
        ) from None


def _count(value: Any) -> int:
    if type(value) is not int:
        raise TypeError
    return value


def find_epoch(objects: Objects, tip: str | None) -> str | None:
    """The id of the epoch file's blob in the tree of ``tip``; None if there is none."""
    return find_file(objects, objects.commit(tip).tree, (FILE,)) if tip else None


def read_epoch(objects: Objects, tip: str | None) -> Epoch:
    """Read the epoch of a ref's tip, which is empty if nothing was purged. Raises StoreError."""
    blob = find_epoch(objects, tip)
    return decode_epoch(objects.read_blob(blob)) if blob else Epoch()


def may_be_purged(objects: Objects, tips: Iterable[str]) -> bool:
    """Whether one of ``tips`` or their parents lists purges: if so, the whole history has to be read."""
    return any(_near_epochs(objects, tips))


def share_purges(objects: Objects, tips: Iterable[str]) -> bool:
    """Whether all ``tips`` list the same purges, or none: else one may be from before a purge."""
    return len(_near_epochs(objects, tips)) <= 1


def is_purged_further(objects: Objects, one: str, other: str) -> bool:
    """Whether ``one`` is from after a purge, and ``other`` from before that purge and without another one.
    Raises StoreError."""
    if not share_purges(objects, (one,)):
        return False
    epoch, other_epoch = (read_epoch(objects, tip) for tip in (one, other))
    return epoch.covers(other_epoch) and not other_epoch.covers(epoch)


def _near_epochs(objects: Objects, tips: Iterable[str]) -> set[str | None]:
    """The epoch files of ``tips`` and their parents, because git's own merge of notes leaves the file out."""
    near = [oid for tip in tips for oid in (tip, *objects.commit(tip).parents)]
    return {find_epoch(objects, oid) for oid in near if _is_here(objects, oid)}


def _is_here(objects: Objects, commit: str) -> bool:
    """Whether this clone has the commit and its tree: a shallow or partial clone may not."""
    return objects.exists(commit) and objects.exists(objects.commit(commit).tree)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """The purges in some histories: ``epoch`` lists all that was ever purged; ``clean`` are the commits that
    are, with their whole history, from after all these purges; ``heads`` are the newest ``clean`` commits."""

    epoch: Epoch
    clean: frozenset[str]
    heads: tuple[str, ...]


def survey(repository: Repository, tips: Sequence[str], extra: Epoch) -> Survey:
    """Survey the histories of ``tips``; ``extra`` is to be purged as well. Raises GitError, StoreError."""
    listed = repository.run("rev-list", "--topo-order", "--parents", *dict.fromkeys(tips), "--").out
    rows = [line.split() for line in listed.decode().splitlines()]
    blobs = _find_files(repository, [oid for oid, *_ in rows])
    epochs = _read_epochs(repository.objects, sorted(set(blobs.values())))
    epoch = unite([extra, *epochs.values()])
    complete = {blob for blob, each in epochs.items() if each.covers(epoch)}
    objects, is_partial = repository.objects, repository.is_partial()

    def is_after(oid: str) -> bool:
        if is_partial and oid not in blobs:
            # a commit without its tree counts as after all purges: this partial clone has nothing of it
            return not _is_here(objects, oid)
        return blobs.get(oid) in complete

    clean, heads = _find_clean(rows, is_after)
    return Survey(epoch=epoch, clean=clean, heads=heads)


def _find_files(repository: Repository, commits: Sequence[str]) -> dict[str, str]:
    """Map each of ``commits`` that has an epoch file to the file's blob."""
    names = "".join(f"{commit}:{FILE.decode()}\n" for commit in commits).encode()
    answers = repository.run("cat-file", "--batch-check=%(objectname)", input=names).text.splitlines()
    return {commit: blob for commit, blob in zip(commits, answers, strict=True) if " " not in blob}


def _read_epochs(objects: Objects, blobs: Sequence[str]) -> dict[str, Epoch]:
    bodies = zip(blobs, objects.read_blobs(blobs), strict=True)
    return {blob: decode_epoch(body) for blob, body in bodies if body is not None}


def _find_clean(
    rows: Sequence[Sequence[str]], is_after: Callable[[str], bool]
) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the commits that are, with their whole history, ``is_after`` all purges; and the newest of them.
    Each of ``rows`` is a commit and its parents, children first."""
    listed = {oid for oid, *_ in rows}
    clean: dict[str, None] = {}
    older: set[str] = set()
    for oid, *parents in reversed(rows):
        if is_after(oid) and all(p in clean or p not in listed for p in parents):
            clean[oid] = None
            older.update(parents)
    return frozenset(clean), tuple(oid for oid in reversed(clean) if oid not in older)
