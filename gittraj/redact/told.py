"""Plain words that a sentence tells as a password: "the root password on the box is …", "changed it to …", an
answer to "what's the pw?".

Such a word has no form, so all else must be sure: a noun that means a password, words that lead to a value, one
word, and the end of the clause. Sentences say in the same way what state a password is in ("is wrong"): what
describes one, in whichever language, is no value.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterator

from .anchors import Anchors
from .common import DESCRIBES, DULL, STOP, SUFFIXES
from .lazy import lazy
from .names import words_of
from .phrases import NOUN
from .rules import Page, Reader, Span

_WORD = r"[\"'`„«]?(?P<v>[^\W\d_]{5,24})[\"'`“»]?"
_ENDS = r"(?=\s*$|\s*\n|[.!]?\s*$|\.\s|,|;|\)|\s+(?:for now|please|bitte|now|btw)\b)"
# … of the router is …
_OF = r"(?: (?:for|on|of|to|at|in|für|von|vom|auf|des|der|del|de|do|du|della|dello|dla|от|для|к|k|till|för|van|voor|til)(?: (?!(?:no|not|nicht|pas|não|nao|non|nie|не|never)\b)[\w'.@-]{1,24}){1,4}?)"
_IS = lazy(
    _OF
    + r"? (?:is|was|ist|lautet|war|est|c'est|es|era|é|è|jest|är|er|это)(?: (?:still|now|currently|immer noch|noch|jetzt|toujours|encore|sigue siendo|todavía|ancora|ainda|nadal|fortfarande|stadig|nog steeds))? "
    + _WORD
    + _ENDS
)
_STILL = lazy(_OF + r"? (?:sigue siendo|reste|bleibt|remains|rimane|continua sendo) " + _WORD + _ENDS)
_SET = lazy(
    r"(?:set|chang|reset|updat|rotat|switch|cambi|mud|zmieni|chang|измени|сменил|поменял)[^\n.:]{0,40}$"
)
_TO = lazy(_OF + r"? (?:to|en|in|na|para|a|на) " + _WORD + _ENDS)
_SET_TO = lazy(_OF + r"? auf " + _WORD + r"(?= (?:gesetzt|geändert|gestellt|umgestellt|zurückgesetzt)\b)")
_AFTER_COLON = lazy(_OF + r": " + _WORD + r"(?=[ \t]*(?:\r?\n|$))")
_BESIDE_USER = lazy(
    r"\b(?:user|username|login|benutzer|usuario|utilisateur|utente|konto|użytkownik)[ :]{1,2}[\w.@+-]{2,60}(?:,| and| und| y| et| e)? $"
)
_BESIDE = lazy(r":? " + _WORD + _ENDS)
_QUESTION = lazy(
    r"[^\n.!]{0,60}(?:[.][ ](?:what|which|can you|could you)[^\n.!?]{0,30})?\?[ \t]*\r?\n[ \t>]{0,4}(?:\[?\d{1,2}:\d\d(?::\d\d)?\]?[ ])?(?:<?@?[\w.-]{2,20}(?: [\w.-]{1,12})?[:>][ ])(?:it's |its |still |das ist |es |c'est )?[\"'`]?(?P<v>[^\s\"'`]{4,40})[\"'`]?[ \t]*(?=\r?\n|$)"
)
# What a password is, and no password: as these words begin.
_STATES = words_of(
    "wrong incorr invalid expir requir missin empty blank weak strong short correc valid fine right secret publi plain optio mandat visib hidden mask redact safe "
    "secure insecu known unknow deprec unused nothing someth anythi whatev below above attach outdat obsole unique random broken stale fresh forgot leak expos compro "
    "case unset timeout disallow differ unchan same default stored saved hashed encryp salted sent shown logged printed needed static dynami expect import critic trivial guessab obviou easy "
    "match comply another never always expire null bcrypt argon scrypt hunter someone yours theirs mine access authen protect unlock decryp login somewh nowhere elsewh "
    "sensit alphan numer lowerc upperc longer shorter stronger weaker better worse enough ready there where either neither both again about anymore "
    "falsch ungült abgela korrek richti leer schwac stark siche unsich bekann unbeka erford notwen gesetz geände gültig verges gespei versch pflich zwingend nötig möglich "
    "kaputt veralt identi gleich unvers geheim öffent dasselbe derselbe nichts länger kürzer stärker "
    "inváli incorr obliga caduc vencid débil fuerte segur vacía vacío necesa requer olvida errón guarda cifrad igual demasi "
    "mauvai oblig faible fort court vide requis nécess oubli périm erron chiffr enregi stocké identiq "
    "errat sbagli scadut obblig debole vuot richie necess sicur memori salvat nascos "
    "obriga fraca forte curta vazia senha errada corret salva "
    "niepra błędn wygas wymaga puste słab silne popraw zapis zapomn "
    "секрет неверн неправ истек истёк обязат пуст слаб нужен верн прав забыт сохран непра "
    "fel ogiltig tomt svagt krävs ugyldig forkert "
    "onjuis ongeld verlop vereis leeg zwak vergeten "
)
# What describes something in languages other than English ends, or begins and ends, like this.
_DESCRIBING = lazy(
    r".*(?:[aiu][dt][oa]s?|[ée]e?s?|ible|able|nte|ers[oa]|[aeiou]l|i[vc][oa]|os[oa]|ári[oa]|[aeo]n[aey]|lny|bar|ig|lich|isch|haft|los|iert)"
    r"|(?:ge|be|ver|zer|ent|er|zu|ab|an|aus|ein|hinter|zurück|hinter)\w+[td]|.*(?:ый|ий|ой|ая|ое|ее|но|ен|ена|ено|ован\w*)"
)
_CODES = words_of(
    "yes nope sure nobody noone everyone anyone timeout default idk dunno none same which where what nvm thanks thx maybe hmm okay unknown asking checking looking let"
)


_REFUSED = lazy(r"\b(?:wrong|bad|incorrect|invalid|forgot\w*|falsches?|lost|reset)\b")
# Somebody's name, a file's.
_CALLED = lazy(r"[A-Z][a-z]+|.*\.\w{1,5}")


def told(page: Page) -> Iterator[Span]:
    """The plain words that the page's sentences tell."""
    for start, _ in page.hits:
        noun = NOUN.match(page.lower, start)
        if (
            not noun
            or not noun["strong"]
            or noun[0].startswith(("clave", "clau"))
            or page.lower[start - 1 : start].isalnum()
        ):
            continue
        page.tick()
        for match in _leads(page, start, noun.end()):
            if (
                match
                and _is_plain_secret(match["v"])
                and not (_is_foreign(noun[0]) and _DESCRIBING.fullmatch(match["v"]))
            ):
                yield Span(*match.span("v"), "told", "password")
        answer = _QUESTION.match(page.lower, noun.end())
        if (
            answer
            and not _REFUSED.search(page.lower, max(0, start - 30), start)
            and _is_answer(answer["v"])
            and not _CALLED.fullmatch(page.text, *answer.span("v"))
        ):
            yield Span(*answer.span("v"), "told", "password")


