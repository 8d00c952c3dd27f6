"""Parses the simple commands of a shell line, as far as its text shows which ones a shell would run.

Text in quotes, in a comment or in a here-document is not a command. Nothing is expanded: a word with an
expansion is marked. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from gittraj.events.runs.tokens import Token, Word, read_tokens

_SKIPPED = re.compile(r"[A-Za-z_]\w*\+?=.*", re.S)
_OPTION = re.compile(r"-.*|\d+(?:\.\d+)?[smhd]?", re.S)
SHELLS = ("sh", "bash", "zsh", "dash", "ksh")
_LOOPS = ("for", "while", "until", "xargs")
_BEFORE = re.compile(
    r"then|do|else|elif|if|while|until|!|\{|time|sudo|env|exec|command|nohup|builtin|timeout|nice|stdbuf|xargs|"
    r"uvx?|poetry|pipenv|pipx|hatch|pdm|run"
)
"""Words that the command itself may follow."""
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command, from its name on. ``silent``: its output goes to a file; ``loose``: it may run
    several times, or in parallel."""

    words: tuple[Word, ...]
    silent: bool = False
    loose: bool = False

    @property
    def name(self) -> str:
        return self.words[0].text.rpartition("/")[2]

    @property
    def runs_python(self) -> bool:
        """Also True if a variable names the program."""
        return self.name.startswith("py") or self.words[0].varies


def read_commands(line: str, depth: int = 0) -> Iterator[Command]:
    """The commands in the order of the line. Raises ValueError if a quotation does not end."""
    in_loop, piped = False, list[str]()
    for statement in _statements(line):
        in_loop = in_loop or any(word.text in _LOOPS for word in statement.words[:1])
        found = _simple(statement.words)
        loose = in_loop or statement.end == "&" or (found is not None and found.loose)
        scripts = [*statement.within, *(_scripts(found, statement.documents, piped) if found else ())]
        passes = found and found.name == "cat" and statement.end in ("|", "|&") and not statement.silent
        piped = statement.documents if passes else []
        for script in scripts if depth < _DEEPEST else ():
            for each in read_commands(script, depth + 1):
                yield replace(each, silent=each.silent or statement.silent, loose=each.loose or loose)
        if found:
            yield replace(found, silent=statement.silent, loose=loose)


@dataclass(slots=True)
class _Statement:
    """A command between two operators: ``within`` are the substitutions in its words, ``documents`` its
    here-documents, ``end`` the operator after it."""

    words: list[Word] = field(default_factory=list)
    within: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    silent: bool = False
    end: str = ""


def _statements(line: str) -> Iterator[_Statement]:
    statement = _Statement()
    redirect = ""  # the one whose target comes next
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
    """Whether a redirection sends the standard output to where nobody reads it."""
    shown = redirect.endswith("&") or target.startswith(("/dev/std", "/dev/tty"))
    return redirect[:1] in ">1&" and ">" in redirect and not shown


def _simple(words: Sequence[Word]) -> Command | None:
    """The command without assignments, ``sudo`` and the like; None if nothing is left."""
    before: set[str] = set()
    for at, word in enumerate(words):
        name = word.text.rpartition("/")[2]
        if _BEFORE.fullmatch(name):
            before.add(name)
        elif not (_SKIPPED.fullmatch(word.text) or (before and _OPTION.fullmatch(word.text))):
            fed = "xargs" in before
            rest = (replace(each, varies=each.varies or fed) for each in words[at:])
            return Command(tuple(rest), loose=fed)
    return None


def _scripts(command: Command, documents: Sequence[str], piped: Sequence[str]) -> list[str]:
    """The scripts that it passes to a shell. ``piped``: what comes from the command before."""
    texts = [word.text for word in command.words]
    if command.name == "eval":
        return [" ".join(texts[1:])]
    if command.name not in SHELLS:
        return []
    at = next((i for i, text in enumerate(texts) if re.fullmatch(r"-\w*c", text)), len(texts))
    reads = at == len(texts) and all(text.startswith("-") for text in texts[1:])
    return [*documents, *(piped if reads and not documents else ()), *texts[at + 1 : at + 2]]
