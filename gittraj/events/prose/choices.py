"""Finds choices in an agent's prose: what it chose, what it rejected, and why.

A sentence counts if it contrasts two things and its author chose between them: by a word of choice, by what
was done to the work, or by the heading above. A sentence that describes a fault, restates the request or
waits for an answer does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from gittraj.events.prose.choice import Choice, clause, lowered, tidied
from gittraj.events.prose.claims import words
from gittraj.events.prose.markdown import Sentence, read_sentences
from gittraj.events.prose.patterns import FORMS, PHRASES, SENTENCES, fragment, load
from gittraj.events.prose.statements import LABEL, SIDE_LIMIT, find_objection, make_choice, read_sentence

_RULES = load("choices")
_MOST = 8
_FRAGMENT = 6
"""The most words of a fragment as ``Engine: Pagefind.``, which names the choice without a verb."""
_REFUSED = re.compile(
    r"(?:,? (?:but )?(?:rejected|ruled out|dismissed|dropped))?,? (?:because|since) | [—–] "
)
_NAMED = re.compile(r"(?!(?i:tests?|build|lint|ci|status|docs)\b)[^:]+(?:: | [–—] )")
_REFUSAL = re.compile(fragment("REFUSED"))
_WAY = re.compile(rf"\b{fragment('WAY')}\b", re.I)
"""Words by which a rejection refers to the previous choice, which may have others."""
_DECLINED = [SENTENCES[f"declined{number}"] for number in range(1, 7)]
"""The last form needs a sentence before."""


@dataclass(frozen=True, slots=True)
class _Spot:
    """A sentence with its neighbours; ``near``: the one before, if it is in the same paragraph."""

    sentence: Sentence
    before: Sentence | None
    after: Sentence | None
    near: Sentence | None
    options: tuple[Sentence, ...]
    explains: bool
    """A contrast in it describes what is so, and not what was chosen."""


def find_choices(message: str, prompt: str | None = None, *, own: bool = False) -> tuple[Choice, ...]:
    """The first few choices, in order. ``prompt``: what the user asked for, so the agent did not choose it.
    ``own``: the message explains what the agent sees, so only a contrast about its author is a choice."""
    wishes = words(prompt or "")
    found: dict[str, Choice] = {}
    for spot in _spots(message, own=own):
        former = found.get(spot.near.quote) if spot.near else None
        choice = _read(spot, former)
        if former and choice and choice.quote == former.quote != spot.sentence.quote:
            found[choice.quote] = choice
        elif choice and not _is_wish(choice, wishes) and (clean := tidied(choice)):
            found.setdefault(choice.quote, clean)
    return tuple(found.values())[:_MOST]


def _read(spot: _Spot, former: Choice | None) -> Choice | None:
    """The choice that a sentence states, or the ``former`` choice with what it says was rejected."""
    refused = _read_declined(spot)
    choice = None if refused else _read_beside(spot)
    weighed = refused or (None if choice or not spot.before else find_objection(spot.sentence))
    if weighed is None:
        return choice
    if former and (not former.rejected or _WAY.search(spot.sentence.text)):
        return _add(former, weighed, spot.sentence)
    return _read_refusal(spot, weighed, former, declined=refused is not None)


def scraps(message: str) -> bool:
    """Whether it begins by taking back what the message before chose."""
    return PHRASES.find(message, "scraps")


def find_refused(message: str) -> frozenset[str]:
    """The sentences that the next one takes back."""
    return frozenset(s.quote for s, then in pairwise(read_sentences(message)) if _takes_back(then))


def _takes_back(then: Sentence) -> bool:
    return PHRASES.find(then.text, "scraps", "taken_back")


def _spots(message: str, *, own: bool) -> Iterator[_Spot]:
    """The sentences, without those that the next one takes back."""
    reviews = len(_RULES["review"].findall(message)) > 1
    sentences = read_sentences(message)
    for at, sentence in enumerate(sentences):
        before, after = (sentences[at - 1] if at else None), next(iter(sentences[at + 1 :]), None)
        if after and (_takes_back(after) or _RULES.find(after.text, "mended")):
            continue
        near = before if before and _is_beside(message, before, sentence) else None
        told = _tells(sentence, near) or (bool(sentence.label) and not reviews)
        if told or not reviews:
            options = tuple(s for s in sentences[max(0, at - 2) : at] if _is_beside(message, s, sentence))
            yield _Spot(sentence, before, after, near, options, explains=own and not told)


def _tells(sentence: Sentence, near: Sentence | None) -> bool:
    """Whether it speaks of its author, or of how what the author makes is made."""
    made = near is not None and _RULES.find(near.text, "making") and _RULES.find(sentence.text, "how")
    form = FORMS["suffices"].pattern
    return made or _RULES.find(sentence.text, "person") or form.match(sentence.text.rstrip(".")) is not None


def _is_beside(message: str, before: Sentence, sentence: Sentence) -> bool:
    """Whether the two are in the same paragraph."""
    begin = message.find(before.quote)
    end = message.find(sentence.quote, begin + len(before.quote))
    between = message[begin + len(before.quote) : end]
    return begin >= 0 <= end and before.kind != "heading" and "\n\n" not in between


def _is_wish(choice: Choice, wishes: frozenset[str]) -> bool:
    """Whether the user named what was chosen, or nothing was chosen."""
    chosen = words(choice.chosen)
    named = bool(chosen) and len(chosen & wishes) >= 0.6 * len(chosen)
    return not choice.chosen or (bool(wishes) and named and not choice.reason)


def _read_beside(spot: _Spot) -> Choice | None:
    """The choice that a sentence states, alone or together with its neighbours."""
    choice = (
        _read_question(spot)
        or _read_rejected(spot)
        or _read_pick(spot)
        or (None if spot.explains else read_sentence(spot.sentence) or _read_alternative(spot))
    )
    if choice is None or choice.chosen or not _explains(choice):
        return choice
    if spot.near and _is_taken(spot.near.text.rstrip(".")):
        return replace(choice, chosen=spot.near.restore(spot.near.text))
    return replace(choice, chosen=f"not: {choice.rejected[0]}") if choice.rejected else choice


def _explains(choice: Choice) -> bool:
    return len(re.sub(r"^(?:for|due to|to) ", "", choice.reason or "").split()) > 2


def _read_question(spot: _Spot) -> Choice | None:
    """``Why a queue instead of a cron job?``, in a heading or in bold, and the answer below."""
    sentence, before, after = spot.sentence, spot.before, spot.after
    match = SENTENCES["why_not"].match(sentence.text)
    if match is None or not (sentence.kind == "heading" or sentence.label):
        return None
    if after is None or after.kind == "heading" or after.text.endswith("?"):
        return None
    choice = make_choice(match, sentence)
    chosen = choice.chosen or (before.restore(before.text) if before and before.kind != "heading" else "")
    return replace(choice, chosen=chosen, reason=after.restore(after.text), quote=after.quote)


def _read_pick(spot: _Spot) -> Choice | None:
    """``Two options: a header, or a cookie. I'm going with the header, since ...``"""
    first, _, then = spot.sentence.text.rstrip(".").partition("; ")
    offers = [(spot.sentence, first)] if then else [(near, near.text.rstrip(".")) for near in spot.options]
    found = [(near, match) for near, text in offers if (match := SENTENCES["options"].match(text))]
    picks = SENTENCES["picks"].match(then or first)
    if not (found and picks) or spot.sentence.asks:
        return None
    sides = [near.restore(side) for near, match in found for side in match.groupdict().values() if side]
    choice = make_choice(picks, spot.sentence)
    taken = [side for side in sides if words(side) & words(choice.chosen)]
    others = tuple(side for side in sides if side not in taken)
    return replace(choice, chosen=taken[0], rejected=others) if len(taken) == 1 else None


