"""Finds choices in an agent's prose: what it chose, what it rejected, and why.

A sentence counts if it contrasts two things and shows that its author chose between them: by a word of
choice, by saying what was done, or by the heading above. A sentence that describes a fault, restates the
request or waits for an answer does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise, product

from gittraj.events.prose.choice import Choice, lower_article, make_clause, tidy
from gittraj.events.prose.claim import words
from gittraj.events.prose.deeds import states_choice, states_deed
from gittraj.events.prose.markdown import Sentence, read_sentences
from gittraj.events.prose.patterns import FORMS, PHRASES, SENTENCES, fragment, load
from gittraj.events.prose.statements import LABEL, find_objection, make_choice, read_sentence

_RULES = load("choices")
_MOST = 8
_REFUSED = re.compile(
    r"(?:,? (?:but )?(?:rejected|ruled out|dismissed|dropped))?,? (?:because|since) | [—–] "
)
_REFUSAL = re.compile(fragment("REFUSED"))
_WAY = re.compile(rf"\b{fragment('WAY')}\b", re.I)
"""Words by which a rejection refers to the previous choice, even if that names a rejected side already."""
_DECLINED = [SENTENCES[f"declined{number}"] for number in range(1, 7)]
"""Forms of a rejection; the last one counts only after another sentence."""


@dataclass(frozen=True, slots=True)
class _Passage:
    """A sentence with its neighbours: ``near`` is the sentence before, if it is in the same paragraph, and
    ``options`` are the two sentences before, as far as they are in it, too."""

    sentence: Sentence
    before: Sentence | None
    after: Sentence | None
    near: Sentence | None
    options: tuple[Sentence, ...]
    explains: bool
    """A contrast in the sentence describes how something is, and not what was chosen."""


def find_choices(message: str, prompt: str | None = None, *, own: bool = False) -> tuple[Choice, ...]:
    """Return the first few choices that a message states, in order. ``prompt`` is what the user asked for, so
    the agent did not choose it. If the message explains what the agent sees (``own``), only a contrast about
    its author is a choice."""
    wishes = words(prompt or "")
    choices: dict[str, Choice] = {}
    for passage in _read_passages(message, own=own):
        former = choices.get(passage.near.quote) if passage.near else None
        choice = _read(passage, former)
        if former and choice and choice.quote == former.quote != passage.sentence.quote:
            choices[choice.quote] = choice
        elif choice and not _is_wish(choice, wishes) and (clean := tidy(choice)):
            choices.setdefault(choice.quote, clean)
    return tuple(choices.values())[:_MOST]


def _read(passage: _Passage, former: Choice | None) -> Choice | None:
    """Return the choice that a sentence states, or the ``former`` one with what the sentence rejects, too."""
    declined = _match_declined(passage)
    choice = None if declined else _read_stated(passage)
    rejection = declined or (None if choice or not passage.before else find_objection(passage.sentence))
    if rejection is None:
        return choice
    if former and (not former.rejected or _WAY.search(passage.sentence.text)):
        return _add(former, rejection, passage.sentence)
    return _read_rejection(passage, rejection, former, declined=declined is not None)


def revokes_previous(message: str) -> bool:
    """Whether the message begins by taking back what the message before it chose."""
    return PHRASES.find(message, "scraps")


def find_turns(message: str) -> list[tuple[str, str]]:
    """Return the quotes of the sentences that say that something else is used now, each with what that is:
    ``In the end it's a file``."""
    own = (s for s in read_sentences(message) if not (s.spoken or _RULES.find(s.text, "open")))
    matches = ((s, match) for s in own for match in SENTENCES["turned"].finditer(s.text.strip("()")))
    return [(s.quote, s.restore(next(filter(None, match.groups()), ""))) for s, match in matches]


def find_revoked(message: str) -> frozenset[str]:
    """Return the quotes of the sentences that the sentence after them takes back."""
    return frozenset(s.quote for s, then in pairwise(read_sentences(message)) if revokes(then))


def revokes(then: Sentence) -> bool:
    """Whether the sentence takes back the sentence before it."""
    return PHRASES.find(then.text, "scraps", "taken_back")


