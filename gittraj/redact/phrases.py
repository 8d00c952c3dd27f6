"""Sentences and prompts that tell a password, in a dozen languages: "the password for x is …".

In a sentence only a value that speaks for itself is taken: letters mixed with digits or signs, a random
word, or one that is set in quotes. A word that can hardly be anything but a password is taken wherever the
talk is of passwords, logins and the like.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterator

from .anchors import Anchors
from .lazy import lazy
from .made import is_phrase
from .names import ALPHABETIC, CJK, PHRASES, Grade, grade
from .proofs import Proof, proof
from .randomness import looks_random
from .rules import VARIABLE, Hit, Page, Reader, Span, Text
from .seeds import QUOTED, seeds
from .values import Style, is_label, is_password, is_secret

_STRONG = (
    r"assword|pasw(?:or)?d|pass(?:words?|codes?|phrases?|wort|wd)|clave|clau|pw|pwd|psw|pin(?:[- ]?code)?|otp|senha|puk|(?:"
    + "|".join(ALPHABETIC)
    + r")[^\W\d_]{0,8}|"
    + "|".join(CJK)
    + "|"
    + PHRASES
)
_WEAK = (
    r"credentials?|creds|logins?|(?:[\w-]{1,16}[ -])?tokens?|secret[oa]?s?|segreto|segredo|(?:[\w-]{1,16}[ -])?keys?|2fa|mfa|codes?|c[oó]digos|codici|kody|коды|clave|chave|schlüssel|zugangsdaten|anmeldedaten|identifiants|pass|"
    r"ключ\w{0,3}|токен\w{0,3}|секрет\w{0,3}|доступ\w{0,3}|令牌|密钥|密鑰|トークン|토큰|clé|community|jeton|gettone|llave|chiave|sleutel|nyckel|nøkkel|nøgle|avain|kulcs|klucz\w{0,2}|klíč\w{0,2}|ključ\w{0,2}|anahtar\w{0,3}|キー|키|κλειδί|מפתח|مفتاح|कुंजी|kunci|pepper|creds"
)
NOUN = lazy(rf"(?P<strong>{_STRONG})(?![a-z0-9_-])|(?P<weak>{_WEAK})(?![a-z0-9_])")
_LINK = r"(?:is|was|to|at|currently|are|be|auf|à|na|on|as|uses|using|with|c'est|reads|lautet|lauten|ist|war|est|es|era|é|è|sono|são|jest|är|er|je|это|является|теперь|—|–|->|→|⇒|olan|là|ialah|adalah|هي|هو|היא|הוא|है|คือ)"
_ADVERB = r"(?:(?:now|still|set|changed|reset|updated|rotated|currently|to|as|simply|just|actually|always|again|auf|jetzt|noch|gesetzt|ahora|maintenant|adesso|agora|теперь|na|nu|til|been|has|have|will|should|must|the|following|new|immer|nun)(?:[ ]:?[ ]?|:[ ]?)){0,4}"
_WORDS = r"[a-z]{3,10}(?:[ -][a-z]{3,10}){3,11}(?: \d{1,3})?(?=[.\n\"'`)]|$)"
_SEEN = r"(?:[a-z2-7]{4}[ -]){3,7}[a-z2-7]{4}(?![\w])"
_VALUE = (
    r"(?P<q>[\"'`*]{0,3})(?P<v>(?:(?<=[\"'`])[^\"'`\n<>]{3,200}(?=[\"'`])|"
    + _WORDS
    + "|"
    + _SEEN
    + r"|[^\s\"'`<>]{3,200}))(?P<c>[\"'`*]{0,3})"
)
_TOLD = lazy(
    r"(?:[ ]?(?P<l>[:=])|[ ,(]"
    + _LINK
    + r"|'s)(?:[ ]?:)?[ ]{1,3}"
    + _ADVERB
    + r"(?P<q>[\"'`*]{0,3})[ ]?(?P<v>(?:(?<=[\"'`])[^\"'`\n<>]{3,200}(?=[\"'`])|(?<=[\"'`][ ])[^\"'`\n<>]{3,200}(?=[\"'`])|"
    + _WORDS
    + "|"
    + _SEEN
    + r"|[^\s\"'`<>]{3,200}))(?P<c>[\"'`*]{0,3})"
)
_GROUPED = lazy(_SEEN)
_LINKS = lazy(r"[ ]?[:=](?=[ ])|[ ,(]" + _LINK + r"(?=[ :])|'s(?=[ ])")
_SENTENCE_END = lazy(r"[.!;][ \n]|\n|[{}]|[\"'`]\s?[,:=]")
_CJK = lazy(
    r"[^\s\"'`:,.。、!-~]{0,12}?(?:[是为為はがを은는이가成]|คือ|:)[ ]{0,2}(?:了|成)?[ ]{0,2}[\"'`]?(?P<v>[!#-&(-_a-~À-ž]{4,128})"
)
_ANSWERED = lazy(
    r"(?:[ ](?:for|of|again|para|für|pour|de|для)\b[^\n:]{0,60}|[ ]?\([^()\n]{0,60}\)|\s?\[[^\]\n]{0,40}\]|[ ][\w@./'-]{1,40}){0,3}[ ]?[:?>›❯»]{1,2}[ ]{1,4}(?:›[ ])?(?P<v>"
    + _WORDS
    + "|"
    + _SEEN
    + r"|[a-z]{3,10}(?: [a-z]{3,10}){3,11}[ -]?\d{1,4}!?|[^\s<>\"'`][^\s\"'`]{2,128})[ \t]*(?=\r?\n|$)"
)
_CONFIGURED = lazy(
    r"(?:[ \t]+(?:[0-9]{1,2}|ascii|ascii-text|plain|clear|cleartext|encrypted|hex|sha|md5|aes|des|psk|:|plain-text|0))?[ \t]+[\"']?(?P<v>[^\s\"';]{4,200})[\"']?;?[ \t]*(?:(?:ro|rw|level|privilege|role)\b[^\n]{0,40})?(?=\r?\n|$|#)"
)
_WORDS_BEFORE = lazy(r"(?:^|\n)[ \t>]{0,16}(?:[\w./:-]{1,30}[ \t]+){0,6}$")
_CODES = lazy(
    r"(?:[- ]?(?:codes?|keys?|tokens?))?[^\n:]{0,60}:?,?(?:\n\([^\n()]{0,80}\)(?=\n))?\s{0,4}(?P<v>(?:(?:[\w.-]{2,24}[ ]{1,8}\|)?[-*•\d.)\[\"'`>| ]{0,6}[a-z0-9]{4,10}(?:[- ][a-z0-9]{4,10}){0,5}[\"',\] ]{0,4}\s{0,3}){1,16})"
)
_CODE = lazy(r"\d{4} \d{4}|[A-Za-z0-9]{4,10}(?:-[A-Za-z0-9]{4,10}){0,5}")
_RECOVERY = lazy(
    r"(?:recovery|backup|scratch|emergency|one-time|rescue|2fa|wiederherstellungs|récupération|recuperación|recupero|recuperação|secours|respaldo)[- ]?$"
)
_OF_RECOVERY = lazy(
    r" (?:de |di |da |do )?(?:secours|récupération|recuperación|recuperação|recupero|respaldo|backup|emergencia|emergenza|emergência)"
)
EDGE = "\"'`()[]{}<>*_,.;:!?„“”«»。、，"


def is_live(text: Text, hit: Hit) -> bool:
    """Whether the stem of a name at a place in a text belongs to a name with a grade, or begins a noun."""
    start, end = hit
    stem = text.lower[start:end]
    if stem in _ALWAYS or not stem.isascii() or text.lower.startswith(_TALK, start):
        return True
    if stem == "code" and text.lower.endswith("wiederherstellungs", 0, start):
        return True
    if (noun := NOUN.match(text.lower, start)) and not _IN_NAME.fullmatch(text.lower, start - 1, start):
        if stem not in _EVERYWHERE or _SAYS.match(text.lower, noun.end()):
            return True
        if _WHICH.search(text.lower, max(0, start - 24), start):
            return True
    before = _NAME.match(text.text[max(0, start - 65) : start][::-1])
    after = _NAME.match(text.text, end, end + 65)
    first, last = start - (before.end() if before else 0), after.end() if after else end
    name = text.text[first:last]
    level = max(grade(name), grade(name[:-1])) if name[-1:] == "s" else grade(name)
    return (
        level > Grade.WEAK
        or len(name) > 64
        or (level is Grade.WEAK and _GIVEN.match(text.text, last) is not None)
        or (level is Grade.WEAK and text.text[first - 1 : first] in _QUOTED)
        or _CALLED.match(text.text, end) is not None
    )


# a function that is given a literal (``calls``)
_CALLED = lazy(r"\w{0,40}!?\((?:[^\n\"'`()]|\(\)){0,100}[\"'`]")
# "code" and "key" are in every text: what follows must say that one is told, or what precedes which one it is.
_EVERYWHERE = ("code", "key")
_SAYS = lazy(r"[^\n]{0,60}?(?:[:=\d]|\b(?:is|was|to|as|with|c'est|ist|lautet|est|es|è|é|jest|är|er)\b)")
_WHICH = lazy(
    r"(?:api|secret|private|access|recovery|backup|verification|security|pin|pass|door|gate|alarm|login|one-time|2fa|sms|master|signing|encryption|license|product|unlock|wi-?fi|network)[ -]{1,2}$|[.$]$"
)
_IN_NAME = lazy(r"[\w-]", re.ASCII)
_GIVEN = lazy(r"[\"'`\])}*~]{0,6}\s{0,24}(?:[:=!%>|,(<]|->)")
_QUOTED = ('"', "'", "`", ">", "$")


_NAME = lazy(r"[\w.-]*")
# where the talk may be of passwords
_TALK = ("passw", "passphrase", "passcode", "cred", "login", "pwd", "pw", "psk")
_ALWAYS = frozenset(
    (
        "seed",
        "phrase",
        "mnemonic",
        "log in",
        "logged in",
        "logging in",
        "sign in",
        "signed in",
        "unlock",
        "decrypt",
        "mot de p",
        "mots de p",
        "kata s",
        "kata l",
        "koden t",
        VARIABLE,
    )
)


def phrases(page: Page) -> Iterator[Span]:
    """The secrets that the page's sentences and prompts tell."""
    after = 0
    for hit in page.hits:
        start = hit[0]
        if start < after:
            continue
        if (
            start
            and page.lower[start].isascii()
            and not page.lower.endswith(("wiederherstellungs", "backup-", "recovery-"), 0, start)
            and page.lower[start - 1] in "abcdefghijklmnopqrstuvwxyz_.$-/0123456789"
            and page.lower[start - 1 : start].isascii()
        ):
            continue
        if (noun := NOUN.match(page.lower, start)) and not page.lower.endswith(
            ("public ", "public-", "fingerprint "), 0, start
        ):
            page.tick()
            after = noun.end()
            yield from _after(page, noun)
    yield from seeds(page)


