"""Passwords in command lines, where the option's name says nothing: ``mysql -pX``, ``curl -u me:X``,
``echo X > pw.txt``.

An option whose name says it (``--password``) is matched by ``assignments``, for any command. Here are the commands of
``data/commands.toml``; for any command, the value of a short option that is almost certainly a password, or is beside
an option that names a user; and text that a shell passes to a command or a file.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache

from .lazy import lazy
from .load import Takes
from .load import commands as table
from .names import Grade, grade
from .page import Page, Span
from .proofs import Proof, proof
from .rules import Reader
from .values import Style, is_evident, is_label, is_placeholder, is_secret

_ARGUMENT = lazy(
    r"[ \t]*(?:\\?\r?\n[ \t]*)?(?P<a>(?:\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'|\\.|[^\s\"'|;&]|&(?!&)|;(?=\S)){1,500}+)"
)
_LISTED = lazy(r"[\"']?,[ ]?[\"'](?P<a>[^\"'\n]{1,300})(?=[\"'])")
_LIST = lazy(r"[\"'],[ ]?(?=[\"'])")
_LOOK = lazy(r"-(?P<o>[pPwWakxXAuU])(?:[ ]|(?=[\"']?[^\s\"'-]{5}))[\"']?(?P<v>[^\s\"'`|;,)\]}]{6,80})")
_USERINFO = lazy(
    r"-(?:u|U|-user|-userpass|-login|-creds?|-credentials?|-basic|-auth|a|-http-user|-proxy-user|-user-pass|l)[ =][\"']?(?P<u>[\w.@][\w.@+\\-]{0,80})(?::|(?<=[\w])%(?![A-Z-]))(?P<v>[^\s(\"'`|<>]{3,128})"
)


_ECHO = r"(?<![\w-])(?:echo|printf|print)(?:[ ]-{1,2}[\w-]{1,12}){0,3}(?:[ ][\"'](?:%[sq](?:\\?[nr0]|\s)?){1,4}[\"'](?=[ ]))?[ ]"
_VALUES = r"(?P<all>(?:[a-z]{3,10}(?: [a-z]{3,10}){3,11}(?=[ ]>)|\"[^\"]{3,300}\"|'[^']{3,300}'|[^\s\"'|;&<>()]{4,200})(?:[ ](?:\"[^\"\n]{3,200}\"|'[^'\n]{3,200}')){0,3})"
_INTO = lazy(
    _ECHO
    + _VALUES
    + r"[ ]{0,4}(?:\)|(?:>{1,2}|\|[ ]{0,2}(?:sudo[ ])?tee(?:[ ]-a)?[ ])[ ]{0,2}[\"']?(?P<path>[^\s\"';|&)]{2,120})|\|[ ]{0,2}(?P<taker>[^\n;|]{2,160}))"
)
_PHRASE = lazy(r"[a-z]{3,10}(?: [a-z]{3,10}){3,11}")
_ECHOED = lazy(r"echo[ ](?P<v>[^\s\"')]{5,120})")
_RUNS = lazy(r"(?:exec:|command[\"']?[ ]?[:=][ ]?[\"']?|<\()[ ]?(?:/\w{1,12}){0,3}/?$")
_PATH = lazy(
    r"(?:^|/)run/secrets/[\w.-]{1,60}$|(?:^|[/._-])(?:pw|pass\w{0,8}|\w{0,12}passw\w{0,4}|secrets?|tokens?|auth|creds?|credentials|psk|api_?key|\w{0,8}_?key|pin|pgpass|netrc|htpasswd|vault_pass)(?:[._-]\w{1,12})?$",
    re.IGNORECASE,
)
_ASKED_FOR = lazy(r"(?:pass|secret|token|key)[\w-]*[ =]<\($")  # --password-file <(
_TAKER = lazy(r"pass|secret|token|auth|stdin|crypt|login|cred|sudo[ ].{0,20}-\w{0,3}S|luks|gpg|keyring|vault")
_USER = lazy(
    r"[ ](?:-u|-[ax]u|-U|-l|--user(?:name)?|-D|-user|--login|-login|/u|/user|-username|remote login|import|login)[ :=]?[\"']?[\w.@\\/+-]{2,80}"
)
_SHORT = lazy(
    r"[-/](?:(?<=[ ]-)(?:[pPwWK]|[ax]p|pw|rp|passwd|pass)|(?<=[ ]/)rp)(?:[ ]|[:=](?=[^\s]))[\"']?(?P<v>[^\s\"'`|;)]{5,80})"
)
_TYPED = lazy(r"/user:[\w\\.@-]{2,80}[ ][\"']?(?P<v>[^\s\"'/-][^\s\"'()]{4,80})")


Word = tuple[str, int]
"""An argument of a command, and where it begins."""


def commands(page: Page) -> Iterator[Span]:
    """The passwords in the page's command lines."""
    for name in sorted(_by_name().keys() & page.words) if " " in page.text or '",' in page.text else ():
        yield from _of_command(page, name)
    for sign in sorted(_ECHOES & page.words):
        yield from _echoed(page, sign)
    yield from _of_any_command(page)


