"""Where the secrets of a text are, and by which rule; never what they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gittraj.redact.filter import Hit


def render_hits(hits: Sequence[Hit]) -> Iterator[str]:
    """A line for each hit: where it begins, its rule, its kind, its length in characters."""
    for hit in hits:
        yield f"{hit.line}:{hit.column}: {hit.rule} ({hit.kind}), {hit.end - hit.start} characters"
    if not hits:
        yield "Nothing was found."
