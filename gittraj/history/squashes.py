"""Finds commits that are squashes, each of a range of other commits. Pure: tables in, pairs out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from gittraj.history.history import Change, History, Kin, Paths, follow, group

Range = tuple[str, str]
"""A base and a tip, as in ``base..tip``."""

LONGEST = 250
"""The most commits of a branch that is squashed as a whole."""
_ANYWHERE = 50  # the most commits of a range that begins among rewritten ones


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


def ranges(
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

    def forks(base: str, tip: str) -> bool:
        return any(not kin.related(tip, child) for child in history.children.get(base, ()))

    changes = {change for target in targets if (change := history.change(target))}
    wanted = {frozenset(history.paths[change]) for change in changes if change in history.paths}
    sizes = {len(names) for names in wanted}
    for tip in tips:
        gone = tip not in history.reachable
        since = _Changed()
        for distance, at in enumerate(history.line(tip, most=LONGEST)):
            changed = since.paths
            alike = distance > 1 and len(changed) in sizes and changed in wanted
            if alike and ((gone and distance <= _ANYWHERE) or forks(at, tip)):
                yield at, tip
            gone = gone and at not in history.reachable
            step = history.step(at)
            if step:
                since.add(history.paths.get(step, {}))
            sides = history.commits[at].parents[1:]
            yield from ((side, tip) for side in sides if forks(side, tip))


def range_change(history: History, span: Range) -> Change | None:
    """The change of a range as a whole; None if there is none."""
    if span[0] not in history.commits:
        return None
    before, after = (history.commits[c].tree for c in span)
    return (before, after) if before != after else None


def match_squashes(
    spans: Iterable[Range],
    known: Collection[str],
    targets: Collection[str],
    *,
    history: History,
    kin: Kin,
    became: Mapping[str, Sequence[str]],
) -> Iterator[tuple[str, str]]:
    """Pairs (old, new): ``new`` makes the whole change of a range that contains ``old``. Of several ranges
    with that change one must be likeliest: ``new`` has its base and tree, or others became it."""
    news = group(targets, lambda target: history.patch(history.change(target)))
    found: dict[str, dict[frozenset[str], tuple[bool, bool]]] = {}
    for span in spans:
        patch = history.patch(range_change(history, span))
        new = _find_squash(span, news.get(patch, ()), history=history, kin=kin) if patch else None
        if new is None:
            continue
        members = frozenset(_needed(history, *span))
        if not any(history.patch(history.change(member)) == patch for member in members):
            exact = _stands_on(history, new, *span)
            found.setdefault(new, {})[members] = exact, exact and span[1] not in history.reachable
    for new, sets in found.items():
        able = (c for c in _choose(sets, became) if c in known)
        yield from ((c, new) for c in able if len(history.commits[c].parents) > 1 or history.change(c))


def _choose(
    sets: Mapping[frozenset[str], tuple[bool, bool]], became: Mapping[str, Sequence[str]]
) -> Iterable[str]:
    """The members of the range that is the likeliest; none if several are equally likely."""
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
    chosen = [new for new in able if _stands_on(history, new, base, tip)] or able
    if len(chosen) != 1 or history.commits[chosen[0]].committed < history.commits[tip].began:
        return None
    return chosen[0]


def _stands_on(history: History, new: str, base: str, tip: str) -> bool:
    here = history.commits[new]
    return here.parents == (base,) and here.tree == history.commits[tip].tree


def _needed(history: History, base: str, tip: str) -> list[str]:
    """The range without commits at its ends that cancel out, such as a commit and its revert."""
    whole = {*history.between(base, tip)}
    line = [(c, history.commits[c].tree) for c in history.line(tip, most=LONGEST) if c in whole]
    end = [c for c, tree in line if tree == history.commits[tip].tree][-1]
    earlier = line[[c for c, _ in line].index(end) + 1 :]
    start = next((c for c, tree in earlier if tree == history.commits[base].tree), base)
    return history.between(start, end)
