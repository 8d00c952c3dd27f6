"""Splits a shell command line into words, operators and redirections.

Nothing is expanded, and comments are left out. The text of a
here-document is one of its redirection's scripts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_OPERATOR = re.compile(r"&&|\|\||;;&?|;&|\|&|[;&|()\n]")
_REDIRECT = re.compile(r"(?:\d{0,2}|&)(?:<<<|<<-?|>>|>\||[<>]&|<>|[<>])|&>>?")
_EXPANSION = re.compile(r"(?<!\\)(?:\$(?:[\w{(@*#?!$-]|$)|`)")
_ENCODED = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.S)
_CONTINUED = re.compile(r"\\\r?\n")
_BLANK = re.compile(r"(?:[ \t\r]|\\\r?\n)+|(?<![^\s;&|()])#[^\n]*")


@dataclass(frozen=True, slots=True)
class Word:
    """``text``: without its quotes, nothing expanded; ``scripts``: the command substitutions in it;
    ``literal``: no quote, no expansion; ``varies``: the shell expands, decodes or translates something in
    it."""

    text: str
    scripts: tuple[str, ...] = ()
    literal: bool = True
    varies: bool = False


@dataclass(frozen=True, slots=True)
class Token:
    """``kind``: ``word``, ``operator`` or ``redirect``."""

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
                text = (_document(line, at, documents[-1]),) if len(documents) == 1 else ()
            yield Token("redirect", Word(redirect[0], text))
        elif operator := _OPERATOR.match(line, at):
            at = operator.end()
            yield Token("operator", Word(operator[0]))
            if operator[0] == "\n":
                for end_word in documents:
                    closing = _closing_line(line, at, end_word)
                    at = closing.end() if closing else len(line)
                documents = []
        else:
            word, at = _read_word(line, at)
            yield Token("word", word)


def _closing_line(line: str, at: int, end_word: str) -> re.Match[str] | None:
    return re.compile(rf"^\t*{re.escape(end_word)}[ \t\r]*$", re.M).search(line, at)


def _document(line: str, at: int, end_word: str) -> str:
    """The text of the first here-document of a line, which begins on the next one."""
    start = line.find("\n", at) + 1
    closing = _closing_line(line, start, end_word) if start else None
    return line[start : closing.start() if closing else len(line)] if start else ""


def _read_word(line: str, at: int) -> tuple[Word, int]:  # noqa: C901 - one branch for each form of quotation
    text: list[str] = []
    scripts: list[str] = []
    literal, varies, start = True, False, at
    while at < len(line):
        char = line[at]
        varies = varies or (char in "$`" and _EXPANSION.match(line, at) is not None)
        if char in " \t\r\n;&|()<>" and not (char in "(" and text[-1:] in (["$"], ["="])):
            break
        if continued := _CONTINUED.match(line, at):
            at = continued.end()
        elif char == "\\":
            text.append(line[at + 1 : at + 2])
            at += 2
        elif encoded := _ENCODED.match(line, at):
            text.append(encoded[1])
            at, literal, varies = encoded.end(), False, True
        elif line.startswith('$"', at):
            at, literal, varies = at + 1, False, True
        elif char == "'":
            end = line.index("'", at + 1)
            text.append(line[at + 1 : end])
            at, literal = end + 1, False
        elif char == '"':
            inner, found, end = _read_double(line, at + 1)
            varies = varies or _EXPANSION.search(line[at + 1 : end - 1]) is not None
            text.append(inner)
            scripts += found
            at, literal = end, False
        elif opening := _opening(line, at):
            end = _closing(line, at + len(opening[0]), opening[1])
            if opening[0] in ("$(", "`"):
                scripts.append(line[at + len(opening[0]) : end - 1])
            text.append(line[at:end])
            at, literal = end, False
        else:
            text.append(char)
            at, literal = at + 1, literal and char not in "$*?["
    return Word("".join(text), tuple(scripts), literal, varies), max(at, start + 1)


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
        elif opening := _opening(line, at):
            end = _closing(line, at + len(opening[0]), opening[1])
            if opening[0] in ("$(", "`"):
                scripts.append(line[at + len(opening[0]) : end - 1])
            text.append(line[at:end])
            at = end
        else:
            text.append(line[at])
            at += 1
    raise ValueError("a quotation does not end")


def _opening(line: str, at: int) -> tuple[str, str] | None:
    for opening, closing in (("$((", "))"), ("$(", ")"), ("${", "}"), ("`", "`")):
        if line.startswith(opening, at):
            return opening, closing
    return None


def _closing(line: str, at: int, closing: str) -> int:
    """The index after the end of a substitution that was opened before ``at``, and may contain others."""
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
        elif char == "(" and closing in (")", "))"):
            depth += 1
        elif char == ")" and closing in (")", "))"):
            depth -= 1
        at += 1
    raise ValueError("a substitution does not end")
