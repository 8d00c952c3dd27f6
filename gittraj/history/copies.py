"""Finds copies of commits: by patch, by tree, by the ids in their messages. An ambiguous match is not used.

The functions are pure: they get tables and return pairs of ids. ``known`` are the commits whose copies are
wanted, ``targets`` the commits that may be copies; ``became`` has the rewrites that were found before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from gittraj.git import CommitChanges
from gittraj.history.history import Commit, History, Kin, Pair, follow, group

_PICKED = re.compile(r"^\(cherry picked from commit ([0-9a-f]{40,64})\)$", re.MULTILINE)
_LISTED = re.compile(r"^commit ([0-9a-f]{40,64})$", re.MULTILINE)
_LISTING = "Squashed commit of the following:\n"


def read_quotes(history: History, known: Collection[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield (old, new, squashed) from the lines that ``cherry-pick -x`` and ``merge --squash`` write."""
    for commit in history.commits.values():
        yield from ((old, commit.id, False) for old in _PICKED.findall(commit.message) if old in known)
        _, listing, rest = commit.message.partition(_LISTING)
        if listing:
            yield from ((old, commit.id, True) for old in _LISTED.findall(rest) if old in known)


def match_picked(
    picked: Iterable[str],
    known: Collection[str],
    *,
    history: History,
    became: Mapping[str, Sequence[str]],
    lines: Mapping[str, Counter[str]] = MappingProxyType({}),
) -> Iterator[Pair]:
    """Pair each commit of ``picked``, which a cherry-pick or ``git am`` made according to the reflog, with
    its source: (source, copy). After a conflict the patch differs, but author, author date and subject are
    the same. Of several sources, the one whose ``lines`` are most like the copy's is used."""
    sources = _by_patch(known, history)
    for new in picked:
        if new not in history.commits:
            continue
        later = {*follow([new], became)}  # the copy and its later versions, which are not its sources
        relatives = _older(history, new, history.by_identity[history.commits[new].identity], later)
        patch = history.patch(history.change(new))
        same = _older(history, new, sources.get(patch, ()) if patch else (), later)
        likely = _likeliest(relatives, new, history, lines) or same
        chosen = _last(likely, became)
        if len(chosen) > 1:  # copies on several branches: use their common source
            chosen = _last([c for c in relatives or likely if {*chosen} <= {*follow([c], became)}], became)
        if len(chosen) == 1 and chosen[0] in known:
            yield chosen[0], new


def _likeliest(
    relatives: list[str], new: str, history: History, lines: Mapping[str, Counter[str]]
) -> list[str]:
    """The commits among ``relatives``, which have the identity of ``new``, that it most likely copies: those
    with its patch, else with its paths and the most similar lines, else all."""
    patch, names = history.patch(history.change(new)), history.names(history.change(new))
    # one relative may be the amended version of another: the patch shows which of the two was picked
    both = [c for c in relatives if patch and history.patch(history.change(c)) == patch]
    alike = [c for c in relatives if history.names(history.change(c)) == names]
    return both or _closest(alike, new, lines) or relatives


def _closest(commits: Sequence[str], new: str, lines: Mapping[str, Counter[str]]) -> list[str]:
    """The commits whose lines differ least from those of ``new``."""

    def differ(one: Counter[str], other: Counter[str]) -> int:
        return (one - other).total() + (other - one).total()

    own = lines.get(new, Counter())
    differences = {c: differ(lines.get(c, Counter()), own) for c in commits}
    least = min(differences.values(), default=0)
    return [c for c in commits if differences[c] == least]


def _older(history: History, new: str, some: Iterable[str], later: Collection[str]) -> list[str]:
    """Those of ``some`` that ``new`` may be a pick of: a later version of its source is as similar, but
    younger than ``new``. If all are younger, a clock jumped, and all are returned."""
    others = [c for c in some if c not in later]
    return [c for c in others if history.commits[c].committed <= history.commits[new].committed] or others


def match_patches(
    known: Collection[str],
    targets: Collection[str],
    *,
    history: History,
    kin: Kin,
    became: Mapping[str, Sequence[str]],
) -> Iterator[Pair]:
    """Pair commits with the same patch. An ancestor or descendant of the old commit does not copy it, but
    repeats its change, as a reverted revert does."""
    sources, copies = _by_patch(known, history), _by_patch(targets, history)
    for patch in sources.keys() & copies.keys():
        olds = [history.commits[c] for c in _last(sources[patch], became)]
        by_source: dict[str, list[Commit]] = {}
        for new in map(history.commits.__getitem__, copies[patch]):
            # of two reachable commits that both have work of their own, it is unknown which one is the copy
            able = [old for old in olds if new.id not in known or old.id not in history.reachable]
            old = _find_source([old for old in able if not kin.related(old.id, new.id)], new, history)
            if old is not None:
                by_source.setdefault(old.id, []).append(new)
        for commit, news in by_source.items():
            yield from ((commit, new) for new in _find_copies(history.commits[commit], news))


