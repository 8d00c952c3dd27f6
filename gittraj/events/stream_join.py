"""Joins a text that was streamed or stored in chunks, since a secret may span two, and splits it again. Pure.

Readers of streams return the chunks of a message as separate events. Secrets in the joined text are mapped
back, so that each event keeps its own words; where that is ambiguous, the first event gets the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from gittraj.model.values import AnyEvent, Foreign, Message, Thinking

Span = tuple[int, int]
"""Start and end, in characters."""


def find_runs(events: Sequence[AnyEvent]) -> Iterator[range]:
    """The indexes of two or more adjacent events of the same kind and response, or of a raw log."""
    start = 0
    for at in range(1, len(events) + 1):
        if at < len(events) and _continues(events[at - 1], events[at]):
            continue
        if at - start > 1:
            yield range(start, at)
        start = at


def _continues(one: AnyEvent, other: AnyEvent) -> bool:
    if isinstance(one, Foreign) and isinstance(other, Foreign):
        return one.type == other.type == "raw"
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
    first, *gaps = (whole[a:b] for a, b in zip(ends, starts, strict=True))
    if not clean.startswith(first):
        return None
    at, lengths = len(first), list[int]()
    for n, gap in enumerate(gaps, 1):
        found = _PLACED.match(clean, at)
        stops = range(at + len(_PLACEHOLDER) + 1, found.end() + 1 if found else 0)
        after = gap if n == len(gaps) else gap + _PLACEHOLDER
        fits = (end for end in stops if clean.startswith(after, end))
        end = next((end for end in fits if n < len(gaps) or end + len(gap) == len(clean)), None)
        if end is None:
            return None
        lengths.append(end - at)
        at = end + len(gap)
    return lengths


_PLACEHOLDER = "REDACTED-"
_PLACED = re.compile(rf"{_PLACEHOLDER}[\w-]{{1,100}}", re.ASCII)
