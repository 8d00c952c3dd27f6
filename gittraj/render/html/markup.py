"""HTML in which all text is inert: everything that is not ``Html`` is escaped.

Text from others enters a page through these functions only. They must not know what a page is about.
"""

from __future__ import annotations

import functools
import hashlib
import html
import re
from collections.abc import Iterable

from gittraj.events.part_summary import shorten
from gittraj.render.text import terminal

_COLOUR = re.compile("\x1b\\[[0-9;:]*[mK]")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")
_VOID = frozenset(("meta", "link", "input", "br", "hr"))


class Html(str):
    """Finished markup, never escaped again."""

    __slots__ = ()


NOTHING = Html()


def text(value: str) -> Html:
    """``value`` escaped. Terminal colours are removed; other control, direction and invisible characters are
    shown or dropped as in a terminal."""
    if not (value.isascii() and value.isprintable()):
        value = terminal.escape(_COLOUR.sub("", value))
    return Html(html.escape(value))


def line(value: str, most: int | None = None) -> Html:
    """The same on one line, of at most so many characters."""
    return text(one_line(value, most))


def one_line(value: str, most: int | None = None) -> str:
    """``value`` on one line, not escaped yet."""
    flat = " ".join((value if most is None else value[: 8 * most]).split())  # nobody needs more blanks
    return flat if most is None else shorten(flat, most)


def tag(name: str, /, *children: str, **attributes: str | bool | None) -> Html:
    """An element. ``class_`` is its class, ``data_x`` its ``data-x``; an attribute that is True is
    written without a value, one that is False or None is left out."""
    shown = "".join([_attribute(key, value) for key, value in attributes.items()])
    return Html(f"<{name}{shown}>" if name in _VOID else f"<{name}{shown}>{join(children)}</{name}>")


@functools.lru_cache(maxsize=2048)  # most are the same few
def _attribute(key: str, value: str | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(value)}"'


def join(parts: Iterable[str]) -> Html:
    return Html("".join([part if isinstance(part, Html) else text(part) for part in parts]))


def anchor(name: str, kind: str = "e") -> str:
    """The id of an element about ``name``; ``kind`` is a prefix that keeps it apart from ids of scripts and
    styles."""
    if _NAME.fullmatch(name):
        return f"{kind}-{name}"
    return f"{kind}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:16]}"
