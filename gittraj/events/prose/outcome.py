"""Finds the result of the work, and why it was done so, in the agent's own sentences."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import chain

from gittraj.events.announced import announces
from gittraj.events.prose.choice import Choice
from gittraj.events.prose.markdown import Sentence, plain, read_sentences
from gittraj.events.prose.patterns import PHRASES, load

_RULES = load("outcome")
_DEED, _HOLDS = ("deed",), ("holds",)
_OPENING = 3
"""How many sentences open a message; a closing message begins with the result."""


def find_result(
    messages: Sequence[str], *, without: Container[str] = (), choices: Container[str] = ()
) -> str | None:
    """The sentence of the last message, or of the one before, that states the result; None if none does.

    ``without``: sentences that state doubts or reasons; ``choices``: those that state choices, and count only
    at the beginning. How things are now counts only in a message that reports work.
    """
    for message in reversed(messages[-2:]):
        read = read_sentences(message)
        reports = any(_RULES.find(s.text, "deed") or s.quote in without or s.quote in choices for s in read)
        for rules, among in _tries(read, without, choices):
            telling = [s for s in among if _RULES.find(s.text, *rules)] if reports or rules != _HOLDS else ()
            exact = (s for s in telling if not _RULES.find(s.text, "generic"))
            if found := next(exact, None) or next(iter(telling), None):
                return plain(found.quote)
    return None


def _tries(
    sentences: Sequence[Sentence], without: Container[str], choices: Container[str]
) -> Iterator[tuple[Sequence[str], list[Sentence]]]:
    """Pairs of rules and the sentences of a message to test with them, those likeliest to have the result
    first."""
    able = [s for s in sentences if s.quote not in without and _may_tell(s)]
    rest = [s for s in able if s.quote not in choices]
    body, items = ([s for s in rest if (s.kind == "item") is listed] for listed in (False, True))
    first = [s for s in able if s.kind == "paragraph" and s in sentences[:_OPENING]]
    yield ("deed", "state"), [s for s in first if s in rest]
    yield from ((_DEED, body), (_HOLDS, body), (_DEED, first), (_DEED, items), (_HOLDS, items))


def _may_tell(sentence: Sentence) -> bool:
    text = sentence.text
    introduces = text.endswith(":") and not _RULES.begins(text, "deed")
    against = (
        sentence.kind not in ("paragraph", "item"),
        len(text) < 8,
        _RULES.begins(text, "cheer"),
        _RULES.find(sentence.section, "problem"),
        _is_planned(sentence),
        introduces,
        _RULES.find(text, "no_result"),
    )
    return not any(against)


def _is_planned(sentence: Sentence) -> bool:
    return sentence.kind == "item" and _RULES.find(sentence.above, "planned")


def find_reason(
    messages: Sequence[str], choices: Sequence[Choice], *, without: Container[str] = ()
) -> str | None:
    """A choice with its reason, else a sentence that states a cause, else one below a heading that promises
    it; None if none is stated. ``without``: doubts, whose cause is not that of the work. Reasons to leave
    something alone do not count."""
    taken = (c for c in choices if c.reason and not c.chosen.startswith("not: "))
    reasoned = (c.quote for c in taken if not _RULES.find(c.quote, "left_alone"))
    if (quote := next(reasoned, None)) is not None:
        return plain(quote)
    causes = (_find_cause(message, without) for message in reversed(messages))
    return next((plain(cause.quote) for cause in causes if cause), None)


def find_announced(messages: Sequence[tuple[str, bool]], *, without: Container[str] = ()) -> str | None:
    """The last sentence that says, before an edit, what is done and why so; None if it was taken back later.
    ``messages``: each with whether an edit follows it."""
    for message, edits in reversed(messages):
        sentences = [s for s in read_sentences(message) if s.quote not in without]
        told = (s for s in sentences if s.kind in ("paragraph", "item") and announces(s.text))
        if edits and (found := next(told, None)):
            return plain(found.quote)
        if any(
            PHRASES.find(s.text, "scraps", "taken_back") or _RULES.find(s.text, "failed") for s in sentences
        ):
            return None
    return None


def _find_cause(message: str, without: Container[str]) -> Sentence | None:
    """A sentence that states a cause, else one below a heading that promises it."""
    sentences = [s for s in read_sentences(message) if s.quote not in without and _may_reason(s)]
    stated = (s for s in sentences if _RULES.find(s.text, "cause"))
    below = (s for s in sentences if s.kind == "paragraph" and _RULES.find(s.section, "why"))
    return next(chain(stated, below), None)


def _may_reason(sentence: Sentence) -> bool:
    if sentence.kind not in ("paragraph", "item") or len(sentence.text) <= 20:
        return False
    return not (_is_planned(sentence) or _RULES.find(sentence.text, "no_cause", "left_alone"))