def _of_any_command(page: Page) -> Iterator[Span]:
    text = page.text
    if " -" not in text and " /" not in text:
        return
    for rule, pattern in (("command", _USERINFO), ("command", _LOOK), ("fed", _SHORT), ("fed", _TYPED)):
        for match in pattern.finditer(text):
            page.tick()
            if _is_taken(pattern, match):
                yield Span(*match.span("v"), rule, "password")


def _is_taken(pattern: re.Pattern[str], match: re.Match[str]) -> bool:
    value, before = match["v"], match.string[match.start() - 1 : match.start()]
    if pattern is _SHORT:
        return bool(proof(value)) and _is_beside_user(match.string, match.start())
    if pattern is _TYPED:
        return bool(proof(value))
    if pattern is _LOOK:
        return before.strip("\"'") in ("", " ", "\n") and _is_hardly_else(value)
    return before.strip() == "" and (
        is_evident(value) or (not match["u"].isdigit() and is_secret(value, Grade.STRONG, Style.LOOSE))
    )


def _is_hardly_else(value: str) -> bool:
    """Whether the value of an option of no known command is a password."""
    signs = re.search(r"[!@#$%^&*?~]", value[1:])
    return (
        is_evident(value)
        and not is_placeholder(value)
        and not (len(value) > 50 and value.startswith("RW"))  # a public key of minisign
        and not re.search(r"[/:=.]", value)
        and bool(
            re.search(r"[A-Za-z]", value)
            and re.search(r"\d", value)
            and (signs or (re.search(r"[a-z]", value) and re.search(r"[A-Z]", value)))
        )
        and not re.search(r"^\$|@\d", value)
    )


def _of_command(page: Page, name: str) -> Iterator[Span]:
    lower, text = page.lower, page.text
    at = lower.find(name)
    read: dict[Takes, int] = {}  # how far the arguments were read with an earlier call
    while at >= 0:
        page.tick()
        end = at + len(name)
        for command, takes in _by_name()[name]:
            start = at + len(command)
            if (
                lower.startswith(command, at)
                and not lower[start : start + 1].isalnum()
                and (at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "-_.@"))
            ):
                end = max(end, start)
                words = _words(text, start, read.get(takes, 0))
                yield from _by_options(words, takes)
                yield from _by_number(text, start, takes)
                read[takes] = max(read.get(takes, 0), words[-1][1] if words else 0)
        at = lower.find(name, end)


def _words(text: str, start: int, read: int = 0) -> list[Word]:
    """The arguments of a command, up to some 1,500 characters, across line ends; only those after ``read``, up
    to which an earlier call was read."""
    if text.startswith(".exe", start):
        start += 4
    listed = _LIST.match(text, start)
    if text[start : start + 1] not in (" ", "\t") and not listed:
        return []
    at = start if listed else max(start, read)
    words: list[Word] = []
    pattern = _LISTED if listed else _ARGUMENT
    while (match := pattern.match(text, at)) and len(words) < 48 and match.end() - start < 1500:
        words.append((match["a"], match.start("a")))
        at = match.end()
    return words


def _by_options(words: list[Word], takes: Takes) -> Iterator[Span]:
    for n, (word, begin) in enumerate(words):
        for option, how in takes.options if word[:1] in takes.first else ():
            if not word.startswith(option):
                continue
            glued, at = word[len(option) :], begin + len(option)
            if (glued[:1] == ":" and option[0] == "/") or (glued[:1] == "=" and len(option) > 2):
                glued, at = glued[1:], at + 1
            if glued:
                assigned = word[len(option)] == "="
                if assigned or how in ("glued", "either") or (how in _SIGNS and len(option) == 2):
                    yield from _taken(glued, at, how)
            elif how != "glued" and n + 1 < len(words):
                yield from _taken(*words[n + 1], how)


# Of -path, -print0: another command's, in a line below.
_LONG_OPTION = lazy(r"ath|rint0?|rune|erm|roject|rofile|ort|lugins?|ackage|latform")
_PORT = lazy(r"[0-9]{1,5}|[0-9.:/]*[.:/][0-9.:/]*(?:/tcp|/udp)?|[0-9]{1,5}(?::[0-9]{1,5})+")
_SIGNS = {"colon": ":", "percent": "%", "comma": ",", "named": "="}


