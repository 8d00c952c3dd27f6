"""Makes HTML in which all text is inert, because everything that is not ``Html`` is escaped; also the links
between a site's pages.

Text from others enters a page only through these functions, which must not know what a page is about.
"""

from __future__ import annotations

import functools
import hashlib
import html
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field

from gittraj.events.part_summary import shorten
from gittraj.frozen import dataclass
from gittraj.render.text import terminal

_COLOUR = re.compile("\x1b\\[[0-9;:]*[mK]")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")
_VOID = frozenset(("meta", "link", "input", "br", "hr"))


class Html(str):
    """Finished markup, never escaped again."""

    __slots__ = ()


def text(value: str) -> Html:
    """Return ``value`` escaped. Terminal colours are removed; other control, direction and invisible
    characters are shown or dropped as in a terminal."""
    if not (value.isascii() and value.isprintable()):
        value = terminal.escape(_COLOUR.sub("", value))
    return Html(html.escape(value))


def line(value: str, most: int | None = None) -> Html:
    """Return ``value`` escaped, on one line of at most ``most`` characters."""
    return text(one_line(value, most))


def one_line(value: str, most: int | None = None) -> str:
    """Return ``value`` on one line of at most ``most`` characters, not escaped yet."""
    flat = " ".join((value if most is None else value[: 8 * most]).split())  # some are white space
    return flat if most is None else shorten(flat, most)


def tag(name: str, /, *children: str, **attributes: str | bool | None) -> Html:
    """Return an element. ``class_`` is its class, ``data_x`` its ``data-x``; an attribute that is True is
    written without a value, an attribute that is False or None is left out."""
    start = f"<{name}{''.join([_attribute(key, value) for key, value in attributes.items()])}>"
    return Html(start if name in _VOID else f"{start}{join(children)}</{name}>")


@functools.lru_cache(maxsize=2048)  # a page repeats a few attributes very often
def _attribute(key: str, value: str | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(value)}"'


def join(parts: Iterable[str]) -> Html:
    return Html("".join([part if isinstance(part, Html) else text(part) for part in parts]))


def anchor(name: str, kind: str = "e") -> str:
    """The id of an element about ``name``; the prefix ``kind`` keeps it distinct from ids that scripts and
    styles use."""
    if _NAME.fullmatch(name):
        return f"{kind}-{name}"
    return f"{kind}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:16]}"


_PLAIN = re.compile(r"[a-z0-9][a-z0-9_]{0,63}")
_UNSAFE = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Makes links between a site's pages. ``root`` is the relative path to the site's top (``../``);
    ``commits``, ``trajectories`` and ``files`` are those that have a page."""

    root: str = ""
    commits: Collection[str] = ()
    trajectories: Collection[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    title: str | None = None
    """The site's title; None for a page on its own."""

    def commit(self, commit: str, label: str | None = None) -> Html:
        shown = line(label) if label else tag("code", line(commit[:7]))
        return self._link(f"commit/{commit}.html", shown) if commit in self.commits else shown

    def trajectory(self, name: str, label: str | None = None) -> Html:
        shown = line(label) if label else tag("code", line(name))
        return self._link(trajectory_page(name), shown) if name in self.trajectories else shown

    def file(self, path: str) -> Html:
        shown = tag("code", line(path), class_="path")
        return self._link(self.files[path], shown) if path in self.files else shown

    def _link(self, page: str, shown: Html) -> Html:
        return tag("a", shown, href=f"{self.root}{page}")


def trajectory_page(name: str) -> str:
    """The path of a trajectory's page, unique also on case-insensitive file systems."""
    return f"trajectory/{name if _PLAIN.fullmatch(name) else _slug(name)}.html"


def file_page(path: str) -> str:
    return f"file/{_slug(path)}.html"


def _slug(name: str) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{_UNSAFE.sub('-', name.lower())[-60:].strip('-') or 'x'}-{digest}"
