"""Secrets in a text, each shown in its line: for a terminal only, since it prints them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gittraj.redact.filter import Hit
from gittraj.render.text.printable import printable

_CONTEXT = 60  # characters before and after a secret


def render_hits(text: str, hits: Sequence[Hit]) -> Iterator[str]:
    """Two lines for each hit, with the secret in reverse video."""
    lines = text.splitlines()
    for hit in hits:
        line = lines[hit.line - 1]
        before, value = line[: hit.column - 1], line[hit.column - 1 :][: hit.end - hit.start]
        after = line[hit.column - 1 + len(value) :]
        shown = f"{printable(before)[-_CONTEXT:]}\x1b[7m{printable(value)}\x1b[0m"
        shown += printable(after)[:_CONTEXT]
        yield f"{hit.line}:{hit.column}: {hit.rule} ({hit.kind})\n    {shown}"
    if not hits:
        yield "Nothing was found."
