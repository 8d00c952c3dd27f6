"""Choices in an agent's prose: what it took, what it did not, and why.

A sentence counts if it sets two things against each other and its author chose between them: by a word of
choice, by what was done to the work, or by the heading above. What describes a fault, restates the request or
waits for an answer does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from gittraj.events.prose.markdown import Sentence, read_sentences
from gittraj.events.prose.patterns import load

_RULES = load("choices")


@dataclass(frozen=True, slots=True)
class Choice:
    """``quote``: the sentence word for word."""

    chosen: str
    rejected: tuple[str, ...]
    reason: str | None
    quote: str


_CONTRAST = r"instead of|rather than|in place of|as opposed to|in preference to|as against|in lieu of"
_REASON = (
    r"(?:\s*(?:[,;:(–—-]|\.\s)*\s*\b(?:because(?: of)?|since|as|so(?: that)?|due to|to avoid|to "
    r"keep|for)\s(?P<why>.+)"
    r"|\s*(?:[:;–—]|\s-\s|\()\s*(?P<why2>.+)|,\s(?P<why3>\w+ .{12,}))?$"
)
_TOOK = (
    r"used|use|using|chose|choose|chosen|picked|pick|went with|going with|go with|opted for|opt "
    r"for|settled on|"
    r"decided on|decided to|prefer(?:red)?|kept|keep|keeping|ended up with|selected|favou?red|"
    r"stuck with|adopted"
)
_DID = (
    r"used|chose|picked|went|opted|settled|decided|preferred|kept|switched|changed|replaced|"
    r"moved|migrated|made|"
    r"set|put|left|added|built|wrote|rewrote|implemented|inlined|extracted|imported|limited|"
    r"marked|typed|deferred|"
    r"updated|refactored|converted|turned|resolved|fixed|mended|dropped|removed|rejected|stored|"
    r"wrapped|reused|"
    r"skipped|split|merged|batched|cached|pinned|renamed|derived|computed|generated|modeled|"
    r"modelled|introduced|"
    r"solved|handled|returned|passed|created|defined|simplified|swapped|ran|stayed|hooked|placed|read|sent"
)
_BEGIN = r"^(?:(?:So|Then|Thus|Therefore|Hence|Here|Finally|Also|For now|Now|In the end|Instead),?\s+)*"

_INFIX = re.compile(rf"^(?P<chosen>.+?)[,;(]?\s*\(?(?:{_CONTRAST})\s+(?P<other>.+?)\)?{_REASON}", re.I)
_PREFIX = re.compile(
    r"^(?:instead of|rather than)\s+(?P<other>[^,]{2,160}),\s+(?P<chosen>.+?)" + _REASON, re.I
)
_OVER = re.compile(r"^(?P<chosen>.+?)\s+over\s+(?P<other>.+?)" + _REASON, re.I)
_BEATS = re.compile(
    r"^(?P<chosen>.+?)\s+(?:beats|won over|wins over|won out over|was (?:chosen|preferred|"
    r"picked|favou?red) (?:over|to)|is "
    r"preferred (?:over|to))\s+(?P<other>.+?)(?:\s+here)?" + _REASON,
    re.I,
)
_NOT = re.compile(
    r"^(?P<chosen>.+?)(?:,\s+(?:and\s+)?(?:not|(?P<no>no|never))|\s+and (?:did|do|does|have|"
    r"has) not|\s+and\s+not|\s*\((?:and )?not|\s+and no longer|"
    r"(?<!is)(?<!are)(?<!was)(?<!be)(?<!just)\s+not(?=\s+\S+:))\s+"
    r"(?P<other>.+?)\)?" + _REASON,
    re.I,
)
_FROM = re.compile(
    r"\b(?:switched|changed|moved|migrated|went|converted|moving|switching|"
    r"migrating)\b.{0,40}?\bfrom\s+(?P<other>.+?)\s+"
    r"(?:to|→|->)\s+(?P<chosen>.+?)" + _REASON,
    re.I,
)
_ARROW = re.compile(
    r"\bchanged\s+(?P<other>\x00\d+\x00)\s+(?:to|→|->)\s+(?P<chosen>\x00\d+\x00)" + _REASON, re.I
)
_NEED = re.compile(
    r"^I need to (?:change|replace)\s+(?P<other>.+?)\s+(?:to|with)\s+(?P<chosen>.+?)[.]?$", re.I
)
_REPLACED = re.compile(
    r"^(?:(?:I|we)(?:'ve| have)?\s+)?(?:replaced|swapped(?: out)?)\s+(?P<other>.+?)\s+(?:with|"
    r"by|for)\s+(?P<chosen>.+?)" + _REASON,
    re.I,
)
_FAVOUR = re.compile(
    r"^(?P<other>.+?)\s+(?:(?:was|were|is|are)\s+)?(?:dropped|rejected|removed|abandoned|"
    r"discarded|ruled out)\s+in\s+favou?r\s+of"
    r"\s+(?P<chosen>.+?)" + _REASON,
    re.I,
)
_REJECTED = re.compile(
    r"(?:^|[;.,]\s+|\bI\s+)(?:(?P<other>[^;,.]{2,80}?)\s+(?:was|were)\s+(?:rejected|ruled out|"
    r"dismissed|discarded|turned down)"
    r"|(?:I|we)(?:'ve| have)?\s+(?:rejected|ruled out|dismissed|decided "
    r"against)\s+(?P<other2>[^;,.]{2,100}?))"
    r"(?:\s+(?:in favou?r of|and)\s+(?P<chosen>[^;,.]{2,120}?))?" + _REASON,
    re.I,
)
_CONSIDERED = re.compile(
    r"\b(?:considered|looked at|tried|evaluated)\s+(?P<other>[^,;]{2,120}?),?\s+but\s+(?:I\s+|"
    r"we\s+)?(?:chose|went with|"
    r"used|picked|settled on|kept|stayed with|opted for)\s+(?P<chosen>.+?)" + _REASON,
    re.I,
)
_VERSUS = re.compile(
    r"^(?P<one>.+?)\s+(?:vs\.?|versus|or)\s+(?P<two>.+?):\s*(?:I\s+|we\s+)?(?:went with|chose|"
    r"picked|took|used|kept)\s+"
    r"(?P<chosen>[^,;.]+)" + _REASON,
    re.I,
)
_GREATER = re.compile(r"^(?P<chosen>[^>]{2,100}?)\s+>\s+(?P<other>[^>:]{2,100}?)" + _REASON)
_BETTER = re.compile(
    r"^(?P<chosen>.+?)\s+(?:is|was|seemed|felt)\s+(?:\w+er|better|more "
    r"\w+)\s+than\s+(?P<other>.+?),?\s*(?P<why>[^;]*);\s+I'll do"
    r"|^It (?:made|makes) more sense to (?P<chosen2>.+?) than to (?P<other2>.+?)[.]?$",
    re.I,
)
_SEMI = re.compile(
    r"^(?P<chosen>[^;]{3,200});\s+(?P<other>.{2,90}?)\s+(?P<why>(?:would(?: have)?|needed|needs|"
    r"was too|were too|has too|had|"
    r"cannot|can't|could not|couldn't|is not|does not|doesn't|did not|didn't|pulled in|breaks?|broke|is too|"
    r"leaves|loses|lost|costs?|requires)\b.+)$",
    re.I,
)
_SAID = re.compile(_BEGIN + rf"(?:(?:I|we)(?:'m|'ve)? (?:{_TOOK}))|.*\bit is$|.*\bnow\b", re.I)
_OPTION = re.compile(
    r"\b(?:let's go with|went with|I(?:'ll| will) go with|chose|picked|going "
    r"with)\s+(?P<chosen>option \w+\b.*)$",
    re.I,
)
_SIDE_LIMIT = 300
_WHY_LABEL = re.compile(
    r"^why (?P<chosen>[^:]{2,80}?) (?:over|and not|instead of|rather than|not) "
    r"(?P<other>[^:]{2,80}?): (?P<why>.+)$",
    re.I,
)
_LABEL = re.compile(r"^(?:THOUGHT|[^.;,:]{2,60}?)(?::| [-–—])\s+(?=\S)")
_CLAUSE = re.compile(
    _BEGIN
    + rf"(?:to [^,]{{2,60}}, )?(?:(?:I|we)(?:'ve|'ll|'m|'re| have| will| am| are| now)*\s+)?(?:{_TOOK})\s+",
    re.I,
)
_PURPOSE = re.compile(r"^(?:(?:I|we)\b|let's\b|\w+ed\b).*?\b(?:to use|by using|using|to mock)\s+", re.I)
_DONE = re.compile(
    r"(?:I|we)(?:'ve| have)? (?:\w+ed|used|chose|kept|went|built|made|put|left|took|wrote)\b", re.I
)


def find_choices(messages: Iterable[str], prompt: str | None = None, *, most: int = 8) -> tuple[Choice, ...]:
    """At most ``most``, in order. ``prompt``: what the user asked for, and the agent did not choose."""
    wishes = _words(prompt or "")
    found: dict[str, Choice] = {}
    for message in messages:
        sentences = read_sentences(message)
        for at, sentence in enumerate(sentences):
            following = sentences[at + 1].text if at + 1 < len(sentences) else ""
            if _RULES["back"].search(following):
                continue
            before = sentences[at - 1] if at else None
            choice = _read_rejected(before, sentence) or _read(sentence)
            if choice and not choice.chosen and before and before.kind != "heading" and _explains(choice):
                choice = replace(choice, chosen=before.restore(before.text))
            if choice and choice.chosen and not _is_wish(choice, wishes):
                found.setdefault(choice.quote, choice)
    return tuple(found.values())[:most]


def _explains(choice: Choice) -> bool:
    return len((choice.reason or "").split()) > 2


def _is_wish(choice: Choice, wishes: frozenset[str]) -> bool:
    """Whether the user named what was chosen."""
    if not wishes:
        return False
    chosen = _words(choice.chosen)
    return not choice.reason and bool(chosen) and len(chosen & wishes) >= 0.6 * len(chosen)


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"[a-z0-9_]{3,}", text.lower()) if word not in _DULL)


_DULL = frozenset(
    re.findall(
        r"\w+",
        "the and for with use using used not from that this into its our your new all was were are class "
        "function file method library make one two test tests code",
    )
)


def _read_rejected(before: Sentence | None, sentence: Sentence) -> Choice | None:
    """``Alternative rejected: pages, which shift``: what was chosen is in the sentence before."""
    if before is None or before.kind == "heading" or not _RULES["alternative"].search(sentence.label):
        return None
    label = _LABEL.match(sentence.text)
    other, _, why = sentence.text[label.end() if label else 0 :].partition(" — ")
    return Choice(before.restore(before.text), (sentence.restore(other),), why or None, sentence.quote)


def _read(sentence: Sentence) -> Choice | None:
    if sentence.kind == "row":
        return _read_row(sentence)
    if sentence.kind == "heading" or sentence.spoken or _RULES["ordered"].search(sentence.text):
        return None
    decided = bool(
        _RULES["decided"].search(sentence.section)
        or _RULES["decided"].search(sentence.lead)
        or _RULES["decided"].search(sentence.label)
    )
    if why := _WHY_LABEL.match(sentence.text):
        return _choice(why, sentence)
    if _waits(sentence, decided=decided) or _RULES["no_deed"].match(next(_bodies(sentence.text))):
        return None
    for text in _bodies(sentence.text.rstrip(".")):
        for pattern, needs in _FORMS:
            match = pattern.search(text)
            if match and not _is_quoted(match) and needs(match, sentence, decided=decided):
                choice = _choice(match, sentence)
                return choice if len(choice.chosen) <= _SIDE_LIMIT else None
    return None


def _waits(sentence: Sentence, *, decided: bool) -> bool:
    """Whether it is offered, reported or taken back."""
    if (
        _RULES["undone"].search(sentence.text.rstrip("."))
        or _RULES["says"].search(sentence.lead)
        or _RULES["says"].search(_label(sentence))
    ):
        return True
    if sentence.kind == "item" and _RULES["offered"].search(sentence.lead):
        return True
    return sentence.asks and not decided and not _DONE.match(sentence.text)


def _label(sentence: Sentence) -> str:
    label = _LABEL.match(sentence.text)
    return label[0].rstrip(" :-–—") if label else ""


def _bodies(text: str) -> Iterator[str]:
    """Behind a label, as in ``Storage: files, not rows``; then with it."""
    if label := _LABEL.match(text):
        yield text[label.end() :]
    yield text


def _is_quoted(match: re.Match[str]) -> bool:
    """Whether the contrast stands within quotation marks, or is one of texts or of figures."""
    groups = match.groupdict()
    sides = [re.sub("\x00\\d+\x00", "code", groups.get(name) or "") for name in ("chosen", "other")]
    if re.match(r"\W*[\"“]", sides[1]) or all(re.search(r"(?<!\w)\d", side) for side in sides):
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
        return sentence.restore(next((groups[n] for n in names if groups.get(n)), "").strip(" ,.;:()"))

    chosen, other = _trim(part("chosen", "chosen2")), part("other", "other2")
    if groups.get("one"):
        other = part("two") if _words(part("two")).isdisjoint(_words(chosen)) else part("one")
    if not chosen and match.re is _REJECTED:
        chosen = sentence.restore(match.string[: match.start()].strip(" ,.;"))
    why = part("why", "why2", "why3") or None
    return Choice(chosen, (other,) if other else (), why, sentence.quote)


def _trim(chosen: str) -> str:
    """Without the clause that says that it was chosen."""
    for clause in (_CLAUSE, _PURPOSE):
        rest = clause.sub("", chosen, count=1)
        chosen = rest or chosen
    return chosen


def _before(match: re.Match[str]) -> str:
    """The sentence up to what was not taken: a reason behind it may speak of anything."""
    for name in ("other", "other2", "two"):
        if match.groupdict().get(name):
            return match.string[: match.end(name)]
    return match.string


def _is_open(match: re.Match[str]) -> bool:
    if _RULES["open"].search(_before(match)) or match.string.rstrip().endswith("?"):
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
    if _RULES["fault"].search(before) and not re.match(
        _BEGIN + r"(?:(?:I|we)\b|fixed|resolved)", match.string, re.I
    ):
        return False
    return not (_RULES["no_deed"].match(match.string) or _describes(before))


def _reasoned(match: re.Match[str]) -> bool:
    groups = match.groupdict()
    return any(groups.get(name) for name in ("why", "why2", "why3"))


def _describes(text: str) -> bool:
    return re.search(r"\b(?:you|your|they|their|user|users)\b", text, re.I) is not None


def _worded(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    """``over`` means a choice only beside a word of choice, or where choices are listed."""
    said = re.search(rf"\b(?:{_TOOK})\b(?! up\b)", match["chosen"], re.I) is not None
    if not (_reasoned(match) or decided) and (
        _RULES["span"].match(match["other"]) or re.search(r"\bus(?:e|ed|ing)\b", match["chosen"])
    ):
        return False
    nominal = sentence.kind == "item" and _reasoned(match)
    return (decided or said or nominal) and _own(match, sentence, decided=decided or nominal)


def _denied(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    """``not`` sets two things against each other if what follows is short, or there is a reason."""
    if match["no"] and not (decided or _reasoned(match)):
        return False
    if re.search(r"\b(?:is|are|was|were|be|been|just|why|if|or|but|though|although)$", match["chosen"], re.I):
        return False
    short = len(match["other"].split()) <= 8
    return short and _own(match, sentence, decided=decided or _labelled(match, sentence))


def _labelled(match: re.Match[str], sentence: Sentence) -> bool:
    return match.string != sentence.text.rstrip(".") and len(match.string) < 120


def _stated(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    """The words themselves are those of a choice."""
    if _RULES["no_deed"].match(match.string) or _is_open(match):
        return False
    return decided or not _RULES["fault"].search(_before(match))


def _semi(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    """``X; Y would have ...`` if X is a choice, or speaks of the same thing."""
    stated = _SAID.match(match["chosen"]) is not None
    same = bool(_words(match["chosen"]) & _words(match["other"]))
    return (decided or stated or same) and not _RULES["open"].search(match["chosen"])


def _wherever(match: re.Match[str], sentence: Sentence, *, decided: bool) -> bool:
    return not sentence.asks


_FORMS = (
    (_CONSIDERED, _wherever),
    (_VERSUS, _wherever),
    (_BETTER, _wherever),
    (_FAVOUR, _stated),
    (_BEATS, _stated),
    (_NEED, _wherever),
    (_REPLACED, _stated),
    (_FROM, _stated),
    (_ARROW, _wherever),
    (_PREFIX, _own),
    (_INFIX, _own),
    (_REJECTED, _stated),
    (_OVER, _worded),
    (_OPTION, _wherever),
    (_GREATER, _worded),
    (_NOT, _denied),
    (_SEMI, _semi),
)
