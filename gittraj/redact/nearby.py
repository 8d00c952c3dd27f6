"""Finds secrets that prose, chats, prompts, comments or arguments mention.

Each name of a secret (``cues``) announces words: on its line, after and before it, and on the line below. How much
a word's form must prove (``decide``) depends on its distance from the name, on the words that link the two, and on the
name's grade. A word that has its own name (``id: …``) belongs to that name. A word directly after an ``=`` or
a ``:`` was read by ``assignments``, so it isn't read again.
"""

from __future__ import annotations

from .cues import LOGIN, cue_at, is_count
from .decide import Proposals, Reader
from .heard import REACH, Cue, Heard, candidate_in, has_other_owner, has_other_owner_before, heard, trimmed
from .load import patterns
from .names import Grade, kind
from .page import Page
from .proof import Proof

_RE = patterns("talk")
_FEW, _MANY = 5, 14  # words between the name and the value


def nearby(page: Page) -> Proposals:
    """The possible secrets near a secret's name on the page."""
    done = 0
    for hit in page.hits:
        if hit[0] < done:
            continue
        page.tick()
        start, end, level = cue_at(page, hit)
        cut = page.text[end - 1 : end + 1]  # both are letters or digits: the name ends within a word
        if level is Grade.NONE or (len(cut) == 2 and cut.isascii() and cut.isalnum()):
            continue
        done = end
        cue = Cue(start, end, level, kind(page.text[start:end]), page.lower[start:end] in LOGIN)
        for propose in (_answered, _after, _before, _below):
            yield from propose(page, cue)


def _answered(page: Page, cue: Cue) -> Proposals:
    """The answer at a prompt, whatever it looks like: it ends the line."""
    answer = _RE.answered.match(page.lower, cue.end) if cue.level is Grade.STRONG and not cue.login else None
    if not answer:
        return
    at, to = trimmed(page.text, *answer.span("v"))
    value = page.text[at:to]
    if not _RE.of_code.search(value) and not (value.isdigit() and is_count(page, at)):
        yield cue.candidate(at, to, "phrase | line", said=True)  # ``said``: it can only be a secret


def _after(page: Page, cue: Cue) -> Proposals:
    text = page.text
    for word in heard(page, cue):
        if word.words > _MANY or _RE.about.search(page.lower, cue.end, word.start):
            return
        if _RE.code_number.fullmatch(word.value) and _RE.coded.search(
            page.lower, max(0, cue.end - 40), cue.end
        ):
            if word.linked:
                yield cue.candidate(word.start, word.end, "any", said=True)
            return
        if has_other_owner(page, cue, word):
            continue
        said = _is_said_number(page, cue, word)
        need = _need(text[cue.end : word.start], word.words, cue.level, linked=word.linked)
        if (yield cue.candidate(word.start, word.end, "any" if said else need, said=said)):
            if other := _RE.other.match(text, word.end):
                yield cue.candidate(*trimmed(text, *other.span("v")), Proof.SLIGHT, said=said)
            return


def _is_said_number(page: Page, cue: Cue, word: Heard) -> bool:
    """Whether the word is a number directly after a name, such as a PIN."""
    if cue.level is not Grade.STRONG or word.words or page.text[cue.end : word.start].strip("\"'`*„“ "):
        return False
    pin = page.lower.endswith((" pin", " puk", "passcode", " tan", " otp"), 0, cue.end)
    return _RE.number.fullmatch(word.value) is not None or (
        pin and _RE.pin.match(page.text, cue.end, word.end + 2) is not None
    )


def _before(page: Page, cue: Cue) -> Proposals:
    text, start = page.text, cue.start
    line = max(text.rfind("\n", 0, start) + 1, start - REACH)
    if line == start - REACH and (line := text.find(" ", line, start)) < 0:
        return
    for word in _RE.word.finditer(text, line, start):
        lead, value, found = candidate_in(word[0])
        if not found:
            continue
        at = word.start() + lead
        to = at + len(value)
        gap = text[to:start]
        words = len(_RE.words.findall(gap))
        if words > _FEW or has_other_owner_before(page, (line, at, to), gap):
            continue
        if value.isdigit():
            if _RE.number.fullmatch(value) and cue.level is Grade.STRONG and _RE.said_as.match(gap):
                yield cue.candidate(at, to, "any", said=True)
        elif need := _need_before(gap, words, cue.level, found):
            yield cue.candidate(at, to, need, said=_RE.comments.match(gap) is not None)


def _need_before(gap: str, words: int, level: Grade, found: Proof) -> Proof | None:
    """How much the form of a word before the name must prove; None if its form is not enough there."""
    linked = _RE.after_link.match(gap) is not None
    if not linked and found in (Proof.SLIGHT, Proof.GOOD):
        return None
    least = _need(gap, words, level, linked=linked, first=linked) + (words > 2 and not _RE.says.match(gap))
    return Proof(least) if least <= max(Proof) else None


def _below(page: Page, cue: Cue) -> Proposals:
    """The secret in the line below: alone, as an answer, or as input from a script."""
    text, end = page.text, cue.end
    stop = text.find("\n", end, end + REACH)
    following = _RE.next.match(text, stop - (text[stop - 1] == "\r")) if stop >= 0 else None
    if not following or _RE.about.search(page.lower, end, stop) or _RE.about.search(following["who"].lower()):
        return
    at, to = trimmed(text, *following.span("v"))
    least, value = Proof.GOOD, text[at:to]
    if _is_asked(text, end, stop):
        if cue.level is Grade.STRONG:
            least = Proof.SLIGHT if "-" in value else Proof.FAIR
    elif following["who"] or following["types"]:
        return
    if not _RE.code.search(value):
        yield cue.candidate(at, to, least)


def _is_asked(text: str, end: int, stop: int) -> bool:
    """Whether the line of the name, which ends at ``end``, asks for the value on the next line."""
    return (
        _RE.prompts.search(text, end, stop) is not None
        or _RE.printed.match(text, end, stop) is not None
        or (end >= stop - 1 and _RE.shell.match(text, text.rfind("\n", 0, end) + 1) is not None)
    )


def _need(gap: str, words: int, level: Grade, *, linked: bool, first: bool = False) -> Proof:
    """How much a value's form must prove at this distance."""
    within = gap.replace("=", "", 1).replace("(", "", 1) if first else gap
    code = _RE.code.search(within.strip("\"'`() ")) is not None
    far = (
        code
        or gap == ", "
        or words > (2 * _FEW if linked else _FEW)
        or _RE.sentence_end.search(gap) is not None
    )
    if level is Grade.STRONG:
        return Proof.SURE if far else Proof.SLIGHT if linked else Proof.FAIR
    return Proof.CERTAIN if far else Proof.GOOD if linked or words < 2 else Proof.SURE


NEARBY = Reader(id="nearby", kind="password", find=nearby)
