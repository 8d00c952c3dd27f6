"""What in a sentence, a comment or a prompt announces a secret, and what it is worth there: a name, or a verb."""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

from .lazy import lazy
from .names import Grade, grade
from .phrases import NOUN
from .rules import Page

_NAME = lazy(r"[\w-]{0,40}+")
_NAME_BEFORE = lazy(r"[\w-]{0,40}+")
_REFUSED = lazy(r"\b(?:denied|invalid|incorrect)\b[^\n]{0,30}$")
_PASS_OF = lazy(r"[$'\"]$|\b(?:db|wi-?fi|admin|root|user|my|our|new|old|vpn|ssh|zip|sudo|login)[ ]$")
_OF = lazy(r"(\w{2,20})[ ]$")
_IN_PATH = lazy(r"[/\\]\w|\.[a-z]{1,5}\b|\(\)")
_IN_WORD = lazy(r".?[a-z0-9]|[a-z0-9][+]")  # as in base64
_VERBS = frozenset(("log in", "logged in", "logging in", "sign in", "signed in", "unlock", "decrypt"))
LOGIN = frozenset(("credentials", "creds", "credential", "login", "logins", "zugangsdaten", "anmeldedaten"))


def cue_at(page: Page, hit: tuple[int, int]) -> tuple[int, int, Grade]:
    """The name at a hit, and what it is worth in a sentence."""
    lower, at = page.lower, hit[0]
    before = _NAME_BEFORE.match(lower[max(0, at - 40) : at][::-1])
    start = at - (before.end() if before else 0)
    if lower[at] > "\u0900":  # no blanks between words
        start = at
    end = _NAME.match(lower, hit[1]).end()  # type: ignore[union-attr]
    noun = NOUN.match(lower, at) if start == at else None
    if noun:
        end = max(end, noun.end())
        level = Grade.STRONG if noun["strong"] or noun[0] in LOGIN else Grade.TOKEN
        if noun[0] == "pass" and _PASS_OF.search(lower, max(0, start - 12), start):
            level = Grade.STRONG
        if (
            level is Grade.TOKEN
            and (of := _OF.search(lower, max(0, start - 24), start))
            and noun[0].endswith("key")
        ):
            level = level if grade(f"{of[1]}_{noun[0]}") else Grade.NONE
    elif start == at and end == hit[1] and lower[at:end] in _VERBS:
        level = Grade.STRONG
    else:
        name = page.text[start:end]
        level = grade(name)
        if level < Grade.TOKEN and len(name) > 8 and name[-1:] == "s":
            level = grade(name[:-1])
        if level is Grade.WEAK:
            level = Grade.NONE
        if name[-4:].lower() == "auth":
            level = Grade.STRONG
    if level and _REFUSED.search(lower, max(0, start - 40), start):
        level = Grade.NONE
    if level and (
        lower.endswith(("public ", "public-", "public_", "fingerprint "), 0, start)
        or _IN_PATH.match(lower, end)
        or (start and (lower[start - 1] in "/\\" or _IN_WORD.fullmatch(lower, max(0, start - 2), start)))
        or lower[end : end + 1] == "+"
    ):
        level = Grade.NONE
    return start, end, level
