"""Clients and connections that a program makes with literals, whatever its library is called:
``vendor.Client("…")``, ``dial("192.0.2.1:8728", "bob", "…")``.

The function's name says nothing, so the literals must: a first one that was drawn, or a host and a user before it.
"""

# ruff: noqa: E501 - a pattern that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterator

from .anchors import Anchors
from .lazy import lazy
from .names import Grade
from .proofs import Proof, proof
from .randomness import looks_random
from .rules import Page, Reader, Span
from .values import Style, is_secret

# A call with one drawn literal, or two: a key and its secret.
_MADE = lazy(
    r"\b(?P<n>(?:[\w$]{1,40}\.){0,4}[A-Za-z][\w$]{1,40})\([\"'](?P<v>[A-Za-z0-9_+/-]{28,400}={0,2})[\"'](?:,\s?[\"'](?P<w>[A-Za-z0-9_-]{28,120})[\"'])?(?=[,)])"
)
_AT_HOST = lazy(
    r"\([^()\"'\n]{0,60}[\"'](?:[a-z]{2,10}://)?(?:\d{1,3}(?:\.\d{1,3}){3}|[\w-]+(?:\.[\w-]+){1,5})(?::\d{1,5})?[\"'],\s{0,8}[\"'](?P<u>[^\"'\n]{1,80})[\"'](?:,\s{0,8}[\"'](?P<v>[^\"'\n]{4,80})[\"'])?"
)
_MAKES = lazy(r"(?:[A-Z]\w*|\w*(?i:client|api|connect|session|login|auth|token)\w*)")
_OF_OTHERS = lazy(
    r"(?i).*(?:hash|sha\d|md5|digest|commit|object|uuid|guid|address|checksum|version|id|ref|block|tx|hex|bytes|public|pubkey|fingerprint|etag|integrity|contract|token|mint|topic|event|request|trace|parse|equal|expect|assert|match|contains?|find|get|verify|image|img|data|base64|b64|decode|load|open|path|file|url|require|import)s?"
)
_HEX = lazy(r"(?=[0-9a-f]*\d)(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})")
_CONSOLE = lazy(r"(?i)\w*(?:rcon|telnet|console)\w*")


def clients(page: Page) -> Iterator[Span]:
    """The keys and passwords that the page's programs give to what they make."""
    text = page.text
    for start, stop in _at(page, _DRAWN):
        for call in _MADE.finditer(text, start, stop):
            page.tick()
            name = call["n"].rpartition(".")[2]
            if _MAKES.fullmatch(name) and not _OF_OTHERS.fullmatch(name):
                for group in "vw":
                    if call[group] and (_HEX.fullmatch(call[group]) or looks_random(call[group])):
                        yield Span(*call.span(group), "client", "key")
    for start, stop in _at(page, _QUOTED_HOST):
        for call in _AT_HOST.finditer(text, start, stop):
            page.tick()
            name = text[max(0, call.start() - 40) : call.start()]
            console = _CONSOLE.fullmatch(name.rpartition(" ")[2])
            group = "v" if call["v"] else "u" if console else ""
            if group and _is_password(call[group]):
                yield Span(*call.span(group), "client", "password")


_DRAWN = lazy(r"\([\"'][a-z0-9_+/-]{28}")
_QUOTED_HOST = lazy(
    r"\([^()\"'\n]{0,60}[\"'](?:[a-z]{2,10}://)?(?:\d{1,3}\.\d{1,3}\.|[a-z0-9][\w-]{0,30}\.)[^\"'\n]{1,60}[\"'],\s{0,8}[\"']"
)


def _at(page: Page, anchor: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The lines, or parts of them, in which it stands."""
    done = 0
    for match in anchor.finditer(page.lower):
        if match.start() < done:
            continue
        start = max(page.text.rfind("\n", 0, match.start()) + 1, match.start() - 200)
        stop = page.text.find("\n", match.end())
        done = min(stop if stop >= 0 else len(page.text), match.end() + 400)
        yield start, done


def _is_password(value: str) -> bool:
    return proof(value) >= Proof.FAIR and is_secret(value, Grade.STRONG, Style.EXACT)


CLIENTS = Reader(
    id="client",
    kind="password",
    find=clients,
    anchors=lambda: Anchors(patterns=(_DRAWN, _QUOTED_HOST)),
    good=(
        'client = vt.Client("{hex:64}")',
        'dashboard = meraki.DashboardAPI("{hex:40}", suppress_logging=True)',
        'routeros.Dial("192.0.2.1:8728", "svc", "{word:9}!x")',
        'driver("198.51.100.7", "bob", "{word:9}!x")',
        'rcon = MCRcon("192.0.2.1", "{word:9}!x", port=25575)',
    ),
    bad=(
        'repo.get_commit("{hex:40}")',
        'Commit("{hex:40}")',
        'new ObjectId("{hex:32}")',
        'open("a.b.c", "utf-8", "strict")',
        'row("192.0.2.1", "web", "running")',
    ),
)
