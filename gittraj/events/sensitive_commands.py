"""Finds shell commands that print secrets (``sensitive.toml``) in a command line, and what it writes into
secret files.

It approximates the shell's grammar: text that can be split in two ways is examined in both.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from itertools import chain

_TOKEN = re.compile(
    r"""(?P<quoted>(?:[^\s;&|<>()`'"]{0,200})(?:'[^']*'|"(?:[^"\\]|\\.)*"))
    | (?P<op>&&|\|\||;;|[;\n|&()`]|\$\(|<\(|>\()
    | (?P<out>\d?>>?\|?\s*(?:&\d)?)
    | (?P<in><{1,3})
    | (?P<word>(?:[^\s;&|<>()`'"\\]|\\.)+)
    | (?P<rest>['"\\])""",
    re.VERBOSE | re.DOTALL,
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")


_TABLE = tomllib.loads(files(__package__).joinpath("sensitive.toml").read_text("utf-8"))
_SHOWS = {name: "".join(pattern) for name, pattern in _TABLE["shows"].items()}
_WRAPPERS, _SHELLS, _QUIET, _QUIET_GIT, _SEARCHERS, _VARIABLE_READERS = (
    frozenset(_TABLE[name])
    for name in ("wrappers", "shells", "quiet", "quiet_git", "searchers", "variable_readers")
)
_INTERPRETED = re.compile(
    r"os\.environ|process\.env|\bENV(?:\[|\.(?:each|to_))|\bgetenv\(|%ENV\b|\$_ENV\b|\$_SERVER\b"
    r"|\b[Ee]nv:|keyring\.get|/proc/(?:self|\d+)/environ"
)
_SECRET_VARIABLE = re.compile(
    r"\$\{?(?:env:)?\w*(?:TOKEN|SECRET|PASS|_PWD|KEY|CRED|AUTH|DSN|DATABASE_URL|PRIVATE)\w*", re.IGNORECASE
)
_OPENED = re.compile(r"(?:\b\w*(?:open|[Rr]ead\w*)|\bPath)\(\s*\\?['\"]([^'\"\s]{1,200})['\"]")
_HEREDOC = re.compile(
    r"\b(?:cat|tee)\b[^\n|;&<]{0,200}<<-?[ \t]*(?P<quote>['\"\\]?)(?P<end>[\w.+-]++)['\"]?"
    r"(?P<rest>[^\n]*+\n?)(?P<body>(?:(?![ \t]*(?P=end)(?!\w))(?:[^\n]*\n|[^\n]+))*+)"
    r"(?P<close>[ \t]*(?P=end))?"
)
_WORD = re.compile(r"(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\$\([^()\n]*\)|\\.|[^\s'\"\\;&|<>()])++", re.DOTALL)
_PIPELINE = re.compile(
    rf"(?:(?<!\S)\#[^\n]*|`[^`]*`|{_WORD.pattern}|[ \t<>()'\"\\]|(?<!\|)\|(?!\|)|(?<=[<>|])&|&(?=>))++",
    re.DOTALL,
)
_MARKUP = re.compile(r"(?<=[\w/\"])>")
_GROUP_END = re.compile(r"[ \t]*(?:\}|(?:done|fi|esac)\b)")
_WRITER = re.compile(
    r"(?:(?P<into>(?<![<=-])>{1,2}\|?|\b(?:tee|out-file)\b)|(?P<opens>\b(?:open|Path)\()"
    r"|(?P<edits>\b(?:sed|perl)\b)|(?P<both>\b(?:set|add)-content\b)|(?P<calls>\bwrite\w*\()"
    rf"|(?P<prints>\b(?:echo|printf?|write-output)\b|<<<))(?P<words>(?:[ \t]*+{_WORD.pattern})*+)",
    re.DOTALL | re.IGNORECASE,
)
"""A command, call or redirection that writes into the file that a word after it names (``into``, ``opens``),
that prints or writes a text (``prints``, ``calls``), or that may do both (``edits``, ``both``)."""
_IN_PLACE = re.compile(r"[ \t]-(?:\w{0,9}i|-in-place)")
_REFERENCE = re.compile(r"\"?(?:[\w.-]+[=:] ?)?\$(?:\w+|\{\w+\})\"?")
_DEEPEST = 5


def shows_secrets(command: str, is_secret_file: Callable[[str], bool], depth: int = 0) -> bool:
    """Whether a command line, or a shell command within it, prints secrets."""
    if _INTERPRETED.search(command) or any(map(is_secret_file, _OPENED.findall(command))):
        return True
    command = _HEREDOC.sub(_without_body, command)
    return any(_shows(words, is_secret_file, depth) for words in _simple_commands(command))


def _without_body(heredoc: re.Match[str]) -> str:
    """Return the ``cat`` without its here-document, which it only prints, unless the shell expands that."""
    body = heredoc["body"]
    expanded = not heredoc["quote"] and re.search(r"[$`]", body)
    return f"cat {heredoc['rest']}{body if expanded or not heredoc['close'] else ''}"


def written_by(command: str, is_secret_file: Callable[[str], bool]) -> Iterator[tuple[int, int, bool]]:
    """Yield the start and end of each text that a command line writes into secret files, and whether it is a
    value of a format before it (``printf 'NAME=%s' value``)."""
    for found in _HEREDOC.finditer(command):
        if _names(is_secret_file, _WRITER.finditer(command, found.start(), found.start("body"))):
            yield *found.span("body"), False
        else:
            at = found.start("body")
            inner = _written_by_commands(_MARKUP.sub(" ", found["body"]), is_secret_file)
            yield from ((at + start, at + end, is_value) for start, end, is_value in inner)
    command = _HEREDOC.sub(lambda m: m[0][: m.start("body") - m.start()].ljust(len(m[0])), command)
    yield from _written_by_commands(command, is_secret_file)


def _written_by_commands(
    command: str, is_secret_file: Callable[[str], bool]
) -> Iterator[tuple[int, int, bool]]:
    unclear = re.search("['\"]", _WORD.sub("", command)) is not None  # a quote that is not closed
    opened = _names(is_secret_file, (each for each in _WRITER.finditer(command) if each["opens"]))
    before: list[re.Match[str]] = []
    for pipeline in _PIPELINE.finditer(command):
        writers = [*_WRITER.finditer(command, *pipeline.span())]
        before += writers
        if _names(is_secret_file, (each for each in writers if not each["opens"])):
            bare = _WORD.sub("", pipeline[0])
            grouped = bare.count(")") > bare.count("(") or _GROUP_END.match(pipeline[0])  # { …; } > .env
            if grouped or unclear:
                writers, before = before, []
        else:
            writers = [each for each in writers if each["calls"] and opened]
        for writer in writers:
            yield from _written_words(command, writer)


def _names(is_secret_file: Callable[[str], bool], writers: Iterable[re.Match[str]]) -> bool:
    """Whether one of ``writers`` writes into a secret file, or reads from it."""
    words = (
        m["words"] for m in writers if not m["prints"] and (not m["edits"] or _IN_PLACE.search(m["words"]))
    )
    return any(map(is_secret_file, chain.from_iterable(re.split(r"[\s,'\"]+", each) for each in words)))


def _written_words(command: str, writer: re.Match[str]) -> Iterator[tuple[int, int, bool]]:
    is_value = False
    for match in () if writer["into"] or writer["opens"] else _WORD.finditer(command, *writer.span("words")):
        word, (start, end) = match[0], match.span()
        if word.startswith("-") or not (writer["prints"] or "=" in word or ":" in word):
            continue  # an option, or a word that is not text
        quoted = len(word) > 1 and word[0] == word[-1] and word[0] in "'\""
        if not (writer["prints"] and _REFERENCE.fullmatch(word)):
            yield start + quoted, end - quoted, is_value
        is_value = is_value or "%s" in word


def _shows(words: list[str], is_secret_file: Callable[[str], bool], depth: int) -> bool:
    """Whether a simple command prints secrets: by a pattern of its own, from variables or from files."""
    head, arguments = _unwrap(words)
    if head is None:
        return "env" in map(_name, words)
    bare = list(map(_bare, arguments))
    pattern = _SHOWS.get(head, "(?!)")
    if re.search(pattern, " ".join(bare), re.IGNORECASE):  # compiled on first use
        return True
    if head in _VARIABLE_READERS and any(map(_SECRET_VARIABLE.search, arguments)):
        return True
    if depth < _DEEPEST and _shell_shows(head, bare, is_secret_file, depth):
        return True
    quiet = head in _QUIET or (head == "git" and _QUIET_GIT & {*bare[:1]})
    named = (head, *_without_pattern(head, bare))
    return not quiet and any(map(is_secret_file, chain.from_iterable(map(_paths, named))))


def _without_pattern(head: str, bare: list[str]) -> list[str]:
    """Return a command's arguments without the text that it searches files for, which names no file."""
    if head == "git" and bare[:1] == ["grep"]:
        head, bare = "grep", bare[1:]
    if head not in _SEARCHERS:
        return bare
    at = next((at for at, word in enumerate(bare) if not re.match(r"-|\d+$|.*\*", word)), len(bare))
    return bare[:at] + bare[at + 1 :]


def _shell_shows(head: str, bare: list[str], is_secret_file: Callable[[str], bool], depth: int) -> bool:
    """Whether a command in ``bash -c '…'`` or ``ssh host env`` prints secrets: the words after any shell's
    name may be a command."""
    if _SHELLS.isdisjoint(map(_name, (head, *bare))):
        return False
    nested = (word for word in bare if re.search(r"[ \n;]", word))
    if any(shows_secrets(text, is_secret_file, depth + 1) for text in nested):
        return True
    begins = (at for at, word in enumerate(bare) if word in _SHOWS or word in ("env", "cat"))
    return head in _SHELLS and any(_shows(bare[at:], is_secret_file, _DEEPEST) for at in begins)


def _unwrap(words: list[str]) -> tuple[str | None, list[str]]:
    """Return the name of a simple command and its arguments, without assignments, ``sudo`` and the like;
    ``None`` if no command is left (a bare ``env`` prints everything)."""
    at = 0
    while at < len(words):
        word = _bare(words[at])
        if _ASSIGNMENT.match(word) or _name(word) in _WRAPPERS or (at and re.fullmatch(r"-.*|\d+\w?", word)):
            at += 1
            # an option of a wrapper may have a value: `sudo -u root`, `env -u NAME`
            if word in ("-u", "-g", "-n", "-I", "-P", "-C", "-s", "-k") and at < len(words) - 1:
                at += 1
            continue
        return _name(word), words[at + 1 :]
    return None, []


def _simple_commands(command: str) -> Iterator[list[str]]:
    words: list[str] = []
    skip = False
    for token in _TOKEN.finditer(command):
        kind, text = str(token.lastgroup), token.group()
        if kind == "op":
            yield words
            words, skip = [], False
        elif kind == "out":
            skip = "&" not in text
        elif kind in ("quoted", "word"):
            if not skip:
                words.append(text)
            skip = False
            if kind == "quoted" and '"' in text and ("$(" in text or "`" in text):
                yield from _simple_commands(_bare(text))
    yield words


def _bare(word: str) -> str:
    """Return a word without its quotes."""
    return re.sub(r"\\(.)", r"\1", re.sub("['\"]", "", word))


def _name(word: str) -> str:
    return word.replace("\\", "/").rpartition("/")[2].lower()


def _paths(word: str) -> Iterator[str]:
    """Yield what may be a path: the word, and the text after ``=`` (``--file=.env``), ``:`` (``HEAD:.env``)
    and ``@``."""
    if len(word) > 1000 or "\n" in word:
        return
    yield word
    for mark in "=:@":
        if mark in word:
            yield word.rpartition(mark)[2]
