"""One text that came in pieces: where a stream was cut, a secret may stand on both sides. Pure.

Readers of streams give the pieces of a message as events of their own. What is found in their join is mapped
back, so that each event keeps its own words; where that cannot be done for certain, the first has them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from gittraj.model.values import AnyEvent, Message, Thinking

Place = tuple[int, int]
"""From and to, in characters."""


def find_runs(events: Sequence[AnyEvent]) -> Iterator[range]:
    """The indexes of events that stand side by side, of one kind and of one response, two or more."""
    start = 0
    for at in range(1, len(events) + 1):
        if at < len(events) and _continues(events[at - 1], events[at]):
            continue
        if at - start > 1:
            yield range(start, at)
        start = at


def _continues(one: AnyEvent, other: AnyEvent) -> bool:
    return (
        type(one) is type(other)
        and isinstance(one, Message | Thinking)
        and one.response is not None
        and one.response == other.response
    )


def split_text(pieces: Sequence[str], found: Sequence[Place], clean: str) -> list[str]:
    """``clean``, which is the join of ``pieces`` with a placeholder in each of the places ``found``, cut
    where the pieces were. A placeholder goes to the piece that its secret began in."""
    whole = "".join(pieces)
    if clean == whole:
        return list(pieces)
    spans = _unite(found)
    replaced = _lengths(whole, spans, clean)
    if replaced is None:
        return [clean, *("" for _ in pieces[1:])]
    cuts = [0]
    for end in accumulate(map(len, pieces)):
        at = end
        for (first, last), length in zip(spans, replaced, strict=True):
            if first < end:
                at += length - (last - first) + max(last - end, 0)
        cuts.append(at)
    return [clean[a:b] for a, b in pairwise(cuts)]


def _unite(found: Sequence[Place]) -> list[Place]:
    united: list[Place] = []
    for first, last in sorted(found):
        if united and first < united[-1][1]:
            united[-1] = (united[-1][0], max(united[-1][1], last))
        elif first < last:
            united.append((first, last))
    return united


def _lengths(whole: str, spans: Sequence[Place], clean: str) -> list[int] | None:
    """How long the placeholder of each span is; ``None`` when ``clean`` is not what was said of it."""
    ends = [0, *(last for _, last in spans)]
    starts = [*(first for first, _ in spans), len(whole)]
    gaps = [re.escape(whole[a:b]) for a, b in zip(ends, starts, strict=True)]
    match = re.fullmatch(r"(REDACTED-[\w-]{1,100}?)".join(gaps), clean, re.ASCII)
    return [len(text) for text in match.groups()] if match else None
