"""Reads facts about the session from a Gemini CLI session file, and the tokens of its model calls. In the
file, input tokens include cached ones, and output tokens do not include thinking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.position import Position
from gittraj.formats.gemini import prompts
from gittraj.formats.gemini.prompts import parts, text
from gittraj.model.session_items import Fact
from gittraj.model.values import Usage

_WORKSPACE = re.compile(r"\*\*Workspace Directories:\*\*\n {2}- ([^\n]+)")


def report(position: Position, metadata: dict[str, Any]) -> Iterator[Fact]:
    """Yield the facts in a metadata record, or in a ``$set`` that changes it. A resumed session has a new
    start time in its metadata; the first one counts."""
    session = coerce.text(metadata.get("sessionId"))
    yield from position.report_once("session", session)
    yield from position.report_once("started_at", coerce.stamp(metadata.get("startTime")))
    yield from position.report("title", coerce.text(metadata.get("summary")))
    directories = metadata.get("directories")
    if isinstance(directories, list) and directories:
        yield from position.report_once("folder", coerce.text(directories[0]))
    if metadata.get("kind") == "subagent" and session is not None:
        yield from position.report_once("subagent", session)
        yield from position.report_once("parent_kind", "subagent")


def identify(position: Position, message: dict[str, Any], named: str | None) -> Iterator[Fact]:
    """Yield the facts in a log's first message. The session's id is ``named``, else a hash of the shape of
    this message."""
    if "session" not in position.facts:
        length = sum(len(text(part) or "") for part in parts(message.get("content")))
        shape = [coerce.text(message.get("type")), coerce.text(message.get("timestamp")), length]
        yield from position.report("session", named or coerce.shape_id("gemini-cli", [shape]))
    yield from position.report_once("started_at", coerce.stamp(message.get("timestamp")))
    yield from locate(position, message)


def locate(position: Position, message: dict[str, Any]) -> Iterator[Fact]:
    """Yield the session's folder, from the context that the program puts before the first prompt."""
    if "folder" not in position.facts and (context := prompts.aside(message, prompts.CONTEXT)):
        folder = _WORKSPACE.search(context)
        yield from position.report("folder", folder[1].strip() if folder else None)


def is_subagent(position: Position) -> bool:
    return "subagent" in position.facts


def usage_of_message(tokens: dict[str, Any]) -> Usage:
    """The ``tokens`` of a message in a session file."""
    return _usage(tokens, tokens.get("input"), tokens.get("output"))


def usage_of_model(tokens: dict[str, Any]) -> Usage:
    """The ``tokens`` of a model in the output of ``--output-format json``; ``prompt`` is the whole input."""
    prompt = tokens.get("prompt")
    if prompt is None:
        prompt = coerce.count(tokens.get("input")) + coerce.count(tokens.get("cached"))
    return _usage(tokens, prompt, tokens.get("candidates"))


def usage_of_stream(stats: dict[str, Any]) -> Usage:
    """The ``stats`` of a ``result`` in ``--output-format stream-json``; only their total has thinking."""
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