def _read_rejected(spot: _Spot) -> Choice | None:
    """``Alternative rejected: pages, which shift``: what was chosen is in the sentence before."""
    sentence, near = spot.sentence, spot.near
    if not (_RULES.begins(sentence.text, "alternative_run_in") or _RULES.find(sentence.label, "alternative")):
        return None
    label = LABEL.match(sentence.text)
    other, *why = map(sentence.restore, _REFUSED.split(sentence.text[label.end() if label else 0 :], 1))
    if not (near or why):
        return None
    taken = near and _is_taken(near.text.rstrip("."))
    chosen = near.restore(near.text) if near and taken else f"not: {other}"
    return Choice(chosen, (other,), why[0] if why else None, sentence.quote)


def _read_alternative(spot: _Spot) -> Choice | None:
    """``Jobs lie in a table. A broker would have meant one more service.``"""
    sentence, near = spot.sentence, spot.near
    if near is None or sentence.asks or sentence.spoken:
        return None
    text, taken = sentence.text.rstrip("."), near.text.rstrip(".")
    match = SENTENCES["alternative"].match(text)
    if match is None and _says_taken(taken):
        match = SENTENCES["objection"].match(text)
    if match is None or _RULES.find(match["other"], "clause") or re.search(r"\bso (?:I|we)\b", match["why"]):
        return None
    other, why = sentence.restore(match["other"]), sentence.restore(match["why"])
    chosen = near.restore(taken)
    return Choice(chosen, (other,), f"{lowered(other)} {why}", sentence.quote) if _is_taken(taken) else None


