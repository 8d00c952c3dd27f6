"""Finds doubts in an agent's prose: what it could not verify, left out, expects to break, or warns about.

A sentence counts by what it says, or by the heading or label above. Problems that are fixed, advice,
questions and plans do not count.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import zip_longest

from gittraj.events.prose.markdown import Sentence, read_sentences
from gittraj.events.prose.patterns import load

_RULES = load("doubts")
_CHOICES = load("choices")
_OUTCOME = load("outcome")


_MOST = 12
_WHOLLY_QUOTED = re.compile(r"\W*[\"“].*[\"”]\W*")
_QUOTED = re.compile(r"(?<=.)[\"“][^\"“”]*[\"”]")
_DONE = re.compile(r"\W{0,3}[✅✓✔☑]|\[x\]")
_BRIEF = 8
"""A message of at most so many sentences is assumed to say only what was done and what is left."""
_WARNED = re.compile("⚠|❗|🚨|🔴")


def find_doubts(
    message: str, *, without: Container[str] = (), on_the_way: bool = False, edits: bool = False
) -> tuple[str, ...]:
    """Return the first few doubts of a message: whole sentences, in order, word for word, each once.
    ``without`` are sentences that state choices; ``on_the_way``: a call follows, so the work is not done yet;
    ``edits``: that call writes a file."""
    sentences = read_sentences(message)
    start = _find_start(sentences, without)
    reports, brief = start is not None and not on_the_way, len(sentences) <= _BRIEF
    impersonal = _RULES.find(message, "impersonal")
    doubts: dict[str, None] = {}
    for at, sentence, own in _list_candidates(sentences, without, on_the_way=on_the_way, edits=edits):
        past = at < (start or 0) or impersonal or _RULES.find(sentence.text, "past")
        if _is_doubt(sentence, before=past and not own, report=reports and (own or brief)):
            doubts[sentence.quote] = None
    return tuple(doubts)[:_MOST]


def _list_candidates(
    sentences: Sequence[Sentence], without: Container[str], *, on_the_way: bool, edits: bool
) -> Iterator[tuple[int, Sentence, bool]]:
    """Yield the sentences that may state a doubt, each with its index and whether it is about its author: on
    the way to a call, only such a sentence counts."""
    for at, (sentence, then) in enumerate(zip_longest(sentences, sentences[1:])):
        looks_next = then is not None and _CHOICES.find(then.text, "talk")
        hesitates = edits and not looks_next and _RULES.begins(sentence.text, "hesitant")
        own = hesitates or _RULES.find(sentence.text, "own")
        stated = sentence.quote in without and not ends_in_doubt(sentence.text)
        mended = then is not None and _RULES.begins(then.text, "mends")
        if not (stated or mended) and (own or not on_the_way):
            yield at, sentence, own


def ends_in_doubt(text: str) -> bool:
    """Whether what follows a semicolon states a doubt of the author, whatever is before it."""
    end = text.partition("; ")[2]
    return _RULES.find(end, "certain") and _RULES.find(end, "own")


def _find_start(sentences: Sequence[Sentence], without: Container[str]) -> int | None:
    """Return the index of the sentence that begins to report what was done, or None."""
    if sentences and _OUTCOME.find(sentences[0].text, "state"):
        return 0
    reports = (at for at, s in enumerate(sentences) if _OUTCOME.find(s.text, "deed") or s.quote in without)
    return next(reports, None)


def _is_doubt(sentence: Sentence, *, before: bool, report: bool) -> bool:
    """Whether a sentence states a doubt; ``before``: it is about the time before the work was done."""
    text = _QUOTED.sub("", re.sub(r"^THOUGHT:\s*", "", sentence.text))
    if not _may_doubt(sentence, text):
        return False
    plans = _RULES.begins(text, "plan")
    if _RULES.find(sentence.quote, "in_code") and not plans:
        return True
    if text.endswith(":"):
        return _RULES.find(text, "unsure")
    if _is_labelled(text):
        return not _RULES.find(text, "mended")
    if _WARNED.search(sentence.quote[:4]):
        return True
    if plans or _RULES.find(text, "describes", "mended"):
        return False
    return _listed(sentence, text) or (not before and _states(text, report=report))


def _is_labelled(text: str) -> bool:
    """Whether a label says that the text is a warning, and the text has more than the label."""
    if _RULES.begins(text, "mark") and _RULES.find(text, "noted", "certain"):
        return True
    return _RULES.begins(text, "labelled") and len(text.split()) > 3


def _states(text: str, *, report: bool) -> bool:
    """Whether the words themselves state a doubt; ``report``: the message reports what was done."""
    statement = _RULES["clause"].sub("", text)
    reported = report and not _RULES.find(text, "settled")
    return _RULES.find(statement, "certain") or (reported and _RULES.find(statement, "in_report"))


def _may_doubt(sentence: Sentence, text: str) -> bool:
    """Whether a sentence may state a doubt: it is the author's statement, and not marked as done."""
    unmarked_row = sentence.kind == "row" and not (_WARNED.search(sentence.quote) or _listed(sentence, text))
    against = (
        sentence.kind == "heading",
        unmarked_row,
        sentence.spoken,
        _RULES.find(sentence.above, "elsewhere") and not _RULES.find(text, "unsure"),
        len(text) < 12,
        text.endswith("?") and not (_RULES.find(sentence.section, "asked") or _RULES.begins(text, "asked")),
        _WHOLLY_QUOTED.fullmatch(text),
        _CHOICES.find(text, "reported"),
        _DONE.match(sentence.quote),
    )
    return not any(against)


def _listed(sentence: Sentence, text: str) -> bool:
    """Whether the sentence is an item of a list of doubts, or a limit in a list of notes."""
    head = " | ".join(sentence.columns) or sentence.lead or sentence.section
    if sentence.kind not in ("item", "row") or _RULES.find(head, "not_heading"):
        return False
    limits = sentence.kind == "item" and _RULES.find(text, "noted", "in_report")
    noted = limits and not _RULES.find(text, "settled")
    return _RULES.find(head, "heading") or (noted and _RULES.find(head, "notes"))
