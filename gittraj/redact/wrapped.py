"""Secrets that are wrapped: in base64, whose plain text is scanned, or over lines of a constant width."""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from .lazy import lazy
from .made import is_shuffled
from .page import Page, Span
from .randomness import looks_random
from .rules import Reader

_BASE64 = lazy(
    r"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/]{20,20000}|[A-Za-z0-9_-]{20,20000})={0,2}(?![A-Za-z0-9+/_-])"
)
_TEXT = lazy(r"[\x09\x0a\x0d\x20-\x7e\u00a1-\uffff]+")
_TELLING = lazy(r"[=:{]|-----BEGIN|^\w{2,10}[_-]| -\w|/user|pass")
_LONGEST = 20_000
_END = lazy(r"[A-Za-z0-9_+/=.~-]{6,240}$")
# A line's end between two words, the first of six characters: begins with a literal, so it is quick to find.
_JOINT = lazy(
    r"\n(?:(?<=[A-Za-z0-9_+/=.~-]{6}\n)|(?<=[A-Za-z0-9_+/=.~-]{6}\r\n))[ \t]{0,4}(?=[A-Za-z0-9_+/=.~%-])"
)
_USUAL = frozenset(
    (
        40,
        48,
        50,
        60,
        64,
        70,
        72,
        75,
        76,
        78,
        79,
        80,
        90,
        96,
        100,
        110,
        120,
        128,
        130,
        132,
        140,
        150,
        160,
        180,
        200,
    )
)


def in_base64(page: Page, read: Callable[[str], bool]) -> Iterator[Span]:
    """The base64 on the page whose plain text has a secret, according to ``read``."""
    for word in page.long_words:
        for match in _BASE64.finditer(word):
            page.tick()
            plain = _plain(match[0])
            if plain and _TELLING.search(plain) and read(plain):
                at = page.text.find(match[0])
                while at >= 0:
                    yield Span(at, at + len(match[0]), "base64", "base64")
                    at = page.text.find(match[0], at + 1)


_STANDARD = str.maketrans("-_", "+/")
_PRINTED = b"\t\n\r" + bytes(range(32, 127)) + bytes(range(128, 256))


def _plain(word: str) -> str | None:
    try:
        head = base64.b64decode(word[:16].translate(_STANDARD), validate=True)
        wide = len(head) > 7 and not any(head[1::2])  # as PowerShell takes commands
        if (head[::2] if wide else head).translate(None, _PRINTED) or not re.search(r"[a-z]", word):
            return None
        standard = word.translate(_STANDARD).rstrip("=")[:_LONGEST]
        if len(standard) % 4 == 1:
            return None
        raw = base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
        plain = raw.decode("utf-16-le" if wide else "utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return plain if _TEXT.fullmatch(plain) else None


_NEXT_PIECE = lazy(
    r"""["'`]?[ \t]{0,80}(?:[+.&~\\|]|\|\|)?[ \t]{0,80}\|?[ \t]{0,4}\r?\n
        (?:[ \t]{0,12}\d{1,6}[→\t:|][ \t]?|[\w./-]{1,60}[:-]\d{1,6}[:-]|[+>-])?[ \t]{0,40}\|?[ \t]{0,40}(?:[+.&~][ \t])?["'`]?
        (?P<v>[A-Za-z0-9+/=_.~%-]{6,400}+)(?=["'`;,)]{0,3}[ \t]{0,80}[|\\+.&~]?[ \t]*(?:\r?\n|$)|["'`][ \t])""",
    re.VERBOSE,
)
_DRAWN = 16  # characters: a shorter piece is taken only if letters and digits mix
_MOST_PIECES = 60


def continued(page: Page, found: Span) -> Iterator[Span]:
    """The fragments of a secret that continues in the lines below it: indented, in a frame, in quotes."""
    end = found.end
    if not _NEXT_PIECE.match(page.text, end):
        return
    if not _is_drawn(page.text[found.start : found.end].rpartition("\n")[2][-200:]):
        return
    for _ in range(_MOST_PIECES):
        piece = _NEXT_PIECE.match(page.text, end)
        if not piece or not _is_drawn(
            piece["v"].partition("=")[0] if "=" in piece["v"].rstrip("=") else piece["v"]
        ):
            return
        page.tick()
        yield Span(*piece.span("v"), found.rule, found.kind)
        end = piece.end("v")


def _is_drawn(word: str) -> bool:
    named = re.match(r"\w{2,40}=(?=[^=])", word)
    word = word[named.end() :] if named else word
    if len(word) < _DRAWN:
        return _is_mixed(word) and not re.fullmatch(r"[a-z]+[\d.-]+|\d+[a-z]+|[\d.:-]+", word)
    return looks_random(word) or is_shuffled(word) or bool(_DIGITS_AND_LETTERS.fullmatch(word))


_DIGITS_AND_LETTERS = lazy(
    r"(?=[^0-9]*[0-9])(?=[^a-f]*[a-f])[0-9a-f]{16,200}|(?=[^0-9]*[0-9])(?=[^A-Z]*[A-Z])[A-Z0-9=-]{16,200}"
)


def unwrapped(text: str) -> tuple[str, list[int], list[int]] | None:
    """The text with lines joined that were cut at a constant width; the positions of the joints; and how many
    characters are missing before each joint and after the last."""
    if "\n" not in text:
        return None
    pieces, joints, lengths, at, length = [], [], [0], 0, 0
    for match in _JOINT.finditer(text):
        end = match.start() - (text[match.start() - 1] == "\r")
        start = text.rfind("\n", 0, end) + 1
        if not _is_cut(text, start, end, match.end()):
            continue
        pieces.append(text[at:end])
        length += end - at
        joints.append(length)
        at = match.end()
        lengths.append(at - length)
    if not joints:
        return None
    return "".join([*pieces, text[at:]]), joints, lengths


def _is_cut(text: str, start: int, end: int, after: int) -> bool:
    """Whether a line end is not from the text itself: a long word runs up to it and continues on the next line."""
    if end - start < 20:
        return False
    stop = text.find("\n", after)
    following = text[after : stop if stop >= 0 else len(text)].rstrip("\r")
    head = _HEAD.match(following)
    if not head or _MANGLED.match(head[0]) or len(following) > end - start:
        return False
    if not (tail := _END.search(text, max(start, end - 240), end)):
        return False
    if end - start in _USUAL or len(following) == end - start:
        return bool(re.search(r"\d|[A-Z]", tail[0])) and (
            _is_mixed(head[0]) or len(following) - len(head[0]) < 3
        )
    return len(tail[0]) >= 16 and _is_mixed(tail[0]) and (_is_mixed(head[0]) or following.endswith("="))


def _is_mixed(word: str) -> bool:
    return bool(re.search(r"\d", word) and re.search(r"[A-Za-z]", word)) and not re.match(r"\w+=.", word)


_MANGLED = lazy(r"_Z[A-Z]?\d")  # the next symbol of a list
_HEAD = lazy(r"[A-Za-z0-9_+/=.~%-]+(?=[\s\"'`,;)}\]]|$)")
WRAPPED = Reader(
    id="base64",
    kind="base64",
    find=lambda page: iter(()),
)
