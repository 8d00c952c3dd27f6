"""Counts how much of history is explained, by which agents, and at what cost. Correct without any index.

A part counts once, on however many commits it is, as in a listing; so the rows of a table add up to the total
(except the rows by path, as a commit may touch several). Unrecorded values are null.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from itertools import chain

from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.model.header import Header
from gittraj.model.values import Key, Record
from gittraj.notes.store import DATA_PREFIX, RECORDS_REF
from gittraj.query.account import PARTS
from gittraj.query.compare.metrics import outcomes
from gittraj.query.header import cost, distinct, fold_usage, without_overlaps
from gittraj.query.log.description import read_fields
from gittraj.query.stats.counts import OTHER_COUNTS, Tallies, Tally

BY = ("month", "agent", "model", "author", "path", "run", "status", "task")
_EPOCH = date(1970, 1, 1).toordinal()


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit; ``month`` (``2026-11``, UTC) is when it was committed."""

    id: str
    month: str
    merge: bool
    author: str


@dataclass(frozen=True, slots=True)
class Counted:
    """Commits, newest first, and the counts of those with a note. ``merges`` is the number of merges left
    out, as they have no trajectory."""

    commits: Sequence[Commit]
    tallies: Mapping[str, Tallies]
    merges: int
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Part:
    """A part, and the commit that it is counted on."""

    record: Record
    commit: str


def describe_commits(repository: Repository, commits: Sequence[str]) -> list[Commit]:
    """Describe commits with one process, in their order."""
    return [
        Commit(id=oid, month=month_of(int(time)), merge=" " in parents, author=author)
        for oid, time, parents, author in read_fields(repository, commits, "%H", "%ct", "%P", "%aN")
    ]


