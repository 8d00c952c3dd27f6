"""Parses a page with the standard library, which does it almost like a browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "hr"}


@dataclass
class Element:
    name: str
    attributes: dict[str, str | None]
    inside: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(each if isinstance(each, str) else each.text for each in self.inside)

    def all(self, name: str | None = None, class_: str | None = None) -> list[Element]:
        matches = []
        for each in self.inside:
            if isinstance(each, Element):
                classes = (each.attributes.get("class") or "").split()
                if name in (None, each.name) and (class_ is None or class_ in classes):
                    matches.append(each)
                matches += each.all(name, class_)
        return matches

    def one(self, name: str | None = None, class_: str | None = None) -> Element:
        (match,) = self.all(name, class_)
        return match


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), attrs
        element = Element(tag, dict(attrs))
        self.open[-1].inside.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().name == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def parse(markup: str) -> Element:
    """Parse a page. Raises AssertionError for elements that do not close in order, and for comments."""
    parser = _Parser()
    parser.feed(markup)
    parser.close()
    (root,) = parser.open
    return root
