"""Token counts of model calls: each agent has its own names for them."""

from __future__ import annotations

from typing import Any

from gittraj.formats.base import coerce
from gittraj.model.values import Usage

_KINDS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens")


def usage(value: Any, names: tuple[str, ...], *, cached_in_input: bool) -> Usage:
    """The counts in ``value``. ``names`` are what it calls input, cache read, cache write, output and
    reasoning tokens, as far as it has them; ``cached_in_input``: its input includes the cached ones."""
    numbers = coerce.mapping(value)
    counts = {kind: coerce.count(numbers.get(name)) for kind, name in zip(_KINDS, names, strict=False)}
    if cached_in_input:
        cached = counts["cache_read_tokens"] + counts["cache_write_tokens"]
        counts["input_tokens"] = max(0, counts["input_tokens"] - cached)
    return Usage(**counts)


def since(total: Usage, before: Usage) -> Usage:
    """What came to ``before``; all of ``total`` if the count began anew."""
    pairs = {name: (getattr(total, name), getattr(before, name)) for name in Usage.__slots__}
    if any(now < then for now, then in pairs.values()):
        return total
    return Usage(**{name: now - then for name, (now, then) in pairs.items()})
