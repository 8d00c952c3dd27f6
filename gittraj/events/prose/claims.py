"""Whether a sentence that sets two things against each other is a choice of its author.

Each form of :mod:`.contrasts` has a condition on what else the sentence must say, or must not.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from gittraj.events.prose import contrasts, objections
from gittraj.events.prose.markdown import Sentence
from gittraj.events.prose.patterns import load

_RULES = load("choices")
_PASSIVE = re.compile(
    r"\b(?:is|are|gets?) (?:\w+ed|read|kept|built|written|set|sent) (?:from|in|by|to|with|at|as|on|per)\b",
    re.I,
)
CLAUSE = re.compile(r"\b(?:but|that|which|who|when|after|because|now)\b|\)", re.I)
_LOSS = re.compile(r"(?:would|could|might) (?:be |get )?(?:lost|ignored|missed|dropped|wrong)\b", re.I)
_SIDES = (("other", "other2", "one"), ("chosen", "chosen2"))
_HABIT = re.compile(
    r"\b(?:prefer|favou?r)s\b|\b(?:is|are) (?:\w+ )?(?:prefer|favou?r)|^(?!I\b|we\b)\w+ prefer\b", re.I
)
"""What a program or the world prefers."""
_WAS_AT = re.compile(r"\b(?:was|were) (?:\w+ly )?\w+ing\b", re.I)
"""How it was before."""
_OWN_DEED = re.compile(contrasts.BEGIN + rf"(?:(?:I|we)\b|fixed|resolved|{contrasts.TOOK})", re.I)


def words(text: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"[a-z0-9_]{3,}", text.lower()) if word not in _DULL)


_DULL = frozenset(
    re.findall(
        r"\w+",
        "the and for with use using used not from that this into its our your new all was were are class "
        "function file method library make one two test tests code",
    )
)


def _before(match: re.Match[str]) -> str:
    """The sentence up to what was not taken: a reason behind it may speak of anything."""
    for name in ("other", "other2", "two"):
        if match.groupdict().get(name):
            return match.string[: match.end(name)]
    return match.string


def _is_open(match: re.Match[str]) -> bool:
    before = _before(match)
    if _reasoned(match):
        before = re.sub(r"^(?:I|we) prefer\b", "", before, flags=re.I)
    if _RULES["open"].search(before) or match.string.rstrip().endswith("?"):
        return True
    return _RULES["denied"].search(match.groupdict().get("chosen") or "") is not None


def _own(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    """A choice of the author: it says so, or stands where choices are listed."""
    before = _before(match)
    if _RULES["no_side"].match(match.groupdict().get("other") or "") or _is_open(match):
        return False
    if _RULES["talk"].search(before) and not decided:
        return False
    if decided:
        return True
    if _WAS_AT.search(match["chosen"]):
        return False
    own = _OWN_DEED.match(match.string) is not None or _RULES["changed"].search(before) is not None
    if (_RULES["fault"].search(before) and not own) or (
        _RULES["symptom"].search(match["chosen"]) and not (own or _reasoned(match))
    ):
        return False
    return not (is_description(match) or _describes(before))


def _reasoned(match: re.Match[str]) -> bool:
    groups = match.groupdict()
    return any(text for name, text in groups.items() if name[:3] == "why")


def is_description(match: re.Match[str]) -> bool:
    """Whether it begins like one: what ``the parser`` does, with its grounds, is how it was made."""
    if match.string.startswith(("The ", "It ")) and match.groupdict().get("why"):
        return False
    return _RULES["no_deed"].match(match.string) is not None


def _describes(text: str) -> bool:
    return re.search(r"\b(?:you|your|they)\b|\busers? (?:can|could|may|see|want|get)", text, re.I) is not None


def _worded(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    """``over`` means a choice only beside a word of choice, or where choices are listed."""
    said = re.search(rf"\b(?:{contrasts.TOOK})\b(?! up\b)", match["chosen"], re.I) is not None
    spans = _RULES["span"].match(match["other"])
    used = spans or re.search(r"\bus(?:e|ed|ing)\b", match["chosen"])
    if _HABIT.search(match["chosen"]):
        return False
    if not decided and ((spans and not said) or (used and not _reasoned(match))):
        return False
    named = sentence.kind == "item" or " over " in sentence.label
    brief = (
        _reasoned(match) and len(match["chosen"].split()) <= 5 and not _RULES["span"].match(match["other"])
    )
    nominal = (named and _reasoned(match)) or brief
    return (decided or said or nominal) and _own(match, sentence, decided=decided or nominal)


def _is_parallel(match: re.Match[str]) -> bool:
    """``at the edge, not inside the core``; ``are returned, never thrown across it``."""
    place = r"(?:in|inside|within|on|at|by|per|for|from|with|to|as|under|before|after) "
    done = r"\w+(?:ed|en|wn|pt|lt|nt) "
    return any(
        re.match(other, match["other"]) and re.search(chosen, match["chosen"])
        for other, chosen in (
            (place, f" {place}"),
            (rf"{done}(?:across|into|{place})", rf"\b(?:is|are) (?:\w+ )?{done.rstrip()}"),
        )
    )


def _denied(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    """``not`` sets two things against each other if what follows is short, or there is a reason."""
    link = match.string[match.end("chosen") :].lstrip()
    if re.match(r"not \w+ing\b", link, re.I):
        return False  # ``Services not running: ...``
    weak = match["no"] or link.startswith("(")
    if weak and not (decided or _reasoned(match) or _is_parallel(match)):
        return False
    if re.match(r"no\b", match["chosen"], re.I) or re.search(
        r"\b(?:issue|problem|bug|error)\b", match["other"], re.I
    ):
        return False
    if re.search(r"\b(?:tried|tested|verified|checked)\b|^(?:fine|good)\b", match["chosen"], re.I):
        return False
    if re.search(r"\b(?:is|are|was|were|be|been|just|why|if|or|but|though|although)$", match["chosen"], re.I):
        return False
    passive = _PASSIVE.search(match["chosen"]) and (_reasoned(match) or "(" in match.string)
    passive = passive or _is_parallel(match)
    led = passive or re.match(r"(?:because|since|as|for) [^,]+, ", match.string, re.I)
    reasoned = match["why"] if _RULES["tells"].search(match["chosen"]) else _reasoned(match)
    if not (decided or led or reasoned) and _RULES["states"].search(match["chosen"]):
        return False
    state = re.fullmatch(r"(?:\w+ed|through)\b.*", match["other"], re.I) is not None and not _reasoned(match)
    state = state and not led
    short = len(match["other"].split()) <= 8 and re.match(r"[\w\x00]", match["other"]) is not None
    return short and not state and _own(match, sentence, decided=decided)


def _stated(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    """The words themselves are those of a choice."""
    if is_description(match) or _is_open(match):
        return False
    if (
        re.match(r"(?:it|them|this|that|these|those)$", _group(match, *_SIDES[0]))
        or "to also" in match.string
    ):
        return False
    return decided or not _RULES["fault"].search(_before(match))


def _semi(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    """``X; Y would have ...`` if X is a choice, or speaks of the same thing."""
    stated = contrasts.SAID.match(match["chosen"]) is not None
    same = bool(words(match["chosen"]) & words(match["other"]))
    return (decided or stated or same) and not _RULES["open"].search(match["chosen"])


def _of_two(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    """What was taken is one of the two: ``a vs b → they agree`` tells what was found."""
    sides = (match[name] or "" for name in ("one", "two", "two2"))
    chosen = words(sentence.restore(match["chosen"]))
    return not sentence.asks and any(chosen & words(sentence.restore(side)) for side in sides)


def _wherever(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    return not sentence.asks


def _weighed(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    """``I considered X, but Y``: Y was taken if it says so, else it is what spoke against X."""
    return not sentence.asks and objections.TAKES.search(match["chosen"]) is not None


def _is_no_choice(chosen: str) -> bool:
    return any(_RULES[rule].search(chosen) for rule in ("open", "denied", "fault", "untried", "talk"))


def _group(match: re.Match[str], *names: str) -> str:
    """The first of the groups that matched something; empty where none did, or the form has none of them."""
    groups = match.groupdict()
    return next((groups[name] for name in names if groups.get(name)), "")


def _grounded(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    """A word of choice with a reason: the other way is what would have been done without it."""
    if not any(len(text.split()) > 1 for name, text in match.groupdict("").items() if name[:3] == "why"):
        return False
    if _is_no_choice(_group(match, *_SIDES[1])):
        return False
    return not (sentence.asks and not decided) and not _describes(match.string)


def _left(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    if _RULES["later"].search(match.string):
        return False
    why = match.groupdict().get("why") or re.search(r"\b(?:alone|as is|untouched|in place)$", match["chosen"])
    why = why or re.search(
        r"\b(?:breaks?|would|needs?|requires?|\w+n't|touch\w*)\b", match["why2"] or "", re.I
    )
    return bool(why) and _grounded(match, sentence, decided=decided)


def _against(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    """Something was done or is so now, and what follows speaks against another way."""
    chosen = match["chosen"]
    if _is_no_choice(chosen) or _describes(match.string) or _RULES["no_deed"].match(chosen):
        return False
    other, other2, why = (_group(match, name) for name in ("other", "other2", "why"))
    if CLAUSE.search(other or other2) or _LOSS.match(why):
        return False
    if other2 and words(other2).isdisjoint(words(sentence.restore(chosen))):
        return False
    would = re.match(r"(?:would|could)", why, re.I) is not None
    placed = re.match(r"(?:in|at|on|for|during|with|when|under|after|before) [^,]+$", chosen, re.I)
    named = (re.match(r"would have\b", why, re.I) and not placed) or (
        would and (bool(sentence.label) or re.match(r"\w+ing\b", other) is not None)
    )
    return decided or named or (contrasts.SAID.match(chosen) or contrasts.DONE.search(chosen)) is not None


def _not_done(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    if _RULES["undone_work"].search(match["other"]) or _describes(match.string):
        return False
    why = match.groupdict().get("why") or ""
    return (_reasoned(match) and len(why.split()) != 3) or match.groupdict().get("chosen2") is not None


def _on_purpose(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    chosen = match["chosen"]
    reasoned = match["why"] or (match["why2"] and ":" in match.string)
    return bool(reasoned) and not (
        _RULES["open"].search(chosen) or _RULES["fault"].search(chosen) or sentence.asks
    )


def _unfit(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    """A comparison counts for what was done, or in a list."""
    compared = match["chosen6"]
    if _describes(match.string) or _RULES["fault"].search(match["chosen5"] or ""):
        return False
    return compared is None or sentence.kind == "item" or contrasts.DONE.match(compared) is not None


def _no_need(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    other, chosen = (_group(match, *names) for names in _SIDES)
    return (
        len(other.split()) < 5
        and not _RULES["undone_work"].search(other)
        and not _RULES["open"].search(chosen)
    )


FORMS: tuple[tuple[re.Pattern[str], Callable[..., bool]], ...] = (
    (contrasts.CONSIDERED, _wherever),
    (contrasts.WEIGHED, _weighed),
    (objections.FIRST, _wherever),
    (contrasts.UNFIT, _unfit),
    (contrasts.NOT_DONE, _not_done),
    (contrasts.VERSUS, _of_two),
    (contrasts.BETTER, _wherever),
    (contrasts.DROPPED, _stated),
    (contrasts.PREFERRED, _stated),
    (contrasts.BEATS, _stated),
    (contrasts.NEED, _wherever),
    (contrasts.REPLACED, _stated),
    (contrasts.PASSIVE, _stated),
    (contrasts.FROM, _stated),
    (contrasts.ARROW, _wherever),
    (contrasts.PREFIX, _own),
    (contrasts.INFIX, _own),
    (contrasts.REJECTED, _stated),
    (contrasts.OVER, _worded),
    (contrasts.GREATER, _worded),
    (contrasts.NOT, _denied),
    (contrasts.SEMI, _semi),
    (objections.AGAINST, _against),
    (objections.RATHER, _wherever),
    (contrasts.PICKED, _grounded),
    (contrasts.LEFT, _left),
    (contrasts.BEST, _grounded),
    (contrasts.AVOIDS, _stated),
    (contrasts.NEITHER, _no_need),
    (contrasts.ON_PURPOSE, _on_purpose),
)
