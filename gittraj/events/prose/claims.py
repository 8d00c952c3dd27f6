"""Decides whether a sentence that contrasts two things states a choice of its author.

Each form in ``forms.toml`` has a condition on what else the sentence must say, or must not.
"""

from __future__ import annotations

import re

from gittraj.events.prose.claim import Claim, tells_of_others, words
from gittraj.events.prose.patterns import PHRASES, SENTENCES, fragment, load

_RULES = load("choices")
_OTHER, _CHOSEN = ("other", "other2", "one"), ("chosen", "chosen2", "chosen3")
_OWN_DEED = re.compile(fragment("BEGIN") + rf"(?:(?:I|we)\b|fixed|resolved|{fragment('TOOK')})", re.I)
_TOOK = re.compile(rf"\b(?:{fragment('TOOK')})\b(?! up\b)", re.I)
_WILL = re.compile(fragment("WILL"))


def _addresses_users(text: str) -> bool:
    return re.search(r"\b(?:you|your|they)\b|\busers? (?:can|could|may|see|want|get)", text, re.I) is not None


def _own(claim: Claim) -> bool:
    """Whether this is a choice of the author: by its words, or as an item in a list of choices."""
    if _RULES.begins(claim.other, "no_side") or claim.is_open or tells_of_others(claim.chosen):
        return False
    if claim.decided:
        return True
    against = (
        _RULES.find(claim.before, "talk"),
        _RULES.find(claim.chosen, "was_at", "habit"),
        claim.is_description,
        _addresses_users(claim.before),
        _is_finding(claim),
    )
    return not any(against)


def _is_finding(claim: Claim) -> bool:
    """Whether the sentence reports how something is, and not what its author did, or why."""
    before, chosen = claim.before, claim.chosen
    deed = _OWN_DEED.match(claim.text) is not None
    own = deed or _RULES.find(before, "changed")
    if not own and _RULES.find(before, "fault"):
        return True
    if claim.reasons:
        return False
    if _RULES.begins(chosen, "does") or (not own and _RULES.find(chosen, "symptom")):
        return True
    is_something = re.search(r"\b(?:is|are|was|were) (?:an? |the )", chosen) is not None
    return not deed and (is_something or _RULES.find(before, "behaves"))


def _worded(claim: Claim) -> bool:
    """Whether ``over`` means a choice: only with a word of choice, or in a list of choices."""
    took = _TOOK.search(claim.chosen) is not None
    states = not took and re.search(r"\b(?:is|are|was|were)\b", claim.chosen)
    if states or _RULES.find(claim.chosen, "habit") or _may_not_compare(claim, took=took):
        return False
    decided = claim.decided or (bool(claim.reasons) and _is_brief(claim))
    return (decided or took) and _own(Claim(claim.match, claim.sentence, decided))


def _may_not_compare(claim: Claim, *, took: bool) -> bool:
    """Whether ``over`` may be that of ``used over the network`` or ``over two days``; ``took``: the sentence
    has a word of choice."""
    if claim.decided:
        return False
    spans = _RULES.begins(claim.other, "span")
    if spans and not took:
        return True
    return not claim.reasons and (spans or re.search(r"\bus(?:e|ed|ing)\b", claim.chosen) is not None)


def _is_brief(claim: Claim) -> bool:
    """Whether the sentence looks like a choice in a list: as an item, by ``over`` in its label, by its few
    words."""
    if claim.sentence.kind == "item" or " over " in claim.sentence.label:
        return True
    return len(claim.chosen.split()) <= 5 and not _RULES.begins(claim.other, "span")


def _denied(claim: Claim) -> bool:
    """Whether ``not`` contrasts two things: if what follows is short, or there is a reason."""
    chosen, other, reasoned = claim.chosen, claim.other, bool(claim.reasons)
    says_how = _says_how_or_why(claim)
    reason = claim.get("why") if _RULES.find(chosen, "tells") else reasoned
    against = (
        _negates_verb(claim),
        _RULES.find(chosen, "no_pair"),
        re.search(r"\b(?:issue|problem|bug|error)\b", other, re.I),
        not (claim.decided or says_how or reason) and _RULES.find(chosen, "states"),
        not (reasoned or says_how) and re.fullmatch(r"(?:\w+ed|through)\b.*", other, re.I),
        len(other.split()) > 8,
        not re.match(r"[\w\x00]", other),
    )
    return not any(against) and _own(claim)


def _negates_verb(claim: Claim) -> bool:
    """Whether the ``not`` after the chosen side belongs to a verb, or the contrast is too weak to count."""
    link = claim.text[claim.match.end("chosen") :].lstrip()
    if re.match(r"not \w+ing\b", link, re.I):  # ``Services not running: ...``
        return True
    if re.match(r"and (?:do|does|has|have) not\b", link, re.I) and not _OWN_DEED.match(claim.text):
        return True
    weak = claim.get("no") or link.startswith("(")
    return bool(weak) and not (claim.decided or claim.get("why", "why2") or claim.is_parallel)


def _says_how_or_why(claim: Claim) -> bool:
    """Whether the sentence says how something was made, or begins with the reason."""
    passive = _RULES.find(claim.chosen, "passive") and (claim.reasons or "(" in claim.text)
    begins = re.match(r"(?:because|since|as|for) [^,]+, ", claim.text, re.I)
    return bool(passive or begins) or claim.is_parallel


def _stated(claim: Claim) -> bool:
    """Whether the words themselves state a choice."""
    if claim.is_description or claim.is_open or "to also" in claim.text:
        return False
    other = claim.get(*_OTHER)
    if re.match(r"(?:it|them|this|that|these|those)$", other) or _RULES.begins(other, "no_side"):
        return False
    return claim.decided or not _RULES.find(claim.before, "fault")


