"""Doubts in an agent's prose: what it could not verify, left out, expects to break, or warns about.

A sentence counts by what it says, or by the heading or label above. What was a problem and is mended, advice,
questions and plans do not count.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass

from gittraj.events.prose.markdown import Sentence, read_sentences
from gittraj.events.prose.patterns import load

_RULES = load("doubts")
_REPORTED = load("choices")["reported"]
_REPORTS, _OPENS = (load("outcome")[name] for name in ("deed", "state"))


@dataclass(frozen=True, slots=True)
class Doubt:
    """``quote``: the sentence word for word."""

    quote: str


_N = r"(?:not|never|n't|no longer|hardly)"
_QUOTED = re.compile(r"(?<=.)[\"“][^\"“”]*[\"”]")
_DONE = re.compile(r"\W{0,3}[✅✓✔☑]|\[x\]")
_BRIEF = 8
"""Sentences of a message that tells no more than what was done and what is left."""
_WARNED = re.compile("⚠|❗|🚨|🔴")


def find_doubts(
    messages: Iterable[str], *, without: Container[str] = (), on_the_way: bool = False, most: int = 12
) -> tuple[Doubt, ...]:
    """At most ``most``, in order, each sentence once. ``without``: sentences that state choices;
    ``on_the_way``: the messages stand before a call, so the work goes on."""
    found: dict[str, Doubt] = {}
    for message in messages:
        sentences = read_sentences(message)
        deeds = [at for at, s in enumerate(sentences) if _REPORTS.search(s.text) or s.quote in without]
        if sentences and _OPENS.search(sentences[0].text):
            deeds.insert(0, 0)
        impersonal = _RULES["impersonal"].search(message)
        for at, sentence in enumerate(sentences):
            own = _RULES["own"].search(sentence.text) is not None
            if sentence.quote in without or (on_the_way and not own):
                continue
            before = not own and bool(
                (deeds and at < deeds[0]) or _RULES["past"].search(sentence.text) or impersonal
            )
            weak = not on_the_way and bool(deeds) and (own or len(sentences) <= _BRIEF)
            if _is_doubt(sentence, before=before, report=weak):
                found.setdefault(sentence.quote, Doubt(sentence.quote))
    return tuple(found.values())[:most]


def _is_doubt(sentence: Sentence, *, before: bool, report: bool) -> bool:
    text = _QUOTED.sub("", re.sub(r"^THOUGHT:\s*", "", sentence.text))
    if not _may_doubt(sentence, text):
        return False
    if _RULES["in_code"].search(sentence.quote) and not _RULES["plan"].match(text):
        return True
    if text.endswith(":"):
        return _RULES["unsure"].search(text) is not None
    if _RULES["mark"].match(text) and (_RULES["noted"].search(text) or _RULES["certain"].search(text)):
        return not _RULES["mended"].search(text)
    if _RULES["labelled"].match(text) and len(text.split()) > 3:
        return not _RULES["mended"].search(text)
    if _WARNED.search(sentence.quote[:4]):
        return True
    if _RULES["describes"].search(text) or _RULES["mended"].search(text):
        return False
    if _listed(sentence, text):
        return not _RULES["plan"].match(text)
    return not (before or _RULES["plan"].match(text)) and (
        _RULES["certain"].search(_RULES["clause"].sub("", text)) is not None
        or (
            report
            and not _RULES["deed"].search(text)
            and not _RULES["settled"].search(text)
            and _RULES["in_report"].search(_RULES["clause"].sub("", text)) is not None
        )
    )


def _may_doubt(sentence: Sentence, text: str) -> bool:
    """Whether a sentence states something of the work that is left."""
    above = f"{sentence.section}\n{sentence.lead}"
    return not (
        sentence.kind == "heading"
        or (sentence.kind == "row" and not (_WARNED.search(sentence.quote) or _listed(sentence, text)))
        or sentence.spoken
        or (_RULES["elsewhere"].search(above) and not _RULES["unsure"].search(text))
        or len(text) < 12
        or (text.endswith("?") and not _RULES["asked"].search(sentence.section))
        or _in_quotes(text)
        or _REPORTED.search(text)
        or _DONE.match(sentence.quote)
    )


def _listed(sentence: Sentence, text: str) -> bool:
    """An item of a list of doubts, or a limit in a list of notes."""
    head = " | ".join(sentence.columns) or sentence.lead or sentence.section
    if sentence.kind not in ("item", "row") or _RULES["not_heading"].search(head):
        return False
    if _RULES["heading"].search(head):
        return True
    limits = sentence.kind == "item" and (_RULES["noted"].search(text) or _RULES["in_report"].search(text))
    if not limits or _RULES["settled"].search(text) or _RULES["deed"].search(text):
        return False
    return _RULES["notes"].search(head) is not None


def _in_quotes(text: str) -> bool:
    return re.fullmatch(r"\W*[\"“].*[\"”]\W*", text) is not None
