"""Decides how much of a command's output is in the output of the call: filters hide some, and files may be
shown later."""

from __future__ import annotations

import re

from gittraj.events.runs import shell
from gittraj.events.runs.shell import Node, Pipeline, Simple

_VIEWS = ("whole", "end", "part", "start", "none")
_READERS = {"cat", "tail", "head", "sed", "less", "more", "nl", "awk", "grep", "egrep", "rg", "bat"}
_COUNTERS = re.compile(r"(?:wc|md5sum|sha\w+sum)\b|[ef]?grep\b.*\s-\w*[cqL]|true\b|tee\b.*>")
_LIMIT = re.compile(r"(?:head|tail)(?:\s+-(?:n\s*)?(\d+))?(?:\s|$)")
_FILTERS = {"tee": "whole", "cat": "whole", "tail": "end", "head": "start"}


def least(*views: str) -> str:
    """Return the view that shows the least."""
    return max(views, key=_VIEWS.index)


def through(filtering: Node, lines: int) -> str:
    """Return how much of its input a filter shows: all of it, if the output has fewer ``lines`` than the
    filter's limit."""
    text = _text(filtering)
    if _COUNTERS.match(text):
        return "none"
    limit = _LIMIT.match(text)
    if limit and lines < int(limit[1] or 10):
        return "whole"
    return _FILTERS.get(text.partition(" ")[0], "part")


def read_back(tree: Node, lines: int) -> dict[str, str]:
    """Return the files and variables (``$name``) that the commands of the line show, each with its view.
    ``lines`` is the number of lines of the output."""
    views: dict[str, str] = {}
    _collect(tree, views, lines)
    return views


def _collect(node: object, views: dict[str, str], lines: int) -> None:
    match node:
        case Pipeline():
            filtered = least("whole", *(through(part, lines) for part in node.parts[1:]))
            for name, view in read_back(node.parts[0], lines).items():
                views[name] = min(views.get(name, "none"), least(view, filtered), key=_VIEWS.index)
        case Simple():
            views.update(_read_by(node, lines))
        case _:
            for slot in getattr(node, "__slots__", ()):
                value = getattr(node, slot)
                for each in value if isinstance(value, tuple) else (value,):
                    if isinstance(each, shell.Node):
                        _collect(each, views, lines)


def _read_by(node: Simple, lines: int) -> dict[str, str]:
    """Return what a single command shows, with the views."""
    words = [word.text for word in node.words]
    name = words[0].rpartition("/")[2] if words else ""
    if name in ("echo", "printf"):
        return {f"${n}": "whole" for word in words[1:] for n in re.findall(r"\$\{?(\w+)", word)}
    view = through(node, lines)
    if name not in _READERS or view == "none":
        return {}
    return dict.fromkeys([*words[1:], *(r.target for r in node.redirects if not r.descriptors)], view)


def _text(node: Node) -> str:
    return " ".join(word.text for word in node.words) if isinstance(node, Simple) else ""