_NUMBER = lazy(r"\d{7,12}(?<!000)")
_SAYS_ON = lazy(r"[a-z]{2,20} [a-zà-ž]")


def _after(page: Page, noun: re.Match[str]) -> Iterator[Span]:  # noqa: PLR0912 - one case each
    text, lower, end = page.text, page.lower, noun.end()
    level = Grade.STRONG if noun["strong"] else Grade.TOKEN
    if noun[0].endswith(("key", "keys")) and not noun["strong"] and not grade(re.sub("[ -]", "_", noun[0])):
        return  # of a cache
    stop = _SENTENCE_END.search(lower, end, end + 110)
    limit = stop.start() if stop else end + 110
    for link in _LINKS.finditer(lower, end, limit):
        gap = lower[end : link.start()]
        told = _TOLD.match(lower, link.start())
        if not told or _ABOUT.search(gap):
            continue
        assigned = (
            told["l"] in (":", "=")
            and not noun[0].endswith("api")
            and not gap.strip("\"'`*_")
            and not _GROUPED.fullmatch(told["v"])
        )
        # "… has expired: renew it"
        if assigned or (told["l"] == ":" and len(gap.split()) > 1 and _SAYS_ON.match(lower, told.start("v"))):
            continue
        if found := [
            *_judged(page, told, level, noun=noun[0], quoted=bool(told["q"].strip("*")) and bool(told["c"]))
        ]:
            yield from found
            break
    if not noun[0].isascii() and (cjk := _CJK.match(lower, end)):
        yield from _judged(page, cjk, Grade.STRONG, noun=noun[0], quoted=False)
    if noun["strong"] and (answer := _ANSWERED.match(lower, end)):
        start, stop_at = _trimmed(text, *answer.span("v"))
        value = text[start:stop_at]
        if value.isdigit() and is_count(page, start):
            return
        if (
            (re.fullmatch(_WORDS, value) and not is_label(value))
            or is_phrase(value)
            or (is_secret(value, level, Style.LINE) and not re.search(r"\w\(|[{}=]|,$", value))
        ):
            yield Span(start, stop_at, "phrase", "password")
    if (setting := _CONFIGURED.match(lower, end)) and _WORDS_BEFORE.search(
        lower, max(0, noun.start() - 160), noun.start()
    ):
        yield from _judged(page, setting, level, noun=noun[0], quoted=False)
        alone = page.lower[noun.start() - 1 : noun.start()] in ("", "\n", " ", "\t")
        if noun["strong"] and alone and proof(setting["v"]) >= Proof.FAIR:
            yield Span(*setting.span("v"), "phrase", "password")
    recovers = _RECOVERY.search(lower, max(0, noun.start() - 24), noun.start()) or _OF_RECOVERY.match(
        lower, end
    )
    if recovers and (codes := _CODES.match(lower, end)):
        drawn = len(re.findall(r"\d", codes["v"])) > 3
        for code in _CODE.finditer(text, *codes.span("v")):
            if (
                (re.search(r"\d", code[0]) or ("-" in code[0] and drawn))
                and len(code[0]) >= 6
                and not re.fullmatch(r"\d{4}-\d\d-\d\d.*", code[0])
            ):
                yield Span(*code.span(), "phrase", "code")


