"""Finds private keys in PEM, OpenSSH, PGP and PuTTY form, complete, cut off, numbered, indented or quoted."""

from __future__ import annotations

from collections.abc import Iterator

from .decide import Candidate, Proposals, Reader
from .load import patterns
from .page import Page, places

_RE = patterns("private_keys")

RULE = "private-key"
LONGEST = 16 * 1024
"""Characters of a key that fit in the overlap of two fragments; a longer key's END is in the next one."""
_MOST = 100_000  # characters


def private_keys(page: Page) -> Proposals:
    """The keys of the page, with their BEGIN and END lines."""
    after = 0
    for start, body in _starts(page):
        page.tick()
        if start < after:
            continue
        after, seen = _read(page.text, body)
        if seen >= 32:
            yield Candidate(start, after, RULE, RULE, accept="any")


def _starts(page: Page) -> Iterator[tuple[int, int]]:
    """Yield the positions of keys and of their bodies, found by a line before or after the body."""
    text = page.text
    for hit in places(text, "-----BEGIN "):
        if begin := _RE.begin.match(text, hit):
            yield hit, begin.end()
    for putty in _RE.putty.finditer(page.lower) if "private-lines" in page.lower else ():
        yield putty.end(), putty.end()
    for end in places(text, "PRIVATE KEY-----"):
        if (body := _tail(text, end)) is not None:
            yield body, body


def _tail(text: str, end: int) -> int | None:
    """The position of the body before an END line; None without a body. It may have no BEGIN line."""
    at = text.rfind("-----END ", max(0, end - 40), end)
    start = None
    while at > 0 and (line := text[text.rfind("\n", 0, at - 1) + 1 : at - 1].rstrip("\r")):
        if not _RE.body.fullmatch(line) or at < end - _MOST:
            break
        start = at = text.rfind("\n", 0, at - 1) + 1
    return start


def _read(text: str, start: int) -> tuple[int, int]:
    """The end of the key, and how many base64 characters its longer lines have."""
    at, seen, end = start, 0, start
    while at - start < _MOST:
        if closing := _RE.end.match(text, at):
            return closing.end(), seen
        line = _RE.line.match(text, at)
        if not line or line.end() == at:
            break
        at, body = line.end(), line["body"] or ""
        if len(body) >= 16:
            seen += len(body)
        # A short last line belongs to the key only if END follows, or if it is padded: else it is other text.
        if len(body) >= 16 or body.endswith("="):
            end = at
        elif body and not _RE.end.match(text, at):
            break
    return end, seen


PRIVATE_KEYS = Reader(id=RULE, kind=RULE, find=private_keys)
