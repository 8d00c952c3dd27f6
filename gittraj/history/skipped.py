"""Finds commits that a rebase left out, although git reports that they became the commit before them.

git reports this to ``post-rewrite`` for a commit that was skipped, or that became empty on its new base; the
commit before it may be somebody else's. The report is right if the rebase made that one, and it has the
lines: a conflict was resolved with them in it, or all of them had been there before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from gittraj.errors import GitError
from gittraj.git import CommitChanges, ReflogEntry, Repository, read_changes
from gittraj.history.find import find_rewrites
from gittraj.history.history import Pair
from gittraj.history.story import Rebase, read_rebases

_JOINS = ("(squash)", "(fixup)", "(continue)", "commit")


def find_skipped(repository: Repository, pairs: Iterable[Pair], log: Sequence[ReflogEntry]) -> set[Pair]:
    """Return those ``pairs`` (old, new), reported by git for rebases, whose ``new`` does not contain ``old``.

    ``log`` is the reflog of the HEAD that was rebased. git's report is trusted if the log has no steps of the
    rebase, or if git does not list the history within five seconds.
    """
    olds: dict[str, list[str]] = {}
    for old, new in pairs:
        olds.setdefault(new, []).append(old)
    rebases = [*read_rebases(log)]
    applied = {new: _applied(repository, rebases, new) for new in olds}
    doubtful = {new: n for new, n in applied.items() if n is not None and n < len(olds[new])}
    if not doubtful:
        return set()
    asked = [*doubtful, *(old for new in doubtful for old in olds[new])]
    try:
        found = find_rewrites(repository, asked, within=5.0)
        changes = read_changes(repository, [c for c in asked if repository.objects.exists(c)])
    except GitError:
        return set()
    became: dict[str, set[str]] = {commit: set() for commit in asked}
    for rewrite in found:
        became[rewrite.old].add(rewrite.new)
    return {
        (old, new)
        for new, applied_here in doubtful.items()
        for old in _left_out(olds[new], new, applied_here, became, changes)
    }


def _left_out(
    olds: Sequence[str],
    new: str,
    applied: int,
    became: Mapping[str, set[str]],
    changes: Mapping[str, CommitChanges],
) -> list[str]:
    """The commits of ``olds`` that are not in ``new``. The rebase put ``applied`` commits into it."""
    left = [old for old in olds if became[old].isdisjoint({new, *became[new]})]
    # without evidence for any of them, git's order decides: it reports first what was put in first
    put = [old for old in olds if old not in left] or olds[:applied]
    return [old for old in left if old not in put and not (put and _took(changes, new, old, put))]


def _took(changes: Mapping[str, CommitChanges], new: str, old: str, put: Iterable[str]) -> bool:
    """Whether ``new`` adds all lines of ``old``, or one of them more often than the commits in ``put`` do."""
    lines = {commit: change.lines for commit, change in changes.items()}
    here, theirs = lines.get(new, Counter()), lines.get(old, Counter())
    more = here - sum((lines.get(c, Counter()) for c in put), Counter[str]())
    return not more.keys().isdisjoint(theirs) or (bool(theirs) and theirs <= here)


def _applied(repository: Repository, rebases: Sequence[Rebase], new: str) -> int | None:
    """How many commits were put into ``new`` by the latest rebase onto it or with a step that made it; None
    if there is no such rebase."""
    for rebase in reversed(rebases):
        if new in (rebase.onto, *(e.new for e in rebase.entries)):
            return _count(repository, rebase).get(new, 0)
    return None


def _count(repository: Repository, rebase: Rebase) -> Mapping[str, int]:
    objects = repository.objects
    applied: dict[str, int] = {}
    for entry in rebase.entries:
        if not objects.exists(entry.old) or not objects.exists(entry.new) or entry.old == entry.new:
            continue
        before, after = (objects.commit(c).parents for c in (entry.old, entry.new))
        if entry.old in after:
            applied[entry.new] = 1
        elif before == after:
            applied[entry.new] = applied.get(entry.old, 0) + entry.kind.endswith(_JOINS)
    return applied
