"""Values that stand before their name, or below what announces them: ``{"value": "…", "name": "DB_PASSWORD"}``,
``… # root password``, and the line that ``pass show`` or ``openssl rand`` prints.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterator

from .anchors import Anchors
from .lazy import lazy
from .made import is_chosen
from .names import Grade, grade, kind, words_of
from .randomness import looks_random
from .rules import Gate, Page, Reader, Span
from .values import Style, is_evident, is_label, is_placeholder, is_secret

_VALUE = lazy(
    r"(?:value|content|default)[\"']?\s{0,4}(?:[:=]|=>)\s{0,4}(?P<q>[\"'`]?)(?P<v>(?:(?<=[\"'`])[^\n\"'`]{3,300}|[^\s\"'`,;}>]{3,300}))(?P=q)[\s,;]{0,24}"
    r"(?:where[ ]|(?:\w{1,20}[\"']?\s{0,3}[:=]\s{0,3}[\"']?[\w-]{1,20}[\"']?[\s,;]{1,8}){0,2})[\"'(]{0,2}(?:\w{0,20}(?:name|key|id|field|variable|param|option|setting)|type)[\"')]{0,2}\s{0,4}(?:[:=]|=>)\s{0,4}[\"']?(?P<n>[\w.:/-]{2,80})",
    re.IGNORECASE,
)
_ELEMENT = lazy(
    r"value>(?P<v>[^<\n]{3,300})</value>\s{0,8}(?:\d{1,6}[\t→])?\s{0,24}<name>(?P<n>[\w.-]{2,80})<"
)
# The stems of the names that a comment says.
_SAID = words_of("pass secret key token pin pw contrase пароль 密码")
_FIRST = lazy(r"value|content|default")
_COMMENT = lazy(
    r"[ \t]{0,8}(?:\d{1,6}\t)?[\"'`]?(?P<v>[^\s\"'`#<]{5,200})[\"'`]?[ \t]{1,8}(?:#|//|<-{1,2}|←|--|;|is|\()[ \t]{0,4}(?:is[ ]|the[ ]|my[ ]|our[ ]|[\w.-]{1,20}[ ]){0,4}?(?P<n>password|passwd|passphrase|secret key|secret|api key|api token|token|pin|pw|passwort|contraseña|mot de passe|пароль|密码|access token|private key|root password)(?![\w-])",
    re.IGNORECASE,
)
# Of the page in lower case: ignoring case is far slower.
_PRINTS = lazy(
    r"(?:\b(?:pass|gopass|passage)[ ](?:show|ls|get|generate)?[^\n|]{0,100}|openssl[ ]rand[^\n|>]{0,60}|pwgen[^\n|>]{0,60}|apg[ ][^\n]{0,60}|wg[ ](?:genkey|genpsk)|secret-tool[ ]lookup[^\n]{0,100}|"
    r"(?:printenv|echo)[ ]\"?\$?\{?\w{0,40}(?:token|secret|password|passwd|api_?key|_key|pass|pw)\w{0,8}\}?\"?|security[ ]find-(?:generic|internet)-password[^\n]{0,120}-w[^\n]{0,40}|op[ ]read[^\n]{0,120}|op[ ]item[ ]get[^\n]{0,160}|"
    r"vault[ ](?:kv[ ]get|read)[ ][^\n]{0,20}-field[^\n]{0,100}|gh[ ]auth[ ]token[^\n]{0,40}|gcloud[ ]auth[ ][^\n]{0,40}print-[^\n]{0,40}|az[ ]account[ ]get-access-token[^\n]{0,100}|aws[ ](?:ecr|codeartifact)[ ]get-[^\n]{0,120}|"
    r"aws[ ]secretsmanager[ ]get-secret-value[^\n]{0,160}text[^\n]{0,20}|aws[ ]ssm[ ]get-parameter[^\n]{0,200}|kubectl[^\n]{0,160}(?:base64[ ]-{1,2}d\w{0,6}|jsonpath=[^\n]{0,40}\.data\b[^\n]{0,40}|create[ ]token[^\n]{0,60})|cat[ ][^\n]{0,80}(?:pass(?:word|wd|phrase|_file)?|secret|token|\.vault_pass|api[_-]?key|_key|pgpass|initialadminpassword|\.key|/key)[\w.]{0,8}|"
    r"bw[ ]get[ ]password[^\n]{0,60}|op[ ]item[ ]get[^\n]{0,160}|lpass[ ]show[^\n]{0,80}|doppler[ ]secrets[ ]get[^\n]{0,100}--plain|heroku[ ]config:get[^\n]{0,80}|terraform[ ]output[ ]-raw[^\n]{0,60}|chamber[ ]read[^\n]{0,80}-q|keyring[ ]get[^\n]{0,60}|age-keygen[^\n]{0,40}|"
    r"mkpasswd[^\n]{0,80}|openssl[ ]passwd[^\n]{0,80}|htpasswd[ ]-n[^\n]{0,80}|python3?[ ]-c[ ][^\n]{0,60}(?:secrets\.|generate_password|crypt)[^\n]{0,80}|base64[ ]?(?:-w ?0)?|uuidgen[^\n]{0,10}token|diceware[^\n]{0,40}|makepasswd[^\n]{0,40}|config get requirepass|doveadm[ ]pw[^\n]{0,60}|slappasswd[^\n]{0,60}|"
    r"(?:password|passphrase|passcode|passwort|secret key|secret|token|api key|root key|unseal key(?: \d)?|recovery key|mot de passe|contraseña|пароль|pin)\b[^\n.,;={}]{0,80}(?:\([^\n]{0,100}\))?:)[ \t]*\r?\n(?P<blank>[ \t]*\r?\n)?[ \t]{0,8}(?:\d{1,6}[\t→][ ]?)?(?:\d\)[ ])?[\"'`]?(?P<v>[^\s\"'`]{4,600})[\"'`]?[ \t]*(?=\r?\n|$)"
)
_PRINTING = (
    "pass show",
    "gopass",
    "passage",
    "pass ls",
    "openssl rand",
    "pwgen",
    "apg ",
    "wg genkey",
    "wg genpsk",
    "secret-tool",
    "printenv",
    "echo $",
    'echo "$',
    "find-generic",
    "find-internet",
    "op read",
    "op item",
    "-field",
    "auth token",
    "get-access-token",
    "aws ecr",
    "installation:\n",
    "codeartifact",
    "get-secret-value",
    "get-parameter",
    "base64 -",
    "create token",
    "bw get",
    "lpass",
    "secrets get",
    "config:get",
    "output -raw",
    "chamber",
    "keyring get",
    "age-keygen",
    "mkpasswd",
    "openssl passwd",
    "htpasswd -n",
    "secrets.",
    "diceware",
    "makepasswd",
    "doveadm pw",
    "slappasswd",
    "cat ",
    "):\n",
    "password:\n",
    "passphrase:\n",
    "passwort:\n",
    "passcode:\n",
    "key:\n",
    "token:\n",
    "secret:\n",
    "pin:\n",
    "print-",
    ".data.",
)


_GATE = Gate([_PRINTING])


def reversed_(page: Page) -> Iterator[Span]:
    """The page's values whose name follows, or stands in the line above."""
    if not page.all_hits:
        return
    if "value" in page.lower or "default" in page.lower or "val" in page.words:
        for match in (*_matches(_VALUE, _FIRST, page), *_matches(_ELEMENT, _FIRST, page)):
            page.tick()
            if is_secret(match["v"], grade(match["n"]), Style.EXACT):
                called = kind(match["n"])
                yield Span(*match.span("v"), f"named-{called}", called)
    stems = {page.lower[start:end] for start, end in page.hits}
    for start, stop in page.hit_lines if not _SAID.isdisjoint(stems) else ():
        page.tick()
        said = _COMMENT.match(page.text, start, min(stop, start + 600))
        if not said:
            continue
        value = said["v"].rstrip(",;:")
        if (is_evident(value) or looks_random(value)) and not is_placeholder(value):
            yield Span(said.start("v"), said.start("v") + len(value), "phrase", "password")
    if "\n" in page.text:
        for start, stop in page.near(_GATE.open(page).get(0, ()), after=4):
            for match in _PRINTS.finditer(page.lower, start, stop):
                page.tick()
                value = page.text[slice(*match.span("v"))]
                if _is_printed(value):
                    yield Span(*match.span("v"), "printed", "secret")


