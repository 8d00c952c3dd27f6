"""Talk of secrets: prose, chats, prompts, comments, arguments.

Each name of a secret (``cues``) announces words: on its line, after and before it, and on the line below. How much
a word's form must prove (``decide``) depends on its distance from the name, on the words that link the two, and on the
name's grade. A word that has a name of its own (``id: …``) belongs to that one. A word directly after an ``=`` or a
``:`` was read by ``assignments``, so it isn't read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .cues import LOGIN, cue_at, is_count
from .decide import Candidate, Proposals
from .lazy import lazy
from .load import form, words
from .made import is_worded
from .names import Grade, grade, kind
from .page import Page
from .proof import Proof, proof
from .rules import Reader

NEAR, SAID = "nearby", "nearby-said"  # the second where the value can only be a secret
_REACH = 130  # characters between a name and a value
_FEW, _MANY = 5, 14  # words between them
_EDGE = "\"'`()[]{}<>*_,.;:!?„“”«»。、，│|"
_WORD = lazy(r"\"[^\"\n]{5,120}\"|'[^'\n]{5,120}'|`[^`\n]{5,120}`|[^\s\"'`<>]{4,160}+")
_ABOUT = form("about")
_OWNED = form("owned")
_NEUTRAL = frozenset(words("words", "neutral"))
_LINKED = form("linked")
_AFTER_LINK = form("after_link")
_SAYS = lazy(r"[\"'`*]{0,3}[ ]?(?:=|as[ ]|als[ ]|como[ ]|comme[ ]|come[ ]|#|//|<-|←|--|\()")
_OTHER = lazy(r"[\"'`*]{0,3}[ ](?:to|→|->|=>|and|or|und|y|et|e|auf|zu|in|bzw[.])[ ](?P<v>[^\s]{5,80})")
_COMMENTS = lazy(r"[\"'`,;)]{0,3}[ \t]{0,40}(?:#|//|<-|←|--)")
_SENTENCE_END = lazy(r"[.!?;][ \"')]{1,3}(?=[A-ZÀ-Ý#-])|[{}]|\n")
_CODE = lazy(r"[=(){};]|->|=>|::")
_PROMPTS = lazy(r"[:?›>»：…][ \t\"'`)\];]{0,5}\r?$")
_PRINTED = lazy(r"[\w.-]{0,20}[}'\")\]]{1,4}(?:[ ]?\|[ ]?[^\n]{1,40})?\r?$")
_NEXT = lazy(
    r"""\r?\n(?:[ \t]*\r?\n)?(?:[ \t>]*```\w*\r?\n)?[ \t><$│|*+-]{0,12}(?:\d{1,6}[→:\t|][ \t]*)?
        (?:\#\#\[\w{3,10}\][ ]?)?(?:=>[ ])?(?P<who>(?:\[[^\]\n]{3,40}\][ ]?)?(?:[\w.@ -]{1,30}:[ ])?(?:[\w']{1,12}[,:]?[ ]){0,2})
        (?P<types>[\w.]{0,30}(?:send|type|write|put|fill|enter|answer|input|keys)\w{0,12}[ (]{1,2}(?=["']))?
        ["'`*]{0,3}(?P<v>[^\s]{4,200})[ \t│|;)\]"'}]{0,80}(?=\r?\n|$)""",
    re.VERBOSE,
)
_NUMBERED = lazy(r"[a-z]{3,12}_?\d{1,3}(?:=|(?=[\"']?:[ ]))")  # the name of a text: label24: …
_HOST = lazy(r"[a-z]{2,12}-?\d{2,3}")  # as people number their machines
_GOES_ON = lazy(r"\(|\[|[.]{3}|…|\.\w")  # what isn't a whole word, or is called
_CODED = form("coded")
_ENTERS = lazy(r"\b(?:log|sign)(?:ged|ging|ed|ing)?[ ]?in$")  # a user's name follows
_PIN = lazy(r"[ ]\d{4,8}(?:[,;.)]|\s*$|\s?\n)")
_ASKED = lazy(r"[A-Za-z]+(?:[-_.][a-z]+)*[-_.]?\d{1,2}\?")  # a host: "Which password has db-2?"
_NUMBER = lazy(r"\d{7,12}")
_AS = lazy(r"[\"'`*]{0,3} (?:as|als|como|comme|come|jako|som|как|як) (?:\w{1,8} ){0,2}$")
_SAYS_ON = lazy(r" [^\W\d_]")
_KEYS = lazy(r"\{\w{2,12}\}[\"']?$")
_PAIR = lazy(r"(?!no:)[\w.@+-]{2,40}[:/]((?!\d+$)[^:/\s]{5,80})")
_WORDS = lazy(r"\w+")
_ASSIGNS = lazy(r"[:=(,]")
_SYMBOL = lazy(r":[a-z]+(?:_[a-z0-9]+)+[?,)\]]*")

