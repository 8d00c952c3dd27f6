"""Puts untrusted text into Markdown or HTML so that nothing in it is rendered as a link, image, mention,
reference, heading, formula, emoji code, element or hidden character.

A word that GitHub or another host would turn into a link is put into a code span, in which hosts make no
links; Markdown's other special characters are escaped. Inside ``<summary>``, where Markdown's escapes do not
work, text is escaped as HTML (``element``).
"""

from __future__ import annotations

import html
import re
from itertools import pairwise

from gittraj.render.text import terminal

_MARKUP = re.compile(r"([\\`*_\[\]{}|~!^])")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# What GitHub, GitLab and others turn into links or symbols: mentions, issues, merge requests, labels,
# milestones, epics, commits, addresses, emoji, formulas, changed words, and keys of issue
# trackers that an owner may have configured
_LIVE = re.compile(
    r"[@#$]|(?<!\w)[!~%][\w\"]|(?<!\w)&\d|[\[{][-+]|\[\w+:\w|\*iteration:|:/"
    r"|:[\w+-]+:|(?<!\w):[\w+-]+$"
    r"|\b[0-9a-fA-F]{7,}\b|[A-Za-z]+-\d"
    r"|(?i:www\.|mailto:|xmpp:)|[\w-]\.(?i:com|net|org|io|dev)\b"
)
_OPENS_A_BLOCK = re.compile(r"^(\d*)([-+=.)])")


def words(text: str, most: int | None = None) -> str:
    """``text`` as plain words on one line of Markdown, cut after ``most`` columns, escapes included."""
    parts = [
        _code_word(word) if _LIVE.search(word) else _MARKUP.sub(r"\\\1", word).translate(_ENTITIES)
        for word in terminal.cut(terminal.escape_line(text), most).split()
    ]
    return _OPENS_A_BLOCK.sub(r"\1\\\2", " ".join(parts))


def _code_word(word: str) -> str:
    """A word in a code span. A comma after it, and a closing bracket that it did not open, come after it."""
    bare = word.rstrip("," if "(" in word else ",)")
    return code(bare) + word[len(bare) :]


def code(text: str, most: int | None = None, *, cell: bool = True) -> str:
    """``text`` in a code span, whatever backticks it has. In a table's ``cell``, which a bar would end, bars
    are replaced."""
    shown = terminal.cut(terminal.escape_line(text), most)
    shown = shown.replace("|", "¦") if cell else shown
    ticks = _longer_than_any(shown, 1)
    edge = " " if shown[:1] in ("`", "") or shown[-1:] == "`" else ""
    return f"{ticks}{edge}{shown}{edge}{ticks}"


def fence(text: str) -> str:
    """A fenced block that shows ``text`` as it is."""
    shown = terminal.escape(text).strip("\n")
    ticks = _longer_than_any(shown, 3)
    return f"{ticks}text\n{shown}\n{ticks}"


def quote(text: str, most: int | None = None) -> str:
    """A block quotation that keeps the lines of ``text``, of which ``most`` characters are shown."""
    text = terminal.escape(text).strip()
    if most is not None and len(text) > most:
        text = f"{text[: most - 1].rstrip()}…"
    lines = [f"> {words(line)}".rstrip() for line in text.split("\n")]
    ends = ["\\" if ">" not in pair else "" for pair in pairwise(lines)]
    return "\n".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))


def element(text: str) -> str:
    """``text`` for an HTML element such as ``<summary>``, words that could become links in ``<code>``."""
    parts = []
    for word in terminal.escape_line(text).split():
        shown = html.escape(word)
        parts.append(f"<code>{shown}</code>" if _LIVE.search(word) else shown)
    return " ".join(parts)


def details(title: str, body: str) -> str:
    """Markdown that is folded below its title."""
    return f"<details><summary>{element(title)}</summary>\n\n{body}\n\n</details>"


def _longer_than_any(text: str, least: int) -> str:
    """At least ``least`` backticks, more than any run of them in ``text``."""
    return "`" * max(least, *(len(run) + 1 for run in re.findall("`+", text)), least)
