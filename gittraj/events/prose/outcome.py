"""What came out of the work, and why it was done so, in the agent's own sentences."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from gittraj.events.prose.choices import Choice
from gittraj.events.prose.markdown import Sentence, plain, read_sentences
from gittraj.events.prose.patterns import load

_RULES = load("outcome")
_DEED, _HOLDS = ("deed",), ("holds",)
_OPENING = 3
"""Sentences; a closing message begins with what came out."""


def find_result(
    messages: Sequence[str], *, without: Container[str] = (), choices: Container[str] = ()
) -> str | None:
    """The sentence of the last message, or of the one before, that tells what came out; None if none does.

    ``without``: sentences that tell doubts or reasons; ``choices``: those that tell choices, and count only
    at the beginning. How things are now counts only in a message that tells of work done.
    """
    for message in reversed(messages[-2:]):
        read = read_sentences(message)
        told = any(_RULES["deed"].search(s.text) or s.quote in without or s.quote in choices for s in read)
        for rules, among in _tries(read, without, choices):
            if rules == _HOLDS and not told:
                continue
            telling = [s for s in among if any(_RULES[rule].search(s.text) for rule in rules)]
            if telling:
                exact = [s for s in telling if not _RULES["generic"].search(s.text)]
                return plain((exact or telling)[0].quote)
    return None


def _tries(
    sentences: Sequence[Sentence], without: Container[str], choices: Container[str]
) -> Iterator[tuple[Sequence[str], list[Sentence]]]:
    """Rules, and the sentences of a message that each may be met by: what tells the result best first."""
    able = [s for s in sentences if s.quote not in without and _may_tell(s)]
    rest = [s for s in able if s.quote not in choices]
    body, items = ([s for s in rest if (s.kind == "item") is listed] for listed in (False, True))
    first = [s for s in able if s.kind == "paragraph" and s in sentences[:_OPENING]]
    yield ("deed", "state"), [s for s in first if s.quote not in choices]
    yield _DEED, body
    yield _HOLDS, body
    yield _DEED, first
    yield _DEED, items
    yield _HOLDS, items


def _may_tell(sentence: Sentence) -> bool:
    text = sentence.text
    if sentence.kind not in ("paragraph", "item") or len(text) < 8 or _RULES["cheer"].match(text):
        return False
    if _RULES["problem"].search(sentence.section):
        return False
    if sentence.kind == "item" and _RULES["planned"].search(f"{sentence.section}\n{sentence.lead}"):
        return False
    introduces = text.endswith(":") and not _RULES["deed"].match(text)
    return not introduces and not _RULES["no_result"].search(text)


def find_reason(
    messages: Sequence[str], choices: Sequence[Choice], *, without: Container[str] = ()
) -> str | None:
    """A choice with its reason, else a sentence that states a cause, else one below a heading that promises
    it; None if none is stated. ``without``: doubts, whose cause is not that of the work."""
    told = (choice.quote for choice in choices if choice.reason)
    reasoned = next((quote for quote in told if not _RULES["report"].search(quote)), None)
    if reasoned:
        return plain(reasoned)
    for message in reversed(messages):
        sentences = [s for s in read_sentences(message) if s.quote not in without and _may_reason(s)]
        below = [s for s in sentences if s.kind == "paragraph" and _RULES["why"].search(s.section)]
        stated = [s for s in sentences if _RULES["cause"].search(s.text)]
        if found := next(iter(stated + below), None):
            return plain(found.quote)
    return None


def _may_reason(sentence: Sentence) -> bool:
    return (
        sentence.kind in ("paragraph", "item")
        and len(sentence.text) > 20
        and not (sentence.kind == "item" and _RULES["planned"].search(f"{sentence.section}\n{sentence.lead}"))
        and not any(_RULES[rule].search(sentence.text) for rule in ("no_cause", "report"))
    )
