"""The simple commands of a shell line, as far as its text shows which ones a shell would run.

Text in quotes, in a comment or in a here-document is not a command. Nothing is expanded: a word with an
expansion is marked. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

_TOKEN = re.compile(
    r"(?P<blank>(?:[ \t\r]|\\\r?\n)+|(?<![^\s;&|()])\#[^\n]*)"
    r"|(?P<document><<-?[ \t]*['\"\\]?[\w.-]+['\"]?)"
    r"|(?P<redirect>(?:\d*|&)(?:<<<|>>|>\||[<>]&|<>|[<>]))"
    r"|(?P<operator>\n|;;|&&|\|\||\|&|[;&|()`])"
    r"|(?P<word>(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|\$\{[^}\n]*\}|[^\s'\"\\;&|()<>`])+)",
    re.S,
)
_PIECE = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|\\(.)|([^'\"\\]+)", re.S)
_EXPANSION = re.compile(r"(?<!\\)(?:\$(?:[\w{(@*#?!$-]|$)|`)")
_SUBSTITUTION = re.compile(r"\$\(([^()]*)\)|`([^`]*)`")
_SKIPPED = re.compile(r"[A-Za-z_]\w*\+?=.*", re.S)
_OPTION = re.compile(r"-.*|\d+(?:\.\d+)?[smhd]?", re.S)
_SHELLS = ("sh", "bash", "zsh", "dash", "ksh")
_LOOPS = ("for", "while", "until", "xargs")
_BEFORE = re.compile(
    r"then|do|else|elif|if|while|until|!|\{|time|sudo|env|exec|command|nohup|builtin|timeout|nice|stdbuf|xargs|"
    r"uvx?|poetry|pipenv|pipx|hatch|pdm|run"
)
"""Words that the command itself may follow."""
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Word:
    """Without its quotes; ``varies``: the shell expands something in it."""

    text: str
    varies: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """From its name on. ``silent``: its output goes to a file; ``loose``: it may run several times, or in
    parallel."""

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
    """In the order of the line. Raises ValueError where a quotation does not end."""
    words: list[Word] = []
    within: list[str] = []
    documents: list[str] = []
    silent, loops, target = False, False, ""
    for kind, text in (*_tokens(line), ("operator", "\n")):
        if kind == "operator":
            found = _simple(words)
            loops = loops or any(word.text in _LOOPS for word in words[:1])
            if found is not None:
                found = replace(found, silent=silent, loose=found.loose or loops or text == "&")
                for script in (*within, *_scripts(found, documents)) if depth < _DEEPEST else ():
                    for each in read_commands(script, depth + 1):
                        yield replace(
                            each, silent=each.silent or found.silent, loose=each.loose or found.loose
                        )
                yield found
            words, within, documents, silent = [], [], [], False
        elif kind == "redirect":
            target = text
            continue
        elif kind == "word" and target:
            shown = target.endswith("&") or text.startswith(("/dev/std", "/dev/tty"))
            silent = silent or (target[:1] in ">1&" and ">" in target and not shown)
        elif kind == "word":
            words.append(_word(text))
            within += [one or other for one, other in _SUBSTITUTION.findall(text if '"' in text else "")]
        else:
            documents.append(text)
        target = ""


def _tokens(line: str) -> Iterator[tuple[str, str]]:
    at = 0
    ends: list[str] = []
    while at < len(line):
        token = _TOKEN.match(line, at)
        if token is None:
            raise ValueError("a quotation does not end")
        at = token.end()
        match token.lastgroup:
            case "document":
                ends.append(token[0].lstrip("<- \t").strip("'\"\\"))
            case "operator" if token[0] == "\n":
                for end in ends:
                    closing = re.compile(rf"^\t*{re.escape(end)}[ \t\r]*$", re.M).search(line, at)
                    yield "document", line[at : closing.start() if closing else len(line)]
                    at = closing.end() if closing else len(line)
                ends = []
                yield "operator", "\n"
            case "word" | "redirect" | "operator" as kind:
                yield kind, token[0]


def _word(text: str) -> Word:
    """Unquoted and unescaped as a shell does it, but not expanded."""
    parts: list[str] = []
    varies = False
    for quoted, double, escaped, plain in _PIECE.findall(text):
        varies = varies or _EXPANSION.search(double or plain) is not None
        parts.append(quoted or re.sub(r"\\(?:\n|([\"\\$`]))", r"\1", double) or escaped or plain)
    return Word("".join(parts), varies)


def _simple(words: Sequence[Word]) -> Command | None:
    """Without assignments, ``sudo`` and the like; None if nothing is left."""
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


def _scripts(command: Command, documents: Sequence[str]) -> list[str]:
    """The scripts that it passes to a shell."""
    texts = [word.text for word in command.words]
    if command.name == "eval":
        return [" ".join(texts[1:])]
    if command.name not in _SHELLS:
        return []
    at = next((i for i, text in enumerate(texts) if re.fullmatch(r"-\w*c", text)), len(texts))
    return [*documents, *texts[at + 1 : at + 2]]