def _leads(page: Page, start: int, end: int) -> Iterator[re.Match[str] | None]:
    lower = page.lower
    yield _IS.match(lower, end)
    yield _STILL.match(lower, end)
    yield _SET_TO.match(lower, end)
    yield _AFTER_COLON.match(lower, end)
    if _SET.search(lower, max(0, start - 48), start):
        yield _TO.match(lower, end)
    if _BESIDE_USER.search(lower, max(0, start - 90), start):
        yield _BESIDE.match(lower, end)


def _is_plain_secret(word: str) -> bool:
    return (
        len(word) > 5
        and (DULL | DESCRIBES | STOP).isdisjoint((word, word.rstrip("s")))
        and not any(word.startswith(state) for state in _STATES)
        and not (word.isascii() and word.endswith(SUFFIXES))
    )


def _is_foreign(noun: str) -> bool:
    return not noun.startswith(("pass", "pw", "pin", "otp", "puk")) or (
        noun.startswith("passwor") and noun != "password"
    )


def _is_answer(word: str) -> bool:
    word = word.rstrip(".,;!")
    if word.isdigit():
        return 4 <= len(word) <= 12
    return (
        not word.endswith("?")
        and word not in _CODES
        and (not word.isalpha() or _is_plain_secret(word))
        and "/" not in word
        and len(word) > 4
    )


TOLD = Reader(
    id="told",
    kind="password",
    find=told,
    anchors=lambda: Anchors(names=True),
    good=(
        "the root password on the old box is {lowrare:10}",
        "Das Passwort für den Drucker ist immer noch {lowrare:11}.",
        "I changed the admin password to {lowrare:10}, write it down",
        "Ich habe das Kennwort auf {lowrare:12} gesetzt",
        "pw for the NAS: {lowrare:10}",
        "relay for mail, user me@example.org, password {lowrare:11}",
        "anna: redis pw?\nben: {lowrare:10}",
    ),
    bad=(
        "the password for this account is incorrect",
        "the password of the test user is stored in the vault",
        "Das Passwort für den Benutzer ist abgelaufen.",
        "la contraseña del usuario es incorrecta",
        "le mot de passe du compte est invalide",
        "changed the password to something stronger",
        "forgot your password?\nben: yes",
        "Password for backup: required",
        "user bob, password reset requested",
    ),
)
