"""Characters that a reader does not see, but a program that reads the same text does: one table for all
output (terminal, pages, Markdown, comments, context), made from Unicode's data.

Python's own ``unicodedata`` is as old as the Python is, takes a Hangul filler for a letter, and does not have
Default_Ignorable_Code_Point. It must import next to nothing: see ``gittraj.index.fast_open``.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect

from gittraj.model.unseen_ranges import EMOJI, SILENT, UNREADABLE

_MARKS = 10
"""The most in a row. No script needs more, and thousands, which have no width, cover the text nearby."""
_JOINERS = re.compile("[\u200c\u200d\ufe0f]+")


def is_silent(char: str) -> bool:
    """Whether it shows nothing by itself, or moves what is shown."""
    return bisect(SILENT, ord(char)) % 2 == 1


def is_unreadable(char: str) -> bool:
    """Whether it is private or unassigned: fonts may show anything for it."""
    return bisect(UNREADABLE, ord(char)) % 2 == 1


def is_unseen(char: str) -> bool:
    """Whether it is either of these, or not printable as Python defines it (U+0020 is printable)."""
    return not (" " <= char <= "~") and (is_silent(char) or is_unreadable(char) or not char.isprintable())


def drop_unseen(text: str) -> str:
    """``text`` without silent characters, each unreadable one as U+FFFD, and no more marks on a letter than
    scripts need; white space and controls stay.

    Silent ones that stay, one at a time: U+FE0F after an emoji, a joiner or non-joiner between two letters or
    two emoji.
    """
    if text.isascii():
        return text
    chars = set(text)
    text = text.translate({ord(char): _replacement(char) for char in chars})
    marks = "".join(char for char in chars if unicodedata.category(char) in ("Mn", "Me"))
    if marks:
        some = f"[{re.escape(marks)}\u200c\u200d]"
        text = re.sub(f"({some}{{{_MARKS}}}){some}+", r"\1", text)
    return _JOINERS.sub(_joined, text)


def _replacement(char: str) -> str:
    if _JOINERS.match(char):
        return char
    return "" if is_silent(char) else "\ufffd" if is_unreadable(char) else char


def _joined(found: re.Match[str]) -> str:
    """The part of these joiners and variation selectors that stays."""
    start, end, text = found.start(), found.end(), found.string
    before, after = text[start - 1 : start], text[end : end + 1]
    emoji = _is_emoji(before) or (before in "0123456789#*" and after == "\u20e3")
    chosen = "\ufe0f" if found[0][0] == "\ufe0f" and before and emoji else ""
    joiner = found[0].removeprefix(chosen)
    both = (emoji and _is_emoji(after)) or (not chosen and _is_letter(before) and _is_letter(after))
    return chosen + joiner if joiner in ("\u200c", "\u200d") and both else chosen


def _is_emoji(char: str) -> bool:
    return bool(char) and bisect(EMOJI, ord(char)) % 2 == 1


def _is_letter(char: str) -> bool:
    """A letter, or a mark on one: Indic scripts join after a virama."""
    return bool(char) and (char.isalpha() or unicodedata.category(char)[0] == "M")
