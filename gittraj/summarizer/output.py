"""Parses the output of a summarizer program."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from gittraj.errors import TrajError
from gittraj.formats.claude import conversation as claude
from gittraj.formats.codex import usage as codex
from gittraj.frozen import dataclass
from gittraj.model.values import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A program's answer, with the model (else an empty name), tokens and cost that it reports."""

    text: str
    model: str
    usage: Usage | None = None
    cost_usd: float | None = None


def read_plain(out: bytes) -> Answer | None:
    text = out.decode("utf-8", "replace").strip()
    return Answer(text=text, model="") if text else None


def _read_claude(out: bytes) -> Answer | None:
    """Parse what ``claude --output-format json`` (2.1) prints. Raises TrajError for a failure."""
    try:
        value = json.loads(out)
        if value["is_error"]:
            status = value.get("api_error_status")
            raise TrajError(f"claude got no answer from its model{f' ({status})' if status else ''}")
        model, usage = next(iter(value["modelUsage"]), ""), claude.usage(value["usage"])
        return Answer(text=value["result"], model=model, usage=usage, cost_usd=value["total_cost_usd"])
    except (ValueError, LookupError, TypeError):
        return None


def _read_codex(out: bytes) -> Answer | None:
    """Parse the output of ``codex exec --json`` of Codex 0.169."""
    answer = None
    for line in _lines(out):
        item, usage = line.get("item"), line.get("usage")
        if isinstance(item, dict) and item.get("type") == "agent_message":
            answer = Answer(text=str(item.get("text")), model="")
        if answer and line.get("type") == "turn.completed" and isinstance(usage, dict):
            answer = replace(answer, usage=codex.usage(usage))
    return answer


def _lines(out: bytes) -> Iterator[dict[str, Any]]:
    for line in out.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


READERS: Mapping[str, Callable[[bytes], Answer | None]] = {"claude": _read_claude, "codex": _read_codex}
