"""Joins a text that was streamed or stored in chunks, since a secret may span two, and splits it again. Pure.

Readers of streams return the chunks of a message as separate events. The joined text is redacted, and split
where the chunks were, so that each event keeps its own words; if that is ambiguous, the first event gets the
whole text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from gittraj.model.values import AnyEvent, Foreign, Message, Thinking

Span = tuple[int, int]
"""Start and end, in characters."""


def find_runs(events: Sequence[AnyEvent]) -> Iterator[range]:
    """Yield the indexes of two or more adjacent events of the same kind and response, or of a raw log."""
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


def split_text(chunks: Sequence[str], secrets: Sequence[Span], clean: str) -> list[str]:
    """Split ``clean``, the joined ``chunks`` with a placeholder for each span in ``secrets``, into as many
    chunks. A placeholder goes to the chunk in which its secret starts."""
    whole = "".join(chunks)
    if clean == whole:
        return list(chunks)
    spans = _unite(secrets)
    replaced = _measure_placeholders(whole, spans, clean)
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


def _unite(spans: Sequence[Span]) -> list[Span]:
    united: list[Span] = []
    for first, last in sorted(spans):
        if united and first < united[-1][1]:
            united[-1] = (united[-1][0], max(united[-1][1], last))
        elif first < last:
            united.append((first, last))
    return united


def _measure_placeholders(whole: str, spans: Sequence[Span], clean: str) -> list[int] | None:
    """Return the length of each span's placeholder; ``None`` if ``clean`` has other changes."""
    ends = [0, *(last for _, last in spans)]
    starts = [*(first for first, _ in spans), len(whole)]
    first, *gaps = (whole[a:b] for a, b in zip(ends, starts, strict=True))
    if not clean.startswith(first):
        return None
    at, lengths = len(first), list[int]()
    for number, gap in enumerate(gaps, 1):
        end = _find_end(clean, at, gap, is_last=number == len(gaps))
        if end is None:
            return None
        lengths.append(end - at)
        at = end + len(gap)
    return lengths


def _find_end(clean: str, at: int, gap: str, *, is_last: bool) -> int | None:
    """Return the end of the placeholder at ``at``: ``gap`` follows, and then the next placeholder or, after
    the last one, the end of the text."""
    placeholder = _PLACED.match(clean, at)
    for end in range(at + len(_PLACEHOLDER) + 1, placeholder.end() + 1 if placeholder else 0):
        if is_last and end + len(gap) == len(clean) and clean.endswith(gap):
            return end
        if not is_last and clean.startswith(gap + _PLACEHOLDER, end):
            return end
    return None


_PLACEHOLDER = "REDACTED-"
_PLACED = re.compile(rf"{_PLACEHOLDER}[\w-]{{1,100}}", re.ASCII)