def _taken(word: str, begin: int, how: str = "") -> Iterator[Span]:
    if word[:1] in "\"'" and len(word) > 2:
        word, begin = word[1:].rstrip(word[0]), begin + 1
    if how in _SIGNS:
        user, sign, word = word.partition(_SIGNS[how])
        begin += len(user) + 1
        if not sign or (how == "named" and not grade(user)):
            return
    if word.startswith("-") or word in ("", "codesigning"):  # a policy of macOS
        return
    if how == "either" and (_PORT.fullmatch(word) or _LONG_OPTION.fullmatch(word)):
        return
    word = word.rstrip(",)")
    if is_secret(word, Grade.STRONG, Style.EXACT):
        yield Span(begin, begin + len(word), "command", "password")


_NO_POSITION = lazy(r"-.|/[A-Za-z]+(?::|$)")


def _by_number(text: str, start: int, takes: Takes) -> Iterator[Span]:
    words = _words(text, start) if takes.arguments else []
    if not words:
        return
    line = text.find("\n", start, words[-1][1])
    while line > 0 and text[line - 1] == "\\":
        line = text.find("\n", line + 1, words[-1][1])
    here = [word for word in words if line < 0 or word[1] < line]
    for argument in takes.arguments:
        at = 0
        for head in argument.words:
            while at < len(here) and not fnmatchcase(here[at][0], head):
                at += 1
            at += 1
        plain = [word for word in here[at:] if not _NO_POSITION.match(word[0])]
        if at <= len(here) and argument.number < len(plain):
            yield from _taken(*plain[argument.number])


def _echoed(page: Page, sign: str) -> Iterator[Span]:
    at = page.text.find(f"{sign} ")
    while at >= 0:
        page.tick()
        if match := _INTO.match(page.text, at):
            yield from _into(match)
        if (match := _ECHOED.match(page.text, at)) and (
            _RUNS.search(page.text, max(0, at - 60), at) and proof(match["v"])
        ):
            yield Span(*match.span("v"), "fed", "password")
        at = page.text.find(f"{sign} ", at + len(sign))


def _into(match: re.Match[str]) -> Iterator[Span]:
    text, start = match.string, match.start()
    if match["path"]:
        named, least = _PATH.search(match["path"]), Proof.SLIGHT
    elif match["taker"]:
        named, least = _TAKER.search(match["taker"]), Proof.FAIR
    else:
        named, least = match, Proof.SLIGHT
    if named and _PHRASE.fullmatch(match["all"]) and not is_label(match["all"]):
        yield Span(*match.span("all"), "fed", "password")
        return
    sure = match["path"] or _ASKED_FOR.search(text, max(0, start - 40), start)
    for word in _WORDS.finditer(text, *match.span("all")) if named else ():
        colon = word.start() + (word[0].rfind(":") + 1 if match["path"] else 0)  # user:password
        for at in dict.fromkeys((word.start(), colon)):
            value = text[at : word.end()]
            fed = proof(value) >= least or (sure and _MIXED.fullmatch(value))
            if fed and is_secret(value, Grade.STRONG, Style.EXACT):
                yield Span(at, word.end(), "fed", "password")
                break


_MIXED = lazy(r"(?=.*\d)(?=.*[a-z])\w{8,40}")  # where nothing else is said
_ECHOES = frozenset(("echo", "printf", "print"))
_WORDS = lazy(r"(?<![^\s\"'])[^\s\"']{5,120}")


def _is_beside_user(text: str, at: int) -> bool:
    start = max(text.rfind("\n", 0, at) + 1, at - 200)
    stop = text.find("\n", at, at + 200)
    return _USER.search(text, start, stop if stop >= 0 else min(len(text), at + 200)) is not None


# An option of _USERINFO or _LOOK, and those that stand beside one that names a user.
OPTION = lazy(
    r"-(?<![^\s\"']-)(?:[axp]?[pwakxu][ ]?[\"']?[^\s\"'`|;,)\]}]{5}|rp[ :=]|pass(?:wd)?[ :=]|-?(?:u|user|userpass|login|creds?|credentials?|basic|auth|a|http-user|proxy-user|user-pass|l)[ =])"
)


@cache
def _by_name() -> dict[str, list[tuple[str, Takes]]]:
    """The commands and the secrets that they take, by the first word of the command."""
    found: dict[str, list[tuple[str, Takes]]] = {}
    for name, takes in table():
        found.setdefault(re.split(r"[^a-z0-9_]", name)[0], []).append((name, takes))
    return found


COMMANDS = Reader(
    id="command",
    kind="password",
    find=commands,
)