def _read_passages(message: str, *, own: bool) -> Iterator[_Passage]:
    """Yield the sentences that may state a choice, without those that the next sentence takes back."""
    reviews = len(_RULES["review"].findall(message)) > 1
    sentences = read_sentences(message)
    for at, (before, sentence, after) in enumerate(
        zip([None, *sentences], sentences, [*sentences[1:], None], strict=False)
    ):
        if _settles_before(after):
            continue
        options = tuple(s for s in sentences[max(0, at - 2) : at] if _in_same_paragraph(message, s, sentence))
        near = before if before in options else None
        is_own = _is_about_own_work(sentence, near)
        if is_own or not reviews:
            explains = own and not (is_own or sentence.label)
            yield _Passage(sentence, before, after, near, options, explains)


def _settles_before(after: Sentence | None) -> bool:
    """Whether this sentence takes back the sentence before it, or says that its problem is solved."""
    return after is not None and (revokes(after) or _RULES.find(after.text, "mended"))


def _is_about_own_work(sentence: Sentence, near: Sentence | None) -> bool:
    """Whether the sentence is about its author, or about how the author's work is made."""
    making = near is not None and _RULES.find(near.text, "making") and _RULES.find(sentence.text, "how")
    forms = (FORMS["suffices"].pattern, SENTENCES["own"])
    stated = any(form.match(sentence.text.rstrip(".")) for form in forms)
    return stated or making or _RULES.find(sentence.text, "person")


def _in_same_paragraph(message: str, before: Sentence, sentence: Sentence) -> bool:
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


def _read_stated(passage: _Passage) -> Choice | None:
    """Return the choice that a sentence states, alone or together with its neighbours."""
    choice = _read_question(passage) or _read_rejected(passage) or _read_pick(passage)
    if not (choice or passage.explains):
        choice = read_sentence(passage.sentence) or _read_alternative(passage)
    if choice is None or choice.chosen or not _has_long_reason(choice):
        return choice
    return replace(choice, chosen=_infer_chosen(choice, passage.near))


def _has_long_reason(choice: Choice) -> bool:
    """Whether the reason has more than two words."""
    return len(re.sub(r"^(?:for|due to|to) ", "", choice.reason or "").split()) > 2


def _infer_chosen(choice: Choice, near: Sentence | None) -> str:
    """Return what was chosen, for a choice that names only what was rejected."""
    if near and states_deed(near.text.rstrip(".")):
        return near.restore(near.text)
    return f"not: {choice.rejected[0]}" if choice.rejected else ""


def _read_question(passage: _Passage) -> Choice | None:
    """Read ``Why a queue instead of a cron job?``, in a heading or in bold, and the answer below."""
    sentence, before, after = passage.sentence, passage.before, passage.after
    match = SENTENCES["why_not"].match(sentence.text)
    if match is None or not (sentence.kind == "heading" or sentence.label):
        return None
    if after is None or after.kind == "heading" or after.text.endswith("?"):
        return None
    choice = make_choice(match, sentence)
    chosen = choice.chosen or (before.restore(before.text) if before and before.kind != "heading" else "")
    return replace(choice, chosen=chosen, reason=after.restore(after.text), quote=after.quote)


def _read_pick(passage: _Passage) -> Choice | None:
    """Read ``Two options: a header, or a cookie. I'm going with the header, since ...``"""
    first, _, then = passage.sentence.text.rstrip(".").partition("; ")
    pick = SENTENCES["picks"].match(then or first)
    if not pick or passage.sentence.asks:
        return None
    if then:
        options = _read_options(passage.sentence, first)
    else:
        options = [side for near in passage.options for side in _read_options(near, near.text.rstrip("."))]
    choice = make_choice(pick, passage.sentence)
    picked = [side for side in options if words(side) & words(choice.chosen)]
    if len(picked) != 1:
        return None
    options.remove(picked[0])
    return replace(choice, chosen=picked[0], rejected=tuple(options))


def _read_options(sentence: Sentence, text: str) -> list[str]:
    """Return the options that a text of the sentence lists, as in ``Two options: a header, or a cookie``."""
    match = SENTENCES["options"].match(text)
    return [sentence.restore(side) for side in match.groupdict().values() if side] if match else []


