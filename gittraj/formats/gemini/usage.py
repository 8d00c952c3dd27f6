"""Gemini's token counts as ours: cached tokens are part of its input, thinking is not part of its output."""

from __future__ import annotations

from typing import Any

from gittraj.formats import loose
from gittraj.model import Usage


def of_message(tokens: dict[str, Any]) -> Usage:
    """The ``tokens`` of a message in a session file."""
    return _usage(tokens, tokens.get("input"), tokens.get("output"))


def of_model(tokens: dict[str, Any]) -> Usage:
    """The ``tokens`` of a model in the statistics of ``--output-format json``, where ``prompt`` is all of
    the input."""
    prompt = tokens.get("prompt")
    if prompt is None:
        prompt = loose.count(tokens.get("input")) + loose.count(tokens.get("cached"))
    return _usage(tokens, prompt, tokens.get("candidates"))


def of_stream(stats: dict[str, Any]) -> Usage:
    """The ``stats`` of a ``result`` in ``--output-format stream-json``: thinking shows in the total only."""
    given, said = loose.count(stats.get("input_tokens")), loose.count(stats.get("output_tokens"))
    thoughts = max(0, loose.count(stats.get("total_tokens")) - given - said)
    return _usage({"cached": stats.get("cached"), "thoughts": thoughts}, given, said)


def _usage(tokens: dict[str, Any], given: Any, said: Any) -> Usage:
    cached, thoughts = loose.count(tokens.get("cached")), loose.count(tokens.get("thoughts"))
    return Usage(
        input_tokens=max(0, loose.count(given) - cached) + loose.count(tokens.get("tool")),
        cache_read_tokens=cached,
        output_tokens=loose.count(said) + thoughts,
        reasoning_tokens=thoughts,
    )
