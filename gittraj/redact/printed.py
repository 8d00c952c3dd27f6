"""Secrets that a terminal shows after a command that prints them, or below the name of a file that has one.

``$ wg genkey``, ``==> vault_pass.txt <==``: the lines that follow have no names. Only words that are alone on a
line are taken; values with a name are left to the readers of names. Other commands and files of this kind are known
elsewhere (``strict_commands``, ``strictness``).
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterator

from gittraj.events.sensitive import is_secret_file
from gittraj.events.sensitive_commands import shows_secrets

from .lazy import lazy
from .made import is_phrase
from .names import Grade
from .page import Page, Span
from .proofs import Proof, proof
from .rules import Reader
from .values import Style, is_secret

_PROMPT = lazy(
    r"[ \t>│|]{0,4}(?:\(\w[\w.-]{0,20}\)[ ])?(?:[\w.@:~/-]{1,60})?(?:[\]][$#]|[$❯])[ ](?P<c>[^\n]{2,400})\r?(?=\n)"
)
_FILE = lazy(r"[ \t>]{0,4}(?:==>[ ]|#+[ ]|-{2,}[ ])?(?P<f>[\w./~-]{3,120})(?:[ ]<==|[ ]-{2,}|:)\r?(?=\n)")
_SHOWN = lazy(r"\n[ \t>│|]{0,6}(?:\d{1,4}[\t→][ ]?)?(?P<v>[^\s\"'`]{4,600})[ \t│|]{0,40}\r?(?=\n|$)")
_PAIR = lazy(
    r"\n[ \t>]{0,4}(?P<v>[\w.-]{3,64})[ ](?P<w>[\w!#%*+.@^~=-]{6,64})(?:[ ](?P<x>[\w!#%*+.@^~=-]{6,64}))?[ \t]*\r?(?=\n|$)"
)
_HOLDS = lazy(
    r"(?:^|[/._-])(?:pw|psk|passw\w{0,6}|passphrase|pass|secret|token|pin|api_?key|\w{2,12}_key|privatekey|auth|creds?|credentials|vault_pass\w{0,5})(?:\.(?:txt|pw|key|pass|secret|cred|conf))?$",
    re.IGNORECASE,
)
_GENERATES = lazy(
    r"(?:^|[ |;&(])(?:\S{0,40}/)?(?:[\w:-]{0,30}(?:auth|jwt|key|secret|token|psk|password|passwd)[:_ -](?:secret|gen\w{0,12}|create|new|show|print)|(?:gen|generate|create|new|show|print|rotate|get|make)[\w:-]{0,12}[:_ -](?:\w{1,12}[:_-])?(?:secret|token|key|psk|password|passwd|passphrase)s?|\S{0,60}createtoken|pwgen|pwqgen|xkcdpass|diceware|genpass|mkpasswd|apg|base64[ ](?:-d|-D|--decode)|base64[ ]?$)(?=[^\w./]|$)"
)
# What prints one value and nothing else: whatever it looks like, its first line is it.
_GIVES = lazy(
    r"(?:^|[;&|] ?|sudo )(?:cat|type|less|more|head|tail|sudo cat|bat|gc|get-content) (?:-\w+ )*(?:/run/secrets/|\S*/secrets?/)?\S*(?:passw(?:or)?d|passphrase|secret|_pass|_pw|token|vault_pass|api_?key)(?:\.txt)?$|^(?:pass|gopass)(?: show)? (?!-|git|ls|insert|init|edit|rm|generate)[\w./@-]+$|--with-decryption\b.{0,80}--query .{0,80}--output text|^op read |^vault (?:kv get|read) .{0,40}-field=|^secret-tool lookup |^security find-\w+-password .{0,80}-w\b|^keyring get |^bw get password|^lpass show .{0,40}--password|secretsmanager get-secret-value .{0,120}--query .{0,40}--output text|secrets versions access|^kubectl .{0,120}\| ?base64 (?:-d|--decode|-D)$"
)
_GIVEN = lazy(r"\n(?P<v>[^\s{}]{6,200})[ \t]*\r?(?=\n|$)")
_REFUSED = lazy(r"[a-z]+:$|/.*|[A-Za-z]+(?:: .*)?|-+.*|https?:.*|\w+=.*|REDACTED-.*|[$#%❯<>].*")
_ASKS = lazy(r"jsonpath=[^\n]{0,40}\.data\b|go-template=[^\n]{0,40}\.data\b|-o[ ]?name\b")
_PUBLIC = lazy(r"pubkey|public|fingerprint|--pub\b|\.pub\b")
_WRITTEN = lazy(r"(?P<f>[\w./~-]{3,120})[\"']?[ ]?<<-?[ ]?[\"']?\w{2,12}[\"']?\r?(?=\n)")
# All that a program is fed.
_ALONE = lazy(
    r"<<-?[ ]?[\"']?(?P<t>[A-Z]{2,12})[\"']?[^\n]{0,40}\n[ \t]{0,8}(?P<v>[^\s\"'$]{6,64})\r?\n[ \t]{0,8}(?P=t)(?!\w)"
)
# The settings of a file that holds secrets: every value, as where the call is known to show the file (``strict``).
_FILE_SHOWN = lazy(r"(?:sudo )?(?:cat|less|more|head|tail|bat|type|gc) (?:-\w+ )*(?P<f>\S+)\s*")
_SETTING = lazy(
    r"\n(?:(?:export )?[A-Za-z_][\w.-]{0,80}=(?P<v>[^\s\"'`]{3,600})?[^\n]*|#[^\n]*|[ \t\r]*)(?=\n|$)"
)
_MOST_SETTINGS = 100
_MOST = 4  # lines
_PROMPTS = ("$ ", "❯ ")
_HEREDOC = "<<"
_FILES = (" <==", ".txt:", "_pass:", ".pass:", ".pw:", ".key:", "_key:", "_token:")


def printed(page: Page) -> Iterator[Span]:
    """The words that are alone on a line, below the command or file that shows them."""
    for prompt in _at_lines(page, _PROMPTS, _PROMPT):
        command = prompt["c"]
        if _PUBLIC.search(command):
            continue
        if (shown := _FILE_SHOWN.fullmatch(command)) and is_secret_file(shown["f"]):
            yield from _settings(page, prompt.end())
        given = _GIVEN.match(page.text, prompt.end()) if _GIVES.search(command) else None
        if given and not _REFUSED.fullmatch(given["v"]) and is_secret(given["v"], Grade.STRONG, Style.EXACT):
            yield Span(*given.span("v"), "printed", "secret")
        if generates := _GENERATES.search(command.lower()) or _ASKS.search(command):
            yield from _shown(page, prompt.end(), Proof.SLIGHT if generates else Proof.FAIR)
        elif shows_secrets(command, _holds):
            yield from _shown(page, prompt.end(), Proof.SLIGHT)
    for name in _at_lines(page, _FILES, _FILE):
        if _holds(name["f"]):
            yield from _shown(page, name.end(), Proof.SLIGHT)
    at = page.text.find(_HEREDOC)
    while at >= 0:
        page.tick()
        if (alone := _ALONE.match(page.text, at)) and proof(alone["v"]) >= Proof.FAIR:
            yield Span(*alone.span("v"), "printed", "secret")
        path = page.text.rfind(">", max(0, at - 130), at) + 1
        written = _WRITTEN.search(page.text, path, at + 24) if path else None
        if written and _holds(written["f"]):
            yield from _shown(page, written.end(), Proof.SLIGHT)
        at = page.text.find(_HEREDOC, at + 2)


def _settings(page: Page, at: int) -> Iterator[Span]:
    for _ in range(_MOST_SETTINGS):
        if not (line := _SETTING.match(page.text, at)):
            return
        if line["v"] and is_secret(line["v"], Grade.STRONG, Style.EXACT):
            yield Span(*line.span("v"), "printed", "secret")
        at = line.end()


def _at_lines(page: Page, signs: tuple[str, ...], pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """The lines of a form that contain one of the signs."""
    for sign in signs:
        at = page.text.find(sign)
        while at >= 0:
            page.tick()
            if match := pattern.match(page.text, max(page.text.rfind("\n", 0, at) + 1, at - 200)):
                yield match
            stop = page.text.find("\n", at)
            at = page.text.find(sign, stop) if stop >= 0 else -1


def _holds(path: str) -> bool:
    name = path.strip("'\"")
    return is_secret_file(name) or _HOLDS.search(name) is not None


def _shown(page: Page, at: int, least: Proof) -> Iterator[Span]:
    """Of the lines directly below, those with one word, or with a row of words that look generated."""
    for _ in range(_MOST):
        if row := _PAIR.match(page.text, at):
            words = [row[group] for group in "vwx" if row[group]]
            alike = len({*map(len, words)}) == 1
            if max(map(proof, words)) >= Proof.SURE and (alike or min(map(proof, words)) >= Proof.SURE):
                yield from (Span(*row.span(group), "printed", "secret") for group in "vwx" if row[group])
                at = row.end()
                continue
        line = _SHOWN.match(page.text, at)
        if not line or line["v"].endswith(":") or _SIGNED.match(line["v"]):
            return
        if _is_shown(line["v"].removeprefix("base64:"), least):
            yield Span(*line.span("v"), "printed", "secret")
        at = line.end()


_SIGNED = lazy(
    r"[-$#>/~.{}\[\]()*+=|]|[\w.-]+[=:](?!$|=)(?<!base64:)|https?:|\d+[.)]$|REDACTED-|SHA\d|ssh-|[\w-]+\.(?:\w{1,5}|local)$"
)
_BASE64 = lazy(r"[A-Za-z0-9+/]{8,}={1,2}|(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[A-Za-z0-9+/]{12,}")


def _is_shown(value: str, least: Proof) -> bool:
    return is_phrase(value) or (
        is_secret(value, Grade.STRONG, Style.EXACT)
        and (proof(value) >= least or _BASE64.fullmatch(value) is not None)
    )


PRINTED = Reader(
    id="printed",
    kind="secret",
    find=printed,
)
