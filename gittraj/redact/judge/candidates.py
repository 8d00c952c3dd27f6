"""The words of a line that may be values: bare or in quotes, whole or behind a sign in them."""

# ruff: noqa: E501 - a pattern that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..lazy import lazy

_SHORTEST, _LONGEST = 4, 100
_CUT_OFF = ("...", "…")
_BLOB = 400  # characters: longer than this, a word is a file
_RUN = lazy(r"\"[^\"\n]{4,200}\"|'[^'\n]{4,200}'|`[^`\n]{4,200}`|[^\s\"'`<>]{4,}")
_WORD = lazy(r"[^\s<>]{4,400}")
_EDGE = "\"'`()[]{}<>*_,.;:!?„“”«»。、，│|\\"
# Public by its form, a reference, or taken already.
_PUBLIC = lazy(
    r"REDACTED-|(?:\w+::)+[a-z]+(?:_[a-z0-9]+)+$|v1:[A-Za-z0-9+/]{12,24}={0,2}:|:[a-z]+(?:_[a-z0-9]+)+[?,)\]]*$|\d+\w*/\w+$|\d{1,6}(?:px|r?em|vh|vw|pt|fps|dpi|ms|[kKMGT]i?[bB]?)$|[A-Z][A-Z0-9]{1,5}(?:\+[A-Z][A-Z0-9]{1,5}){1,4}$|(?i:bcrypt|argon2|scrypt|pbkdf2)\w*$|\w{0,20}_?id=|[a-z]{2,12}(?:[-.]\d{1,2}){2,3}$|\|1\||[A-Za-z0-9+/]{27}=$|sha\d{1,3}[-:=]|SHA256:|h1:|W/|[a-z]{1,8}-[0-9a-f]{8,17}$|https?://|ssh-|age1|AAAA|bafy|RW[QRT]\w|Qm\w{44}$|S-1-\d|UGFzc3dvcmQ6|eyJ|0[xX][0-9a-fA-F]{1,16}[uUlL]{0,3}$|[+-]?[0-9a-fA-F]{40}$|[ACGTN]{20,}$|[\w.+-]+@[\w-]+\.[\w.-]+$|\$[A-Z{(]|[{<%]\w*[}>%]$"
)
_DECLARES = ("#define ", "#include ", "#ifdef ", "#ifndef ", "syn keyword ", "syn match ", "hi def link ")
_BASE64 = lazy(r"[A-Za-z0-9+/]{20,}={0,2}")
_BLOCK = lazy(r"[ \t]*(?P<v>[A-Za-z0-9+/]{5,}={0,2})[ \t]*\r?")
_BLOCK_LINE = lazy(r"[ \t]*[A-Za-z0-9+/]{40,}[ \t]*\r?")
_END = lazy(r"\n[ \t]*-----END ")
_CJK = lazy(r"[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]+")
_WORDS = r"[A-Za-zÀ-ž]{3,12}(?: [A-Za-zÀ-ž]{3,12}){2,11}[!?]?"
_PHRASE = lazy(_WORDS)
_PHRASE_LAST = lazy(rf"[:=]\s{{0,2}}(?P<v>{_WORDS})\s*$")
_PASSWORD_OF = lazy(r"[:/](?P<v>[^:/@]{4,80})@[^@]*$")
_BEHIND_WORD = lazy(
    r"[A-Za-z_.-]{2,30}(?P<s>[/%#])(?=[^/%#]{4,80}$)|[A-Za-z][\w.-]{1,20}(?P<p>%)|[\w.]+(?P<c>\()"
)
# A word of letters alone counts only behind a sign, an option or a word that leads to a value, and at an end.
_ORDINARY = lazy(r"\(?[A-Za-z]+(?:'[a-z]+)?[.,;:!?)]{0,2}")
_LED = lazy(
    r"(?:[^\w\s,;.()][ \t]{0,3}|[ (]--?[\w-]{1,20}[ =]|\b(?:is|was|are|to|as|with|using|use|try|enter|type|login|user|root|admin|pw|pass|passwd|password|passphrase|pin|key|token|secret|ist|lautet|auf|mit|est|es|è|é|con|avec|com|jest|to|är|er|na|in|en|sur)[ ]{1,2})$"
)
_PART = lazy(r"[^,;]{4,100}")
_NO_VALUE = lazy(r".*(?:[。，、；！？]|\*{4}|REDACTED-)|.{0,100}…")
_LONE = lazy(r"[a-z]{6,24}")
_SNAKE = lazy(r"[a-z]{2,}(?:_[a-z0-9]{2,})+")
_AT_END = lazy(r"[\"'`;)]{0,3}[ \t]*(?:\r?\n|$)")
_ENDED = lazy(r"[\"'`]?[ \t]*(?:$|\r?\n|[.,;)]\s)")
# Between brackets in a word, between a user and a host, in a list of settings: name{…}, user/…@host, u=x,p=….
_WITHIN = (
    lazy(r"[\w.-]{0,40}[({\[](?P<v>[^(){}\[\]]{4,80})[)}\]][;,.)]*$"),
    lazy(r"[^/\s]{0,60}?[\w.-]/(?P<v>[^/@\s]{4,60})@"),
    lazy(r"[^@]{0,60}[\w.-]:(?P<v>[^:/@]{4,60})@\(?[\w.:-]*\)?/?"),
    lazy(r"\$\{\w{1,40}:[-=]?(?P<v>[^{}$]{4,80})\}"),
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value's place, and the sign in its word that it stands behind."""

    start: int
    end: int
    sign: str


@lru_cache(maxsize=1 << 15)
def parts_of(run: str) -> tuple[Candidate, ...]:
    """The candidates in a run of a line: a bare word, or what stands in quotes."""
    return tuple(_parts_of(run))


def _parts_of(run: str) -> Iterator[Candidate]:
    if ";base64," in run:
        return
    if run[0] not in "\"'`" or run[-1] != run[0]:
        yield from _parts(run, 0)
    elif not re.search(r"\s", run):
        yield from _parts(run[1:-1], 1)
    else:
        if _PHRASE.fullmatch(run, 1, len(run) - 1):
            yield Candidate(1, len(run) - 1, '"')
        for word in _WORD.finditer(run, 1, len(run) - 1):
            yield from _parts(word[0], word.start())


def candidates(
    text: str, start: int, end: int, parts: Callable[[str], tuple[Candidate, ...]] = parts_of
) -> Iterator[Candidate]:
    """Those of a line; one may be part of another. ``parts`` says which parts of a run to look at."""
    if text.startswith(_DECLARES, start) or _is_in_block(text, start, end):
        return
    for match in _RUN.finditer(text, start, end):
        run = match[0]
        if len(run) > _BLOB or not (found := parts(run)):
            continue
        at = match.start()
        if _SNAKE.fullmatch(run) and (run.count("_") < 2 or not _ENDED.match(text, match.end())):
            continue  # a variable
        if (
            _ORDINARY.fullmatch(run)
            and text[start:at].strip(" \t>*-")
            and not _LED.search(text, max(start, at - 24), at)
            and not (_LONE.fullmatch(run) and _AT_END.match(text, match.end()))
        ):
            continue
        for one in found:
            yield Candidate(at + one.start, at + one.end, one.sign)
    if phrase := _PHRASE_LAST.search(text, start, end):
        yield Candidate(*phrase.span("v"), "phrase")


def _is_in_block(text: str, start: int, end: int) -> bool:
    """Whether the line is one of a key's or a certificate's."""
    if not (line := _BLOCK.fullmatch(text, start, end)):
        return False
    return (
        len(line["v"]) >= 40
        or _END.match(text, end) is not None
        or _BLOCK_LINE.fullmatch(text, text.rfind("\n", 0, max(0, start - 1)) + 1, max(0, start - 1))
        is not None
    )


def _parts(run: str, at: int) -> Iterator[Candidate]:
    if _PUBLIC.match(run) and "://" not in run:
        return
    seen = set()
    for first, last, sign in ((0, len(run), ""), *_behind_signs(run), *_beside_cjk(run)):
        start, end = _trimmed(run, first, last)
        fits = _SHORTEST <= end - start <= _LONGEST and not run.startswith(_CUT_OFF, end)
        if not fits or _NO_VALUE.match(run, start, end) or run.endswith(("**", "••", "xxx"), 0, start):
            continue
        if (start, end) not in seen and not _PUBLIC.match(run, start):
            seen.add((start, end))
            yield Candidate(at + start, at + end, sign)


def _trimmed(run: str, start: int, end: int) -> tuple[int, int]:
    while start < end and run[start] in _EDGE:
        start += 1
    while end > start and run[end - 1] in _EDGE and not (run[end - 1] in "!?*" and run[end - 2].isalnum()):
        end -= 1
    return start, end


def _behind_signs(run: str) -> Iterator[tuple[int, int, str]]:
    if _BASE64.fullmatch(run):
        return
    end = len(run)
    if (at := run.find("=")) > 0:
        yield at + 1, end, "="
    if (at := run.find(":")) > 0 and not run.startswith("://", at):
        yield at + 1, end, ":"
        yield run.rfind(":") + 1, end, ":"
    if "@" in run and (found := _PASSWORD_OF.search(run)):
        yield *found.span("v"), "@"
    if found := _BEHIND_WORD.match(run):
        yield found.end(), end, found["s"] or found["p"] or found["c"]
    for within in _WITHIN:
        if found := within.match(run):
            yield *found.span("v"), "in"
    for part in _PART.finditer(run) if "," in run or ";" in run else ():
        at = part[0].find("=")
        yield part.start() + at + 1, part.end(), "=" if at > 0 else ","


def _beside_cjk(run: str) -> Iterator[tuple[int, int, str]]:
    at = 0
    for found in _CJK.finditer(run) if not run.isascii() else ():
        yield at, found.start(), "cjk"
        at = found.end()
    if at:
        yield at, len(run), "cjk"
