"""Blocks in an agent's messages: ``[[TRAJECTORY:TYPE]] {json} [[/TRAJECTORY]]`` and ``[[RETROSPECTIVE]] …``.

A block becomes an event and is removed from the text. One that is only an example is ignored: in code, in
backticks or in a block quote, without an object, a template whose values are dots. A block with damaged JSON
stays in the text, and a finding reports it. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from gittraj.decisions.wording import RETROSPECTIVE, UnclearError, decisions_of, parse_event
from gittraj.events.quotation import around, find_code_spans, find_quoted
from gittraj.model.values import AnyEvent, Decided, NoteEvent

_BEGIN = re.compile(r"\[\[(?:TRAJECTORY:([A-Za-z][\w-]{0,40})|(RETROSPECTIVE))\]\]")
_OPEN = re.compile(r"\s*(?:```(?:json)?[ \t]*\n?\s*)?")
_CLOSE = re.compile(r"\s*(?:```\s*)?")
_PLACEHOLDER = re.compile(r"\W*|<[^<>]*>|(?:What|Why|How)\b[^?]*\?", re.S)
_DOTS = re.compile(r"\s*(?:…|\.{3,})\s*")
_QUOTES = "\"'“‘«\\"
_SORTS = ("type", "significance")
"""Fields whose values are words of the format."""
_DECODER = json.JSONDecoder(strict=False)
_MOST = 100
"""Blocks that are read in one message."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """``text`` is the message without its blocks."""

    text: str
    events: tuple[AnyEvent, ...] = ()


def parse_blocks(text: str, *, name: str, **common: Any) -> Parsed:
    """The events of the blocks in a message, with the ids ``name``/1, /2 …; ``common`` are the fields that
    they take from the message."""
    if "[[" not in text:
        return Parsed(text)
    events: list[AnyEvent] = []
    kept: list[str] = []
    at = 0
    for start, end, kind, said in _find(text):
        found = _events(kind, said, common)
        events += found
        if not isinstance(found[0], NoteEvent) or "unparsed" not in found[0].tags:
            kept.append(text[at:start])
            at = end
    if not events:
        return Parsed(text)
    kept.append(text[at:])
    shown = reduce(_join, kept)
    named = (replace(event, id=f"{name}/{number}") for number, event in enumerate(events, 1))
    return Parsed(shown if at else text, tuple(named))


def _join(before: str, after: str) -> str:
    """The texts before and after a block, joined as paragraphs or lines if they were that."""
    one, other = before.rstrip("\n"), after.lstrip("\n")
    gap = max(len(before) - len(one), len(after) - len(other))
    return one + ("\n" * min(gap, 2) if one and other else "") + other


def _find(text: str) -> Iterator[tuple[int, int, str, Any]]:
    """Start, end and kind of each block, with its JSON value, or a text that says why it has none."""
    shown, code = find_quoted(text), find_code_spans(text)
    at = 0
    for _ in range(_MOST):
        begin = _BEGIN.search(text, at)
        if begin is None:
            return
        at = begin.end()
        if (inside := around(shown, begin.start())) is not None:
            at = inside[1]
            continue
        start = _find_json(text, begin)
        if start is None:
            continue
        end_tag = f"[[/{'RETROSPECTIVE' if begin[2] else 'TRAJECTORY'}]]"
        kind = RETROSPECTIVE if begin[2] else begin[1]
        quoted = around(code, begin.start())
        try:
            said, stop = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            if quoted is not None:
                at = quoted[1]
                continue
            stop = _end_damaged(text, start, end_tag)
            yield begin.start(), stop, kind, "its JSON is damaged"
        else:
            if _is_template(said) or (quoted is not None and stop <= quoted[1]):
                at = stop  # not if a backtick before the block only pairs with one in its JSON
                continue
            after = _CLOSE.match(text, stop)
            stop = after.end() if after else stop
            stop = stop + len(end_tag) if text.startswith(end_tag, stop) else stop
            yield begin.start(), stop, kind, said
        at = stop


def _find_json(text: str, begin: re.Match[str]) -> int | None:
    """Where a block's JSON starts; None if this does not begin one: it is quoted, or no JSON follows."""
    if begin.start() and text[begin.start() - 1] in _QUOTES:
        return None
    body = _OPEN.match(text, begin.end())
    start = body.end() if body else begin.end()
    return start if text.startswith("{", start) else None


def _end_damaged(text: str, start: int, end_tag: str) -> int:
    """A block whose JSON is damaged ends with its end tag, before the next block, or with the text."""
    closed, following = text.find(end_tag, start), _BEGIN.search(text, start)
    if closed >= 0 and (following is None or closed < following.start()):
        return closed + len(end_tag)
    return following.start() if following else len(text)


def _events(kind: str, said: Any, common: dict[str, Any]) -> list[AnyEvent]:
    why = said if isinstance(said, str) else ""
    try:
        if not why:
            stated: list[AnyEvent] = [parse_event(kind, said, by="agent", id="", **common)]
            if kind == RETROSPECTIVE:
                decided = decisions_of(said, by="agent")
                stated = [*(Decided(id="", decision=each, **common) for each in decided), *stated]
            return stated
    except UnclearError as error:
        why = str(error)
    return [
        NoteEvent(id="", **common, kind="finding", content=f"a block '{kind}': {why}", tags=("unparsed",))
    ]


def _is_template(said: Any) -> bool:
    """Whether this is an instruction's example, repeated: its texts are only placeholders."""
    fields = said.items() if isinstance(said, dict) else ()
    texts = [value for name, value in fields if isinstance(value, str) and name not in _SORTS]
    return any(map(_DOTS.fullmatch, texts)) or (bool(texts) and all(map(_PLACEHOLDER.fullmatch, texts)))
