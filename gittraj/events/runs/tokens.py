"""Splits a shell command line into words, operators and redirections.

Nothing is expanded, and comments are left out. The text of a here-document is one of the scripts of its
redirection.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_OPERATOR = re.compile(r"&&|\|\||;;&?|;&|\|&|[;&|()\n]")
_REDIRECT = re.compile(r"(?:\d{0,2}|&)(?:<<<|<<-?|>>|>\||[<>]&|<>|[<>])|&>>?")
_EXPANSION = re.compile(r"(?<!\\)(?:\$(?:[\w{(@*#?!$-]|$)|`)")
_ENCODED = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.S)

_CONTINUED = re.compile(r"\\\r?\n")
_BLANK = re.compile(r"(?:[ \t\r]|\\\r?\n)+|(?<![^\s;&|()])#[^\n]*")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a command line: its ``text`` without quotes, nothing expanded, and the command substitutions
    in it (``scripts``). ``literal``: it has no quote and no expansion; ``varies``: the shell expands, decodes
    or translates something in it."""

    text: str
    scripts: tuple[str, ...] = ()
    literal: bool = True
    varies: bool = False


@dataclass(frozen=True, slots=True)
class Token:
    """A token, whose ``kind`` is ``word``, ``operator`` or ``redirect``."""

    kind: str
    word: Word


def read_tokens(line: str) -> Iterator[Token]:
    """Split a line. Raises ValueError if a quotation or substitution does not end."""
    at = 0
    documents: list[str] = []
    while at < len(line):
        if blank := _BLANK.match(line, at):
            at = blank.end()
        elif redirect := _REDIRECT.match(line, at):
            at = redirect.end()
            text: tuple[str, ...] = ()
            if re.fullmatch(r"\d*<<-?", redirect[0]):
                end = re.compile(r"[ \t]*(['\"\\]?)([\w.-]+)\1").match(line, at)
                documents.append(end[2] if end else "")
                text = (_read_document(line, at, documents[-1]),) if len(documents) == 1 else ()
            yield Token("redirect", Word(redirect[0], text))
        elif operator := _OPERATOR.match(line, at):
            at = operator.end()
            yield Token("operator", Word(operator[0]))
            if operator[0] == "\n":
                for end_word in documents:
                    _, at = _find_closing_line(line, at, end_word)
                documents = []
        else:
            word, at = _read_word(line, at)
            yield Token("word", word)


def _find_closing_line(line: str, at: int, end_word: str) -> tuple[int, int]:
    """Return start and end of the line that ends a here-document; if it is missing, the end of the text."""
    closing = re.compile(rf"^\t*{re.escape(end_word)}[ \t\r]*$", re.M).search(line, at)
    return closing.span() if closing else (len(line), len(line))


def _read_document(line: str, at: int, end_word: str) -> str:
    """Return the text of the first here-document of a line: it begins on the next line."""
    start = line.find("\n", at) + 1
    return line[start : _find_closing_line(line, start, end_word)[0]] if start else ""


def _read_word(line: str, at: int) -> tuple[Word, int]:
    text: list[str] = []
    scripts: list[str] = []
    literal, varies, start = True, False, at
    while at < len(line):
        char = line[at]
        varies = varies or (char in "$`" and _EXPANSION.match(line, at) is not None)
        if _ends_word(char, text):
            break
        if continued := _CONTINUED.match(line, at):
            at = continued.end()
        elif char == "\\":
            text.append(line[at + 1 : at + 2])
            at += 2
        elif quoted := _read_quoted(line, at):
            text.append(quoted.text)
            scripts += quoted.scripts
            at, literal, varies = quoted.end, False, varies or quoted.varies
        else:
            text.append(char)
            at, literal = at + 1, literal and char not in "$*?["
    return Word("".join(text), tuple(scripts), literal, varies), max(at, start + 1)


def _ends_word(char: str, text: list[str]) -> bool:
    """Whether a character ends a word; a bracket as in ``$(…)`` or ``names=(…)`` does not."""
    return char in " \t\r\n;&|()<>" and not (char == "(" and text[-1:] in (["$"], ["="]))


class _Quoted(NamedTuple):
    """A quotation or substitution in a word; ``end`` is the index after it."""

    text: str
    end: int
    scripts: Sequence[str] = ()
    varies: bool = False


def _read_quoted(line: str, at: int) -> _Quoted | None:
    """Read the quotation or substitution that begins at ``at``; None if no such thing begins there."""
    if encoded := _ENCODED.match(line, at):
        return _Quoted(encoded[1], encoded.end(), varies=True)
    if line.startswith('$"', at):
        return _Quoted("", at + 1, varies=True)
    if line[at] == "'":
        end = line.index("'", at + 1)
        return _Quoted(line[at + 1 : end], end + 1)
    if line[at] == '"':
        text, scripts, end = _read_double(line, at + 1)
        return _Quoted(text, end, scripts, _EXPANSION.search(line[at + 1 : end - 1]) is not None)
    return _read_substitution(line, at)


def _read_substitution(line: str, at: int) -> _Quoted | None:
    for opening, closing in (("$((", "))"), ("$(", ")"), ("${", "}"), ("`", "`")):
        if line.startswith(opening, at):
            start = at + len(opening)
            end = _find_closing(line, start, closing)
            scripts = [line[start : end - 1]] if opening in ("$(", "`") else ()
            return _Quoted(line[at:end], end, scripts)
    return None


def _read_double(line: str, at: int) -> tuple[str, list[str], int]:
    text: list[str] = []
    scripts: list[str] = []
    while at < len(line):
        if line[at] == '"':
            return "".join(text), scripts, at + 1
        if continued := _CONTINUED.match(line, at):
            at = continued.end()
        elif line[at] == "\\":
            following = line[at + 1 : at + 2]
            text.append(following if following in '"\\$`' else line[at : at + 2])
            at += 2
        elif substitution := _read_substitution(line, at):
            scripts += substitution.scripts
            text.append(substitution.text)
            at = substitution.end
        else:
            text.append(line[at])
            at += 1
    raise ValueError("a quotation does not end")


def _find_closing(line: str, at: int, closing: str) -> int:
    """Return the index after the end of a substitution that begins before ``at``, and may contain others."""
    depth = 0
    while at < len(line):
        if line.startswith(closing, at) and not depth:
            return at + len(closing)
        char = line[at]
        if char == "\\":
            at += 1
        elif char == "'" and closing != "}":
            at = line.index("'", at + 1)
        elif char == '"':
            at = _read_double(line, at + 1)[2] - 1
        elif closing in (")", "))"):
            depth += (char == "(") - (char == ")")
        at += 1
    raise ValueError("a substitution does not end")
