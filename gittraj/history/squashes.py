"""Finds commits that are squashes, each of a range of other commits, from tables of commits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from gittraj.history.history import Change, History, Kin, Paths, follow, group

Range = tuple[str, str]
"""A base and a tip, as in ``base..tip``."""

LONGEST = 250
"""The maximum number of commits of a branch that is squashed as a whole."""
_ANYWHERE = 50  # the maximum number of commits of a range that begins among rewritten ones


class _Changed:
    """The ``paths`` that differ between a tip and an earlier commit, updated as a walk goes back."""

    def __init__(self) -> None:
        self.paths: set[bytes] = set()
        self._at_tip: dict[bytes, bytes] = {}

    def add(self, step: Paths) -> None:
        """Add the changes of one more commit."""
        for path, (old, new) in step.items():
            if self._at_tip.setdefault(path, new) == old:
                self.paths.discard(path)
            else:
                self.paths.add(path)


def find_ranges(
    tips: Iterable[str],
    targets: Iterable[str],
    *,
    history: History,
    kin: Kin,
) -> Iterator[Range]:
    """The ranges of two or more commits that one of ``targets`` may squash, each up to one of ``tips`` (which
    ``kin`` marks). A range begins where another line of history forks off, or anywhere among commits that are
    no longer reachable, and changes the same paths as a target. If it begins at a merged commit, its paths
    are not compared."""
    changes = {change for target in targets if (change := history.change(target))}
    wanted = {frozenset(history.paths[change]) for change in changes if change in history.paths}
    by_size = {size: set(names) for size, names in group(wanted, len).items()}
    for tip in tips:
        yield from ((base, tip) for base in _find_bases(tip, by_size, history, kin))


def _find_bases(
    tip: str, wanted: Mapping[int, Collection[frozenset[bytes]]], history: History, kin: Kin
) -> Iterator[str]:
    """The bases of the ranges up to ``tip``; ``wanted`` are the targets' sets of paths, by size."""
    gone = tip not in history.reachable
    since = _Changed()
    for distance, at in enumerate(history.line(tip, most=LONGEST)):
        alike = distance > 1 and since.paths in wanted.get(len(since.paths), ())
        if alike and ((gone and distance <= _ANYWHERE) or _forks(at, tip, history, kin)):
            yield at
        gone = gone and at not in history.reachable
        step = history.step(at)
        if step:
            since.add(history.paths.get(step, {}))
        yield from (side for side in history.commits[at].parents[1:] if _forks(side, tip, history, kin))


def _forks(base: str, tip: str, history: History, kin: Kin) -> bool:
    """Whether another line of history than that of ``tip`` forks off at ``base``."""
    return any(not kin.related(tip, child) for child in history.children.get(base, ()))


def range_change(history: History, span: Range) -> Change | None:
    """The change of a range as a whole; None if it changes nothing, or its base is not here."""
    if span[0] not in history.commits:
        return None
    before, after = (history.commits[c].tree for c in span)
    return (before, after) if before != after else None


def match_replaced(
    tips: Iterable[str], targets: Iterable[str], *, history: History
) -> Iterator[tuple[str, str]]:
    """Pair (old, new) the commits of a range that is gone with a commit that replaced the range: one whose
    parent is the range's base, and whose tree is that of the range's last commit, as after ``git reset
    --soft``."""
    by_tree = group(targets, lambda target: history.commits[target].tree)
    for tip in tips:
        same = by_tree.get(history.commits[tip].tree, ())
        for distance, base in enumerate(history.line(tip, most=LONGEST) if same else ()):
            if distance > 1:
                news = (new for new in same if _replaces(history, new, base, tip))
                yield from ((old, new) for new in news for old in _needed(history, base, tip))
            if base in history.reachable:
                break


def match_squashes(
    spans: Iterable[Range],
    known: Collection[str],
    targets: Collection[str],
    *,
    history: History,
    kin: Kin,
    became: Mapping[str, Sequence[str]],
) -> Iterator[tuple[str, str]]:
    """Pair (old, new) commits with their squash: ``new`` makes the whole change of a range that contains
    ``old``, a commit of ``known``; ``became`` has the rewrites that were found before. Of several ranges with
    that change, one must be the likeliest: ``new`` has its base and tree, or commits of the other ranges
    became its commits."""
    news = group(targets, lambda target: history.patch(history.change(target)))
    candidates: dict[str, dict[frozenset[str], tuple[bool, bool]]] = {}
    for span in spans:
        patch = history.patch(range_change(history, span))
        new = _find_squash(span, news.get(patch, ()), history=history, kin=kin) if patch else None
        if new is None:
            continue
        members = frozenset(_needed(history, *span))
        if patch not in map(history.patch, map(history.change, members)):
            exact = _replaces(history, new, *span)
            candidates.setdefault(new, {})[members] = exact, exact and span[1] not in history.reachable
    for new, sets in candidates.items():
        able = (c for c in _choose(sets, became) if c in known)
        yield from ((c, new) for c in able if len(history.commits[c].parents) > 1 or history.change(c))


def _choose(
    sets: Mapping[frozenset[str], tuple[bool, bool]], became: Mapping[str, Sequence[str]]
) -> Iterable[str]:
    """The members of the range that is the likeliest; none if several are equally likely. ``sets`` maps the
    members of each range to two flags: the squash has the range's base and tree; and, besides, the range's
    tip is no longer reachable."""
    sure = [members for members, rank in sets.items() if rank == max(sets.values())]
    least = [members for members in sure if not any(other < members for other in sure)]
    later = {members: {*follow(members, became)} - members for members in least}
    last = [members for members in least if not any(other <= later[members] for other in least)]
    return last[0] if len(last) == 1 else ()


def _find_squash(span: Range, same: Iterable[str], *, history: History, kin: Kin) -> str | None:
    """The commit that squashes the range: one of ``same``, which have its patch. None if several may be it,
    or if it is older than the work on the tip."""
    base, tip = span
    able = [new for new in same if not kin.related(tip, new)]
    chosen = [new for new in able if _replaces(history, new, base, tip)] or able
    if len(chosen) != 1 or history.commits[chosen[0]].committed < history.commits[tip].began:
        return None
    return chosen[0]


def _replaces(history: History, new: str, base: str, tip: str) -> bool:
    """Whether a commit has the base of a range as its parent, and the tree of its tip, and is not older."""
    commit, last = history.commits[new], history.commits[tip]
    return commit.parents == (base,) and commit.tree == last.tree and commit.committed >= last.began


def _needed(history: History, base: str, tip: str) -> list[str]:
    """The commits of a range, without those at its ends that cancel out, such as a commit and its revert."""
    members = {*history.between(base, tip)}
    line = [(c, history.commits[c].tree) for c in history.line(tip, most=LONGEST) if c in members]
    end = [c for c, tree in line if tree == history.commits[tip].tree][-1]
    earlier = line[[c for c, _ in line].index(end) + 1 :]
    start = next((c for c, tree in earlier if tree == history.commits[base].tree), base)
    return history.between(start, end)
