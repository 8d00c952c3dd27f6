"""Decisions and caveats in an agent's messages, found by rules.

Cautious: a sentence that names what its author chose *and* what not is a decision; a sentence that states a
doubt is a caveat, quoted verbatim. Decisions are marked ``inferred``, never as stated. A sentence that only
discusses, offers, requests or revokes a choice, reports somebody else's or is hypothetical does not count.
Only messages are read: thinking may be sealed, and anything inferred from it would leak it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from gittraj.events.quotation import find_quoted
from gittraj.model.values import Decision

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_END = re.compile(r"(?<=[.!?])\s+")
_WRAP = re.compile(r"(?<![.!?\n])\n(?!\n|[-*•+#|]|\d{1,9}[.)])")
"""A line break within a sentence, of lines without blanks at their ends."""
_ITEM = re.compile(r"\s*(?:[-*•+]|\(?(?:\d{1,9}|[A-Za-z])[.)])\s+")
_SAYING = re.compile(r"[\"“”][^\"“”]{0,2000}?\b(?:I|we)\b[^\"“”]{0,2000}[\"“”]", re.I)
"""Somebody's words, in quotation marks."""

_WHY = (
    r"(?:\s*[,;:(—–-]*\s*(?:since|because of|because|as|so that|due to|to avoid|which would)\s+(?P<why>.+?))?"
    r"\s*[.!]?$"
)
_BEGIN = r"^(?:(?:So|Then|Thus|Therefore|Hence|Here|Finally|Decision|Choice)[,:]?\s+|To\s[^,;:]{2,80},\s+)?"
_TOOK = r"used|went with|chose|chosen|picked|preferred|decided on|decided to use|opted for|kept"
_TAKE = r"use|go with|choose|pick|opt for|keep"
_CHOICE = re.compile(
    _BEGIN + rf"(?:(?:I|we)(?:(?:['’]ve|\s+have)?\s+(?P<past>{_TOOK})"
    rf"|(?P<future>['’]ll|\s+will|\s+shall|(?:['’](?:m|re)|\s+am|\s+are)\s+going\s+to)\s+(?:{_TAKE})"
    r"|(?:['’](?:m|re)|\s+am|\s+are)\s+(?:using|going with|keeping))"
    rf"|I\s+(?:{_TAKE}))\s+"
    r"(?P<chosen>[^,.;]{2,160}?)(?:,?\s+(?:instead of|rather than|(?P<over>over))|,\s+not|\s+and\s+not)\s+"
    r"(?P<other>[^,.;]{2,160}?)" + _WHY,
    re.I,
)
_REJECTION = re.compile(
    _BEGIN + r"(?:I|we)(?:['’]ve|\s+have)?\s+(?:rejected|ruled out|decided against|discarded)\s+"
    r"(?P<other>[^,.;]{2,160}?)\s+in\s+favou?r\s+of\s+(?P<chosen>[^,.;]{2,160}?)" + _WHY,
    re.I,
)
_PICKED = re.compile(r"\b(?:chose|chosen|choose|picked|pick|preferred|decided on|opt(?:ed)? for)\s", re.I)
"""The words that ``over`` compares after; one also iterates over things."""
_OPEN = re.compile(
    r"\?|\b(?:if|unless|whether|until|could|should|might|may|maybe|perhaps|but|never|\w+n['’]t|does not|"
    r"do not|wrong\w*|mistake\w*|accident\w*|initially|originally|previously|earlier|at first|in the past|"
    r"last|for (?:years|months|ages|a while|a long time)|revert\w*|undid|went back|turned out)\b",
    re.I,
)
"""Words that make a choice uncertain or outdated."""
_BACK = re.compile(
    r"\b(?:revert\w*|switch(?:ed|ing)? back|went back|undid|wrong|mistake|changed my mind)\b", re.I
)
_NO_CHOICE = re.compile(r"(?:to|up|it up|back)\s|(?!using\b)\w+ing\s", re.I)
_NO_ACTION = re.compile(r"\b(?:to|and (?:it|then|I|we|ran|\w+ed))\b", re.I)
_NO_OTHER = re.compile(
    r"(?:the|its?|their|these|those|this|all|each|every\w*|both|HTTPS?|TCP|UDP|SSH|TLS|time|and|\d+)\b", re.I
)
_NOT_ONE = re.compile(
    r"(?:because|that|sure|yet|to|only|just|for|in|on|at|with|by|when|as|all|always|every\w*|any\w*|really|"
    r"necessarily|even|one of|much|so|too|\w+(?:ed|ing|ly))\b",
    re.I,
)
_OFFERED = re.compile(
    r"\b(?:options?|alternatives?|possib\w+|propos\w+|suggest\w*|could|either|would|should|consider\w*|examples?|"
    r"said|says|asked|wrote|writes|requested|quot\w+|reads)\b",
    re.I,
)
"""Words that introduce a list or a text which does not state the author's own choices."""
_DOUBT = re.compile(
    r"\b(?:I(?:['’]m| am) (?:not (?:sure|certain)|unsure|uncertain)|(?:not|never|haven['’]t(?: been)?) "
    r"(?:yet )?(?:tested|verified|run)|untested|unverified|could ?n[o'’]t (?:test|verify|run|reproduce)|"
    r"I(?:['’]m| am)? assum(?:e|ed|ing)|may (?:still )?break|might (?:still )?break|worth double-checking|"
    r"please (?:double-check|verify)|not confident|low confidence)\b",
    re.I,
)
_LIMIT = 400


