"""Private keys in PEM, OpenSSH, PGP and PuTTY form, whole, cut off, numbered, indented or quoted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .rules import Span, trim

RULE = "private-key"
_LONGEST = 16 * 1024
_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(
    r"[\s\"'+\x7f?|>,.0-9#/*\\-]{0,40}?-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
)
# What may stand before a line: a diff's sign, a number, an indent, a comment, quotes of a literal.
_BEFORE = r"(?:[ \t\x7f]{0,24}+(?:[0-9]{1,6}[ \t:|?>\x7f-]{1,24}+)?[ \t+\"'`|>#*/?\x7f,-]{0,24}+)"
_LINE = re.compile(
    r"(?:[ \t\r\x7f\"'`+,;\\]{0,12}+\n)?"
    + _BEFORE
    + r"(?:(?P<body>[A-Za-z0-9+/]{1,5000}+={0,2})|[A-Z][A-Za-z-]{3,20}: [^\n]{1,120})?"
    r"(?=[\s\"'`\x7f+,;\\)]|-----|$)"
)
_PUTTY = re.compile(r"private-lines: ?[0-9]{1,4}")
# The first bytes of keys whose BEGIN is missing: openssh-key-v1, PKCS#8 RSA and Ed25519, PKCS#1 RSA, SEC1.
_BODIES = (
    "b3BlbnNzaC1rZXktdjE",
    "IBADANBgkqhkiG9w0BAQEFAASC",
    "MC4CAQAwBQYDK2VwBCIEI",
    "IBAAKCAQEA",
    "IBAAKCAgEA",
    "MHcCAQEEI",
)


def private_keys(image: str, lower: str, tick: Callable[[], None]) -> Iterator[Span]:
    """The keys in ``image``, with their BEGIN and END lines."""
    after = 0
    for start, body in _starts(image, lower):
        tick()
        if start < after:
            continue
        after, seen = _read(image, body)
        if seen >= 32:
            yield Span(*trim(image, start, after), RULE, RULE)


def _starts(image: str, lower: str) -> Iterator[tuple[int, int]]:
    """Where a key begins, and where the first line of its body does."""
    hit = image.find("-----BEGIN ")
    while hit >= 0:
        if begin := _BEGIN.match(image, hit):
            yield hit, begin.end()
        hit = image.find("-----BEGIN ", hit + 11)
    for putty in _PUTTY.finditer(lower) if "private-lines" in lower else ():
        yield putty.end(), putty.end()
    for magic in _BODIES:
        hit = image.find(magic)
        while hit >= 0:
            start = hit - 5 if magic.startswith("IBA") and image[max(0, hit - 5) : hit - 2] == "MII" else hit
            yield start, start
            hit = image.find(magic, hit + len(magic))


def _read(image: str, start: int) -> tuple[int, int]:
    """The end of the key, and how many base64 characters its longer lines have."""
    at, seen, end = start, 0, start
    while at - start < _LONGEST:
        if closing := _END.match(image, at):
            return closing.end(), seen
        line = _LINE.match(image, at)
        if not line or line.end() == at:
            break
        at, body = line.end(), line["body"] or ""
        if len(body) >= 16:
            seen += len(body)
        # A short last line is one only if END follows, or by its padding: else it is the next word.
        if len(body) >= 16 or body.endswith("="):
            end = at
        elif body and not _END.match(image, at):
            break
    return end, seen
