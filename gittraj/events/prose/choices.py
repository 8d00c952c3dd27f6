"""Choices in an agent's prose: what it took, what it did not, and why.

A sentence counts if it sets two things against each other and its author chose between them: by a word of
choice, by what was done to the work, or by the heading above. What describes a fault, restates the request or
waits for an answer does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from gittraj.events.prose import claims, contrasts, objections
from gittraj.events.prose.choice import Choice, clause, lowered, tidied
from gittraj.events.prose.markdown import Sentence, read_sentences
from gittraj.events.prose.patterns import load

_RULES = load("choices")


_SIDE_LIMIT = 300
_FRAGMENT = 6
"""Words of ``Engine: Pagefind.``, which tells what was taken without a verb."""
_REFUSED = re.compile(
    r"(?:,? (?:but )?(?:rejected|ruled out|dismissed|dropped))?,? (?:because|since) | [—–] "
)
_NAMED = re.compile(r"(?!(?i:tests?|build|lint|ci|status|docs)\b)[^:]+(?:: | [–—] )")
_LABEL = re.compile(r"^(?:THOUGHT|[^.;,:]{2,60}?)(?::| [-–—])\s+(?=\S)")
_CLAUSE = re.compile(
    contrasts.BEGIN
    + r"(?:to [^,]{2,60}, )?(?:(?:I|we)(?:'ve|'ll|'m|'re| have| will| am| are| now)*\s+)?"
    + rf"(?:{contrasts.TOOK})\s+",
    re.I,
)
_PURPOSE = re.compile(r"^(?:(?:I|we)\b|let's\b|\w+ed\b).*?\b(?:to use|by using|using|to mock)\s+", re.I)
_NOW = re.compile(r"^(?:(?:I|we) now |(?:now )?uses )", re.I)
_RELATIVE = re.compile(r"^which (?:is|are|was|were) ", re.I)


def find_choices(messages: Iterable[str], prompt: str | None = None, *, most: int = 8) -> tuple[Choice, ...]:
    """At most ``most``, in order. ``prompt``: what the user asked for, and the agent did not choose."""
    wishes = claims.words(prompt or "")
    found: dict[str, Choice] = {}
    for message in messages:
        sentences = read_sentences(message)
        for at, sentence in enumerate(sentences):
            before = sentences[at - 1] if at else None
            after = sentences[at + 1] if at + 1 < len(sentences) else None
            if after and _RULES["back"].search(after.text):
                continue
            near = before if before and _is_beside(message, before, sentence) else None
            declined = _read_declined(sentence, alone=before is None)
            choice = None if declined else _read_beside(before, sentence, after, near)
            former = found.get(near.quote) if near else None
            if choice is None and (objected := declined or (before and _read_objected(sentence))):
                if former:
                    found[former.quote] = _add(former, objected, sentence)
                    continue
                says = _says_taken if declined else _is_taken
                told = near if near and says(near.text.rstrip(".")) else None
                if not sentence.asks and (told or declined or not _RULES["tried"].match(sentence.text)):
                    taken = told.restore(told.text) if told else f"not: {sentence.restore(objected['other'])}"
                    choice = _add(Choice(taken, (), None, sentence.quote), objected, sentence)
            if choice and choice.chosen and not _is_wish(choice, wishes) and (told_so := tidied(choice)):
                found.setdefault(choice.quote, told_so)
    return tuple(found.values())[:most]


def _read_beside(
    before: Sentence | None, sentence: Sentence, after: Sentence | None, near: Sentence | None
) -> Choice | None:
    """The choice that a sentence states, perhaps together with those beside it. ``near``: the one before, if
    in one paragraph."""
    choice = (
        _read_question(sentence, before, after)
        or _read_rejected(near, sentence)
        or _read(sentence)
        or _read_alternative(near, sentence)
    )
    if choice and not choice.chosen and _explains(choice):
        if near and _is_taken(near.text.rstrip(".")):
            return replace(choice, chosen=near.restore(near.text))
        if choice.rejected:
            return replace(choice, chosen=f"not: {choice.rejected[0]}")
    return choice


def _explains(choice: Choice) -> bool:
    return len(re.sub(r"^(?:for|due to|to) ", "", choice.reason or "").split()) > 2


def _is_wish(choice: Choice, wishes: frozenset[str]) -> bool:
    """Whether the user named what was chosen."""
    if not wishes:
        return False
    chosen = claims.words(choice.chosen)
    return not choice.reason and bool(chosen) and len(chosen & wishes) >= 0.6 * len(chosen)


def _read_question(sentence: Sentence, before: Sentence | None, after: Sentence | None) -> Choice | None:
    """``Why a queue instead of a cron job?``, in a heading or in bold, and the answer below."""
    match = contrasts.WHY_NOT.match(sentence.text)
    if match is None or after is None or after.kind == "heading" or after.text.endswith("?"):
        return None
    if sentence.kind != "heading" and not sentence.label:
        return None
    choice = _choice(match, sentence)
    chosen = choice.chosen or (before.restore(before.text) if before and before.kind != "heading" else "")
    return replace(choice, chosen=chosen, reason=after.restore(after.text), quote=after.quote)


def _read_rejected(near: Sentence | None, sentence: Sentence) -> Choice | None:
    """``Alternative rejected: pages, which shift``: what was chosen is in the sentence before."""
    run_in = _RULES["alternative_run_in"].match(sentence.text)
    if not (run_in or _RULES["alternative"].search(sentence.label)):
        return None
    label = _LABEL.match(sentence.text)
    other, *why = map(sentence.restore, _REFUSED.split(sentence.text[label.end() if label else 0 :], 1))
    if not (near or why):
        return None
    taken = near and _is_taken(near.text.rstrip("."))
    chosen = near.restore(near.text) if near and taken else f"not: {other}"
    return Choice(chosen, (other,), why[0] if why else None, sentence.quote)


def _read_objected(sentence: Sentence) -> re.Match[str] | None:
    """``I considered a queue, but it needs a server``: what was taken is not in it."""
    match = objections.OBJECTED.match(sentence.text.rstrip("."))
    return match if match and not (sentence.spoken or objections.TAKES.search(match["why"])) else None


def _read_declined(sentence: Sentence, *, alone: bool) -> re.Match[str] | None:
    """``Returning None was the alternative``."""
    if sentence.kind in ("heading", "row") or sentence.spoken or sentence.asks:
        return None
    forms = objections.DECLINED[:-1] if alone else objections.DECLINED
    matches = (form.match(sentence.text.rstrip(".")) for form in forms)
    match = next(filter(None, matches), None)
    told = match and (
        " was " in match.string or any(match[name] for name in match.groupdict() if name != "other")
    )
    return match if told or (match and re.search(contrasts.REFUSED, match.string)) else None


def _is_beside(message: str, before: Sentence, sentence: Sentence) -> bool:
    """Whether the two stand in one paragraph."""
    begin = message.find(before.quote)
    end = message.find(sentence.quote, begin + len(before.quote))
    between = message[begin + len(before.quote) : end]
    return begin >= 0 <= end and before.kind != "heading" and "\n\n" not in between


def _add(choice: Choice, objected: re.Match[str], sentence: Sentence) -> Choice:
    """With what the next sentence says was not taken, and why."""
    groups = objected.groupdict("")
    why = sentence.restore(next((groups[name] for name in groups if name[:3] == "why" and groups[name]), ""))
    other = sentence.restore(objected["other"])
    why = clause(why, other, "") or ""
    said = f"{other}: {why}" if choice.rejected and why else why  # it is not why the others were
    reason = "; ".join(filter(None, (choice.reason, said))) or None
    return replace(choice, rejected=(*choice.rejected, other), reason=reason)


def _read_alternative(before: Sentence | None, sentence: Sentence) -> Choice | None:
    """``Jobs lie in a table. A broker would have meant one more service.``"""
    text = sentence.text.rstrip(".")
    match = objections.ALTERNATIVE.match(text)
    if match is None and before and _says_taken(before.text.rstrip(".")):
        match = objections.OBJECTION.match(text)
    if match is None or before is None or sentence.asks or sentence.spoken:
        return None
    if claims.CLAUSE.search(match["other"]) or re.search(r"\bso (?:I|we)\b", match["why"]):
        return None
    taken = before.text.rstrip(".")
    if not _is_taken(taken):
        return None
    other = sentence.restore(match["other"])
    return Choice(
        before.restore(taken), (other,), f"{lowered(other)} {sentence.restore(match['why'])}", sentence.quote
    )


def _says_taken(text: str) -> bool:
    """Whether a sentence tells by a word of choice what was taken."""
    return bool(contrasts.TAKEN.match(text) or text.endswith(" it is")) and not _RULES["open"].search(text)


def _is_taken(text: str) -> bool:
    """Whether a sentence tells what was done, or is so now."""
    if len(text.split()) <= _FRAGMENT and _NAMED.match(text) and not text.endswith("?"):
        return not any(_RULES[rule].search(text) for rule in ("open", "fault", "denied", "no_deed"))
    if len(text) > _SIDE_LIMIT or _RULES["open"].search(text):
        return False
    if _RULES["no_deed"].match(text) and not text.startswith("The "):
        return False
    if _RULES["denied"].search(text) or _RULES["fault"].search(text) or text.endswith(":"):
        return False
    return bool(contrasts.DONE.search(text) or contrasts.STATE.search(text) or _says_taken(text))


def _read(sentence: Sentence) -> Choice | None:
    if sentence.kind == "row":
        return _read_row(sentence)
    if sentence.kind == "heading" or sentence.spoken or _RULES["ordered"].search(sentence.text):
        return None
    if _RULES["reported"].search(sentence.text):
        return None
    above = (sentence.section, sentence.lead, sentence.label)
    decided = any(_RULES["decided"].search(text) for text in above)
    if why := contrasts.WHY_LABEL.match(sentence.text):
        return _choice(why, sentence)
    if sentence.kind == "item" and any(_RULES["withheld"].search(text) for text in above):
        withheld = contrasts.WITHHELD.match(sentence.text.rstrip("."))
        return (
            _choice(withheld, sentence)
            if withheld and not _RULES["taken_item"].search(sentence.text)
            else None
        )
    if _waits(sentence, decided=decided):
        return None
    objected = _read_objected(sentence)
    for text in _bodies(sentence.text.rstrip(".")):
        if objected and text == objected.string:
            return None
        for pattern, needs in claims.FORMS:
            match = pattern.search(text)
            if match and claims.is_description(match):
                return None
            if match and not _is_quoted(match) and needs(match, sentence, decided=decided):
                choice = _choice(match, sentence)
                is_label = choice.chosen and choice.chosen == sentence.restore(sentence.label)
                return None if is_label or len(choice.chosen) > _SIDE_LIMIT else choice
    return None


def _waits(sentence: Sentence, *, decided: bool) -> bool:
    """Whether it is offered, reported or taken back."""
    said_by = (_RULES["says"].search(above) for above in (sentence.lead, _label(sentence)))
    if _RULES["undone"].search(sentence.text.rstrip(".")) or any(said_by):
        return True
    above = f"{sentence.section}\n{sentence.lead}"
    if sentence.kind == "item" and not decided and _RULES["offered"].search(above):
        return True
    if not decided and _RULES["offered"].search(sentence.label):
        return True
    return sentence.asks and not decided and not _RULES["done"].match(sentence.text)


def _label(sentence: Sentence) -> str:
    label = _LABEL.match(sentence.text)
    return label[0].rstrip(" :-–—") if label else ""


def _bodies(text: str) -> Iterator[str]:
    """A last clause of the author's; what is behind a label (``Storage: files, not rows``); then with it."""
    if clause := re.search(r"(?:; |\s[–—-] |, so |: )((?:I|we)\b.+)$", text):
        yield clause[1]
    if label := _LABEL.match(text):
        yield text[label.end() :]
    yield text


