"""Words with the form of a secret beside what names one, with whatever stands between: prose, chats, prompts,
comments, arguments.

How much a word's form must prove depends on how far it stands from the name, and on what the name is worth. A
word that has a name of its own (``id: …``) belongs to that one. What directly follows an ``=`` or a ``:`` was
judged as an assignment, so it isn't judged again.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .anchors import Anchors
from .cues import LOGIN, cue_at
from .lazy import lazy
from .load import words
from .made import is_worded
from .names import Grade, grade, kind
from .phrases import is_count
from .proofs import Proof, proof
from .randomness import likelihood
from .rules import Page, Reader, Span
from .values import Style, is_evident, is_secret

NEAR, SAID = "nearby", "nearby-said"  # the second where nothing else can be meant
_REACH = 130  # characters between a name and a value
_FEW, _MANY = 5, 14  # words between them
_WORD = lazy(r"\"[^\"\n]{5,120}\"|'[^'\n]{5,120}'|`[^`\n]{5,120}`|[^\s\"'`<>]{4,160}+")
_EDGE = "\"'`()[]{}<>*_,.;:!?„“”«»。、，│|"
_ABOUT = lazy(
    r"fingerprint|\bssid\b|\bgpg\b|\bpgp\b|\bid\b|\bids\b|hash|\bname\b|length|\bportion|\bstarting\b|\bfile\b|\bpath|\btype\b|\bsize\b|\bcount|\burl\b|policy|\bformat|prefix|algorithm|"
    r"expire|version|failed|denied|invalid|incorrect|wrong|checksum|identifier|\bsha\d|\bsha(?:sum)?\b|digest of|branch|commit|\bpublic|reset(?! to)|\bmodel|regex|pattern|\bcipher|\bmin\b|\bmax\b|\blimit|"
    r"\brow\b|\bline\b|\bpage\b|\bissue|\bport\b|\bdate\b|\btime|\bconst\b|\bimport\b|\breturn\b|\bfunc|\bdef\b|\bclass\b|encrypt|\bkid\b|integrity|etag|\bref\b|revision|\btrace|\brequest|编号|編號|请求|番号|번호|pubkey"
)
_OWNED = lazy(
    r"(?P<name>[A-Za-z][\w.-]{0,40})(?:[\"'\])]{0,3}[ \t]{0,3}(?:=>|[:=])[ \t]{0,3}[\"'`(\[<]{0,2}|(?<=-\w\w)[\"'],[ ]?[\"'])$"
)
_NEUTRAL = frozenset(words("words", "neutral"))
_LINKED = lazy(
    r"(?:^|[\s\"'`*)])(?:is|was|to|as|with|je nově|gewijzigd in|ahora es|è ora|est maintenant|are|be|using|use|und|and|auf|mit|con|avec|com|est|es|é|è|ist|lautet|är|er|on|jest|z|är|ar|je|este|és|es|это|является|на|с|είναι|olarak|це|है|هو|היא|ialah|adalah|là|are now|now|w/)[ ]?:?[ ]?[\"'`*„“]{0,3}$|[:=→>›…–—-][ ]{0,3}[\"'`*]{0,3}$|REG_SZ[ \t]{1,8}$"
)
_AFTER_LINK = lazy(
    r"[\"'`*]{0,3}[ ]?(?:=|#|//|<-|←|--|;|\(|,|as|is|als|como|comme|come|jako|som|как|for|为|を|が|は)"
)
_SAYS = lazy(r"[\"'`*]{0,3}[ ]?(?:=|as[ ]|als[ ]|como[ ]|comme[ ]|come[ ]|#|//|<-|←|--|\()")
_OTHER = lazy(r"[\"'`*]{0,3}[ ](?:to|→|->|=>|and|or|und|y|et|e|auf|zu|in|bzw[.])[ ](?P<v>[^\s]{5,80})")
_COMMENTS = lazy(r"[\"'`,;)]{0,3}[ \t]{0,40}(?:#|//|<-|←|--)")
_SENTENCE_END = lazy(r"[.!?;][ \"')]{1,3}(?=[A-ZÀ-Ý#-])|[{}]|\n")
_CODE = lazy(r"[=(){};]|->|=>|::")
# A field is found by its name, and what is typed into it follows.
_TYPES = lazy(
    r"[\"'`\])]{0,6}\)?\.(?:first\(\)\.)?(?:perform\()?(?:type|fill|send|enter|set|input|write|keys|put)\w{0,12}\((?P<q>[\"'`])(?P<v>[^\"'`\n]{4,120})(?P=q)",
    re.IGNORECASE,
)
_PROMPTS = lazy(r"[:?›>»：…][ \t\"'`)\];]{0,5}\r?$")
_SHELL = lazy(r"[ \t]*(?:\(\w{2,8}\)|>>>|In \[\d{1,4}\]:|irb[^>\n]{0,30}>|>)[ ]")
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


Place = tuple[int, int, bool]  # of a value, and whether nothing else can be meant


def nearby(page: Page) -> Iterator[Span]:
    """The secrets of the page that stand near a name."""
    done = 0
    for at, to in _of_fours(page):
        yield Span(at, to, NEAR, "password")
    for hit in page.hits:
        if hit[0] < done:
            continue
        page.tick()
        start, end, level = cue_at(page, hit)
        cut = page.text[end - 1 : end + 1]  # in the middle of a word: a name of more than is read
        if level is Grade.NONE or (len(cut) == 2 and cut.isascii() and cut.isalnum()):
            continue
        done = end
        called = kind(page.text[start:end])
        login = page.lower[start:end] in LOGIN
        for at, to, said in (
            *_after(page, end, level, login=login),
            *_before(page, start, level),
            *_below(page, end, level),
            *(_above(page, start) if level is Grade.STRONG else ()),
            *_annotated(page, start, Proof.FAIR if level is Grade.STRONG else Proof.SURE),
        ):
            yield Span(at, to, SAID if said else NEAR, called)


_FOURS = lazy(r" [a-z]{4} [a-z]{4} [a-z]{4}(?![\w-]| [a-z]{4}\b)")
_FOUR = lazy(r"(?<![\w-])[a-z]{4}")


def _of_fours(page: Page) -> Iterator[tuple[int, int]]:
    """Passwords in four groups of four letters, as Google draws them."""
    lines = page.near(sorted(named)) if (named := _MAIL & page.words) else []
    for start, stop in (*page.hit_lines, *lines):
        for match in _FOURS.finditer(page.text, start, min(stop, start + 2000)):
            page.tick()
            at, to = match.start() - 4, match.end()
            if at >= 0 and _FOUR.match(page.text, at) and _is_unspoken(page.text[at:to]):
                yield at, to


def _is_unspoken(words: str) -> bool:
    return likelihood(words.replace(" ", "")) < -5.2


_CODED = lazy(
    r"\b(?:verification|confirmation|security|one[ -]time|sms|login|door|gate|alarm|access|entry|unlock|sicherheits|zugangs|bestätigungs|tür)[- ]?code$"
)
_MAIL = frozenset(("gmail", "google", "smtp"))


def _after(page: Page, end: int, level: Grade, *, login: bool) -> Iterator[Place]:
    text = page.text
    stop = text.find("\n", end, end + _REACH)
    stop = stop if stop >= 0 else min(len(text), end + _REACH)
    if typed := _TYPES.match(text, end, stop):
        at, to = _trimmed(text, *typed.span("v"))
        if level is Grade.STRONG and is_secret(text[at:to], level, Style.EXACT):
            yield at, to, True
        return
    for word in _WORD.finditer(text, end, stop):
        lead, value, found = _candidate(word[0])
        at, pair = word.start() + lead, None
        to = at + len(value)
        if (":" in value or (login and "/" in value)) and (pair := _PAIR.fullmatch(value)):
            at, value = to - len(pair[1]), pair[1]
            found = proof(value)
        if not found:
            continue
        gap = text[end:at]
        words = len(_WORDS.findall(gap))
        linked = bool(_LINKED.search(text, end, at)) or (is_worded(value) and _is_set_off(text, gap, to))
        if words > _MANY or _ABOUT.search(page.lower, end, at):
            return
        if value.isdigit() and 4 <= len(value) <= 8 and _CODED.search(page.lower, max(0, end - 40), end):
            if linked:
                yield at, to, True
            return
        if (
            (found is Proof.GOOD and level is Grade.TOKEN and len(value) < 20)  # the id of a key
            or (words and value.isalpha() and gap.endswith(": ") and _SAYS_ON.match(text, to))
            or (
                not words
                and not (login and pair)
                and _ASSIGNS.search(gap)
                and not _is_said(page, end, gap, to)
                and not (gap == " (" and text.startswith(")", to))
            )
            or gap in _IN_TAG
            or (is_worded(value) and _ENTERS.search(page.lower, max(0, end - 12), end))
            or _GOES_ON.match(text, to)
            or (value.isdigit() and is_count(page, at))
            or (not linked and _HOST.fullmatch(value))
            or _has_owner(text, end, at, login=login)
        ):
            continue
        said = (
            level is Grade.STRONG
            and not words
            and not gap.strip("\"'`*„“ ")
            and (_NUMBER.fullmatch(value) is not None or _is_pin(page, end, to))
        )
        if said or found >= _need(gap, words, level, linked=linked):
            yield at, to, said
            if not (other := _OTHER.match(text, to)):
                return
            at, to = _trimmed(text, *other.span("v"))
            if proof(text[at:to]):
                yield at, to, said
            return


def _is_pin(page: Page, end: int, to: int) -> bool:
    return page.lower.endswith((" pin", " puk", "passcode", " tan", " otp"), 0, end) and bool(
        _PIN.match(page.text, end, to + 2)
    )


_ENTERS = lazy(r"\b(?:log|sign)(?:ged|ging|ed|ing)?[ ]?in$")  # as whom
_IN_TAG = ('">', "'>")  # of an element that is named so: judged as such
_PIN = lazy(r"[ ]\d{4,8}(?:[,;.)]|\s*$|\s?\n)")
_ASKED = lazy(r"[A-Za-z]+(?:[-_.][a-z]+)*[-_.]?\d{1,2}\?")  # a host: "Which password has db-2?"
_NUMBER = lazy(r"\d{7,12}")
_AS = lazy(r"[\"'`*]{0,3} (?:as|als|como|comme|come|jako|som|как|як) (?:\w{1,8} ){0,2}$")
_SAYS_ON = lazy(r" [^\W\d_]")
_KEYS = lazy(r"\{\w{2,12}\}[\"']?$")
_PAIR = lazy(r"(?!no:)[\w.@+-]{2,40}[:/]([^:/\s]{5,80})")
_WORDS = lazy(r"\w+")
_ASSIGNS = lazy(r"[:=(,]")


def _is_set_off(text: str, gap: str, to: int) -> bool:
    """Whether a word follows its name at once, or stands in quotes of its own a few words on."""
    if gap.isspace():
        return bool(_PAUSES.match(text, to))
    return bool(_SET_OFF.fullmatch(gap)) and text[to : to + 1] == gap[-1]


_PAUSES = lazy(r"[,;)]|\.?(?:\s*$|[ ]*\r?\n|[ ][A-ZÀ-Ý])")
_SET_OFF = lazy(
    r"(?: (?!(?:columns?|fields?|tables?|files?|branch|tags?|tests?|modules?|class|function|config|in|from|see|of|for|on)\b)[\w']{1,12}){0,4} \(?[\"'`]"
)


def _before(page: Page, start: int, level: Grade) -> Iterator[Place]:
    text = page.text
    line = max(text.rfind("\n", 0, start) + 1, start - _REACH)
    if line == start - _REACH:
        line = text.find(" ", line, start)
        if line < 0:
            return
    for word in _WORD.finditer(text, line, start):
        lead, value, found = _candidate(word[0])
        if not found:
            continue
        at = word.start() + lead
        to = at + len(value)
        gap = text[to:start]
        words = len(_WORDS.findall(gap))
        if (
            words > _FEW
            or (gap.isspace() and len(gap) > 1)  # of another column
            or _GOES_ON.match(text, to)
            or _NUMBERED.match(text, at)
            or _HOST.fullmatch(value)
            or _ABOUT.search(page.lower, to, start)
            or (not _COMMENTS.match(gap) and _has_owner(text, line, at))
        ):
            continue
        linked = bool(_AFTER_LINK.match(gap))
        if _NUMBER.fullmatch(text, at, to) and level is Grade.STRONG and _AS.match(gap):
            yield at, to, True
            continue
        if text[at:to].isdigit() or (found in (Proof.SLIGHT, Proof.GOOD) and not linked):
            continue
        if found >= _need(gap, words, level, linked=linked, first=linked) + (
            words > 2 and not _SAYS.match(gap)
        ):
            yield at, to, _COMMENTS.match(gap) is not None


def _below(page: Page, end: int, level: Grade) -> Iterator[Place]:
    """What stands in the line below: alone, as an answer, or as what a script types."""
    text = page.text
    stop = text.find("\n", end, end + _REACH)
    following = _NEXT.match(text, stop - (text[stop - 1] == "\r")) if stop >= 0 else None
    if not following or _ABOUT.search(page.lower, end, stop):
        return
    at, to = _trimmed(text, *following.span("v"))
    asked = bool(_PROMPTS.search(text, end, stop)) or _PRINTED.match(text, end, stop) is not None
    asked = asked or (end >= stop - 1 and _SHELL.match(text, text.rfind("\n", 0, end) + 1) is not None)
    told = following["who"] or following["types"]
    if following["who"] and _ABOUT.search(following["who"].lower()):
        return
    least = Proof.FAIR if level is Grade.STRONG and asked else Proof.GOOD
    if least is Proof.FAIR and "-" in text[at:to]:
        least = Proof.SLIGHT
    if (asked or not told) and proof(text[at:to]) >= least and not _CODE.search(text[at:to]):
        yield at, to, False


_THAT = lazy(r"(?:^|\n)[ \t>]{0,4}(?:that|this|it)(?:'s| is| was| should be| must be)(?: \w{2,12}){0,3} $")
_GIVEN_ABOVE = lazy(r"[^\n]{0,120}:[ ][\"'`*]{0,3}(?P<v>[^\s\"'`]{6,64})[\"'`*]{0,3}[ ]?(?=\n)")


def _above(page: Page, start: int) -> Iterator[Place]:
    """What stands behind a colon, and the next line says what it is: "that should be the password of …"."""
    line = page.text.rfind("\n", 0, start)
    if line <= 0 or start - line > 60 or not _THAT.match(page.lower, line, start):
        return
    first = max(page.text.rfind("\n", 0, line) + 1, line - 200)
    if (given := _GIVEN_ABOVE.match(page.text, first, line + 1)) and is_evident(given["v"]):
        yield *given.span("v"), True


_ANNOTATION = lazy(
    r"\n?[ \t]{0,40}(?:#\[|@\w|\[\w)[^\n]{0,80}?[\"'](?:\$\{[\w.-]{1,40}:)?(?P<v>[^\"'\n{}]{6,120})\}?[\"'][^\n\"']{0,20}[)\]]{1,2}[ \t]*\r?\n"
)


def _annotated(page: Page, start: int, least: Proof) -> Iterator[Place]:
    """The default that an annotation above gives to what is declared."""
    text = page.text
    line = text.rfind("\n", 0, start)
    above = text.rfind("\n", max(0, line - 240), line) if line > 0 else -1
    if (
        line > 0
        and (found := _ANNOTATION.match(text, max(above, 0), line + 1))
        and proof(found["v"]) >= least
    ):
        yield *found.span("v"), False


def _need(gap: str, words: int, level: Grade, *, linked: bool, first: bool = False) -> Proof:
    """What a value's form must prove at this distance."""
    far = words > (2 * _FEW if linked else _FEW) or bool(_SENTENCE_END.search(gap))
    if first:
        gap = gap.replace("=", "", 1).replace("(", "", 1)
    code = bool(_CODE.search(gap.strip("\"'`() ")))
    if level is Grade.STRONG:
        if far or code:
            return Proof.SURE
        return Proof.SLIGHT if linked else Proof.FAIR
    if far or code:
        return Proof.CERTAIN
    return Proof.GOOD if linked or words < 2 else Proof.SURE


