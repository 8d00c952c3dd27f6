"""Joins a text that was streamed in chunks, since a secret may span two of them, and splits it again. Pure.

Readers of streams return the chunks of a message as separate events. Secrets in the joined text are mapped
back, so that each event keeps its own words; where that is ambiguous, the first event gets the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from gittraj.model.values import AnyEvent, Message, Thinking

Span = tuple[int, int]
"""Start and end, in characters."""


def find_runs(events: Sequence[AnyEvent]) -> Iterator[range]:
    """The indexes of two or more adjacent events of the same kind and response."""
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


def split_text(chunks: Sequence[str], found: Sequence[Span], clean: str) -> list[str]:
    """``clean``, which is the joined ``chunks`` with a placeholder for each span in ``found``, split where
    the chunks were. A placeholder goes to the chunk that its secret starts in."""
    whole = "".join(chunks)
    if clean == whole:
        return list(chunks)
    spans = _unite(found)
    replaced = _lengths(whole, spans, clean)
    if replaced is None:
        return [clean, *("" for _ in chunks[1:])]
    cuts = [0]
    for end in accumulate(map(len, chunks)):
        at = end
        for (first, last), length in zip(spans, replaced, strict=True):
            if first < end:
                at += length - (last - first) + max(last - end, 0)
        cuts.append(at)
    return [clean[a:b] for a, b in pairwise(cuts)]


def _unite(found: Sequence[Span]) -> list[Span]:
    united: list[Span] = []
    for first, last in sorted(found):
        if united and first < united[-1][1]:
            united[-1] = (united[-1][0], max(united[-1][1], last))
        elif first < last:
            united.append((first, last))
    return united


def _lengths(whole: str, spans: Sequence[Span], clean: str) -> list[int] | None:
    """The length of each span's placeholder; ``None`` if ``clean`` has other changes."""
    ends = [0, *(last for _, last in spans)]
    starts = [*(first for first, _ in spans), len(whole)]
    gaps = [re.escape(whole[a:b]) for a, b in zip(ends, starts, strict=True)]
    match = re.fullmatch(r"(REDACTED-[\w-]{1,100}?)".join(gaps), clean, re.ASCII)
    return [len(text) for text in match.groups()] if match else None