def _semi(claim: Claim) -> bool:
    """Whether in ``X; Y would have ...`` X is a choice, or X and Y are about the same thing. If Y is
    ``the cache``, and X names a cache, Y describes X.
    """
    stated = SENTENCES["said"].match(claim.chosen) is not None
    restore = claim.sentence.restore
    chosen, other = words(restore(claim.chosen)), words(restore(claim.other))
    same = bool(chosen & other)
    if re.match(r"the\b", claim.other, re.I) and other and other <= chosen:
        return False
    return (claim.decided or stated or same) and not _RULES.find(claim.chosen, "open")


def _of_two(claim: Claim) -> bool:
    """Whether the chosen side is one of the two: ``a vs b → they agree`` states a finding."""
    restore = claim.sentence.restore
    sides = (claim.get(name) for name in ("one", "two", "two2"))
    chosen = words(restore(claim.chosen))
    return not claim.sentence.asks and any(chosen & words(restore(side)) for side in sides)


def _wherever(claim: Claim) -> bool:
    """Accept every sentence of the form, unless the message ends with a question."""
    return not claim.sentence.asks


def _suffices(claim: Claim) -> bool:
    return not (claim.sentence.asks or _RULES.find(claim.text, "talk") or _addresses_users(claim.text))


def _weighed(claim: Claim) -> bool:
    """Whether in ``I considered X, but Y`` Y was chosen, and is not the objection to X."""
    return not claim.sentence.asks and SENTENCES["takes"].search(claim.chosen) is not None


def _is_no_choice(chosen: str) -> bool:
    return _RULES.find(chosen, "open", "denied", "fault", "untried", "talk")


def _grounded(claim: Claim) -> bool:
    """Whether the reason has two or more words and the sentence states a choice that is made."""
    if not any(len(reason.split()) > 1 for reason in claim.reasons) or _is_no_choice(claim.get(*_CHOSEN)):
        return False
    waits = claim.text.endswith((":", "?")) or (claim.sentence.asks and not claim.decided)
    return not (waits or _addresses_users(claim.text))


def _left(claim: Claim) -> bool:
    """Whether the sentence says what was left as it is, and why."""
    if _RULES.find(claim.text, "later"):
        return False
    why = (
        claim.get("why")
        or re.search(r"\b(?:alone|as is|untouched|in place)$", claim.chosen)
        or re.search(r"\b(?:breaks?|would|needs?|requires?|\w+n't|touch\w*)\b", claim.get("why2"), re.I)
    )
    return bool(why) and _grounded(claim)


def _against(claim: Claim) -> bool:
    """Whether the sentence says what was done or how it is now, and then objects to another way."""
    chosen, other, other2, why = (claim.get(name) for name in ("chosen", "other", "other2", "why"))
    unlike = other2 and words(other2).isdisjoint(words(claim.sentence.restore(chosen)))
    against = (
        _is_no_choice(chosen),
        _addresses_users(claim.text),
        _RULES.begins(chosen, "no_deed"),
        _RULES.find(other or other2, "clause"),
        _RULES.begins(why, "loss"),
        unlike,
    )
    if any(against):
        return False
    done = SENTENCES["said"].match(chosen) or PHRASES["done"].search(chosen)
    return claim.decided or done is not None or _names_other(claim)


def _names_other(claim: Claim) -> bool:
    """Whether the sentence says what the other way would have been."""
    why = claim.get("why")
    if re.match(r"would have\b", why, re.I) and not _RULES.begins(claim.chosen, "placed"):
        return True
    named = claim.sentence.label or re.match(r"\w+ing\b", claim.other) or _WILL.match(claim.text)
    return bool(re.match(r"(?:would|could)", why, re.I) and named)


def _not_done(claim: Claim) -> bool:
    if _RULES.find(claim.other, "undone_work") or _addresses_users(claim.before):
        return False
    return bool(claim.reasons or claim.get("chosen2"))


def _on_purpose(claim: Claim) -> bool:
    reasoned = claim.get("why") or (claim.get("why2") and ":" in claim.text)
    return bool(reasoned) and not (
        _RULES.find(claim.chosen, "open", "fault") or claim.sentence.asks or claim.text.endswith(":")
    )


def _unfit(claim: Claim) -> bool:
    """Whether the sentence says that the other side is unfit; a comparison counts only in a list, or if it is
    about what was done."""
    compared = claim.get("chosen6")
    if _addresses_users(claim.text) or _RULES.find(claim.get("chosen5"), "fault"):
        return False
    return not compared or claim.sentence.kind == "item" or PHRASES["done"].match(compared) is not None


def _no_need(claim: Claim) -> bool:
    other = claim.get(*_OTHER)
    if len(other.split()) >= 5 or _RULES.find(other, "undone_work"):
        return False
    return not _RULES.find(claim.get(*_CHOSEN), "open")


def _listed(claim: Claim) -> bool:
    """Whether the sentence is an item, with its reason, below ``Key decisions``."""
    sentence = claim.sentence
    return sentence.kind == "item" and _RULES.find(sentence.above, "listed") and not claim.is_open


_CONDITIONS = (
    *(_against, _denied, _grounded, _left, _listed, _no_need, _not_done, _of_two, _on_purpose, _own, _semi),
    *(_stated, _suffices, _unfit, _weighed, _wherever, _worded),
)
CONDITIONS = {condition.__name__.removeprefix("_"): condition for condition in _CONDITIONS}
"""The conditions, by their names in ``needs`` of ``forms.toml``."""
