"""``own()`` gives every event of a log to one commit, or lets it wait.

An event belongs to the first commit whose anchor's *result* is at or after it. The events after the last
result go to that commit if their turn ends without a further edit, else they wait for the next commit. The
function is given the whole log or its unstored rest; since the rest of a turn is assigned where the turn
ends, and not where the log happens to end, a live capture, a late one and an import agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gittraj.frozen import dataclass
from gittraj.model.values import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The properties of an event that decide whose it is. ``result`` is the index of a call's result;
    ``here``: it certainly worked in this repository; ``edit``: it wrote a file there."""

    prompt: bool = False
    edit: bool = False
    here: bool = False
    elsewhere: bool = False
    ends_turn: bool = False
    result: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """The call (its index) that made ``commits``; no commits when it committed in another repository.
    ``name`` is the id of a call before the part of the log that was read, which has no index."""

    call: int
    commits: tuple[str, ...]
    evidence: Evidence = "agent"
    name: str | None = None

    @property
    def elsewhere(self) -> bool:
        return not self.commits


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The events ``first`` to ``last`` (indexes, both included) belong to ``anchor``'s commits.
    ``dropped`` are those among them that worked elsewhere and must not be stored here."""

    first: int
    last: int
    anchor: Anchor
    dropped: frozenset[int] = frozenset()


def own(
    steps: Sequence[Step], anchors: Sequence[Anchor], *, before: Anchor | None = None, ended: bool = False
) -> list[Part]:
    """The parts of a log, in order. Events outside them wait for a later commit.

    ``before`` is the latest anchor before the first step, if the steps are only the log's rest (its
    ``call`` is negative then). ``ended``: the last turn is over, although the log does not say so (its
    file stopped growing).
    """
    owners = _owners(steps, [a for a in anchors if not a.elsewhere], before=before, ended=ended)
    foreign = _owners(steps, anchors, before=before, ended=ended)
    dropped = {i for i, step in enumerate(steps) if step.elsewhere} | _words_elsewhere(steps, foreign)
    cuts = _cuts(steps, anchors)
    parts: list[Part] = []
    first = 0
    for i, anchor in enumerate(owners):
        last = i + 1 == len(steps)
        if last or i in cuts or owners[i + 1] is not anchor:
            if anchor is not None:
                inside = frozenset(range(first, i + 1)) & dropped - {anchor.call}
                parts.append(Part(first=first, last=i, anchor=anchor, dropped=inside))
            first = i + 1
    return parts


def _owners(
    steps: Sequence[Step], anchors: Sequence[Anchor], *, before: Anchor | None, ended: bool
) -> list[Anchor | None]:
    closing = {_close(steps, a): a for a in sorted(anchors, key=lambda a: a.call, reverse=True)}
    owners: list[Anchor | None] = [None] * len(steps)
    waiting = 0
    latest = before

    def settle(end: int) -> None:
        """The turn ends before ``end``: its rest goes to the latest commit unless it contains an edit."""
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
    """The index at which an anchor's events end: its result's or, while there is none, the call's."""
    result = steps[anchor.call].result
    return anchor.call if result is None else result


def _cuts(steps: Sequence[Step], anchors: Sequence[Anchor]) -> set[int]:
    """The indexes after which a part ends, however and whenever it is captured."""
    cuts = {i - 1 for i, step in enumerate(steps) if step.prompt}
    # a turn may go on without a prompt (a hook's feedback): a drain in between ended the part there
    cuts |= {i for i, step in enumerate(steps) if step.ends_turn}
    for anchor in anchors:
        cuts |= {anchor.call, _close(steps, anchor)}
    return cuts


def _words_elsewhere(steps: Sequence[Step], owners: Sequence[Anchor | None]) -> set[int]:
    """The events that led to another repository's commit, without those that certainly worked here and, if
    there are any, the prompts."""
    words: set[int] = set()
    first = 0
    for i, anchor in enumerate(owners):
        if i + 1 == len(steps) or owners[i + 1] is not anchor:
            if anchor is not None and anchor.elsewhere:
                mixed = any(step.here for step in steps[first : i + 1])
                words |= {
                    k for k in range(first, i + 1) if not steps[k].here and not (mixed and steps[k].prompt)
                }
            first = i + 1
    return words