def _read_declined(spot: _Spot) -> re.Match[str] | None:
    """``Returning None was the alternative``."""
    sentence = spot.sentence
    if sentence.kind in ("heading", "row") or sentence.spoken or sentence.asks:
        return None
    text = sentence.text.rstrip(".")
    forms = _DECLINED if spot.before else _DECLINED[:-1]
    matches = (form.match(said) for said in (text, LABEL.sub("", text)) for form in forms)
    match = next(filter(None, matches), None)
    tells = match and any(found for name, found in match.groupdict().items() if name != "other")
    return match if tells or " was " in text or _REFUSAL.search(text) else None


def _read_refusal(
    spot: _Spot, refused: re.Match[str], former: Choice | None, *, declined: bool
) -> Choice | None:
    """The choice in which a sentence states what was rejected; what was chosen is in the sentence before or
    after it, or not stated. ``former``: the choice of the sentence before, which names its alternatives."""
    sentence, near, after = spot.sentence, spot.near, spot.after
    taken = near if near and not former and _says_taken(near.text.rstrip(".")) else None
    picks = SENTENCES["picks"].match(after.text.rstrip(".")) if after and not taken else None
    if after and picks and not (sentence.asks or _RULES.find(after.text, "open", "talk", "denied")):
        return _add(make_choice(picks, after), refused, sentence)
    if sentence.asks or not (taken or declined or not _RULES.begins(sentence.text, "tried")):
        return None
    chosen = taken.restore(taken.text) if taken else f"not: {sentence.restore(refused['other'])}"
    return _add(Choice(chosen, (), None, sentence.quote), refused, sentence)


def _add(choice: Choice, refused: re.Match[str], sentence: Sentence) -> Choice:
    """The choice with what the next sentence says was rejected, and why."""
    groups = refused.groupdict("")
    why = sentence.restore(next((groups[name] for name in groups if name[:3] == "why" and groups[name]), ""))
    other = sentence.restore(refused["other"])
    why = clause(why, other, "") or ""
    said = f"{other}: {why}" if choice.rejected and why else why  # the reason is not for the others
    reason = "; ".join(filter(None, (choice.reason, said))) or None
    return replace(choice, rejected=(*choice.rejected, other), reason=reason)


def _says_taken(text: str) -> bool:
    """Whether a sentence says by a word of choice what was chosen."""
    taken = SENTENCES["taken"].match(text) or text.endswith(" it is")
    return bool(taken) and not _RULES.find(text, "open")


def _is_taken(text: str) -> bool:
    """Whether a sentence says what was done, or is so now."""
    if _RULES.find(text, "open", "fault", "denied"):
        return False
    if len(text.split()) <= _FRAGMENT and _NAMED.match(text) and not text.endswith("?"):
        return not _RULES.find(text, "no_deed")
    described = _RULES.begins(text, "no_deed") and not text.startswith("The ")
    if described or len(text) > SIDE_LIMIT or text.endswith(":"):
        return False
    return PHRASES.find(text, "done", "state") or _says_taken(text) or _RULES.begins(text, "making")