def _is_said(page: Page, end: int, gap: str, to: int) -> bool:
    """Whether a name of several words and a colon have a line of their own, with the value."""
    line = page.lower[page.lower.rfind("\n", 0, end) + 1 : end]
    return (
        gap.strip("*_` ") == ":"
        and bool(_SAID.search(line))
        and page.text[to : to + 2].strip("`*. \r\t")[:1] in ("", "\n")
    )


_SAID = lazy(
    r"(?:^|[^\w-])(?:generated|api|secret|private|access|auth|license|encryption|signing|master|root|admin|new|your|the|server|account|setup|recovery|unlock|deploy|bot|app|registration|activation|product|serial|door|alarm|gate|verification|security|login|wi-?fi|vpn|chiave|clé|clave)[ -][\w-]{2,20}(?: [\w-]{2,20})?$"
)


def _has_owner(text: str, begin: int, at: int, *, login: bool = False) -> bool:
    owner = _OWNED.search(text, max(begin, at - 60), at)
    if owner and login and "=" not in owner[0]:
        return False  # a user's name
    if (
        owner
        and owner["name"].isalpha()
        and owner["name"].islower()
        and text[owner.start() - 1] == " "
        and "=" not in owner[0]
    ):
        return False  # a word of a sentence
    return owner is not None and owner["name"].lower() not in _NEUTRAL and grade(owner["name"]) < Grade.TOKEN


_SYMBOL = lazy(r":[a-z]+(?:_[a-z0-9]+)+[?,)\]]*")


@lru_cache(maxsize=1 << 15)
def _candidate(word: str) -> tuple[int, str, Proof]:
    """What of a word may be a value, from where, and what its form proves."""
    start, end = _trimmed(word, 0, len(word))
    if (word[0] == "." and word[1:2].isalpha()) or _SYMBOL.fullmatch(word):  # a selector, a member
        return start, word[start:end], Proof.NONE
    return start, word[start:end], proof(word[start:end])


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    if "{" in text[start:end] and (keys := _KEYS.search(text[start:end])):
        end = start + keys.start()  # that are pressed after it
    while start < end and text[start] in _EDGE:
        start += 1
    while end > start and text[end - 1] in _EDGE and not (text[end - 1] in "!?*" and text[end - 2].isalnum()):
        end -= 1
    if end > start and text[end - 1] in "!?" and not any(map(str.isdigit, text[start:end])):
        end -= 1
    if _ASKED.fullmatch(text, start, end):
        end -= 1
    return start, end


NEARBY = Reader(
    id="nearby",
    kind="password",
    find=nearby,
    anchors=lambda: Anchors(names=True, signs=tuple(_MAIL)),
)