def _read_rejected(passage: _Passage) -> Choice | None:
    """Read ``Alternative rejected: pages, which shift``: what was chosen is in the sentence before."""
    sentence, near = passage.sentence, passage.near
    if not (_RULES.begins(sentence.text, "alternative_run_in") or _RULES.find(sentence.label, "alternative")):
        return None
    label = LABEL.match(sentence.text)
    other, *why = map(sentence.restore, _REFUSED.split(sentence.text[label.end() if label else 0 :], 1))
    if not (near or why):
        return None
    taken = near and states_deed(near.text.rstrip("."))
    chosen = near.restore(near.text) if near and taken else f"not: {other}"
    return Choice(chosen, (other,), why[0] if why else None, sentence.quote)


def _read_alternative(passage: _Passage) -> Choice | None:
    """Read ``Jobs lie in a table. A broker would have meant one more service.``"""
    sentence, near = passage.sentence, passage.near
    if near is None or sentence.asks or sentence.spoken:
        return None
    text, taken = sentence.text.rstrip("."), near.text.rstrip(".")
    match = SENTENCES["alternative"].match(text)
    if match is None and states_choice(taken):
        match = SENTENCES["objection"].match(text)
    if match is None or _RULES.find(match["other"], "clause") or re.search(r"\bso (?:I|we)\b", match["why"]):
        return None
    other, why = sentence.restore(match["other"]), sentence.restore(match["why"])
    chosen = near.restore(taken)
    choice = Choice(chosen, (other,), f"{lower_article(other)} {why}", sentence.quote)
    return choice if states_deed(taken) else None


def _match_declined(passage: _Passage) -> re.Match[str] | None:
    """Match ``Returning None was the alternative``."""
    sentence = passage.sentence
    if sentence.kind in ("heading", "row") or sentence.spoken or sentence.asks:
        return None
    text = sentence.text.rstrip(".")
    forms = _DECLINED if passage.before else _DECLINED[:-1]
    matches = (form.match(body) for body, form in product((text, LABEL.sub("", text)), forms))
    match = next(filter(None, matches), None)
    explained = match is not None and _has_reason(match)
    return match if explained or " was " in text or _REFUSAL.search(text) else None


def _has_reason(match: re.Match[str]) -> bool:
    return any(text for name, text in match.groupdict().items() if name != "other")


def _read_rejection(
    passage: _Passage, rejection: re.Match[str], former: Choice | None, *, declined: bool
) -> Choice | None:
    """Return the choice of a sentence that states only what was rejected; what was chosen is in the sentence
    before or after it, or not stated. ``former`` is the choice of the sentence before, which names its own
    alternatives; ``declined``: the words themselves state a rejection."""
    sentence = passage.sentence
    if sentence.asks:
        return None
    chosen = None if former else _read_chosen(passage.near)
    if not chosen and (pick := _read_next_pick(passage.after)):
        return _add(pick, rejection, sentence)
    if not (chosen or declined) and _RULES.begins(sentence.text, "tried"):
        return None
    chosen = chosen or f"not: {sentence.restore(rejection['other'])}"
    return _add(Choice(chosen, (), None, sentence.quote), rejection, sentence)


def _read_chosen(near: Sentence | None) -> str | None:
    """Return the sentence before, if it says by a word of choice what was chosen."""
    return near.restore(near.text) if near and states_choice(near.text.rstrip(".")) else None


def _read_next_pick(after: Sentence | None) -> Choice | None:
    """Return the choice of the sentence after, if that picks something."""
    pick = SENTENCES["picks"].match(after.text.rstrip(".")) if after else None
    if not after or not pick or _RULES.find(after.text, "open", "talk", "denied"):
        return None
    return make_choice(pick, after)


def _add(choice: Choice, rejection: re.Match[str], sentence: Sentence) -> Choice:
    """Return the choice with what the next sentence says was rejected, and why."""
    groups = rejection.groupdict("")
    why = sentence.restore(next((groups[name] for name in groups if name[:3] == "why" and groups[name]), ""))
    other = sentence.restore(rejection["other"])
    why = make_clause(why, other, "") or ""
    objection = f"{other}: {why}" if choice.rejected and why else why  # ``why`` is only about this one
    reason = "; ".join(filter(None, (choice.reason, objection))) or None
    return replace(choice, rejected=(*choice.rejected, other), reason=reason)