def month_of(seconds: int) -> str:
    """Return the month (``2026-11``, UTC) of seconds since 1970."""
    return _month(seconds // 86_400)


@cache
def _month(day: int) -> str:
    """Return the month of a ``day`` since 1970, in UTC, clamped to valid years: a commit may state any
    time."""
    return date.fromordinal(min(max(_EPOCH + day, 1), date.max.toordinal())).isoformat()[:7]


def count(commits: Iterable[Commit], tallies: Mapping[str, Tallies]) -> Counted:
    """Count ``commits``, newest first. ``tallies`` are ``Recorded.tallies`` of those that have a note, and of
    runs without a commit."""
    listed = list(commits)
    tallies = {commit: without_stubs(folded) for commit, folded in tallies.items()}
    recorded = {commit for commit, folded in tallies.items() if folded.trajectories}
    kept = [commit for commit in listed if not commit.merge or commit.id in recorded]
    known = {commit.id: tallies[commit.id] for commit in listed if commit.id in tallies}
    known |= tallies
    return Counted(kept, known, len(listed) - len(kept), tuple(place_parts(known)))


def explains(tallies: Tallies) -> bool:
    """Whether a record explains the commit, so that it counts as recorded."""
    return any(record.explains for each in tallies.trajectories for record in each.records)


def without_stubs(tallies: Tallies) -> Tallies:
    """Leave out link stubs: they count only in bytes."""
    complete = [t for t in tallies.trajectories if any(not record.incomplete for record in t.records)]
    return replace(tallies, trajectories=complete)


def place_parts(tallies: Mapping[str, Tallies]) -> Iterator[Part]:
    """Yield the parts without overlaps, each on the oldest commit that it was not carried to."""
    by_id: dict[str, list[Record]] = defaultdict(list)
    commits: dict[int, str] = {}
    for commit in reversed([*tallies]):
        for tally in tallies[commit].trajectories:
            by_id[tally.id] += tally.records
            commits.update((id(record), commit) for record in tally.records)
    for records in by_id.values():
        for record in without_overlaps(distinct(records)):
            yield Part(record, commits[id(record)])


# ---------------------------------------------------------------- the figures


def sum_figures(commits: int, tallies: Mapping[str, Tallies], parts: Collection[Part]) -> Header:
    """Return the FIGURES of docs/json.md."""
    figures_of = [part.record.figures for part in parts]
    each = {
        tally.id: tally for commit_tallies in tallies.values() for tally in commit_tallies.trajectories
    }.values()
    return {
        "commits": commits,
        "recorded": sum(map(explains, tallies.values())),
        "trajectories": len(each),
        **outcomes([t.status for t in each], [t.seconds for t in each], sum(t.malformed for t in each)),
        **fold_usage(figures_of),
        "tellingUsage": len({p.record.id for p in parts if p.record.figures.usage}),
        "tellingCost": len({p.record.id for p in parts if cost(p.record.figures) is not None}),
    }


def overview(totals: Counted) -> Header:
    """Return everything except tables: FIGURES, agents, models, completeness of sessions, bytes."""
    trajectories = {each.id: each for each in trajectories_of(totals)}
    sessions: dict[tuple[str | None, str], set[str]] = defaultdict(set)
    for each in trajectories.values():  # a subagent belongs to its session
        sessions[each.agent, each.session or each.id] |= each.present
    present = Counter(chain.from_iterable(sessions.values()))
    return {
        **sum_figures(len(totals.commits), totals.tallies, totals.parts),
        "mergesLeftOut": totals.merges,
        "withoutCommit": len(trajectories) - len({t.id for t in filter(_produced, trajectories_of(totals))}),
        "agents": _ranking(map(author, trajectories.values())),
        "models": _ranking(chain.from_iterable(each.models or (None,) for each in trajectories.values())),
        "sessions": len(sessions),
        "telling": {part: present[part] for part in PARTS},
        "beside": {
            name: sum(getattr(part.record.figures.counts, name) for part in totals.parts)
            for name in OTHER_COUNTS
        },
        "bytes": {
            "records": note_bytes(totals.tallies),
            "events": total_size(stored_parts(totals.tallies)),
        },
    }


def author(each: Tally) -> str | None:
    """Return the agent; ``a person`` for a trajectory that was recorded by hand, without a session; None if
    the agent is unknown."""
    return each.agent or (None if each.session or each.models else "a person")


def trajectories_of(totals: Counted) -> Iterator[Tally]:
    return (each for commit_tallies in totals.tallies.values() for each in commit_tallies.trajectories)


@dataclass(frozen=True, slots=True)
class StoredPart:
    """The ``size`` in bytes of a part's segments, and the ``commit`` that they are counted on."""

    part: Key
    size: int
    commit: str
    carried: bool


def stored_parts(tallies: Mapping[str, Tallies]) -> Collection[StoredPart]:
    """Return each part, overlapping ones too, on the oldest commit that it was not carried to."""
    stored: dict[Key, StoredPart] = {}
    for commit in reversed([*tallies]):
        for tally in tallies[commit].trajectories:
            for record, size in zip(tally.records, tally.bytes, strict=True):
                here = StoredPart(record.key, size, commit, carried=bool(record.link.carried_from))
                if stored.setdefault(here.part, here).carried and not here.carried:
                    stored[here.part] = here
    return stored.values()


def total_size(segments: Iterable[StoredPart]) -> int:
    return sum(each.size for each in segments)


def _produced(tally: Tally) -> bool:
    return any(record.role == "produced" for record in tally.records)


def _ranking(names: Iterable[str | None]) -> list[Header]:
    return [{"name": name, "trajectories": number} for name, number in Counter(names).most_common()]


def read_disk_size(repository: Repository) -> int | None:
    """Return the bytes on disk of all current records and events, without earlier versions; None if git
    cannot measure it (a partial clone, a git before 2.31)."""
    refs = repository.run("for-each-ref", "--format=%(refname)^{tree}", RECORDS_REF, f"{DATA_PREFIX}*")
    trees = refs.text.split()
    if not trees:
        return 0
    measured = repository.run("rev-list", "--objects", "--disk-usage", *trees, "--", check=False)
    return int(measured.out) if measured.code == 0 else None


def note_bytes(tallies: Mapping[str, Tallies]) -> int:
    return sum(each.bytes for each in tallies.values())