_ANSWERED = form("answered")


@dataclass(frozen=True, slots=True)
class _Cue:
    """A name in a sentence, and its grade. ``login``: it may be that of a user and a password."""

    start: int
    end: int
    level: Grade
    kind: str
    login: bool

    def candidate(self, start: int, end: int, accept: str | Proof, *, said: bool = False) -> Candidate:
        """``said``: the value can only be a secret."""
        judges = accept if isinstance(accept, str) else accept.name.lower()
        return Candidate(start, end, SAID if said else NEAR, self.kind, accept=judges, grade=self.level)


@dataclass(frozen=True, slots=True)
class _Heard:
    """A word after a name: what its form proves, and how many ``words`` are between. ``linked``: an "is" or
    the like links it to the name. ``pair``: it was written as ``user:password``."""

    start: int
    end: int
    value: str
    found: Proof
    words: int
    linked: bool
    pair: bool


def nearby(page: Page) -> Proposals:
    """What is near a secret's name on the page."""
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
        cue = _Cue(start, end, level, kind(page.text[start:end]), page.lower[start:end] in LOGIN)
        for propose in (_answered, _after, _before, _below):
            yield from propose(page, cue)


def _answered(page: Page, cue: _Cue) -> Proposals:
    """The answer at a prompt, whatever it looks like: it ends the line."""
    answer = _ANSWERED.match(page.lower, cue.end) if cue.level is Grade.STRONG and not cue.login else None
    if not answer:
        return
    at, to = _trimmed(page.text, *answer.span("v"))
    value = page.text[at:to]
    if not _OF_CODE.search(value) and not (value.isdigit() and is_count(page, at)):
        yield cue.candidate(at, to, "phrase | line", said=True)


_OF_CODE = lazy(r"\w[(<]|[{}=]|,$")


def _after(page: Page, cue: _Cue) -> Proposals:
    text = page.text
    for word in _heard(page, cue):
        if word.words > _MANY or _ABOUT.search(page.lower, cue.end, word.start):
            return
        if _CODE_NUMBER.fullmatch(word.value) and _CODED.search(page.lower, max(0, cue.end - 40), cue.end):
            if word.linked:
                yield cue.candidate(word.start, word.end, "any", said=True)
            return
        if _has_other_owner(page, cue, word):
            continue
        said = _is_said_number(page, cue, word)
        need = _need(text[cue.end : word.start], word.words, cue.level, linked=word.linked)
        if (yield cue.candidate(word.start, word.end, "any" if said else need, said=said)):
            if other := _OTHER.match(text, word.end):
                yield cue.candidate(*_trimmed(text, *other.span("v")), Proof.SLIGHT, said=said)
            return


_CODE_NUMBER = lazy(r"\d{4,8}")


def _heard(page: Page, cue: _Cue) -> Iterator[_Heard]:
    """The words after the name, on its line, that may be secrets."""
    text, end = page.text, cue.end
    stop = text.find("\n", end, end + _REACH)
    stop = stop if stop >= 0 else min(len(text), end + _REACH)
    for word in _WORD.finditer(text, end, stop):
        lead, value, found = _candidate(word[0])
        at, pair = word.start() + lead, None
        to = at + len(value)
        if (":" in value or cue.login) and (pair := _PAIR.fullmatch(value)):
            at, value = to - len(pair[1]), pair[1]
            found = proof(value)
        if found:
            linked = _LINKED.search(text, end, at) is not None
            between = len(_WORDS.findall(text, end, at))
            yield _Heard(at, to, value, found, between, linked, pair is not None)