_COUNTED = lazy(r"\b(?:number of|days|minimum|maximum|attempts|tries|length|age)\b")
_BEGINS = lazy(r"[A-Z][a-z ]+ \d{1,3}")


_COMMIT, _PINS = lazy(r"[0-9a-f]{40}"), lazy(r"\bpin(?:s|ned)?\b")  # "pin the action to 87f0…"


def _judged(page: Page, match: re.Match[str], level: Grade, *, noun: str, quoted: bool) -> Iterator[Span]:
    start, end = _trimmed(page.text, *match.span("v"))
    value = page.text[start:end]
    if page.text.startswith("...", end):
        return
    if _COMMIT.fullmatch(value) and _PINS.search(page.lower, max(0, start - 80), start):
        return
    if _GROUPED.fullmatch(value.lower()) or (
        (level is Grade.STRONG or quoted)
        and re.fullmatch(_WORDS, value.lower() if _BEGINS.fullmatch(value) else value)
    ):
        good = not is_label(value) and len(set(re.split("[ -]", value))) > 3
    elif level is Grade.TOKEN and value.isdigit():
        good = (
            bool(
                re.search(
                    r"(?:verification|login|security|one-time|sms|confirmation|access|sicherheits|door|gate|alarm)[- ]?$",
                    page.lower[max(0, match.start() - 30) : match.start()]
                    .removesuffix("codes")
                    .removesuffix("code"),
                )
            )
            and 4 <= len(value) <= 10
        )
    elif level is Grade.TOKEN:
        good = (
            bool(re.fullmatch(r"(?=.*[0-9])[0-9a-f]{16,64}", value) and re.search(r"secret|token", noun))
            or (looks_random(value) and is_secret(value, level, Style.NEAR))
            or is_password(value)
        )
    elif quoted:
        good = is_phrase(value) or (not _is_name(value) and is_secret(value, level, Style.EXACT))
    else:
        good = (
            is_secret(value, level, Style.NEAR)
            or is_phrase(value)
            or (value.isdigit() and 4 <= len(value) <= 12)
            or _DRAWN.fullmatch(value) is not None
        )
    if good and not (value.isdigit() and is_count(page, start)):
        yield Span(start, end, "phrase", "password")


