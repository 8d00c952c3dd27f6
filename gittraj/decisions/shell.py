"""Parses the simple commands of a shell line, as far as its text shows which ones a shell would run.

Text in quotes, in a comment or in a here-document is not a command. Nothing is expanded: a word with an
expansion is marked. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from gittraj.events.runs.tokens import Token, Word, read_tokens

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=.*", re.S)
_OPTION = re.compile(r"-.*|\d+(?:\.\d+)?[smhd]?", re.S)
SHELLS = ("sh", "bash", "zsh", "dash", "ksh")
_LOOPS = ("for", "while", "until", "xargs")
_BEFORE = re.compile(
    r"then|do|else|elif|if|while|until|!|\{|time|sudo|env|exec|command|nohup|builtin|timeout|nice|stdbuf|xargs|"
    r"uvx?|poetry|pipenv|pipx|hatch|pdm|run"
)
"""Words after which the command itself may come."""
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Command:
    """The words of a simple command, beginning with its name. ``silent``: its output goes to a file;
    ``loose``: it may run several times, or in parallel."""

    words: tuple[Word, ...]
    silent: bool = False
    loose: bool = False

    @property
    def name(self) -> str:
        return self.words[0].text.rpartition("/")[2]

    @property
    def runs_python(self) -> bool:
        """Whether the command runs Python; True also if a variable names the program."""
        return self.name.startswith("py") or self.words[0].varies


def read_commands(line: str, depth: int = 0) -> Iterator[Command]:
    """Yield the commands in the order of the line. Raises ValueError if a quotation does not end."""
    in_loop, piped = False, list[str]()
    for statement in _statements(line):
        in_loop = in_loop or statement.opens_loop
        command = _read_simple(statement.words)
        loose = in_loop or statement.end == "&" or (command is not None and command.loose)
        for each in _read_nested(statement, command, piped, depth):
            yield replace(each, silent=each.silent or statement.silent, loose=each.loose or loose)
        if command:
            yield replace(command, silent=statement.silent, loose=loose)
        piped = _documents_for_next(statement, command)


def _read_nested(
    statement: _Statement, command: Command | None, piped: Sequence[str], depth: int
) -> Iterator[Command]:
    """Yield the commands in a statement's substitutions, and in the scripts that it passes to a shell."""
    scripts = _scripts(command, statement.documents, piped) if command else []
    for script in (*statement.within, *scripts) if depth < _DEEPEST else ():
        yield from read_commands(script, depth + 1)


def _documents_for_next(statement: _Statement, command: Command | None) -> list[str]:
    """Return the here-documents that the statement passes to the next command, by ``cat <<EOF |``."""
    if command is None or command.name != "cat" or statement.silent:
        return []
    return statement.documents if statement.end in ("|", "|&") else []


@dataclass(slots=True)
class _Statement:
    """A command between two operators: ``within`` are the substitutions in its words, ``documents`` its
    here-documents, ``end`` is the operator after it."""

    words: list[Word] = field(default_factory=list)
    within: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    silent: bool = False
    end: str = ""

    @property
    def opens_loop(self) -> bool:
        return bool(self.words) and self.words[0].text in _LOOPS


def _statements(line: str) -> Iterator[_Statement]:
    statement = _Statement()
    redirect = ""  # the operator whose target is the next word
    for token in (*read_tokens(line), Token("operator", Word("\n"))):
        kind, word = token.kind, token.word
        if kind == "redirect":
            statement.documents += word.scripts
        elif kind == "operator":
            statement.end = word.text
            yield statement
            statement = _Statement()
        else:
            statement.within += word.scripts
            if redirect:
                statement.silent = statement.silent or _silences(redirect, word.text)
            else:
                statement.words.append(word)
        redirect = word.text if kind == "redirect" else ""


def _silences(redirect: str, target: str) -> bool:
    """Whether a redirection sends the standard output to a file, and not to the terminal."""
    shown = redirect.endswith("&") or target.startswith(("/dev/std", "/dev/tty"))
    return redirect[:1] in ">1&" and ">" in redirect and not shown


def _read_simple(words: Sequence[Word]) -> Command | None:
    """Return the command without assignments, ``sudo`` and the like; None if nothing is left."""
    before: set[str] = set()
    for at, word in enumerate(words):
        name = word.text.rpartition("/")[2]
        if _BEFORE.fullmatch(name):
            before.add(name)
        elif not (_ASSIGNMENT.fullmatch(word.text) or (before and _OPTION.fullmatch(word.text))):
            fed = "xargs" in before
            remaining = (replace(each, varies=each.varies or fed) for each in words[at:])
            return Command(tuple(remaining), loose=fed)
    return None


def _scripts(command: Command, documents: Sequence[str], piped: Sequence[str]) -> list[str]:
    """Return the scripts that the command passes to a shell. ``piped`` is what the command before prints."""
    texts = [word.text for word in command.words]
    if command.name == "eval":
        return [" ".join(texts[1:])]
    if command.name not in SHELLS:
        return []
    at = next((i for i, text in enumerate(texts) if re.fullmatch(r"-\w*c", text)), len(texts))
    reads = at == len(texts) and all(text.startswith("-") for text in texts[1:])
    return [*documents, *(piped if reads and not documents else ()), *texts[at + 1 : at + 2]]
