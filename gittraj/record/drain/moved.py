"""Finds rewrites and copies of commits that hooks missed, if the reflogs show that there may be some.

For most commits this takes two short git processes: history is read only if commits with records are not
ancestors of the new commits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

from gittraj.errors import GitError
from gittraj.git import ReflogEntry, Repository, read_present
from gittraj.history.find import find_rewrites
from gittraj.history.history import Rewrite, Source, follow
from gittraj.history.reading import find_unreachable
from gittraj.notes.store import NotesRef
from gittraj.notes.tree import iter_notes

WITHIN = 5.0
"""Seconds that git may take to list the history; for ``git traj repair`` there is no limit."""
_COMMITS = 2_000
_TIPS = 20
_ELSEWHERE = ("checkout", "clone", "revert")
"""Kinds of reflog entries that add no copy of a commit, like the start and the abort of a rebase."""


def find_fresh(repository: Repository, entries: Iterable[ReflogEntry]) -> dict[str, tuple[str, ...]]:
    """The reachable commits to which new reflog entries moved HEADs, each with its parents."""
    moves = [entry for entry in entries if _may_add_copies(entry)]
    news = _without_null(entry.new for entry in moves)
    olds = _without_null(entry.old for entry in moves).keys() - news.keys()
    listed = _list(repository, news, olds, "--parents", f"--max-count={_COMMITS}") if news else []
    parents = {commit: tuple(rest) for commit, *rest in map(str.split, listed)}
    unreachable = find_unreachable(repository, parents)
    return {commit: each for commit, each in parents.items() if commit not in unreachable}


def _may_add_copies(entry: ReflogEntry) -> bool:
    ends = (" (start)", " (abort)")
    return entry.old != entry.new and entry.kind not in _ELSEWHERE and not entry.kind.endswith(ends)


def _without_null(oids: Iterable[str]) -> dict[str, None]:
    """The ids, in order and without duplicates, except the null id, which is all zeros."""
    return dict.fromkeys(oid for oid in oids if oid.strip("0"))


def find_moved(
    repository: Repository,
    fresh: Mapping[str, Sequence[str]],
    more: Iterable[str],
    *,
    rewrites: Mapping[str, Sequence[str]],
    gathered: Mapping[str, Sequence[str]] = MappingProxyType({}),
    taken: Collection[str],
    silent: Collection[str],
) -> list[Rewrite]:
    """Find the rewrites by which records on an old commit belong on one of the ``fresh`` commits, too, or on
    another commit that the old one was split into. ``more`` are commits that get records now. ``rewrites``
    maps rewritten commits to the commits that they are known to have become; ``gathered`` has only those that
    went into squashes. ``taken`` are commits with work of their own, ``silent`` those made while recording
    was off."""
    if not fresh:
        return []
    notes = NotesRef(repository)
    tip = notes.tip()
    root = repository.objects.commit(tip).tree if tip else None
    recorded = {*(commit for commit, _ in iter_notes(repository.objects, root)), *more}
    try:
        olds = _find_left_behind(repository, fresh, recorded, rewrites)
        if not olds:
            return []
        known = as_evidence(rewrites, gathered)
        all_rewrites = find_allowed(repository, olds, known=known, taken=taken, silent=silent, within=WITHIN)
    except GitError:
        return []  # as if nothing was rewritten; repair reports git's message
    moved = {r.old for r in all_rewrites if r.new in fresh}
    return [r for r in all_rewrites if r.new in fresh or (r.source == "tree" and r.old in moved)]


def as_evidence(
    rewrites: Mapping[str, Sequence[str]], gathered: Mapping[str, Sequence[str]]
) -> dict[tuple[str, str], Source]:
    """The known rewrites (old, new), each with its source."""
    return {
        (old, new): "squash" if new in gathered.get(old, ()) else "told"
        for old, news in rewrites.items()
        for new in news
    }


def squashed(rewrites: Iterable[Rewrite]) -> list[tuple[str, str]]:
    """The pairs (old, new) of the rewrites that are squashes."""
    return [(r.old, r.new) for r in rewrites if r.source == "squash"]


def find_allowed(
    repository: Repository,
    olds: Collection[str],
    *,
    taken: Collection[str],
    silent: Collection[str],
    known: Mapping[tuple[str, str], Source] = MappingProxyType({}),
    within: float | None = None,
) -> list[Rewrite]:
    """Call ``find_rewrites``, and leave out rewrites to commits made while recording was off (``silent``). If
    such a commit had replaced the old one (same parents), rewrites to what it became are left out, too.
    Raises GitError."""
    objects = repository.objects
    hidden = [commit for commit in silent if objects.exists(commit)]
    rewrites = find_rewrites(repository, [*olds, *hidden], known=known, taken=taken, within=within)
    replaced: dict[tuple[str, ...], set[str]] = {}
    for rewrite in rewrites:
        if rewrite.old in silent:
            replaced.setdefault(objects.commit(rewrite.old).parents, set()).add(rewrite.new)
    return [
        r
        for r in rewrites
        if r.old not in silent
        and r.new not in silent
        and not (replaced and r.new in replaced.get(objects.commit(r.old).parents, ()))
    ]


def find_abandoned_squashes(
    repository: Repository, squashed: Iterable[tuple[str, str]]
) -> set[tuple[str, str]]:
    """The pairs (old, new) of squash merges that the content of ``new`` does not confirm: another squash had
    failed before it, or ``new`` had the lines already. If ``old`` is a merge commit, it is confirmed if
    another pair with the same ``new`` is. Raises GitError."""
    pairs = list(squashed)
    ids = dict.fromkeys(chain.from_iterable(pairs))
    changes = read_present(repository, ids)
    known = [pair for pair in pairs if changes.keys() >= {*pair}]
    confirmed = {(old, new) for old, new in known if changes[new].shares_changes_with(changes[old])}
    squashes = {new for _, new in confirmed}
    merges = {(old, new) for old, new in known if len(changes[old].parents) > 1 and new in squashes}
    return {*known} - confirmed - merges


def _find_left_behind(
    repository: Repository,
    fresh: Mapping[str, Sequence[str]],
    recorded: Collection[str],
    rewrites: Mapping[str, Sequence[str]],
) -> list[str]:
    """The commits with records of which no form, the commit itself or what it became, is an ancestor of a
    fresh commit; and those that may have been split, if they are not ancestors themselves."""
    became = {commit: {*follow([commit], rewrites)} for commit in recorded}
    existing = {*filter(repository.objects.exists, chain.from_iterable(became.values()))}
    unreported = fresh.keys() - {*chain.from_iterable(rewrites.values())} - {*recorded}
    split = _find_split(fresh, became, unreported)
    below = {*chain.from_iterable(fresh.values())}
    tips = [commit for commit in fresh if commit not in below][:_TIPS]
    left_behind: set[str] = set()
    for tip in tips:
        apart = {*_list(repository, existing, [tip])} & existing
        moved = {c for c in recorded if c in split or not became[c] & existing - apart}
        left_behind |= moved & apart
    return sorted(left_behind)


def _find_split(
    fresh: Mapping[str, Sequence[str]], became: Mapping[str, Collection[str]], unreported: set[str]
) -> set[str]:
    """The commits that became a commit with an unreported parent, as when a rebase stops and a commit is
    split."""
    return {
        commit
        for commit, forms in became.items()
        if any(unreported.intersection(fresh.get(form, ())) for form in forms)
    }


def _list(repository: Repository, some: Iterable[str], without: Iterable[str], *options: str) -> list[str]:
    """The ids of the commits ``some`` and their ancestors, without those of ``without``."""
    revisions = "".join(f"{commit}\n" for commit in [*some, *(f"^{commit}" for commit in without)])
    walk = ("rev-list", "--ignore-missing", "--stdin", *options)
    return repository.run(*walk, input=revisions.encode(), timeout=WITHIN).text.splitlines()
