"""Finds the original that each step of a rebase applied, from tables of commits.

A step proves that some original became a commit: the original with the same patch, else the one with the
fields that a rebase keeps (author, author date, subject). Otherwise the original is unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from gittraj.frozen import dataclass
from gittraj.git import CommitChanges, ReflogEntry
from gittraj.history.history import Change, Commit, History, group
from gittraj.history.story import Rebase

_SQUASHING = ("fixup! ", "squash! ", "amend! ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """``new`` was made by applying ``change``. ``replaces`` is the commit before it, if ``new`` replaced it
    (a fixup); ``follows`` is false if git had stopped for an edit."""

    new: str
    change: Change | None
    replaces: str | None = None
    follows: bool = True


def read_steps(rebase: Rebase, history: History) -> list[Step]:
    """Read the steps of a rebase from its reflog entries; without HEAD's reflog, one step per new commit."""
    if not rebase.entries and rebase.end:
        return [Step(new=c, change=history.change(c)) for c in history.between(rebase.onto, rebase.end)]
    steps: list[Step] = []
    before: ReflogEntry | None = None
    for entry in rebase.entries:
        step = _read_step(entry, before, history) if entry in rebase.steps else None
        if step is not None:
            steps.append(step)
        before = entry
    return steps


def _read_step(entry: ReflogEntry, before: ReflogEntry | None, history: History) -> Step | None:
    old, new = history.commits.get(entry.old), history.commits.get(entry.new)
    if old is None or new is None or old == new:
        return None
    if new.parents[:1] == (old.id,):
        return Step(new=new.id, change=history.change(new.id))
    if new.parents != old.parents:
        return None
    stopped = before is None or before.kind.endswith(("(edit)", "rebase"))
    change = (old.tree, new.tree) if old.tree != new.tree else None
    return Step(new=new.id, change=change, replaces=old.id, follows=not stopped)


def match_rebase(originals: Sequence[str], steps: Sequence[Step], history: History) -> list[tuple[str, str]]:
    """Pair each step's commit with the original that it applied, and with the commit that it replaced, as
    (old, new).

    ``new`` may itself be replaced by a later step. An original that no step applied was dropped: no pair.
    """
    kept = {step.new for step in steps}
    matching = _Matching(
        [history.commits[c] for c in originals if c not in kept],
        [s for s in steps if s.new not in originals and not (s.replaces and s.change is None)],
    )

    def of_new(key: Callable[[Commit], Hashable], step: Step) -> Hashable:
        # a replacement has the author, date and subject of the commit that it replaces
        return None if step.replaces else key(history.commits[step.new])

    matching.pair(
        lambda c: _both(history.patch(history.change(c.id)), (c.identity, False)),
        lambda s: _both(history.patch(s.change), of_new(_identity, s)),
        in_order=True,
    )
    matching.pair(lambda c: history.patch(history.change(c.id)), lambda s: history.patch(s.change))
    matching.pair(_identity, lambda s: of_new(_identity, s))
    # a conflict that was resolved by a plain `git commit` has that commit's date
    matching.pair(_title, lambda s: of_new(_title, s))
    matching.pair(_target_subject, lambda s: _replaced_subject(s, history), in_order=True)
    matching.pair_the_last(
        lambda c, s: not history.names(history.change(c.id)).isdisjoint(history.names(s.change))
    )
    replaced = [(step.replaces, step.new) for step in steps if step.replaces]
    return [*replaced, *matching.pairs]


def _both(one: str | None, other: Hashable) -> Hashable:
    return (one, other) if one and other else None


def _replaced_subject(step: Step, history: History) -> str | None:
    """The subject of the commit that a fixup step replaced."""
    return history.commits[step.replaces].subject if step.replaces and step.follows else None


def _identity(commit: Commit) -> Hashable:
    return commit.identity, len(commit.parents) > 1


def _title(commit: Commit) -> Hashable:
    return commit.author, commit.subject, len(commit.parents) > 1


def match_absorbed(
    left_out: Iterable[str], pairs: Iterable[tuple[str, str]], changes: Mapping[str, CommitChanges]
) -> Iterator[tuple[str, str]]:
    """Pair (old, new) commits that a rebase left out, because their lines came in with a resolved conflict,
    with the commits that have these lines: ``new`` adds all of them, in addition to the lines of the
    originals that it was made from (``pairs``)."""
    more: dict[str, Counter[str]] = {}
    for old, new in pairs:
        more[new] = more.get(new, changes[new].lines) - changes[old].lines
    for old in left_out:
        lines = changes[old].lines
        news = [new for new, added in more.items() if lines and lines <= added]
        if len(news) == 1:
            yield old, news[0]


class _Matching:
    """The originals and steps that are not paired yet."""

    def __init__(self, originals: list[Commit], steps: list[Step]) -> None:
        self.originals = originals
        self.steps = steps
        self.pairs: list[tuple[str, str]] = []

    def pair(
        self,
        original: Callable[[Commit], Hashable],
        step: Callable[[Step], Hashable],
        *,
        in_order: bool = False,
    ) -> None:
        """Pair an original and a step with the same key, if nothing else has this key; or, with ``in_order``,
        all with this key, if there are as many originals as steps."""
        originals, steps = group(self.originals, original), group(self.steps, step)
        for key in originals.keys() & steps.keys():
            if len(originals[key]) == len(steps[key]) and (in_order or len(steps[key]) == 1):
                for commit, done in zip(originals[key], steps[key], strict=True):
                    self._take(commit, done)

    def pair_the_last(self, alike: Callable[[Commit, Step], bool]) -> None:
        """Pair the last step with the last original, if one of each is left: a fixup after a conflict has
        neither the patch nor the author, date and subject of its original."""
        if len(self.originals) == len(self.steps) == 1:
            commit, step = self.originals[0], self.steps[0]
            if step.replaces and step.follows and alike(commit, step):
                self._take(commit, step)

    def _take(self, commit: Commit, step: Step) -> None:
        self.originals.remove(commit)
        self.steps.remove(step)
        self.pairs.append((commit.id, step.new))


def _target_subject(commit: Commit) -> str | None:
    """The subject of the commit into which autosquash folds this one."""
    rest = commit.subject
    while rest.startswith(_SQUASHING):
        rest = rest.partition("! ")[2]
    return rest if rest != commit.subject else None
