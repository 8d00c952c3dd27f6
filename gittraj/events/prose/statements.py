"""Reads the choice that one sentence states alone: in a form of ``forms.toml``, a table's row, an item."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from gittraj.events.prose.choice import Choice, is_balanced, make_clause
from gittraj.events.prose.claim import Claim, words
from gittraj.events.prose.claims import CONDITIONS
from gittraj.events.prose.doubts import ends_in_doubt
from gittraj.events.prose.markdown import Sentence
from gittraj.events.prose.patterns import FORMS, SENTENCES, Form, fragment, load

_RULES = load("choices")
SIDE_LIMIT = 300
LABEL = re.compile(r"^(?:THOUGHT|[^.;,:]{2,60}?)(?::| [-–—])\s+(?=\S)")
_LEADS = (
    re.compile(r"^(?:(?:I|we) now |(?:now )?uses )", re.I),
    re.compile(
        fragment("BEGIN")
        + r"(?:(?:to|for) [^,]{2,60}?(?:, | (?=I\b)))?"
        + r"(?:(?:my [\w ]{2,40} and (?=I\b))?(?:I|we)(?:'ve|'ll|'m|'re| have| will| am| are| now)*\s+)?"
        + rf"(?:{fragment('TOOK')})\s+",
        re.I,
    ),
    re.compile(
        fragment("BEGIN") + r"(?:(?:I|we)\b|let's\b|\w+ed\b).*?\b(?:to use|by using|using|to mock)\s+", re.I
    ),
    re.compile(r"^[^:`]*\b(?:I|we) [^:`]+: (?=`[^`]+`$)"),
)
"""Introductions that say that what comes next was chosen."""
_RELATIVE = re.compile(r"^which (?:is|are|was|were) ", re.I)


def read_sentence(sentence: Sentence) -> Choice | None:
    """Return the choice that a sentence states alone, or None."""
    if sentence.kind == "row":
        return _read_row(sentence)
    not_own = sentence.spoken or _RULES.find(sentence.text, "ordered", "reported", "cited")
    if sentence.kind == "heading" or not_own:
        return None
    if why := SENTENCES["why_label"].match(sentence.text):
        return make_choice(why, sentence)
    if sentence.kind == "item" and _says(sentence, "withheld"):
        return _read_withheld(sentence)
    decided = _says(sentence, "decided")
    return None if _waits(sentence, decided=decided) else _read_forms(sentence, decided=decided)


def _read_withheld(sentence: Sentence) -> Choice | None:
    """Read an item in a list of what was left undone on purpose."""
    withheld = SENTENCES["withheld"].match(sentence.text.rstrip("."))
    weighs = _RULES.find(sentence.text, "taken_item")
    return make_choice(withheld, sentence) if withheld and not weighs else None


def _says(sentence: Sentence, rule: str) -> bool:
    """Whether the rule matches the heading or line above a sentence, or its label."""
    return any(_RULES.find(text, rule) for text in (sentence.section, sentence.lead, sentence.label))


def _waits(sentence: Sentence, *, decided: bool) -> bool:
    """Whether a sentence offers, reports or takes back something, rather than decides it."""
    text = sentence.text.rstrip(".")
    label = LABEL.match(sentence.text)
    if _RULES.find(text, "undone", "no_claim", "questioned") or _RULES.find(sentence.lead, "says"):
        return True
    if label and _RULES.find(label[0].rstrip(" :-–—"), "says", "label_no"):
        return True
    listed = sentence.kind == "item" and _RULES.find(sentence.above, "offered")
    offered = listed or _RULES.find(sentence.label, "offered")
    return not decided and (offered or (sentence.asks and not _RULES.begins(sentence.text, "done")))


def _read_forms(sentence: Sentence, *, decided: bool) -> Choice | None:
    """Return the choice by the first form that the sentence, or a clause of it, matches, and whose condition
    it meets; None, too, if the sentence only describes something."""
    for match, form in _find_forms(sentence):
        claim = Claim(match, sentence, decided)
        if claim.is_description:
            return None
        if not _is_quoted(match, sentence) and CONDITIONS[form.needs](claim):
            choice = make_choice(match, sentence)
            is_label = choice.chosen and choice.chosen in (sentence.restore(sentence.label), *choice.rejected)
            return None if is_label or len(choice.chosen) > SIDE_LIMIT else choice
    return None


def _find_forms(sentence: Sentence) -> Iterator[tuple[re.Match[str], Form]]:
    """Yield the matches of all forms; the whole text is not searched if it objects to something."""
    objected = find_objection(sentence)
    bodies = _bodies(sentence.text.rstrip("."))
    for text in takewhile(lambda text: not objected or text != objected.string, bodies):
        matches = ((form.pattern.search(text), form) for form in FORMS.values())
        yield from ((match, form) for match, form in matches if match)


def _bodies(text: str) -> Iterator[str]:
    """Yield the texts to search: a last clause with I or we, unless it is within quotation marks; the text
    after a label (``Storage: files, not rows``); the whole text."""
    clause = re.search(r"(?:; |\s[–—-] |, so |: )((?:I|we)\b(?! \w+ (?:it|that|this)\b).+)$", text)
    if clause and not _opens_quote(text[: clause.start()]):
        yield clause[1]
    if (label := LABEL.match(text)) and is_balanced(label[0]):
        yield text[label.end() :]
    yield text


def _is_quoted(match: re.Match[str], sentence: Sentence) -> bool:
    """Whether the contrast is within quotation marks, or is between quotations or numbers."""
    groups = match.groupdict("")
    sides = [re.sub("\x00\\d+\x00", "code", groups.get(name, "")) for name in ("chosen", "other")]
    numbers = all(_RULES.find(side, "figure") for side in sides)
    measured = numbers and not SENTENCES["figure"].match(match.string)
    if re.match(r"\W*[\"“]", sides[1]) or (measured and match.re is not FORMS["would"].pattern):
        return True
    at = match.start("other") if groups.get("other") else match.start()
    clause, before = match.string[:at], sentence.text.rstrip(".").removesuffix(match.string)
    return any(_opens_quote(text) for text in (clause, before + clause))


def _opens_quote(text: str) -> bool:
    return len(re.findall(r"[\"“”]", text)) % 2 == 1


def _read_row(sentence: Sentence) -> Choice | None:
    """Read a row of a table whose heads say what was chosen and what was not."""
    heads = dict(zip(sentence.columns, sentence.cells, strict=False))

    def cells(rule: str) -> Iterator[str]:
        return (cell for head, cell in heads.items() if _RULES.find(head, rule))

    taken = next(cells("taken"), "")
    other = next((cell for cell in cells("not_taken") if cell != taken), "")
    why = next(cells("because"), None)
    unclear = _RULES.begins(why or "", "not_chosen")
    return Choice(taken, (other,), why, sentence.quote) if taken and other and not unclear else None


def _read_group(match: re.Match[str], sentence: Sentence, name: str) -> str:
    """Return the text of the first group of this name, with or without a number, that matched something."""
    groups = (text for key, text in match.groupdict("").items() if key.rstrip("0123456789") == name)
    text = next(filter(None, groups), "").strip(" ,.;:")
    balanced = text.count("(") == text.count(")")
    return sentence.restore(text if balanced else text.strip(" ,.;:()"))


def make_choice(match: re.Match[str], sentence: Sentence) -> Choice:
    """Return the choice whose sides and reason are the groups of the ``match``."""
    chosen, other = _read_sides(match, sentence)
    why = _RULES["next_deed"].sub(r"\1", _RELATIVE.sub("", _read_group(match, sentence, "why")))
    if ends_in_doubt(why):
        why = why.partition("; ")[0]
    between = _between(match)
    is_state = ";" in between and " " not in why  # ``Raised instead of defaulted; uncommitted``
    objection = make_clause(why, other, between) if why and not is_state else None
    if objection and objection == why and (purpose := _find_purpose(match)):
        objection = f"{purpose} {why}"
    chosen, _, cause = chosen.partition(" because ")
    reason = "; ".join(filter(None, (cause, objection))) or None
    return Choice(chosen, tuple(filter(None, [other])), reason, sentence.quote)


def _read_sides(match: re.Match[str], sentence: Sentence) -> tuple[str, str]:
    """Return what was chosen, and what was rejected; either may be empty."""
    chosen, other = _read_group(match, sentence, "chosen"), _read_group(match, sentence, "other")
    one, two = _read_group(match, sentence, "one"), _read_group(match, sentence, "two")
    for lead in _LEADS:
        chosen = lead.sub("", chosen, count=1) or chosen
    other = re.sub(r"^for (?=(?:an?|the)\b)", "", other)  # ``went for X and not for Y``
    if one:
        other = two if words(two).isdisjoint(words(chosen)) else one
    if match.re is SENTENCES["withheld"]:
        chosen = f"not: {other}" if not re.match(r"did|no", other, re.I) else other
    if not chosen and match.re is FORMS["rejected"].pattern:
        chosen = sentence.restore(match.string[: match.start()].strip(" ,.;"))
    return chosen, other


def _between(match: re.Match[str]) -> str:
    """Return the text between the rejected side and the reason; ``-`` if the reason does not follow."""
    spans = {name.rstrip("0123456789"): match.span(name) for name, text in match.groupdict().items() if text}
    other, why = spans.get("other", (0, 0)), spans.get("why", (0, 0))
    if match.groupdict().get("why4") and match.re is FORMS["infix"].pattern:
        return "-"  # ``Using a set instead of a list makes it O(1)``
    return match.string[other[1] : why[0]] if other[1] <= why[0] else "-"


def _find_purpose(match: re.Match[str]) -> str:
    """Return ``so that`` or ``so``, if that is before the reason: a purpose is not a cause."""
    start = min(match.start(name) for name, text in match.groupdict().items() if name[:3] == "why" and text)
    purpose = re.search(r"\bso(?: that)?\s*$", match.string[:start], re.I)
    return purpose[0].strip() if purpose else ""


def find_objection(sentence: Sentence) -> re.Match[str] | None:
    """Match ``I considered a queue, but it needs a server``, which does not say what was chosen."""
    match = SENTENCES["objected"].match(sentence.text.rstrip("."))
    return match if match and not (sentence.spoken or SENTENCES["takes"].search(match["why"])) else None
