"""Private keys in PEM, OpenSSH, PGP and PuTTY form, whole, cut off, numbered, indented or quoted."""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterator

from .lazy import lazy
from .page import Page, Span
from .rules import Reader

RULE = "private-key"
LONGEST = 16 * 1024
"""The most characters of a key that are read."""
_BEGIN = lazy(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----")
_END = lazy(
    r"[\s\"'+?|>,.0-9#/*\\→│-]{0,40}?-----END (?:[A-Z0-9]{1,12} ){0,4}(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----"
)
# What may stand before a line: a diff's sign, a number, an indent, a comment, quotes of a literal.
_BEFORE = r"(?:[ \t]{0,24}+(?:[0-9]{1,6}[ \t:|?>→│-]{1,24}+)?[ \t+\"'`|>#*/?,│-]{0,24}+)"
_LINE = lazy(
    r"(?:[ \t\r\"'`+,;\\]{0,12}+\n)?"
    + _BEFORE
    + r"(?:(?P<body>[A-Za-z0-9+/]{1,5000}+={0,2})|[A-Z][A-Za-z-]{3,20}: [^\n]{1,120})?"
    r"(?=[\s\"'`+,;\\)]|-----|$)"
)
_PUTTY = lazy(r"private-lines: ?[0-9]{1,4}")
# The first bytes of keys whose BEGIN is missing: openssh-key-v1, PKCS#8 RSA and Ed25519, PKCS#1 RSA, SEC1.
_BODIES = (
    ("b3BlbnNzaC1rZXktdjE", 0),
    ("IBADANBgkqhkiG9w0BAQEFAASC", 5),
    ("DBOBgkqhkiG9w0BBQ0w", 5),
    ("DBABgkqhkiG9w0BBQ", 5),
    ("TBXBgkqhkiG9w0BBQ0w", 5),
    ("MC4CAQAwBQYDK2VwBCIEI", 0),
    ("MFECAQEwBQYDK2VwBCIEI", 0),
    ("IBAAKCAQEA", 5),
    ("IBAAKCAgEA", 5),
    ("MIICX", 0),
    ("MIICW", 0),
    ("MHcCAQEEI", 0),
    ("MIGkAgEBBD", 0),
    ("MIHcAgEBBE", 0),
    ("MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg", 0),
    ("MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBD", 0),
    ("lQ", 0),
    ("lF", 0),
    ("lI", 0),
)
_PGP_BODY = r"(?:lQ[PHVcdIO]|lF[gk]E|lI[YgE]E)[A-Za-z0-9+/]{57,64}$"
_SHOWN = lazy(
    r"(?:tail|head|sed|cat|less)[ ][^\n]{0,80}?(?:\.pem|\.key|id_(?:rsa|dsa|ecdsa|ed25519)|-key)(?:[ |][^\n]{0,60})?\n(?=[A-Za-z0-9+/]{40,80}={0,2}\r?\n)"
)
_MAGIC = lazy(
    "|".join(["IBAAKBgQ", *(magic for magic, _ in _BODIES if len(magic) > 5), _PGP_BODY]), re.MULTILINE
)
_FILES = (".pem", ".key", "id_", "-key")
_SHOWN_FILES = (".pem", ".key", "-key", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
_PGP = lazy(_PGP_BODY, re.MULTILINE)
_PKCS1_SHORT = lazy(r"MIIC[WX][A-Za-z0-9]IBAAKBgQ")


def private_keys(page: Page) -> Iterator[Span]:
    """The keys of the page, with their BEGIN and END lines."""
    after = 0
    for start, body in _starts(page):
        page.tick()
        if start < after:
            continue
        after, seen = _read(page.text, body)
        if seen >= 32:
            yield Span(start, after, RULE, RULE)


def _starts(page: Page) -> Iterator[tuple[int, int]]:
    """The positions at which a key begins, and the first line of its body."""
    if len(page.text) < 64 or not page.long_words:
        return
    yield from _announced(page)
    if any(map(_MAGIC.search, page.long_words)):
        yield from ((start, start) for start in _bare(page.text))


def _announced(page: Page) -> Iterator[tuple[int, int]]:
    """Keys that are announced by a line before or after them."""
    text = page.text
    hit = text.find("-----BEGIN ")
    while hit >= 0:
        if begin := _BEGIN.match(text, hit):
            yield hit, begin.end()
        hit = text.find("-----BEGIN ", hit + 11)
    for putty in _PUTTY.finditer(page.lower) if "private-lines" in page.lower else ():
        yield putty.end(), putty.end()
    end = text.find("PRIVATE KEY-----")
    while end >= 0:
        if (body := _tail(text, end)) is not None:
            yield body, body
        end = text.find("PRIVATE KEY-----", end + 9)
    for shown in _SHOWN.finditer(text) if "\n" in text and any(sign in text for sign in _FILES) else ():
        yield shown.end(), shown.end()


def _bare(text: str) -> Iterator[int]:
    """Keys without such a line, recognised by their first bytes."""
    for magic, back in _BODIES:
        hit = text.find(magic) if len(magic) > 5 else -1
        while hit >= 0:
            yield hit - back if back and text[max(0, hit - 5) : hit - 2] == "MII" else hit
            hit = text.find(magic, hit + len(magic))
    if "IBAAKBgQ" in text:
        for short in _PKCS1_SHORT.finditer(text):
            yield short.start()
    if text.startswith("l") or "\nl" in text:
        for pgp in _PGP.finditer(text):
            yield pgp.start()


def _tail(text: str, end: int) -> int | None:
    """The positions at which bodies begin that have an END, but no BEGIN."""
    at = text.rfind("-----END ", max(0, end - 40), end)
    start = None
    while at > 0 and (line := text[text.rfind("\n", 0, at - 1) + 1 : at - 1].rstrip("\r")):
        if not _BODY.fullmatch(line) or at < end - LONGEST:
            break
        start = at = text.rfind("\n", 0, at - 1) + 1
    return start


_BODY = lazy(r"[ \t+\d→|]{0,16}[A-Za-z0-9+/]{4,80}={0,2}[ \t]{0,4}")


def _read(text: str, start: int) -> tuple[int, int]:
    """The end of the key, and how many base64 characters its longer lines have."""
    at, seen, end = start, 0, start
    while at - start < LONGEST:
        if closing := _END.match(text, at):
            return closing.end(), seen
        line = _LINE.match(text, at)
        if not line or line.end() == at:
            break
        at, body = line.end(), line["body"] or ""
        if len(body) >= 16:
            seen += len(body)
        # A short last line is one only if END follows, or by its padding: else it is the next word.
        if len(body) >= 16 or body.endswith("="):
            end = at
        elif body and not _END.match(text, at):
            break
    return end, seen


PRIVATE_KEYS = Reader(
    id=RULE,
    kind=RULE,
    find=private_keys,
)
