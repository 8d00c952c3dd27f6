"""Finds secrets in base64 by scanning its plain text."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from .decide import Candidate, Proposals, Reader
from .load import patterns
from .page import Page, Span, places
from .proof import Proof, proof
from .randomness import looks_random

_RE = patterns("encoded")

_LONGEST = 20_000


def in_base64(page: Page, read: Callable[[str], bool]) -> Proposals:
    """The base64 on the page whose plain text has a secret, according to ``read``."""
    for word in page.long_words:
        for match in _RE.base64.finditer(word):
            page.tick()
            plain = _plain(match[0])
            if plain and _RE.telling.search(plain) and read(plain):
                for at in places(page.text, match[0]):
                    yield Candidate(at, at + len(match[0]), "base64", "base64", accept="any")


_STANDARD = str.maketrans("-_", "+/")
_PRINTED = b"\t\n\r" + bytes(range(32, 127)) + bytes(range(128, 256))


def _plain(word: str) -> str | None:
    try:
        head = base64.b64decode(word[:16].translate(_STANDARD), validate=True)
        wide = len(head) > 7 and not any(head[1::2])  # UTF-16, in which PowerShell takes commands
        if (head[::2] if wide else head).translate(None, _PRINTED) or not re.search(r"[a-z]", word):
            return None
        standard = word.translate(_STANDARD).rstrip("=")[:_LONGEST]
        if len(standard) % 4 == 1:
            return None
        raw = base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
        plain = raw.decode("utf-16-le" if wide else "utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return plain if _RE.text.fullmatch(plain) else None


_NARROWEST = 40  # characters


def continued(page: Page, found: Span) -> Iterator[Span]:
    """Yield the rest of a secret that a terminal wrapped: the lines below of the same width, and a last,
    shorter one."""
    end, whole = found.end, page.text[found.start : found.end]
    width = end - page.text.rfind("\n", 0, end) - 1
    while width >= _NARROWEST and (piece := _RE.below.match(page.text, end)) and len(piece["v"]) <= width:
        page.tick()
        start, end = piece.span("v")
        whole += piece["v"]
        if end - start < width and proof(piece["v"].rstrip("=")) < Proof.FAIR:
            return
        if page.text[end : end + 1] == " " and not looks_random(whole):
            return  # a different line, with more words
        yield found.at(start, end)
        if end - start < width:
            return


WRAPPED = Reader(id="base64", kind="base64", find=lambda page: in_base64(page, bool))
