"""Gemini's token counts as ours: cached tokens are part of its input, thinking is not part of its output."""

from __future__ import annotations

from typing import Any

from gittraj.formats.base import coerce
from gittraj.model.values import Usage


def of_message(tokens: dict[str, Any]) -> Usage:
    """The ``tokens`` of a message in a session file."""
    return _usage(tokens, tokens.get("input"), tokens.get("output"))


def of_model(tokens: dict[str, Any]) -> Usage:
    """The ``tokens`` of a model in the statistics of ``--output-format json``, where ``prompt`` is all of
    the input."""
    prompt = tokens.get("prompt")
    if prompt is None:
        prompt = coerce.count(tokens.get("input")) + coerce.count(tokens.get("cached"))
    return _usage(tokens, prompt, tokens.get("candidates"))


def of_stream(stats: dict[str, Any]) -> Usage:
    """The ``stats`` of a ``result`` in ``--output-format stream-json``: thinking shows in the total only."""
    prompt, output = coerce.count(stats.get("input_tokens")), coerce.count(stats.get("output_tokens"))
    thoughts = max(0, coerce.count(stats.get("total_tokens")) - prompt - output)
    return _usage({"cached": stats.get("cached"), "thoughts": thoughts}, prompt, output)


def _usage(tokens: dict[str, Any], prompt: Any, output: Any) -> Usage:
    cached, thoughts = coerce.count(tokens.get("cached")), coerce.count(tokens.get("thoughts"))
    return Usage(
        input_tokens=max(0, coerce.count(prompt) - cached) + coerce.count(tokens.get("tool")),
        cache_read_tokens=cached,
        output_tokens=coerce.count(output) + thoughts,
        reasoning_tokens=thoughts,
    )