def _has_other_owner(page: Page, cue: _Cue, word: _Heard) -> bool:
    """Whether a word is not the secret: it has another name, is a count, a host, a user's name, or part of a longer word."""
    text, gap = page.text, page.text[cue.end : word.start]
    return (
        (not word.words and _is_assigned(page, cue, word, gap))
        or gap in _IN_TAG
        or _GOES_ON.match(text, word.end) is not None
        or _is_other(page, cue, word)
        or (not word.linked and _HOST.fullmatch(word.value) is not None)
        or _has_owner(text, cue.end, word.start, login=cue.login)
    )


def _is_other(page: Page, cue: _Cue, word: _Heard) -> bool:
    """Whether the word's form, at this place, is that of a key's id, the beginning of a sentence, a count or a
    user's name."""
    value, text = word.value, page.text
    if value.isdigit():
        return is_count(page, word.start)
    if value.isalpha() and word.words and text.endswith(": ", cue.end, word.start):
        return _SAYS_ON.match(text, word.end) is not None
    if word.found is Proof.GOOD and cue.level is Grade.TOKEN and len(value) < 20:
        return True
    return is_worded(value) and _ENTERS.search(page.lower, max(0, cue.end - 12), cue.end) is not None


def _is_assigned(page: Page, cue: _Cue, word: _Heard, gap: str) -> bool:
    """Whether the word is assigned to the name: then ``assignments`` has read it."""
    return (
        not (cue.login and word.pair)
        and _ASSIGNS.search(gap) is not None
        and not (gap == " (" and page.text.startswith(")", word.end))
    )


def _is_said_number(page: Page, cue: _Cue, word: _Heard) -> bool:
    """Whether it is a number directly after a name: a PIN."""
    if cue.level is not Grade.STRONG or word.words or page.text[cue.end : word.start].strip("\"'`*„“ "):
        return False
    pin = page.lower.endswith((" pin", " puk", "passcode", " tan", " otp"), 0, cue.end)
    return _NUMBER.fullmatch(word.value) is not None or (
        pin and _PIN.match(page.text, cue.end, word.end + 2) is not None
    )


_IN_TAG = ('">', "'>")  # of an element that is named so: judged as such


def _before(page: Page, cue: _Cue) -> Proposals:
    text, start = page.text, cue.start
    line = max(text.rfind("\n", 0, start) + 1, start - _REACH)
    if line == start - _REACH and (line := text.find(" ", line, start)) < 0:
        return
    for word in _WORD.finditer(text, line, start):
        lead, value, found = _candidate(word[0])
        if not found:
            continue
        at = word.start() + lead
        to = at + len(value)
        gap = text[to:start]
        words = len(_WORDS.findall(gap))
        if words > _FEW or _has_other_owner_before(page, (line, at, to), gap):
            continue
        if value.isdigit():
            if _NUMBER.fullmatch(value) and cue.level is Grade.STRONG and _AS.match(gap):
                yield cue.candidate(at, to, "any", said=True)
        elif need := _need_before(gap, words, cue.level, found):
            yield cue.candidate(at, to, need, said=_COMMENTS.match(gap) is not None)


def _need_before(gap: str, words: int, level: Grade, found: Proof) -> Proof | None:
    """How much the form of a word before the name must prove; None if it is not that of a secret there."""
    linked = _AFTER_LINK.match(gap) is not None
    if not linked and found in (Proof.SLIGHT, Proof.GOOD):
        return None
    least = _need(gap, words, level, linked=linked, first=linked) + (words > 2 and not _SAYS.match(gap))
    return Proof(least) if least <= max(Proof) else None


