"""``own()`` gives every event of a log to one commit, or lets it wait.

An event belongs to the first commit whose anchor's *result* is at or after it. The events after the last
result go to that commit if their turn ends without a further edit, else they wait for the next commit. The
function gets the whole log or only what is not stored yet. Since the last events of a turn are assigned where
the turn ends, and not where the log happens to end, a live capture, a late one and an import agree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from gittraj.frozen import dataclass
from gittraj.model.values import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The properties of an event that decide which commit it belongs to. ``result`` is the index of a call's
    result; ``here``: the event certainly worked in this repository; ``edit``: it wrote a file there."""

    prompt: bool = False
    edit: bool = False
    here: bool = False
    elsewhere: bool = False
    ends_turn: bool = False
    result: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """``call`` is the index of the call that made ``commits``; no commits if it committed in another
    repository. ``name`` is the id of a call without an index, since it is before the part that was read."""

    call: int
    commits: tuple[str, ...]
    evidence: Evidence = "agent"
    name: str | None = None

    @property
    def elsewhere(self) -> bool:
        return not self.commits


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The events ``first`` to ``last`` (indexes, both included) belong to ``anchor``'s commits. ``dropped``
    are the indexes of those events that worked elsewhere and must not be stored here."""

    first: int
    last: int
    anchor: Anchor
    dropped: frozenset[int] = frozenset()

    @property
    def indexes(self) -> range:
        return range(self.first, self.last + 1)


def own(
    steps: Sequence[Step], anchors: Sequence[Anchor], *, before: Anchor | None = None, ended: bool = False
) -> list[Part]:
    """Return the parts of a log, in order. Events outside all parts wait for a later commit.

    ``before`` is the latest anchor before the first step, if the log was read from a later position on (the
    anchor's ``call`` is negative then). ``ended``: the last turn is over, although the log does not say so
    (its file stopped growing).
    """
    owners = _owners(steps, [a for a in anchors if not a.elsewhere], before=before, ended=ended)
    dropped = find_dropped(steps, anchors, before=before, ended=ended)
    return [
        Part(first=run[0], last=run[-1], anchor=anchor, dropped=dropped.intersection(run) - {anchor.call})
        for run, anchor in _runs(owners, _cuts(steps, anchors))
    ]


def find_dropped(
    steps: Sequence[Step], anchors: Sequence[Anchor], *, before: Anchor | None = None, ended: bool = False
) -> frozenset[int]:
    """Return the indexes of the steps that worked elsewhere, or led to another repository's commit."""
    elsewhere = {i for i, step in enumerate(steps) if step.elsewhere}
    foreign = _owners(steps, anchors, before=before, ended=ended)
    return frozenset(elsewhere | _find_words_elsewhere(steps, foreign))


def _runs(owners: Sequence[Anchor | None], cuts: Collection[int] = ()) -> Iterator[tuple[range, Anchor]]:
    """Yield the indexes of consecutive events with the same owner, and the owner. A run also ends at each of
    ``cuts``; events without an owner are left out."""
    first = 0
    for i, anchor in enumerate(owners):
        if i + 1 == len(owners) or i in cuts or owners[i + 1] is not anchor:
            if anchor is not None:
                yield range(first, i + 1), anchor
            first = i + 1


def _owners(
    steps: Sequence[Step], anchors: Sequence[Anchor], *, before: Anchor | None, ended: bool
) -> list[Anchor | None]:
    """Return for each step the anchor whose commits it belongs to; None while it waits."""
    closing = {_close(steps, a): a for a in sorted(anchors, key=lambda a: a.call, reverse=True)}
    owners: list[Anchor | None] = [None] * len(steps)
    waiting = 0
    latest = before

    def settle(end: int) -> None:
        """End the turn before ``end``: steps that wait belong to the latest commit unless one is an edit."""
        nonlocal waiting
        running = any(a.call < end <= close for close, a in closing.items())
        if latest and not running and not any(step.edit for step in steps[waiting:end]):
            owners[waiting:end] = [latest] * (end - waiting)
            waiting = end

    for i, step in enumerate(steps):
        if step.prompt:
            settle(i)
        if i in closing:
            owners[waiting : i + 1] = [closing[i]] * (i + 1 - waiting)
            waiting = i + 1
            # of several commits of one call, the last gets the messages after the call
            latest = replace(closing[i], commits=closing[i].commits[-1:])
        if step.ends_turn:
            settle(i + 1)
    if ended:
        settle(len(steps))
    return owners


def _close(steps: Sequence[Step], anchor: Anchor) -> int:
    """The index at which an anchor's events end: that of its call's result or, without one, of the call."""
    result = steps[anchor.call].result
    return anchor.call if result is None else result


def _cuts(steps: Sequence[Step], anchors: Sequence[Anchor]) -> set[int]:
    """The indexes after which a part always ends, however and whenever it is captured."""
    cuts = {i - 1 for i, step in enumerate(steps) if step.prompt}
    # a turn may go on without a prompt (a hook's feedback): a drain in between ended the part there
    cuts |= {i for i, step in enumerate(steps) if step.ends_turn}
    for anchor in anchors:
        cuts |= {anchor.call, _close(steps, anchor)}
    return cuts


def _find_words_elsewhere(steps: Sequence[Step], owners: Sequence[Anchor | None]) -> set[int]:
    """The indexes of events that led to another repository's commit. Events that certainly worked here do not
    count, nor, next to such events, do prompts."""
    words: set[int] = set()
    for run, anchor in _runs(owners):
        if anchor.elsewhere:
            mixed = any(steps[i].here for i in run)
            words |= {i for i in run if not steps[i].here and not (mixed and steps[i].prompt)}
    return words
