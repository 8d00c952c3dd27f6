"""Finds the rewrites and copies of commits that hooks missed: the reflogs show that there may be some.

Most commits cost two short git processes here: history is read only if commits with records are not ancestors
of the new commits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from gittraj.errors import GitError
from gittraj.git import ReflogEntry, Repository, read_changes
from gittraj.history.find import find_rewrites
from gittraj.history.history import Rewrite, Source, follow
from gittraj.history.reading import find_unreachable
from gittraj.notes.store import NotesRef
from gittraj.notes.tree import iter_notes

WITHIN = 5.0
"""Seconds that git may take to list the history; ``git traj repair`` takes as long as it needs."""
_COMMITS = 2_000
_TIPS = 20
_ELSEWHERE = ("checkout", "clone", "revert")
"""Kinds of reflog entries that add no copy of a commit; nor do the start and the abort of a rebase."""


def find_fresh(repository: Repository, entries: Iterable[ReflogEntry]) -> dict[str, tuple[str, ...]]:
    """The commits to which new reflog entries moved HEADs and that are still reachable, each with its
    parents."""
    moves = [
        e
        for e in entries
        if e.old != e.new and e.kind not in _ELSEWHERE and not e.kind.endswith((" (start)", " (abort)"))
    ]
    news = dict.fromkeys(e.new for e in moves if e.new.strip("0"))
    olds = {e.old for e in moves if e.old.strip("0")} - news.keys()
    listed = _list(repository, news, olds, "--parents", f"--max-count={_COMMITS}") if news else []
    parents = {commit: tuple(rest) for commit, *rest in (line.split() for line in listed)}
    gone = find_unreachable(repository, parents)
    return {commit: of for commit, of in parents.items() if commit not in gone}


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
    """The rewrites by which records on an old commit belong on one of the ``fresh`` commits, too, or on
    another commit that the old one was split into. ``more``: commits that get records now; ``rewrites``: what
    rewritten commits are known to have become, ``gathered``: the same of those that went into squashes;
    ``taken``: commits with work of their own; ``silent``: commits made while switched off."""
    if not fresh:
        return []
    notes = NotesRef(repository)
    tip = notes.tip()
    root = repository.objects.commit(tip).tree if tip else None
    recorded = {*(commit for commit, _ in iter_notes(repository.objects, root)), *more}
    try:
        olds = _beside(repository, fresh, recorded, rewrites)
        if not olds:
            return []
        known = as_evidence(rewrites, gathered)
        found = find_allowed(repository, olds, known=known, taken=taken, silent=silent, within=WITHIN)
    except GitError:
        return []  # as if there were none; repair reports git's message
    moved = {r.old for r in found if r.new in fresh}
    return [r for r in found if r.new in fresh or (r.source == "tree" and r.old in moved)]


def as_evidence(
    rewrites: Mapping[str, Sequence[str]], gathered: Mapping[str, Sequence[str]]
) -> dict[tuple[str, str], Source]:
    """The known rewrites (old, new), each with its source."""
    return {
        (old, new): "squash" if new in gathered.get(old, ()) else "told"
        for old, news in rewrites.items()
        for new in news
    }


def squashed(found: Iterable[Rewrite]) -> list[tuple[str, str]]:
    """The pairs (old, new) of those rewrites that went into squashes."""
    return [(r.old, r.new) for r in found if r.source == "squash"]


def find_allowed(
    repository: Repository,
    olds: Collection[str],
    *,
    taken: Collection[str],
    silent: Collection[str],
    known: Mapping[tuple[str, str], Source] = MappingProxyType({}),
    within: float | None = None,
) -> list[Rewrite]:
    """``find_rewrites`` without rewrites to commits made while switched off (``silent``), or to what one of
    those became that had replaced the old commit (same parents). Raises GitError."""
    objects = repository.objects
    hidden = [commit for commit in silent if objects.exists(commit)]
    found = find_rewrites(repository, [*olds, *hidden], known=known, taken=taken, within=within)
    replaced: dict[tuple[str, ...], set[str]] = {}
    for rewrite in found:
        if rewrite.old in silent:
            replaced.setdefault(objects.commit(rewrite.old).parents, set()).add(rewrite.new)
    return [
        r
        for r in found
        if r.old not in silent
        and r.new not in silent
        and not (replaced and r.new in replaced.get(objects.commit(r.old).parents, ()))
    ]


def find_given_up(repository: Repository, squashed: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """The pairs (old, new) of squash merges that the content of ``new`` does not confirm: another
    squash had failed before it, or it had the lines already. A merge commit is confirmed with what it merged.
    Raises GitError."""
    pairs = list(squashed)
    ids = dict.fromkeys(commit for pair in pairs for commit in pair)
    changes = read_changes(repository, [c for c in ids if repository.objects.exists(c)]) if ids else {}
    known = [(old, new) for old, new in pairs if old in changes and new in changes]
    held = {(old, new) for old, new in known if changes[new].shares_changes_with(changes[old])}
    squashes = {new for _, new in held}
    merges = {(old, new) for old, new in known if len(changes[old].parents) > 1 and new in squashes}
    return {*known} - held - merges


def _beside(
    repository: Repository,
    fresh: Mapping[str, Sequence[str]],
    recorded: Collection[str],
    rewrites: Mapping[str, Sequence[str]],
) -> list[str]:
    """The commits with records for which neither they nor what they became is an ancestor of a fresh commit;
    or what they became has an unreported parent, as when a rebase stops and a commit is split."""
    below = {parent for parents in fresh.values() for parent in parents}
    tips = [commit for commit in fresh if commit not in below][:_TIPS]
    became = {commit: {*follow([commit], rewrites)} for commit in recorded}
    alive = {c for each in became.values() for c in each if repository.objects.exists(c)}
    unreported = fresh.keys() - {new for news in rewrites.values() for new in news} - {*recorded}
    split = {c for c, each in became.items() for new in each if unreported.intersection(fresh.get(new, ()))}
    found: set[str] = set()
    for tip in tips:
        apart = {*_list(repository, alive, [tip])} & alive
        moved = {c for c in recorded if c in split or not became[c] & alive - apart}
        found |= moved & apart
    return sorted(found)


def _list(repository: Repository, some: Iterable[str], without: Iterable[str], *options: str) -> list[str]:
    given = "".join(f"{commit}\n" for commit in [*some, *(f"^{commit}" for commit in without)])
    walk = ("rev-list", "--ignore-missing", "--stdin", *options)
    return repository.run(*walk, input=given.encode(), timeout=WITHIN).text.splitlines()
