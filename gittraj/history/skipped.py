"""Finds commits that a rebase left out, although git reports that they became the commit before them.

git reports this to ``post-rewrite`` for a commit that was skipped, or that became empty on its new base; the
commit before it may be somebody else's. The report is right if the rebase made that commit, and it has the
lines of the reported one: a conflict was resolved with them in it, or all of them had been there before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from gittraj.errors import GitError
from gittraj.git import CommitChanges, ReflogEntry, Repository, read_present
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
    doubtful = _find_doubtful(repository, olds, log)
    if not doubtful:
        return set()
    commits = [*doubtful, *(old for new in doubtful for old in olds[new])]
    try:
        rewrites = find_rewrites(repository, commits, within=5.0)
        changes = read_present(repository, commits)
    except GitError:
        return set()
    became: dict[str, set[str]] = {commit: set() for commit in commits}
    for rewrite in rewrites:
        became[rewrite.old].add(rewrite.new)
    return {
        (old, new)
        for new, applied in doubtful.items()
        for old in _left_out(olds[new], new, applied, became, changes)
    }


def _find_doubtful(
    repository: Repository, olds: Mapping[str, Sequence[str]], log: Sequence[ReflogEntry]
) -> dict[str, int]:
    """The new commits for which git reports more ``olds`` than the rebase put in, each with the number put
    in."""
    rebases = [*read_rebases(log)]
    applied = {new: _applied(repository, rebases, new) for new in olds}
    return {new: n for new, n in applied.items() if n is not None and n < len(olds[new])}


def _left_out(
    olds: Sequence[str],
    new: str,
    applied: int,
    became: Mapping[str, set[str]],
    changes: Mapping[str, CommitChanges],
) -> list[str]:
    """The commits of ``olds`` that are not in ``new``. The rebase put ``applied`` commits into ``new``."""
    unmatched = [old for old in olds if became[old].isdisjoint({new, *became[new]})]
    # without evidence for any of them, git's order decides: it reports them in the order of the rebase
    put = [old for old in olds if old not in unmatched] or olds[:applied]
    return [old for old in unmatched if old not in put and not (put and _took(changes, new, old, put))]


def _took(changes: Mapping[str, CommitChanges], new: str, old: str, put: Iterable[str]) -> bool:
    """Whether ``new`` adds all lines of ``old``, or one of them more often than the commits in ``put`` do."""
    lines = {commit: change.lines for commit, change in changes.items()}
    added, wanted = lines.get(new, Counter()), lines.get(old, Counter())
    more = added - sum((lines.get(c, Counter()) for c in put), Counter[str]())
    return not more.keys().isdisjoint(wanted) or (bool(wanted) and wanted <= added)


def _applied(repository: Repository, rebases: Sequence[Rebase], new: str) -> int | None:
    """How many commits were put into ``new`` by the latest rebase onto it or with a step that made it; None
    if there is no such rebase."""
    for rebase in reversed(rebases):
        if new in (rebase.onto, *(e.new for e in rebase.entries)):
            return _count_applied(repository, rebase).get(new, 0)
    return None


def _count_applied(repository: Repository, rebase: Rebase) -> Mapping[str, int]:
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
