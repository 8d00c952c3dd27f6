"""Reads the shapes of documents from docs/json.md, and finds the keys of a document that its shape lacks.

A shape maps the names of fields to their shapes. None means any value; lists are left out, as ``[X]`` has the
keys of X. A name in capitals stands for the fields of the shape that has this name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.conftest import ROOT

Shape = Mapping[str, Any]

TEXT = (ROOT / "docs" / "json.md").read_text("utf-8")
_MAP = re.compile(r"\{\w+: (?:\w+|\{[^{}]*\})\}")
"""An object whose keys are names: ``{status: number}``."""


def _entries() -> Iterator[tuple[str, str]]:
    """Yield each shape of the document with its name: that of a command, or a word in capitals."""
    for title, block in re.findall(r"^## ([^\n]*)\n+```\n(.*?)```", TEXT, re.DOTALL | re.MULTILINE):
        for entry in re.sub(r"\n+ +", " ", block).splitlines():
            if entry.startswith("{"):
                yield title.rpartition(" ")[2], entry
            elif found := re.match(r"([A-Z]+): (.*)", entry):  # it may have no braces
                yield found[1], found[2] if found[2].startswith("{") else f"{{{found[2]}}}"
            elif found := re.match(r"(\S.*?)  *(\{.*)", entry):
                yield found[1], found[2]


def _parse(words: list[str]) -> Any:
    """Parse the words of a shape, which are in reverse order, up to its end."""
    word = words.pop()
    shape: dict[str, Any] | None = None
    if word == "[":
        shape = _parse(words)
    elif word == "{":
        shape = {}
        while (name := words.pop()) != "}":
            shape[name] = _parse(words) if words[-1] == ":" and words.pop() else None
            if words[-1] == ",":
                words.pop()
    elif word.isupper():
        shape = {word: None}
        if words and words[-1] in ("and", "of"):
            words.pop()
            shape |= _parse(words)
    while words and words[-1] not in (",", "}"):  # the rest of a text such as "the same", "]", "|null"
        words.pop()
    return shape


SHAPES: Shape = {
    name: _parse(re.findall(r"\w+|[^\w\s]", _MAP.sub("map", text))[::-1]) for name, text in _entries()
}


def _fields(shape: Shape) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a shape, with those of the shapes that it names."""
    for name, below in shape.items():
        yield from _fields(SHAPES[name]) if name.isupper() else [(name, below)]


def undocumented(value: Any, command: str) -> list[str]:
    """Return the paths of the keys, in what ``command`` printed, that the document lacks."""
    name = max((name for name in SHAPES if command.startswith(name)), key=len)
    return sorted({*_find(value, SHAPES[name])})


def _find(value: Any, shape: Shape | None) -> Iterator[str]:
    for each in value if isinstance(value, list) else ():
        yield from _find(each, shape)
    if isinstance(value, dict) and shape is not None:
        fields = dict(_fields(shape))
        for key, below in value.items():
            if key in fields:
                yield from (f"{key}.{path}" for path in _find(below, fields[key]))
            else:
                yield key
