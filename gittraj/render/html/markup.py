"""HTML in which every text is inert: what is no ``Html`` is escaped, wherever it is put.

There is no way to put a text of somebody else into a page but these functions. They must not know what is in
a page.
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


def text(told: str) -> Html:
    """``told`` as text. Terminals' colours are left out; other controls, direction marks and what hides
    characters are shown or dropped as in a terminal."""
    if not (told.isascii() and told.isprintable()):
        told = terminal.escape(_COLOUR.sub("", told))
    return Html(html.escape(told))


def line(told: str, most: int | None = None) -> Html:
    """The same on one line, of at most so many characters."""
    return text(one_line(told, most))


def one_line(told: str, most: int | None = None) -> str:
    """It must be escaped still."""
    shown = " ".join((told if most is None else told[: 8 * most]).split())  # nobody needs more blanks
    return shown if most is None else shorten(shown, most)


def tag(name: str, /, *children: str, **attributes: str | bool | None) -> Html:
    """An element. ``class_`` is its class, ``data_x`` its ``data-x``; an attribute that is True stands
    without a value, one that is False or None not at all."""
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
    """The id of an element about ``name``; ``kind`` keeps it from being one that a script or style knows."""
    if _NAME.fullmatch(name):
        return f"{kind}-{name}"
    return f"{kind}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:16]}"
