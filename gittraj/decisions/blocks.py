"""Parses blocks in messages: ``[[TRAJECTORY:TYPE]] {json} [[/TRAJECTORY]]`` and ``[[RETROSPECTIVE]] …``.

A block becomes an event and is removed from the text. An example of a block is ignored: it is in code, in
backticks or in a block quote, has no JSON object, or is a template whose values are dots. A block with
damaged JSON stays in the text, and a finding reports it. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from gittraj.decisions.wording import RETROSPECTIVE, UnclearError, decisions_of, parse_event
from gittraj.events.quotation import Span, around, find_code_spans, find_quoted
from gittraj.model.values import AnyEvent, Decided, NoteEvent

_BEGIN = re.compile(r"\[\[(?:TRAJECTORY:([A-Za-z][\w-]{0,40})|(RETROSPECTIVE))\]\]")
_OPEN = re.compile(r"\s*(?:```(?:json)?[ \t]*\n?\s*)?")
_CLOSE = r"\s*(?:```\s*)?"
_PLACEHOLDER = re.compile(r"\W*|<[^<>]*>|(?:What|Why|How)\b[^?]*\?", re.S)
_DOTS = re.compile(r"\s*(?:…|\.{3,})\s*")
_QUOTES = "\"'“‘«\\"
_SORTS = ("type", "significance")
"""Fields whose values are fixed words of the format, so that they are also in a template."""
_DECODER = json.JSONDecoder(strict=False)
_MOST = 100
"""How many blocks are read in one message."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A message's ``text`` without its blocks, and the ``events`` of these."""

    text: str
    events: tuple[AnyEvent, ...] = ()


def parse_blocks(text: str, *, name: str, **common: Any) -> Parsed:
    """Return a message without its blocks, and their events, with the ids ``name``/1, /2 …; ``common`` are
    the fields that the events take from the message."""
    if "[[" not in text:
        return Parsed(text)
    events: list[AnyEvent] = []
    kept: list[str] = []
    at = 0
    for start, end, kind, value in _find_blocks(text):
        parsed = _parse(kind, value, common)
        events += parsed
        if not isinstance(parsed[0], NoteEvent) or "unparsed" not in parsed[0].tags:
            kept.append(text[at:start])
            at = end
    if not events:
        return Parsed(text)
    kept.append(text[at:])
    named = (replace(event, id=f"{name}/{number}") for number, event in enumerate(events, 1))
    return Parsed(reduce(_join, kept) if at else text, tuple(named))


def _join(before: str, after: str) -> str:
    """Join the texts before and after a block as the paragraphs or lines that they were."""
    one, other = before.rstrip("\n"), after.lstrip("\n")
    gap = max(len(before) - len(one), len(after) - len(other))
    return one + ("\n" * min(gap, 2) if one and other else "") + other


_Block = tuple[int, int, str, Any]
"""Start, end and kind of a block, with its JSON value, or a text that says why it has none."""


def _find_blocks(text: str) -> Iterator[_Block]:
    quotations, code_spans = find_quoted(text), find_code_spans(text)
    at = 0
    for _ in range(_MOST):
        begin = _BEGIN.search(text, at)
        if begin is None:
            return
        at = begin.end()
        if (quotation := around(quotations, begin.start())) is not None:
            at = quotation[1]
        elif (start := _find_json(text, begin)) is not None:
            block, at = _read_block(text, begin, start, around(code_spans, begin.start()))
            if block is not None:
                yield block


def _read_block(
    text: str, begin: re.Match[str], start: int, code_span: Span | None
) -> tuple[_Block | None, int]:
    """Return the block whose JSON begins at ``start`` (None for an example), and the position after it."""
    end_tag = f"[[/{'RETROSPECTIVE' if begin[2] else 'TRAJECTORY'}]]"
    kind = RETROSPECTIVE if begin[2] else begin[1]
    try:
        value, stop = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        if code_span is not None:
            return None, code_span[1]
        stop = _end_damaged(text, start, end_tag)
        return (begin.start(), stop, kind, "its JSON is damaged"), stop
    if _is_template(value) or (code_span is not None and stop <= code_span[1]):
        return None, stop  # a backtick before the block that pairs with one in its JSON does not make it code
    closing = re.compile(_CLOSE + f"(?:{re.escape(end_tag)})?").match(text, stop)
    stop = closing.end() if closing else stop
    return (begin.start(), stop, kind, value), stop


def _find_json(text: str, begin: re.Match[str]) -> int | None:
    """Return where a block's JSON starts; None if the tag is quoted, or no JSON follows."""
    if begin.start() and text[begin.start() - 1] in _QUOTES:
        return None
    body = _OPEN.match(text, begin.end())
    start = body.end() if body else begin.end()
    return start if text.startswith("{", start) else None


def _end_damaged(text: str, start: int, end_tag: str) -> int:
    """Return the end of a block with damaged JSON: its end tag, else the next block, else the text's end."""
    closed, following = text.find(end_tag, start), _BEGIN.search(text, start)
    if closed >= 0 and (following is None or closed < following.start()):
        return closed + len(end_tag)
    return following.start() if following else len(text)


def _parse(kind: str, value: Any, common: dict[str, Any]) -> list[AnyEvent]:
    fault = value if isinstance(value, str) else ""
    try:
        if not fault:
            events: list[AnyEvent] = [parse_event(kind, value, by="agent", id="", **common)]
            if kind == RETROSPECTIVE:
                decisions = decisions_of(value, by="agent")
                events = [*(Decided(id="", decision=each, **common) for each in decisions), *events]
            return events
    except UnclearError as error:
        fault = str(error)
    return [
        NoteEvent(id="", **common, kind="finding", content=f"a block '{kind}': {fault}", tags=("unparsed",))
    ]


def _is_template(value: Any) -> bool:
    """Whether this repeats an example from the instructions: its texts are only placeholders."""
    fields = value.items() if isinstance(value, dict) else ()
    texts = [value for name, value in fields if isinstance(value, str) and name not in _SORTS]
    return any(map(_DOTS.fullmatch, texts)) or (bool(texts) and all(map(_PLACEHOLDER.fullmatch, texts)))
