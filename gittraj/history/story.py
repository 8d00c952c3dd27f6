"""Reads the rewrites in the reflogs: amends, rebases with their steps, and copies.

Order and kinds are trusted, times are not read. Whether a step adds a commit or replaces the one before it
(a fixup, a reword) is decided by its parents, not by its kind: a resolved conflict is always ``(continue)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, takewhile

from gittraj.frozen import dataclass
from gittraj.git import ReflogEntry
from gittraj.history.history import History, group

# "commit": git before 2.40 writes it for a conflict that was resolved by a plain `git commit`
_STEPS = (
    *("(pick)", "(reword)", "(edit)", "(squash)", "(fixup)", "(continue)", "(merge)", "(rebase)"),
    "commit",
)
_RESETS = ("reset", "branch")  # the second is `git branch --force` and `git checkout -B`
_AGAIN = 50  # the maximum number of commits to read, from the one that a reset left
_COPIES = ("cherry-pick", "commit (cherry-pick)", "am")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebase:
    """A rebase onto the commit ``onto``. ``tips`` are the old tips, which reach the rewritten commits;
    ``entries`` are HEAD's reflog entries between start and finish, ``steps`` those that moved HEAD by one
    commit. ``end`` is the new tip, None while the rebase is in progress."""

    onto: str
    tips: tuple[str, ...]
    entries: tuple[ReflogEntry, ...]
    end: str | None

    @property
    def steps(self) -> tuple[ReflogEntry, ...]:
        return tuple(e for e in self.entries if e.kind.endswith(_STEPS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    amends: tuple[tuple[str, str], ...]
    rebases: tuple[Rebase, ...]
    copies: tuple[str, ...]
    left: tuple[str, ...]
    """The tips that a reset left: the commits below may be committed again as one, by anybody."""

    def commits(self) -> Iterator[str]:
        """Yield all commits that the reflogs name."""
        for pair in self.amends:
            yield from pair
        for rebase in self.rebases:
            yield from (rebase.onto, *rebase.tips, *(i for e in rebase.entries for i in (e.old, e.new)))
        yield from self.copies
        yield from self.left

    def rewritten(self, history: History) -> Iterator[str]:
        """Yield the commits that an amend or a rebase replaced, and those that may have been committed again
        after a reset."""
        yield from (old for old, _ in self.amends if old in history.commits)
        for rebase in self.rebases:
            if rebase.onto in history.commits:
                # the base, too: it may be a commit that git kept as it was, and that a fixup amended
                yield from (rebase.onto, *history.between(rebase.onto, *rebase.tips))
        for tip in self.left:
            line = history.line(tip, most=_AGAIN)
            yield from takewhile(lambda commit: commit not in history.reachable, line)


def read_story(heads: Sequence[Sequence[ReflogEntry]], branches: Sequence[Sequence[ReflogEntry]]) -> Story:
    """Join the reflogs of HEADs, which have the steps, with those of branches, which have the old tips."""
    everything = [entry for log in (*heads, *branches) for entry in log if entry.old != entry.new]
    amends = ((e.old, e.new) for e in everything if e.kind == "commit (amend)" and e.old.strip("0"))
    left = (e.old for e in everything if e.kind in _RESETS and e.old.strip("0"))
    return Story(
        amends=tuple(dict.fromkeys(amends)),
        rebases=_join_rebases(heads, branches),
        copies=tuple(dict.fromkeys(e.new for e in everything if _is_copy(e))),
        left=tuple(dict.fromkeys(left)),
    )


def _join_rebases(
    heads: Sequence[Sequence[ReflogEntry]], branches: Sequence[Sequence[ReflogEntry]]
) -> tuple[Rebase, ...]:
    finished = [e for e in chain.from_iterable(branches) if e.kind.endswith(" (finish)")]
    by_end = group(finished, lambda e: e.new)
    tips = {end: tuple(e.old for e in entries) for end, entries in by_end.items()}
    rebases = list(chain.from_iterable(map(read_rebases, heads)))
    ends = {rebase.end for rebase in rebases}
    # the worktree, and its HEAD's reflog with it, may be gone: the branch's reflog still has both tips
    lost = (
        Rebase(onto=entry.message.rpartition(" onto ")[2], tips=(entry.old,), entries=(), end=entry.new)
        for entry in finished
        if entry.new not in ends and entry.old.strip("0")
    )
    return (*(replace(r, tips=tips.get(r.end or "", r.tips)) for r in rebases), *lost)


def _is_copy(entry: ReflogEntry) -> bool:
    return entry.kind in _COPIES and not entry.message.startswith("cherry-pick: fast-forward")


def read_rebases(log: Iterable[ReflogEntry]) -> Iterator[Rebase]:
    """Read the rebases in a HEAD's reflog, except those that were aborted."""
    current: Rebase | None = None
    for entry in log:
        if entry.kind.endswith(" (start)"):
            if current is not None:
                yield current
            current = Rebase(onto=entry.new, tips=(entry.old,), entries=(), end=None)
        elif current is None:
            continue
        elif entry.kind.endswith(" (finish)"):
            yield replace(current, end=entry.new)
            current = None
        elif entry.kind.endswith(" (abort)"):
            current = None
        else:
            current = replace(current, entries=(*current.entries, entry))
    if current is not None:
        yield current


def choose(story: Story, history: History, olds: Iterable[str]) -> list[tuple[Rebase, list[str]]]:
    """The rebases that may have rewritten one of ``olds`` or a later version, each with its originals."""
    touched = {*olds, *story.copies}
    waiting = [
        (rebase, _find_originals(rebase, history))
        for rebase in story.rebases
        if rebase.onto in history.commits
    ]
    chosen: list[tuple[Rebase, list[str]]] = []
    known = -1
    while known < len(touched):
        known = len(touched)
        touched |= {new for old, new in story.amends if old in touched}
        for rebase, originals in list(waiting):
            if not touched.isdisjoint(originals):
                waiting.remove((rebase, originals))
                chosen.append((rebase, originals))
                touched |= {e.new for e in rebase.entries} | {*history.between(rebase.onto, rebase.end or "")}
    return chosen


def _find_originals(rebase: Rebase, history: History) -> list[str]:
    """The commits of the tips that the new base does not have. Since ``--onto`` may apply commits that the
    base has, too, this includes those with the author, date and subject of a step that no other original
    explains."""
    originals = history.between(rebase.onto, *rebase.tips)
    steps = {entry.new for entry in rebase.steps if entry.new in history.commits}
    names = {history.commits[c].identity for c in steps} - {history.commits[c].identity for c in originals}
    relatives = {c for name in names for c in history.by_identity[name]} - steps
    if not relatives:
        return originals
    below = relatives & history.ancestors(rebase.tips)
    return [*history.sort(below), *originals]
