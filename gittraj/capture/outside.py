"""Finds the calls that may have printed text from outside this repository: from another, or the user's files.

A call that names a path outside, or works in a parent folder of this repository, may have read anything
there, so its output is not stored (its outcome is). A script that hides what it reads, and what an agent says
in its own words, cannot be recognized.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from gittraj.capture.repo_paths import RepoPaths
from gittraj.model.session_items import Entry
from gittraj.model.values import ToolCall

_SYSTEM = (
    *(
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib64",
        "/opt",
        "/etc",
        "/dev/null",
        "/dev/fd",
        "/dev/stdin",
        "/dev/stdout",
        "/dev/stderr",
        "/dev/zero",
        "/dev/urandom",
        "/dev/tty",
        "/proc",
        "/sys",
        "/nix",
        "/snap",
    ),
    *("/var/lib", "/var/log", "/Library", "/System", "/Applications", "/private/etc"),
)
_PACKAGES = frozenset(
    (
        *("site-packages", "dist-packages", "node_modules", ".venv", "venv", ".tox", ".nox", ".cache"),
        *(".cargo", ".rustup", ".pyenv", ".nvm", ".npm", ".gradle", ".m2", ".rbenv", ".sdkman", "go"),
    )
)
"""Folders of packages and toolchains, which are not private."""
_PRIVATE = frozenset(("home", "Users", "root", "mnt", "media", "srv", "Volumes", "tmp", "private", "var"))
_AGENTS_OWN = re.compile(r"/(?:tmp|private/tmp)/claude-[^/]+/.+/tasks/")
"""Where Claude Code keeps the output of a command that runs in the background."""
_SEARCHES = frozenset(
    ("grep", "glob", "ls", "search_file_content", "list_directory", "read_many_files", "list")
)
"""Tools that search the folder that they run in, if they name none."""
_QUIET = frozenset(("cd", "pushd", "popd", "echo", "printf", "pwd", "true", "export", "set", "sleep", "exit"))
_PIECE = re.compile(r"(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[^\s;&|()<>'\"\\]|>&|&>)+|[;&|()<>\n]+")
_WRITES = re.compile(
    r"(?:>|\btee\b(?:\s+-a)?|\s-o\b|\bmkdir\b(?:\s+-p)?|\bcp\b\s+\S+|\bmv\b\s+\S+)\s*['\"]?(/[^\s'\";&|]+)"
)
_UPWARD = re.compile(
    r"(?<![\w./])(?:\./)*\.\.(?![\w.])(?:/[^\s'\"(),;]*)?|(?:[\w.@%+-]+/)+\.\.(?:/[^\s'\"(),;]*)?"
)
_AT_HOME = re.compile(r"(?<![\w./~])(?:~(?![\w+-])|\$HOME\b|\$\{HOME\})[^\s'\"(),;:]*")
_ABSOLUTE = re.compile(r"(?<![\w.~:/$}*?\]-])/[^\s'\"(),;:]*")
_NO_PATH = re.compile(
    r"^[ \t+-]*//(?=[ \t]|$)|(?<=\S[ \t])//(?=[ \t]+[\w(])|(?<=[\w)\]][ \t])/(?=[ \t]+\d+\b(?!>))"
    r"|(?<!\$)(\([^()\n]*\))/(?=[('\"\s]|$)",
    re.MULTILINE,
)
"""Slashes that are not in paths: of a comment, of a division, after brackets except in ``$(…)/``."""
_SHELLS = frozenset(("bash", "sh", "zsh", "dash"))
_GIVEN, _MESSAGE = r"-[a-z]*c", r"-[a-zA-Z]*m|--message"
_FOLLOWS = re.compile(r"-[A-Za-z]*[RL][A-Za-z]*|--dereference\S*|--follow")
_MOST = 400
_LIMIT = 20_000
"""How many words and characters of a command are examined; a longer one is judged by its folder only."""


class Outside:
    """Examines the calls of one log, in its order: it remembers which temporary files the session wrote."""

    def __init__(self, territory: RepoPaths) -> None:
        self._territory = territory
        self._roots: tuple[Path, ...] | None = None
        self._own: list[str] = []

    def reads(self, entry: Entry) -> bool:
        """Whether the output of a call may contain text from outside."""
        if not isinstance(entry.event, ToolCall):
            return False
        if self._roots is None:
            self._roots = self._find_roots(entry)
        self._own += [edit.path for edit in entry.edits if edit.whole is not None]
        folder = Path(entry.folder) if entry.folder else self._roots[0] if self._roots else Path("/")
        if any(self._is_outside(self._join(folder, name)) for name in entry.paths):
            return True
        if entry.command is None:
            searches = entry.event.name.lower() in _SEARCHES and not entry.paths
            return searches and self._is_outside(folder)
        self._own += _WRITES.findall(entry.command[:_LIMIT])
        return self._command_reads(entry.command, folder)

    def _find_roots(self, first: Entry) -> tuple[Path, ...]:
        """The work trees and, for a log of another machine, the folder that it began in."""
        away = first.folder and not os.path.lexists(first.folder)
        return (
            (Path(first.folder), *self._territory.roots) if away and first.folder else self._territory.roots
        )

    def _command_reads(self, command: str, folder: Path) -> bool:
        segments = list(_segments(_NO_PATH.sub(r"\1 ", command)))
        if len(command) > _LIMIT or sum(map(len, segments)) > _MOST:
            return len(segments) > 0 and self._is_outside(folder)
        for words in segments:
            program = words[0].rpartition("/")[2]
            if program in ("cd", "pushd"):
                to = next((word for word in words[1:] if word not in ("-P", "-L", "--")), "~")
                folder = self._join(folder, to) if to != "-" else folder
            elif program in _SHELLS and (given := _after(words, _GIVEN)):
                if self._command_reads(given, folder):
                    return True
            elif self._program_reads(program, words, folder):
                return True
        return False

    def _program_reads(self, program: str, words: list[str], folder: Path) -> bool:
        """Decide by the paths in its words; a program that names no existing one may read its own folder."""
        moved = _after(words, "-C") if program == "git" else None
        at = self._join(folder, moved) if moved else folder
        named = [*(self._join(at, word) for word in _paths(words)), *_links(at, words)]
        if any(map(self._is_outside, named)):
            return True
        return self._is_outside(at) and program not in _QUIET and not any(map(os.path.lexists, named))

    def _join(self, folder: Path, name: str) -> Path:
        home = self._territory.home or Path("~")
        name = re.sub(r"^(?:~(?=/|$)|\$HOME\b|\$\{HOME\})", lambda _: str(home), name)
        name = re.split(r"[^/]*[*?\[{$]", name, maxsplit=1)[0] if re.search(r"[*?\[{$]", name) else name
        return Path(os.path.normpath(folder / (name or ".")))

    def _is_outside(self, path: Path) -> bool:
        return self._lies_outside(path) or self._lies_outside(_real(path))

    def _lies_outside(self, path: Path) -> bool:
        roots = self._roots or ()
        text = str(path)
        if any(path.is_relative_to(root) for root in roots):
            return False
        # if a repository is in such a folder, what is next to it is as private as anything else
        around = {part for root in roots for part in root.parts}
        if (_PACKAGES - around).intersection(path.parts):
            return False
        if any(_below(text, s) and not any(_below(str(root), s) for root in roots) for s in _SYSTEM):
            return False
        return not (any(_below(text, own) for own in self._own) or _AGENTS_OWN.match(text))


def _segments(command: str) -> Iterator[list[str]]:
    """The commands of a shell line, as words without their quotes and without the targets of redirections."""
    words: list[str] = []
    into_file = False
    for piece in _PIECE.findall(re.sub(r"\d?>&\d|&>", ">", command)):
        if set(piece) <= set(";&|()\n"):
            if words:
                yield words
            words, into_file = [], False
        elif set(piece) <= set("<>"):
            into_file = ">" in piece
        elif into_file:
            into_file = False
        else:
            words.append(re.sub(r"['\"]|\\(?=.)", "", piece))
    if words:
        yield words


def _paths(words: list[str]) -> Iterator[str]:
    """The possible paths in the words, except the program."""
    start = 1 if "/bin/" in words[0] or not {"/", "="} & {*words[0]} else 0
    message = _after(words, _MESSAGE)
    for word in words[start:]:
        if word == message:
            continue
        yield from _UPWARD.findall(word)
        yield from (found for found in _AT_HOME.findall(word))
        yield from (found for found in _ABSOLUTE.findall(word) if _is_place(found))
        if "/" in word and not word.startswith(("/", "-")) and "://" not in word:
            yield word.rpartition("=")[2]
        elif word == ".":
            yield word


def _after(words: list[str], option: str) -> str | None:
    """The word after an option (a pattern), if it is there."""
    options = (at for at, word in enumerate(words[:-1]) if re.fullmatch(option, word))
    return next((words[at + 1] for at in options), None)


def _is_place(path: str) -> bool:
    """Whether a text that begins with / may be a path: an expression of sed may begin with it, too."""
    first = path.split("/")[1]
    return not first or first in _PRIVATE or Path("/", first).is_dir()


def _links(folder: Path, words: list[str]) -> Iterator[Path]:
    """The symbolic links among the words, and those that a search follows by itself."""
    yield from (folder / word for word in words[1:] if "/" not in word and _is_link(folder / word))
    if any(_FOLLOWS.fullmatch(word) for word in words[1:]):
        try:
            with os.scandir(folder) as found:
                yield from [folder / entry.name for entry in found if entry.is_symlink()]
        except OSError:
            pass  # there is nothing to follow


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except (OSError, ValueError):
        return False


def _below(text: str, folder: str) -> bool:
    return text == folder or text.startswith(folder.rstrip("/") + "/")


def _real(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except (ValueError, OSError):
        return path