def infer_decisions(messages: Iterable[str], *, most: int = 5) -> tuple[Decision, ...]:
    """Choices that name a rejected alternative, ``by`` inferred, at most ``most``."""
    found: dict[tuple[str, str], Decision] = {}
    for message in messages:
        asks = message.rstrip().endswith("?")
        for sentence, following in _own_sentences(message):
            match = _CHOICE.search(sentence) or _REJECTION.search(sentence)
            if match is None or not _is_choice(match) or _BACK.search(following):
                continue
            if asks and match.groupdict().get("future"):  # an offer: it waits for an answer
                continue
            chosen, other = match["chosen"].strip(" ,"), match["other"].strip(" ,")
            why = (match["why"] or "").strip(" .)") or None
            found.setdefault(
                (chosen, other), Decision(chosen=chosen, alternatives=(other,), reasoning=why, by="inferred")
            )
    return tuple(found.values())[:most]


def _is_choice(match: re.Match[str]) -> bool:
    """Whether the matched sentence really says that one was chosen and the other was not."""
    chosen, other = match["chosen"], match["other"]
    if _OPEN.search(match.string):
        return False
    if match.re is _REJECTION:
        return True
    before, after = (
        match.string[: match.start("chosen")],
        match.string[match.end("chosen") : match.start("other")],
    )
    picked = _PICKED.search(before) is not None
    if _NO_CHOICE.match(chosen) and not (picked and chosen.startswith("to ")):
        return False
    if _NO_ACTION.search(chosen.removeprefix("to ")) and not picked:
        return False
    if match["over"]:
        return picked and not _NO_OTHER.match(other)
    return not (after.split()[-1] == "not" and _NOT_ONE.match(other))


def find_caveats(messages: Iterable[str], *, most: int = 5) -> tuple[str, ...]:
    """Sentences that state a doubt, verbatim, at most ``most``."""
    doubts = (s for s in _sentences(messages) if _DOUBT.search(s))
    return tuple(dict.fromkeys(doubts))[:most]


def _sentences(messages: Iterable[str]) -> Iterator[str]:
    for message in messages:
        for sentence in _SENTENCE.split(_said(message)):
            stripped = sentence.strip().lstrip("-*•> ")
            if 8 <= len(stripped) <= _LIMIT:
                yield stripped


def _own_sentences(message: str) -> Iterator[tuple[str, str]]:
    """Each sentence that states the author's own view, with the next one. A line above may mark it as an
    offer or a quotation."""
    lead, in_list = "", False
    lines = "\n".join(map(str.strip, _SAYING.sub('""', _said(message)).split("\n")))
    for paragraph in _WRAP.sub(" ", lines).split("\n"):
        item = _ITEM.match(paragraph)
        text = paragraph[item.end() if item else 0 :].strip()
        if not text:
            continue
        above = "" if in_list and not item else lead
        sentences = _END.split(text)
        lead, in_list = (lead, True) if item else (sentences[-1], False)
        if (above.endswith("?") and item) or (above.endswith(":") and _OFFERED.search(above)):
            continue
        for sentence, following in pairwise((*sentences, "")):
            if 8 <= len(sentence) <= _LIMIT:
                yield sentence, following


def _said(message: str) -> str:
    """Without code and quotations."""
    for start, end in reversed(find_quoted(message)):
        message = f"{message[:start]}\n{message[end:]}"
    return message