def _is_quoted(match: re.Match[str]) -> bool:
    """Whether the contrast stands within quotation marks, or is one of texts or of figures."""
    groups = match.groupdict()
    sides = [re.sub("\x00\\d+\x00", "code", groups.get(name) or "") for name in ("chosen", "other")]
    if re.match(r"\W*[\"“]", sides[1]) or (
        match.re is not objections.WOULD and all(_RULES["figure"].search(side) for side in sides)
    ):
        return True
    at = match.start("other") if groups.get("other") else match.start()
    return len(re.findall(r"[\"“”]", match.string[:at])) % 2 == 1


def _read_row(sentence: Sentence) -> Choice | None:
    """A row of a table whose heads say what was taken and what was not."""
    heads = dict(zip(sentence.columns, sentence.cells, strict=False))
    taken = next((cell for head, cell in heads.items() if _RULES["taken"].search(head)), "")
    other = next(
        (cell for head, cell in heads.items() if _RULES["not_taken"].search(head) and cell != taken), ""
    )
    why = next((cell for head, cell in heads.items() if _RULES["because"].search(head)), None)
    return Choice(taken, (other,), why, sentence.quote) if taken and other else None


def _choice(match: re.Match[str], sentence: Sentence) -> Choice:
    groups = match.groupdict()

    def part(*names: str) -> str:
        text = next((groups[n] for n in names if groups.get(n)), "").strip(" ,.;:")
        open_ends = text.count("(") - text.count(")")
        return sentence.restore(text.strip(" ,.;:()") if open_ends else text)

    def any_of(name: str) -> str:
        return part(*(key for key in groups if key.rstrip("0123456789") == name))

    chosen, other = _trim(any_of("chosen")), any_of("other")
    if groups.get("one"):
        two = any_of("two")
        other = two if claims.words(two).isdisjoint(claims.words(chosen)) else part("one")
    if match.re is contrasts.WITHHELD:
        chosen = f"not: {other}" if not re.match(r"did|no", other, re.I) else other
    if not chosen and match.re is contrasts.REJECTED:
        chosen = sentence.restore(match.string[: match.start()].strip(" ,.;"))
    why = _RULES["next_deed"].sub(r"\1", _RELATIVE.sub("", any_of("why")))
    reason = clause(why, other, _between(match)) if why else None
    return Choice(chosen, (other,) if other else (), reason, sentence.quote)


def _between(match: re.Match[str]) -> str:
    """What stands between the side that was not taken and the reason."""
    found = {name.rstrip("0123456789"): match.span(name) for name, text in match.groupdict().items() if text}
    other, why = found.get("other", (0, 0)), found.get("why", (0, 0))
    if match.groupdict().get("why4") and match.re is contrasts.INFIX:
        return "-"  # ``Using a set instead of a list makes it O(1)``
    return match.string[other[1] : why[0]] if other[1] <= why[0] else "-"


def _trim(chosen: str) -> str:
    """Without the clause that says that it was chosen."""
    for lead in (_NOW, _CLAUSE, _PURPOSE):
        chosen = lead.sub("", chosen, count=1) or chosen
    return chosen