def is_count(page: Page, at: int) -> bool:
    """Whether the number at ``at`` counts something, by what is before it in its line."""
    line = page.lower.rfind("\n", 0, at) + 1
    return _COUNTED.search(page.lower, max(line, at - 80), at) is not None


# A UUID; a few letters and digits as of a captcha, which are no algorithm's name.
_DRAWN = lazy(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?=[A-Z0-9]*\d)(?=(?:[A-Z]*\d[A-Z]+)|(?:\d*[A-Z]\d+[A-Z]))[A-Z0-9]{5,8}(?<!\d\d\d)"
)
_ABOUT = lazy(
    r"fingerprint|\bid\b|\bhash\b|\bname\b|length|\bfile\b|path|\btype\b|\bsize\b|count|\burl\b|policy|format|prefix|algorithm|expire|version|checksum|identifier|sha256|digest|branch|commit"
)


def _is_name(value: str) -> bool:
    if len(value.split()) > 1:
        return len(value.split()) < 3 or is_label(value)
    return bool(
        re.fullmatch(
            r"[a-z]{1,7}|[a-z]+(?:[_.-][a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+|[A-Z_]+|\d{1,3}|[A-Z][a-z]+(?:[A-Z][a-z]+)*",
            value,
        )
    )


VERBS = ("use ", "using ", "try ", "nimm ", "utilise ", "usa ", "with ", "用")


_LOCKED = lazy(
    r"(?:protected|encrypted|locked|secured|unlocks?|unlocked|opens|decrypts?|extracts?|geschützt|verschlüsselt|protégé[es]?|protegid[oa]|zabezpieczon[eya]) (?:with|by|using|mit|avec|con|com|hasłem)(?: the)?[ ][\"'`„](?P<v>[^\s\"'`]{5,80})[\"'`“]"
)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while end > start and (
        text[end - 1] in " .,;:*。、"
        or (
            text[end - 1] in ")]}"
            and text[start:end].count({")": "(", "]": "[", "}": "{"}[text[end - 1]])
            < text[start:end].count(text[end - 1])
        )
    ):
        end -= 1
    if end > start and text[end - 1] in "?!" and not any(map(str.isdigit, text[start:end])):
        end -= 1
    while start < end and text[start] in "([{*":
        start += 1
    return start, end


PHRASES_READER = Reader(
    id="phrase",
    kind="password",
    find=phrases,
    anchors=lambda: Anchors(
        names=True, signs=(*VERBS[:-1], "it's "), parts=(" / ", VERBS[-1]), patterns=QUOTED
    ),
)