def _matches(pattern: re.Pattern[str], first: re.Pattern[str], page: Page) -> Iterator[re.Match[str]]:
    """The matches of a pattern that begins with one of ``first``, which is cheap to look for."""
    after = 0
    for word in first.finditer(page.lower):
        if word.start() >= after and (match := pattern.match(page.text, word.start())):
            after = match.end()
            yield match


def _is_printed(value: str) -> bool:
    if is_chosen(value) or (value.isdigit() and len(value) >= 8):
        return True
    if not is_secret(value, Grade.STRONG, Style.LINE) and not re.fullmatch(r"[0-9a-fA-F]{16,128}", value):
        return False
    if (
        re.match(r"[-*#$>/.{\[(]|\d+[.)]", value)
        or value.endswith((":", ".", ",", "{"))
        or "(" in value
        or "=" in value.rstrip("=")
    ):
        return False
    return (
        is_evident(value)
        or looks_random(value)
        or bool(re.fullmatch(r"[0-9a-fA-F]{16,128}|[A-Za-z0-9+/]{20,}={0,2}", value))
        or (value.isalpha() and len(value) >= 12 and value.islower() and not is_label(value))
        or bool(re.search(r"[!@#$%^&*~]", value) and len(value) >= 8)
    )


REVERSED = Reader(
    id="value-first",
    kind="password",
    find=reversed_,
    anchors=lambda: Anchors(names=True, signs=("val", *_GATE.signs), parts=_GATE.wordless),
    good=(
        '{"value": "{word:9}", "name": "DB_PASSWORD"}',
        "- value: {word:9}\n  name: DB_PASSWORD",
        "<value>{hex:20}</value>\n<name>javax.jdo.option.ConnectionPassword</name>",
        '<input value="{word:9}" type="password">',
        "{word:9}  # root password",
        "$ pass show db/root\n{base62:20}\n",
        "$ openssl rand -hex 16\n{hex:32}\n",
    ),
    bad=("- value: info\n  name: LOG_LEVEL", "$ cat README.md\nHello", "# the password\nis required"),
)
