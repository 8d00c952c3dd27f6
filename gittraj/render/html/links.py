"""What a page of a site can link to. A page on its own has no links."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import field

from gittraj.frozen import dataclass
from gittraj.render.html.markup import Html, line, tag

_PLAIN = re.compile(r"[a-z0-9][a-z0-9_]{0,63}")
_UNSAFE = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """``root`` is the relative path to the site's top (``../``); ``commits``, ``trajectories`` and ``files``
    have pages."""

    root: str = ""
    commits: Collection[str] = ()
    trajectories: Collection[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    title: str | None = None
    """What the pages are about; None for a page on its own."""

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
    """The page's path, unique also on case-insensitive file systems."""
    return f"trajectory/{name if _PLAIN.fullmatch(name) else _slug(name)}.html"


def file_page(path: str) -> str:
    return f"file/{_slug(path)}.html"


def _slug(name: str) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{_UNSAFE.sub('-', name.lower())[-60:].strip('-') or 'x'}-{digest}"