def _find_copies(old: Commit, news: list[Commit]) -> list[str]:
    """Those of ``news``, which have the same patch, that copy ``old``; none if it is not clear which do."""
    alike = _narrow(news, old)
    clear = len(alike) == 1 or all(_is_copy(new, old) for new in alike)
    return [new.id for new in alike] if clear else []


def _find_source(olds: Iterable[Commit], new: Commit, history: History) -> Commit | None:
    """The commit among ``olds``, which have the same patch, that ``new`` copies. If this commit is still
    reachable, the same patch by another author counts as that author's own work."""
    able = _narrow([old for old in olds if _is_later(new, old)], new)
    if len(able) != 1:
        return None
    same_author = able[0].identity[:2] == new.identity[:2]
    return able[0] if same_author or able[0].id not in history.reachable else None


def match_trees(
    known: Collection[str],
    targets: Collection[str],
    *,
    history: History,
    became: Mapping[str, Sequence[str]],
) -> Iterator[Pair]:
    """Pair commits with the same parents and tree: only the message changed, or a merge was made again."""

    def parents_and_tree(commit: str) -> tuple[tuple[str, ...], str] | None:
        here = history.commits[commit]
        return (here.parents, here.tree) if len(here.parents) > 1 or history.change(commit) else None

    olds, news = group(known, parents_and_tree), group(targets, parents_and_tree)
    for key in olds.keys() & news.keys():
        pair = _last(olds[key], became), [c for c in news[key] if c not in olds[key]]
        if len(pair[0]) == len(pair[1]) == 1:
            old, new = pair[0][0], pair[1][0]
            if _is_later(history.commits[new], history.commits[old]):
                yield old, new


def match_displaced(known: Collection[str], *, history: History) -> Iterator[Pair]:
    """Pair each commit that is gone with the only one that replaces it: a commit on the same parents, with
    the same tree or, after a later amend, with the same author, author date, subject and files. The committer
    may differ."""
    for old in map(history.commits.__getitem__, find_displaced(known, history)):
        siblings = history.by_parents[old.parents]
        names = history.names(history.change(old.id))
        news = [new for new in siblings if new.tree == old.tree] or [
            new
            for new in siblings
            if new.identity == old.identity
            and new.committed > new.began
            and names
            and names <= history.names(history.change(new.id))
        ]
        if len(news) == 1:
            yield old.id, news[0].id


def find_displaced(known: Iterable[str], history: History) -> list[str]:
    """The unreachable commits whose parents have another, reachable child."""
    return [
        c
        for c in known
        if c not in history.reachable
        and history.commits[c].parents in history.by_parents
        and (len(history.commits[c].parents) > 1 or history.change(c))
    ]


def find_splits(
    known: Iterable[str], targets: Collection[str], *, history: History, most: int = 20
) -> Iterator[tuple[str, list[str]]]:
    """Yield unreachable commits, each with a chain of commits that leads from its parent to its tree."""
    ends = group(targets, lambda commit: history.commits[commit].tree)
    for old in known:
        here = history.commits[old]
        if old in history.reachable or not history.change(old):
            continue
        for end in ends.get(here.tree, ()):
            chain: list[str] = []
            for commit in history.line(end, most=most):
                if commit not in targets:
                    break
                chain.append(commit)
                if history.commits[commit].parents == here.parents:
                    if len(chain) > 1:
                        yield old, chain[::-1]
                    break


def _by_patch(commits: Iterable[str], history: History) -> dict[str, list[str]]:
    return group(commits, lambda commit: history.patch(history.change(commit)))


def _last(commits: Sequence[str], became: Mapping[str, Sequence[str]]) -> list[str]:
    """Leave out commits that are known to have become another one of ``commits``."""
    if len(commits) < 2:
        return list(commits)
    return [c for c in commits if {*follow([c], became)}.isdisjoint({*commits} - {c})]


def _narrow(commits: list[Commit], like: Commit) -> list[Commit]:
    """The commits with the author, author date and subject of ``like``, else with author and date, else
    all."""
    tests: tuple[Callable[[Commit], bool], ...] = (
        lambda c: c.identity == like.identity,
        lambda c: c.identity[:2] == like.identity[:2],
    )
    return next((some for test in tests if (some := [c for c in commits if test(c)])), commits)


def _is_later(new: Commit, old: Commit) -> bool:
    """Whether ``new`` may be a copy of ``old``: git's copies keep author and date, and are younger."""
    return new.committed >= (old.committed if new.identity[:2] == old.identity[:2] else old.began)


def _is_copy(new: Commit, old: Commit) -> bool:
    """Whether ``new`` has the identity of ``old`` and was committed later than it was authored."""
    return new.identity == old.identity and new.committed > new.began


def is_fragment(new: CommitChanges, old: CommitChanges) -> bool:
    """Whether ``new`` changes only paths that ``old`` changes, and adds only lines or files of ``old``."""
    by_path = {change.path: change for change in old.paths}
    for change in new.paths:
        other = by_path.get(change.path)
        if other is None or Counter(change.added) - Counter(other.added):
            return False
        if not change.added and change.kind != "delete" and change.blob != other.blob and not other.added:
            return False
    return True
