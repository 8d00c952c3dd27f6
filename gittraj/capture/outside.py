"""Finds the calls that may have printed text from outside this repository: from another, or the user's files.

A call that names a path outside, or works in a parent folder of this repository, may have read anything
there, so its output is not stored (its outcome is). A script that hides what it reads cannot be recognized,
nor can text from outside that an agent repeats in its own words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from gittraj.capture.repo_paths import RepoPaths, real_path
from gittraj.model.session_items import Entry
from gittraj.model.values import ToolCall

_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/etc", "/proc", "/sys", "/nix", "/snap"),
    *("/dev/null", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr"),
    *("/dev/zero", "/dev/urandom", "/dev/tty"),
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
"""Folders below the root that may contain private files. A text that begins with one of them counts as a path
even if this machine has no such folder: a log may be from another machine."""
_AGENTS_OWN = re.compile(r"/(?:tmp|private/tmp)/claude-[^/]+/.+/tasks/")
"""Where Claude Code keeps the output of a command that runs in the background."""
_SEARCHES = frozenset(
    ("grep", "glob", "ls", "search_file_content", "list_directory", "read_many_files", "list")
)
"""Tools that search the folder that they run in, if they name none."""
_QUIET = frozenset(("cd", "pushd", "popd", "echo", "printf", "pwd", "true", "export", "set", "sleep", "exit"))
"""Programs that do not read files."""
_TOKEN = re.compile(r"(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[^\s;&|()<>'\"\\]|>&|&>)+|[;&|()<>\n]+")
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
"""Slashes that are not in paths: in a comment, in a division, and after brackets, except in ``$(…)/``."""
_SHELLS = frozenset(("bash", "sh", "zsh", "dash"))
_GIVEN, _MESSAGE = r"-[a-z]*c", r"-[a-zA-Z]*m|--message"
_FOLLOWS = re.compile(r"-[A-Za-z]*[RL][A-Za-z]*|--dereference\S*|--follow")
_MOST = 400
_LIMIT = 20_000
"""The most words and characters of a command that are examined; a longer command is judged by its folder."""


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
        folder = Path(entry.folder) if entry.folder else next(iter(self._roots), Path("/"))
        if any(self._is_outside(self._join(folder, name)) for name in entry.paths):
            return True
        if entry.command is None:
            searches_folder = entry.event.name.lower() in _SEARCHES and not entry.paths
            return searches_folder and self._is_outside(folder)
        self._own += _WRITES.findall(entry.command[:_LIMIT])
        return self._command_reads(entry.command, folder)

    def _find_roots(self, first: Entry) -> tuple[Path, ...]:
        """The work trees and, for a log of another machine, the folder that it began in."""
        if first.folder and not os.path.lexists(first.folder):
            return (Path(first.folder), *self._territory.roots)
        return self._territory.roots

    def _command_reads(self, command: str, folder: Path) -> bool:
        commands = list(_shell_commands(_NO_PATH.sub(r"\1 ", command)))
        if len(command) > _LIMIT or sum(map(len, commands)) > _MOST:
            return len(commands) > 0 and self._is_outside(folder)
        for words in commands:
            program = words[0].rpartition("/")[2]
            if program in ("cd", "pushd"):
                folder = self._change_folder(folder, words[1:])
            elif program in _SHELLS and (given := _after(words, _GIVEN)):
                if self._command_reads(given, folder):
                    return True
            elif self._program_reads(program, words, folder):
                return True
        return False

    def _change_folder(self, folder: Path, arguments: list[str]) -> Path:
        """The folder after a ``cd`` with ``arguments``; ``cd -`` is ignored."""
        to = next((word for word in arguments if word not in ("-P", "-L", "--")), "~")
        return self._join(folder, to) if to != "-" else folder

    def _program_reads(self, program: str, words: list[str], folder: Path) -> bool:
        """Decide by the paths in the words; a program that names no existing path may read the folder it runs
        in."""
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
        return self._lies_outside(path) or self._lies_outside(real_path(path))

    def _lies_outside(self, path: Path) -> bool:
        roots = self._roots or ()
        text = str(path)
        if any(path.is_relative_to(root) for root in roots) or _is_public(path, roots):
            return False
        return not (any(_below(text, own) for own in self._own) or _AGENTS_OWN.match(text))


def _is_public(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a path is in a folder of packages or of the system. If a repository is in such a folder, files
    next to it are as private as anything else."""
    around = {part for root in roots for part in root.parts}
    if (_PACKAGES - around).intersection(path.parts):
        return True
    text = str(path)
    return any(_below(text, s) and not any(_below(str(root), s) for root in roots) for s in _SYSTEM)


def _shell_commands(command: str) -> Iterator[list[str]]:
    """The commands of a shell line, as words without their quotes and without the targets of redirections."""
    words: list[str] = []
    into_file = False
    for token in _TOKEN.findall(re.sub(r"\d?>&\d|&>", ">", command)):
        if set(token) <= set(";&|()\n"):
            if words:
                yield words
            words, into_file = [], False
        elif set(token) <= set("<>"):
            into_file = ">" in token
        elif into_file:
            into_file = False
        else:
            words.append(re.sub(r"['\"]|\\(?=.)", "", token))
    if words:
        yield words


def _paths(words: list[str]) -> Iterator[str]:
    """The possible paths in the words of a command, except the program and a commit's message."""
    start = 1 if "/bin/" in words[0] or not {"/", "="} & {*words[0]} else 0
    message = _after(words, _MESSAGE)
    for word in words[start:]:
        if word != message:
            yield from _paths_in(word)


def _paths_in(word: str) -> Iterator[str]:
    yield from _UPWARD.findall(word)
    yield from _AT_HOME.findall(word)
    yield from filter(_may_be_path, _ABSOLUTE.findall(word))
    if "/" in word and not word.startswith(("/", "-")) and "://" not in word:
        yield word.rpartition("=")[2]
    elif word == ".":
        yield word


def _after(words: list[str], option: str) -> str | None:
    """The word after the first one that matches ``option``, a pattern, if there is one."""
    options = (at for at, word in enumerate(words[:-1]) if re.fullmatch(option, word))
    return next((words[at + 1] for at in options), None)


def _may_be_path(path: str) -> bool:
    """Whether a text that begins with / may be a path: an expression of sed may begin with it, too."""
    first = path.split("/")[1]
    return not first or first in _PRIVATE or Path("/", first).is_dir()


def _links(folder: Path, words: list[str]) -> Iterator[Path]:
    """The symbolic links among the words, and those in the folder if the command follows links."""
    paths = (folder / word for word in words[1:] if "/" not in word)
    yield from filter(os.path.islink, paths)  # Path's raises: invalid name, no permission
    if any(_FOLLOWS.fullmatch(word) for word in words[1:]):
        try:
            with os.scandir(folder) as entries:
                yield from [folder / entry.name for entry in entries if entry.is_symlink()]
        except OSError:
            pass  # there is nothing to follow


def _below(text: str, folder: str) -> bool:
    return text == folder or text.startswith(folder.rstrip("/") + "/")
