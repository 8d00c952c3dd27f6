"""Finds characters that a person does not see, but a program that reads the same text does. All output
(terminal, pages, Markdown, comments, context) uses the same tables, which are made from Unicode's data.

Python's own ``unicodedata`` is as old as the Python is, takes a Hangul filler for a letter, and does not have
Default_Ignorable_Code_Point.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect

from gittraj.model.unseen_ranges import EMOJI, SILENT, UNREADABLE

_MARKS = 10
"""The most combining marks in a row. No script needs more, and thousands would cover the text nearby."""
_JOINERS = re.compile("[\u200c\u200d\ufe0f]+")


def is_silent(char: str) -> bool:
    """Whether a character shows nothing, or only moves what other characters show."""
    return bisect(SILENT, ord(char)) % 2 == 1


def is_unreadable(char: str) -> bool:
    """Whether a character is private or unassigned, so that a font may show anything for it."""
    return bisect(UNREADABLE, ord(char)) % 2 == 1


def is_unseen(char: str) -> bool:
    """Whether a character is silent or unreadable, or not printable as Python defines it (U+0020 is
    printable)."""
    return not (" " <= char <= "~") and (is_silent(char) or is_unreadable(char) or not char.isprintable())


def drop_unseen(text: str) -> str:
    """Remove silent characters, replace each unreadable one by U+FFFD, and leave no more marks on a letter
    than scripts need. White space and control characters stay. Of the silent characters these stay, one at a
    time: U+FE0F after an emoji, and a joiner or non-joiner between two letters or two emoji."""
    if text.isascii():
        return text
    chars = set(text)
    text = text.translate({ord(char): _replacement(char) for char in chars})
    marks = "".join(char for char in chars if unicodedata.category(char) in ("Mn", "Me"))
    if marks:
        mark = f"[{re.escape(marks)}\u200c\u200d]"
        text = re.sub(f"({mark}{{{_MARKS}}}){mark}+", r"\1", text)
    return _JOINERS.sub(_keep_needed, text)


def _replacement(char: str) -> str:
    if _JOINERS.match(char):
        return char
    return "" if is_silent(char) else "\ufffd" if is_unreadable(char) else char


def _keep_needed(match: re.Match[str]) -> str:
    """Return those of the matched joiners and variation selectors that stay."""
    start, end, text = match.start(), match.end(), match.string
    before, after = text[start - 1 : start], text[end : end + 1]
    is_emoji = _is_emoji(before) or _is_keycap(before, after)
    selector = "\ufe0f" if match[0][0] == "\ufe0f" and is_emoji else ""
    joiner = match[0].removeprefix(selector)
    joins = (is_emoji and _is_emoji(after)) or (not selector and _is_letter(before) and _is_letter(after))
    return selector + joiner if joiner in ("\u200c", "\u200d") and joins else selector


def _is_keycap(before: str, after: str) -> bool:
    return bool(before) and before in "0123456789#*" and after == "\u20e3"


def _is_emoji(char: str) -> bool:
    return bool(char) and bisect(EMOJI, ord(char)) % 2 == 1


def _is_letter(char: str) -> bool:
    """Whether a character is a letter, or a mark on one: Indic scripts join after a virama."""
    return bool(char) and (char.isalpha() or unicodedata.category(char)[0] == "M")