def _has_other_owner_before(page: Page, place: tuple[int, int, int], gap: str) -> bool:
    line, at, to = place
    return (
        (gap.isspace() and len(gap) > 1)  # of another column
        or _GOES_ON.match(page.text, to) is not None
        or _NUMBERED.match(page.text, at) is not None
        or _HOST.fullmatch(page.text, at, to) is not None
        or _ABOUT.search(page.lower, to, to + len(gap)) is not None
        or (not _COMMENTS.match(gap) and _has_owner(page.text, line, at))
    )


def _below(page: Page, cue: _Cue) -> Proposals:
    """The secret in the line below: alone, as an answer, or as input from a script."""
    text, end = page.text, cue.end
    stop = text.find("\n", end, end + _REACH)
    following = _NEXT.match(text, stop - (text[stop - 1] == "\r")) if stop >= 0 else None
    if not following or _ABOUT.search(page.lower, end, stop) or _ABOUT.search(following["who"].lower()):
        return
    at, to = _trimmed(text, *following.span("v"))
    least, value = Proof.GOOD, text[at:to]
    if _is_asked(text, end, stop):
        if cue.level is Grade.STRONG:
            least = Proof.SLIGHT if "-" in value else Proof.FAIR
    elif following["who"] or following["types"]:
        return
    if not _CODE.search(value):
        yield cue.candidate(at, to, least)


def _is_asked(text: str, end: int, stop: int) -> bool:
    """Whether the line of the name, which ends at ``end``, asks for the value on the next line."""
    return (
        _PROMPTS.search(text, end, stop) is not None
        or _PRINTED.match(text, end, stop) is not None
        or (end >= stop - 1 and _SHELL.match(text, text.rfind("\n", 0, end) + 1) is not None)
    )


_SHELL = lazy(r"[ \t]*(?:\(\w{2,8}\)|>>>|In \[\d{1,4}\]:|irb[^>\n]{0,30}>|>)[ ]")


def _need(gap: str, words: int, level: Grade, *, linked: bool, first: bool = False) -> Proof:
    """How much a value's form must prove at this distance."""
    within = gap.replace("=", "", 1).replace("(", "", 1) if first else gap
    code = _CODE.search(within.strip("\"'`() ")) is not None
    far = code or words > (2 * _FEW if linked else _FEW) or _SENTENCE_END.search(gap) is not None
    if level is Grade.STRONG:
        return Proof.SURE if far else Proof.SLIGHT if linked else Proof.FAIR
    return Proof.CERTAIN if far else Proof.GOOD if linked or words < 2 else Proof.SURE


def _has_owner(text: str, begin: int, at: int, *, login: bool = False) -> bool:
    """Whether a word has another name of its own than that of a secret."""
    owner = _OWNED.search(text, max(begin, at - 60), at)
    if not owner or text[owner.start() - 1] == "@":  # a host
        return False
    if "=" not in owner[0] and (
        login or (owner["name"].isalpha() and owner["name"].islower() and text[owner.start() - 1] == " ")
    ):
        return False  # a user's name, a word of a sentence
    return owner["name"].lower() not in _NEUTRAL and grade(owner["name"]) < Grade.TOKEN


@lru_cache(maxsize=1 << 15)
def _candidate(word: str) -> tuple[int, str, Proof]:
    """The part of a word that may be a value: where it begins, its text, and what its form proves."""
    start, end = _trimmed(word, 0, len(word))
    if (word[0] == "." and word[1:2].isalpha()) or _SYMBOL.fullmatch(word):  # a selector, a member
        return start, word[start:end], Proof.NONE
    return start, word[start:end], proof(word[start:end])


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    if "{" in text[start:end] and (keys := _KEYS.search(text[start:end])):
        end = start + keys.start()  # keys to press after the value
    start = end - len(text[start:end].lstrip(_EDGE))
    while end > start and text[end - 1] in _EDGE and not (text[end - 1] in "!?*" and text[end - 2].isalnum()):
        end -= 1
    if end > start and text[end - 1] in "!?" and not any(map(str.isdigit, text[start:end])):
        end -= 1
    if _ASKED.fullmatch(text, start, end):
        end -= 1
    return start, end


NEARBY = Reader(id="nearby", kind="password", find=nearby)
