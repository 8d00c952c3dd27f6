"""Finds the result of the work, and why it was done so, in the agent's own sentences."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import chain

from gittraj.events.announced import announces
from gittraj.events.prose.choice import Choice
from gittraj.events.prose.claim import tells_of_others, words
from gittraj.events.prose.markdown import Sentence, plain, read_sentences
from gittraj.events.prose.patterns import PHRASES, fragment, load

_RULES = load("outcome")
_CHOICES = load("choices")
_CONTRAST = re.compile(rf"\b(?:{fragment('CONTRAST')}|over)\b")
_QUOTED = re.compile(r"[\"“][^\"“”]*[\"”]")
_DEED, _HOLDS = ("deed",), ("holds",)  # what was done; how things are now
_OPENING = 3
"""How many sentences open a message; a closing message begins with the result."""


def find_result(
    messages: Sequence[str], *, without: Container[str] = (), choices: Container[str] = ()
) -> str | None:
    """Return the sentence of the last message that states the result, or None.

    ``without`` are sentences that state doubts or reasons; ``choices`` are sentences that state choices, and
    count only at the beginning. How things are now is a result only in a message that reports work.
    """
    for message in messages[-1:]:
        sentences = read_sentences(message)
        reports = any(_reports(s) or s.quote in without or s.quote in choices for s in sentences)
        for rules, candidates in _list_tries(sentences, without, choices):
            result = _find_best(candidates, rules) if reports or rules != _HOLDS else None
            if result:
                return plain(result.quote)
    return None


def _reports(sentence: Sentence) -> bool:
    return _RULES.find(sentence.text, "deed")


def _find_best(candidates: Sequence[Sentence], rules: Sequence[str]) -> Sentence | None:
    """Return the first sentence that one of the rules matches; a generic one only if there is no other."""
    matches = [s for s in candidates if _RULES.find(s.text, *rules)]
    exact = (s for s in matches if not _RULES.find(s.text, "generic"))
    return next(chain(exact, matches), None)


def _list_tries(
    sentences: Sequence[Sentence], without: Container[str], choices: Container[str]
) -> Iterator[tuple[Sequence[str], list[Sentence]]]:
    """Yield pairs of rules and the sentences to test with them; a pair that is likelier to find the result
    comes first."""
    candidates = [s for s in sentences if s.quote not in without and _may_be_result(s)]
    opening = [s for s in _of_kind(sentences[:_OPENING], "paragraph") if s in candidates]
    others = [s for s in candidates if s.quote not in choices]
    yield ("deed", "state"), [s for s in opening if s in others]
    body, items = _of_kind(others, "paragraph"), _of_kind(others, "item")
    yield from ((_DEED, body), (_HOLDS, body), (_DEED, opening), (_DEED, items), (_HOLDS, items))


def _of_kind(sentences: Sequence[Sentence], kind: str) -> list[Sentence]:
    return [s for s in sentences if s.kind == kind]


def _may_be_result(sentence: Sentence) -> bool:
    text = sentence.text
    introduces = text.endswith(":") and not _RULES.begins(text, "deed")
    against = (
        sentence.kind not in ("paragraph", "item"),
        len(text) < 8,
        _RULES.begins(text, "cheer"),
        _RULES.find(sentence.section, "problem"),
        _is_planned(sentence),
        introduces,
        _RULES.find(text, "announced") and not _RULES.find(text, "deed"),
        _RULES.find(text, "no_result"),
    )
    return not any(against)


def _is_planned(sentence: Sentence) -> bool:
    return sentence.kind == "item" and _RULES.find(sentence.above, "planned")


def find_reason(
    messages: Sequence[str], choices: Sequence[Choice], *, without: Container[str] = ()
) -> str | None:
    """Return why the work was done so: a choice with its reason, else a sentence that states a cause, else a
    sentence below a heading that promises a cause, else None. ``without`` are doubts, whose cause is not that
    of the work. A reason to leave something alone does not count, nor one of what a later choice rejects."""
    lasting = (c for at, c in enumerate(choices) if not _is_rejected(c, choices[at + 1 :]))
    taken = (c for c in lasting if c.reason and not c.chosen.startswith("not: "))
    reasoned = (c.quote for c in taken if not _RULES.find(c.quote, "left_alone"))
    if (quote := next(reasoned, None)) is not None:
        return plain(quote)
    causes = (_find_cause(message, without) for message in reversed(messages))
    return next((plain(cause.quote) for cause in causes if cause), None)


def _is_rejected(choice: Choice, later: Sequence[Choice]) -> bool:
    """Whether a later choice rejects what this one chose: its words name it."""
    chosen = words(choice.chosen)
    rejected = (words(other) for then in later for other in then.rejected)
    return any(other and other <= chosen for other in rejected)


def find_announced(messages: Sequence[tuple[str, bool]], *, without: Container[str] = ()) -> str | None:
    """Return the last sentence that says, before an edit, what will be done and why; None if a later message
    takes it back. ``messages`` are texts, each with whether an edit follows it."""
    for message, edits in reversed(messages):
        sentences = [s for s in read_sentences(message) if s.quote not in without]
        announced = (s for s in sentences if s.kind in ("paragraph", "item") and announces(s.text))
        if edits and (sentence := next(announced, None)):
            return plain(sentence.quote)
        if any(map(_revokes, sentences)):
            return None
    return None


def _revokes(sentence: Sentence) -> bool:
    """Whether the sentence takes back what was announced before, or says that it failed."""
    return PHRASES.find(sentence.text, "scraps", "taken_back") or _RULES.find(sentence.text, "failed")


def _find_cause(message: str, without: Container[str]) -> Sentence | None:
    """Return a sentence that states a cause, or else a sentence below a heading that promises a cause."""
    sentences = [s for s in read_sentences(message) if s.quote not in without and _may_reason(s)]
    stated = (s for s in sentences if _RULES.find(_QUOTED.sub("", s.text), "cause"))
    below = (s for s in sentences if s.kind == "paragraph" and _RULES.find(s.section, "why"))
    return next(chain(stated, below), None)


def _may_reason(sentence: Sentence) -> bool:
    if sentence.kind not in ("paragraph", "item") or len(sentence.text) <= 20:
        return False
    if _is_planned(sentence) or sentence.spoken or _CHOICES.find(sentence.text, "reported"):
        return False
    if _CONTRAST.search(sentence.text) and _is_unmade(sentence.text):
        return False
    return not _RULES.find(sentence.text, "no_cause", "left_alone")


def _is_unmade(text: str) -> bool:
    """Whether a text is about a choice that was dropped in the end, or that was made by others or before this
    work."""
    unmade = _CHOICES.begins(text, "unmade") or _CHOICES.find(text, "habit", "cited")
    return unmade or tells_of_others(text)
