"""Finds the words around a secret's name in a sentence, and whether they belong to it or to another name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .cues import is_count
from .decide import Candidate
from .load import patterns, words
from .made import is_worded
from .names import Grade, grade
from .page import Page
from .proof import Proof, proof

_RE = patterns("talk")

REACH = 130  # characters between a name and a value
_EDGE = "\"'`()[]{}<>*_,.;:!?„“”«»。、，│|"
_NEUTRAL = frozenset(words("words", "neutral"))
_IN_TAG = ('">', "'>")  # the text of an element with this name: ``assignments`` reads it
NEAR, SAID = "nearby", "nearby-said"  # the second if the value can only be a secret


@dataclass(frozen=True, slots=True)
class Cue:
    """A name in a sentence, and its grade. ``login``: it may announce a user together with a password."""

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
class Heard:
    """A word after a name: what its form proves (``found``), and how many ``words`` are in between.
    ``linked``: an "is" or the like links it to the name. ``pair``: it was written as ``user:password``."""

    start: int
    end: int
    value: str
    found: Proof
    words: int
    linked: bool
    pair: bool


def heard(page: Page, cue: Cue) -> Iterator[Heard]:
    """Yield the words after the name, on its line, that may be secrets."""
    text, end = page.text, cue.end
    stop = text.find("\n", end, end + REACH)
    stop = stop if stop >= 0 else min(len(text), end + REACH)
    for word in _RE.word.finditer(text, end, stop):
        lead, value, found = candidate_in(word[0])
        at, pair = word.start() + lead, None
        to = at + len(value)
        if (":" in value or cue.login) and (pair := _RE.pair.fullmatch(value)):
            at, value = to - len(pair[1]), pair[1]
            found = proof(value)
        if found:
            linked = _RE.linked.search(text, end, at) is not None
            between = len(_RE.words.findall(text, end, at))
            yield Heard(at, to, value, found, between, linked, pair is not None)


def has_other_owner(page: Page, cue: Cue, word: Heard) -> bool:
    """Whether a word is not the secret: it has another name, is a count, a host, a user's name, or part of a longer word."""
    text, gap = page.text, page.text[cue.end : word.start]
    return (
        (not word.words and _is_assigned(page, cue, word, gap))
        or gap in _IN_TAG
        or _RE.indexed.match(gap) is not None
        or _RE.goes_on.match(text, word.end) is not None
        or _is_other(page, cue, word)
        or (not word.linked and _RE.host.fullmatch(word.value) is not None)
        or _has_owner(text, cue.end, word.start, login=cue.login)
    )


def _is_other(page: Page, cue: Cue, word: Heard) -> bool:
    """Whether the word, in this position, looks like a key's id, the beginning of a sentence, a count or a
    user's name."""
    value, text = word.value, page.text
    if value.isdigit():
        return is_count(page, word.start)
    if value.isalpha() and word.words and text.endswith(": ", cue.end, word.start):
        return _RE.says_on.match(text, word.end) is not None
    if word.found is Proof.GOOD and cue.level is Grade.TOKEN and len(value) < 20:
        return True
    user = (word.found < Proof.GOOD or "@" in value) and text[cue.end : word.start].strip("\"'`") == " as "
    return (user or is_worded(value)) and _RE.enters.search(
        page.lower, max(0, cue.end - 12), cue.end
    ) is not None


def _is_assigned(page: Page, cue: Cue, word: Heard, gap: str) -> bool:
    """Whether the word is assigned to the name: then ``assignments`` has read it."""
    return (
        not (cue.login and word.pair)
        and _RE.assigns.search(gap) is not None
        and not (gap in (" (", ", ") and page.text.startswith((")", ", "), word.end))
    )


def has_other_owner_before(page: Page, place: tuple[int, int, int], gap: str) -> bool:
    """``has_other_owner`` for a word before the name: at ``place`` (its line's start, its start, its end)."""
    line, at, to = place
    return (
        (gap.isspace() and len(gap) > 1)  # it is in another column
        or _RE.goes_on.match(page.text, to) is not None
        or _RE.numbered.match(page.text, at) is not None
        or (_RE.host.fullmatch(page.text, at, to) is not None and not _RE.says.match(gap))
        or _RE.about.search(page.lower, to, to + len(gap)) is not None
        or (not _RE.comments.match(gap) and _has_owner(page.text, line, at))
    )


def _has_owner(text: str, begin: int, at: int, *, login: bool = False) -> bool:
    """Whether a word has its own name, which does not name a secret."""
    owner = _RE.owned.search(text, max(begin, at - 60), at)
    if not owner or text[owner.start() - 1] == "@":  # a host
        return False
    if "=" not in owner[0] and (
        login or (owner["name"].isalpha() and owner["name"].islower() and text[owner.start() - 1] == " ")
    ):
        return False  # a user's name, a word of a sentence
    return owner["name"].lower() not in _NEUTRAL and grade(owner["name"]) < Grade.TOKEN


@lru_cache(maxsize=1 << 15)
def candidate_in(word: str) -> tuple[int, str, Proof]:
    """The part of a word that may be a value: where it begins, its text, and what its form proves."""
    start, end = trimmed(word, 0, len(word))
    if (word[0] == "." and word[1:2].isalpha()) or _RE.symbol.fullmatch(word):  # a selector, a member
        return start, word[start:end], Proof.NONE
    return start, word[start:end], proof(word[start:end])


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    if "{" in text[start:end] and (keys := _RE.keys.search(text[start:end])):
        end = start + keys.start()  # keys to press after the value
    start = end - len(text[start:end].lstrip(_EDGE))
    while end > start and text[end - 1] in _EDGE and not (text[end - 1] in "!?*" and text[end - 2].isalnum()):
        end -= 1
    if end > start and text[end - 1] in "!?" and not any(map(str.isdigit, text[start:end])):
        end -= 1
    if _RE.asked.fullmatch(text, start, end):
        end -= 1
    return start, end
