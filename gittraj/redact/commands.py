"""Finds passwords in command lines whose options do not name them: ``mysql -pX``, ``curl -u me:X``.

An option that names its secret (``--password``) is matched by ``assignments``, for any command. This module
handles the commands in ``data/commands.toml``: values of their options, and positional arguments. Short
options of any command, and text that a shell passes to a command or a file, are rules of ``data/lines.toml``.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache

from .decide import Candidate, Proposals, Reader
from .load import Takes, patterns
from .load import commands as table
from .names import grade
from .page import Page

_RE = patterns("commands")
Word = tuple[str, int]
"""An argument of a command, and its position."""


def commands(page: Page) -> Proposals:
    """The passwords in the page's command lines."""
    for name in sorted(_by_name().keys() & page.words) if " " in page.text or '",' in page.text else ():
        yield from _of_command(page, name)


def _of_command(page: Page, name: str) -> Proposals:
    lower, text = page.lower, page.text
    at = lower.find(name)
    read: dict[Takes, int] = {}  # the position up to which earlier matches of the command have been read
    while at >= 0:
        page.tick()
        end = at + len(name)
        for command, takes in _by_name()[name]:
            start = at + len(command)
            if (
                lower.startswith(command, at)
                and not lower[start : start + 1].isalnum()
                and (at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "-_.@"))
            ):
                end = max(end, start)
                words = _words(text, start, read.get(takes, 0))
                yield from _by_options(words, takes)
                yield from _by_position(text, start, takes)
                read[takes] = max(read.get(takes, 0), words[-1][1] if words else 0)
        at = lower.find(name, end)


def _words(text: str, start: int, read: int = 0) -> list[Word]:
    """The arguments of a command, up to about 1,500 characters, across line ends; only those after ``read``,
    the position up to which they were read for an earlier call."""
    if text.startswith(".exe", start):
        start += 4
    listed = _RE.list.match(text, start)
    if text[start : start + 1] not in (" ", "\t") and not listed:
        return []
    at = start if listed else max(start, read)
    words: list[Word] = []
    pattern = _RE.listed if listed else _RE.argument
    while (match := pattern.match(text, at)) and len(words) < 48 and match.end() - start < 1500:
        words.append((match["a"], match.start("a")))
        at = match.end()
    return words


def _by_options(words: list[Word], takes: Takes) -> Proposals:
    for n, (word, _) in enumerate(words):
        for option, form in takes.options if word[:1] in takes.first else ():
            if word.startswith(option):
                yield from _of_option(words[n : n + 2], option, form)


def _of_option(words: list[Word], option: str, form: str) -> Proposals:
    """The value of an option: attached to it, or the next word; ``form`` is one of ``load.HOW``."""
    (word, begin), *following = words
    glued, at = word[len(option) :], begin + len(option)
    if (glued[:1] == ":" and option[0] == "/") or (glued[:1] == "=" and len(option) > 2):
        glued, at = glued[1:], at + 1
    if glued:
        assigned = word[len(option)] == "="
        if assigned or form in ("glued", "either") or (form in _SIGNS and len(option) == 2):
            yield from _propose_value(glued, at, form)
    elif form != "glued" and following:
        yield from _propose_value(*following[0], form)


_SIGNS = {"colon": ":", "percent": "%", "comma": ",", "named": "="}


def _propose_value(word: str, begin: int, form: str = "") -> Proposals:
    if word[:1] in "\"'" and len(word) > 2:
        word, begin = word[1:].rstrip(word[0]), begin + 1
    if form in _SIGNS:
        user, sign, word = word.partition(_SIGNS[form])
        begin += len(user) + 1
        if not sign or (form == "named" and not grade(user)):
            return
    if word.startswith("-") or word in ("", "codesigning"):  # a security policy of macOS
        return
    if form == "either" and (_RE.port.fullmatch(word) or _RE.long_option.fullmatch(word)):
        return
    yield Candidate(begin, begin + len(word.rstrip(",)")), "command", "password")


def _by_position(text: str, start: int, takes: Takes) -> Proposals:
    on_line = _on_line(text, start) if takes.arguments else []
    for argument in takes.arguments if on_line else ():
        at = 0
        for head in argument.words:
            while at < len(on_line) and not fnmatchcase(on_line[at][0], head):
                at += 1
            at += 1
        plain = [word for word in on_line[at:] if not _RE.no_position.match(word[0])]
        if at <= len(on_line) and argument.number < len(plain):
            yield from _propose_value(*plain[argument.number])


def _on_line(text: str, start: int) -> list[Word]:
    """The arguments up to the first line end that is not escaped by a backslash."""
    words = _words(text, start)
    last = words[-1][1] if words else start
    line = text.find("\n", start, last)
    while line > 0 and text[line - 1] == "\\":
        line = text.find("\n", line + 1, last)
    return [word for word in words if line < 0 or word[1] < line]


@cache
def _by_name() -> dict[str, list[tuple[str, Takes]]]:
    """The commands and the secrets that they take, by the first word of the command."""
    found: dict[str, list[tuple[str, Takes]]] = {}
    for name, takes in table():
        found.setdefault(re.split(r"[^a-z0-9_]", name)[0], []).append((name, takes))
    return found


COMMANDS = Reader(id="command", kind="password", find=commands)
