"""Values that a shell hands on: ``printf '%s' '…' | cmd``, ``echo … > pw.txt``, ``<(echo …)``, ``"exec:echo …"``,
and what a short option's argument is beside one that names a user.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterator

from .anchors import Anchors
from .commands import OPTION
from .lazy import lazy
from .names import Grade
from .proofs import Proof, proof
from .rules import Page, Reader, Span
from .values import Style, is_label, is_secret

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


def fed(page: Page) -> Iterator[Span]:
    """What the page's commands hand on."""
    for sign in sorted(_ECHOES & page.words):
        yield from _echoed(page, sign)
    if " -" in page.text or " /rp" in page.text:
        for match in _SHORT.finditer(page.text):
            page.tick()
            if proof(match["v"]) and _is_beside_user(page.text, match.start()):
                yield Span(*match.span("v"), "fed", "password")
    for match in _TYPED.finditer(page.text) if "/user:" in page.text else ():
        page.tick()
        if proof(match["v"]):
            yield Span(*match.span("v"), "fed", "password")


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


FED = Reader(
    id="fed",
    kind="password",
    find=fed,
    anchors=lambda: Anchors(signs=(*(f"{echo} " for echo in _ECHOES), "/user:", "/rp "), patterns=(OPTION,)),
    good=(
        "printf '%s\\n%s\\n' '{word:9}' '{word:9}' | smbpasswd -s -a bob",
        "echo {word:11} > /etc/restic/pw",
        "printf '*:*:*:bob:{word:9}' > ~/.pgpass",
        "rsync --password-file <(echo {word:9}) a b",
        "echo {word:9} | sudo tee /run/secrets/x",
        "wg set wg0 private-key <(echo {base64:43}=)",
        "winrs -r:dc02 -u:bob -p:{word:9} hostname",
        "net use Z: \\\\fs\\x /user:CORP\\me {word:9}",
    ),
    bad=(
        "echo done1 > out.txt",
        "mkdir -p src/Module1",
        "docker run -u 1000 -p 8080:80 x",
        "echo 'see the token' | grep token",
    ),
)
