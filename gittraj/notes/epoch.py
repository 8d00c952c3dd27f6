"""What was purged from a ref: the file ``epoch`` at the root of its tree, and which commits of a history
have it.

It lists keys and positions, never hashes: those would let anybody confirm a guessed password. A purge begins
a new history, in which every commit has the list; a history with a commit that lacks it is from before the
purge, even if it was joined in later. It must not know how a purge is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from gittraj.errors import FormatError, StoreError
from gittraj.frozen import dataclass
from gittraj.git import Objects, Repository
from gittraj.model.codec import dump, load_json
from gittraj.model.values import ForeignLine, Key, Line, Record

FILE = b"epoch"
_VERSION = 1
Place = tuple[str, str, int]
"""A segment's month, trajectory and position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """``number`` of purges; ``records``: the lowest ``rev`` that a part may have; ``segments``: where only
    segments that a record names may stay; ``forgotten``: trajectories of which nothing may."""

    number: int = 0
    records: Mapping[Key, int] = field(default_factory=dict)
    segments: frozenset[Place] = frozenset()
    forgotten: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.number or self.records or self.segments or self.forgotten)

    @property
    def trajectories(self) -> frozenset[str]:
        return self.forgotten.union((t for t, _ in self.records), (t for _, t, _ in self.segments))

    def covers(self, other: Epoch) -> bool:
        """Whether everything that ``other`` lists was purged here, too."""
        return (
            self.number >= other.number
            and self.segments >= other.segments
            and self.forgotten >= other.forgotten
            and all(self.records.get(key, 0) >= rev for key, rev in other.records.items())
        )

    def allows(self, line: Line) -> bool:
        """Whether a line from before may stay; not a damaged one that names a listed trajectory: it may
        contain anything."""
        if isinstance(line, ForeignLine):
            return not any(name.encode() in line.text for name in self.trajectories)
        if isinstance(line, Record):
            return line.id not in self.forgotten and line.rev >= self.records.get(line.key, 0)
        return True


def unite(epochs: Iterable[Epoch]) -> Epoch:
    """The union of ``epochs``, counted as one more purge if none of them covers it. An epoch without a number
    only adds its lists."""
    given = list(epochs)
    records: dict[Key, int] = {}
    for each in given:
        for key, rev in each.records.items():
            records[key] = max(rev, records.get(key, 0))
    whole = Epoch(
        number=max((each.number for each in given), default=0),
        records=records,
        segments=frozenset[Place]().union(*(each.segments for each in given)),
        forgotten=frozenset[str]().union(*(each.forgotten for each in given)),
    )
    if not whole or any(each.number and each.covers(whole) for each in given):
        return whole
    return Epoch(number=whole.number + 1, records=records, segments=whole.segments, forgotten=whole.forgotten)


def encode_epoch(epoch: Epoch) -> bytes:
    listed = {
        "records": sorted([[*key, rev] for key, rev in epoch.records.items()], key=str),
        "segments": sorted(map(list, epoch.segments)),
        "forgotten": sorted(epoch.forgotten),
    }
    return dump({"v": _VERSION, "epoch": epoch.number, **{k: v for k, v in listed.items() if v}}) + b"\n"


def decode_epoch(body: bytes) -> Epoch:
    """Parse the file; a bare number is an epoch without lists. Raises StoreError for an unknown form."""
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
    """The blob that lists what was purged from a ref, in the tree of its tip."""
    entries = objects.read_tree(objects.commit(tip).tree) if tip else ()
    return next((entry.oid for entry in entries if entry.name == FILE and not entry.is_tree), None)


def read_epoch(objects: Objects, tip: str | None) -> Epoch:
    """The epoch of a ref's tip; an empty one if nothing was purged. Raises StoreError."""
    blob = find_epoch(objects, tip)
    return decode_epoch(objects.read_blob(blob)) if blob else Epoch()


def may_be_purged(objects: Objects, tips: Iterable[str]) -> bool:
    """Whether a tip or a parent of one lists purges: then the whole history has to be read."""
    return any(_near_epochs(objects, tips))


def share_purges(objects: Objects, tips: Iterable[str]) -> bool:
    """Whether the same was purged from all of them, or nothing: else one may be from before a purge."""
    return len(_near_epochs(objects, tips)) <= 1


def purged_more(objects: Objects, one: str, other: str) -> bool:
    """Whether ``one`` is from after a purge, and ``other`` from before it without purges of its own. Raises
    StoreError."""
    if not share_purges(objects, (one,)):
        return False
    mine, theirs = (read_epoch(objects, tip) for tip in (one, other))
    return mine.covers(theirs) and not theirs.covers(mine)


def _near_epochs(objects: Objects, tips: Iterable[str]) -> set[str | None]:
    """The epoch files of tips and of their parents, since git's own merge of notes leaves the file out."""
    near = [oid for tip in tips for oid in (tip, *objects.commit(tip).parents)]
    return {find_epoch(objects, oid) for oid in near if _is_here(objects, oid)}


def _is_here(objects: Objects, commit: str) -> bool:
    """Whether the commit and its tree are here: a shallow clone or a partial one may lack them."""
    return objects.exists(commit) and objects.exists(objects.commit(commit).tree)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """``epoch``: all that was ever purged; ``clean``: the commits whose whole history is from after that;
    ``heads``: the newest of these."""

    epoch: Epoch
    clean: frozenset[str]
    heads: tuple[str, ...]


def _find_files(repository: Repository, commits: Sequence[str]) -> dict[str, str]:
    """The blob of the epoch file in each of the commits that has one."""
    asked = "".join(f"{commit}:{FILE.decode()}\n" for commit in commits).encode()
    answers = repository.run("cat-file", "--batch-check=%(objectname)", input=asked).text.splitlines()
    return {commit: blob for commit, blob in zip(commits, answers, strict=True) if " " not in blob}


def survey(repository: Repository, tips: Sequence[str], extra: Epoch) -> Survey:
    """Survey the histories of ``tips``; ``extra`` is to be purged as well. Raises GitError, StoreError."""
    listed = repository.run("rev-list", "--topo-order", "--parents", *dict.fromkeys(tips), "--").out
    rows = [line.split() for line in listed.decode().splitlines()]
    blobs = _find_files(repository, [oid for oid, *_ in rows])
    ids = sorted(set(blobs.values()))
    bodies = zip(ids, repository.objects.read_blobs(ids), strict=True)
    known = {blob: decode_epoch(body) for blob, body in bodies if body is not None}
    epoch = unite([extra, *known.values()])
    enough = {blob for blob, each in known.items() if each.covers(epoch)}
    objects, partial = repository.objects, repository.is_partial()
    clean: dict[str, None] = {}
    above: set[str] = set()
    before = {oid for oid, *_ in rows}
    for oid, *parents in reversed(rows):  # parents first
        after = blobs.get(oid) in enough if oid in blobs or not partial else not _is_here(objects, oid)
        if after and all(p in clean or p not in before for p in parents):
            clean[oid] = None
            above.update(parents)
    return Survey(
        epoch=epoch, clean=frozenset(clean), heads=tuple(c for c in reversed(clean) if c not in above)
    )
