"""Finds the repository that a call of a session worked in, and the call's paths relative to the repository.

An agent started in a parent folder works in several repositories, and text of a private repository must not
get into the notes of a public one. This module must not decide what is stored.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fnmatch import fnmatch
from itertools import chain, islice, takewhile
from pathlib import Path

from gittraj.capture.commit_command import can_commit
from gittraj.events.runs.git_commands import both_ends
from gittraj.git import Repository
from gittraj.model.session_items import Edit, Entry

_CHANGES_FOLDER = re.compile(
    r"(?:(?:^|[;&|(\n])[ \t]*(?:cd|pushd)|\b(?P<git>git)\s+-C)\s+"
    r"(?:'([^'\n]+)'|\"([^\"\n]+)\"|([^\s;&|)'\"]+))"
)
_PROGRAM = re.compile(
    r"(?P<before>(?:^|[;&|(\n`]|-\w*c[ \t]+['\"])[ \t]*+"
    r"(?:(?:env|exec|time|nohup|sudo|command|nice|timeout[ \t]+[\w.]+|[A-Za-z_]\w*=[^\s;&|()'\"]*+)[ \t]+)*+)"
    r"['\"]?[^\s;&|()'\"]*/(?:\.?venv|env|\.tox|\.nox|node_modules)/[^\s;&|()'\"]+"
)
"""A program that is installed below a repository: a command that runs it may work somewhere else."""
_ABSOLUTE = re.compile(r"(?<![\w.~:/-])/[\w.@%+,=/-]{2,}")
_RELATIVE = re.compile(r"(?<![\w./~:@%+-])(?:\.\.?/)*[\w.@%+-]+(?:/[\w.@%+-]+)+")
_BETWEEN_WORDS = re.compile(r"(?<!\S)-[A-Za-z]|[\s'\"();&|<>=:,@`${}\\]+")
_QUOTED = r"'[^']*+'|\"(?:[^\"\\]|\\.)*+\""
_GIT = re.compile(rf"\bgit\s(?:{_QUOTED}|[^;&|\n'\"])*+", re.DOTALL)
_MESSAGE = re.compile(
    r"(?<=\s)(?:-[a-zA-Z]*m|--message)[ =]?(?:'[^']*+'|\"(?:[^\"\\$`]|\\.|\$(?!\())*+\"|[^\s'\"`$])++",
    re.DOTALL,
)
"""A literal message. A message that the shell composes may be the text of any file."""
_MESSAGE_BELOW = re.compile(r"(?:\bgit\s[^|;&()<\n]{0,200}|\$\(cat\s*)<<-?[ ]?['\"]?(\w+)")
"""The beginning of a here-document that may be a commit's message."""
_PATTERN = re.compile(r"[*?\[]")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_MAX_WORDS = 200
_MAX_NAMES = 1000
_MAX_FOLDERS = 8
_MAX_MATCHED = 10_000
"""The most paths that the patterns of one call may lead to."""
_COMMAND_LIMIT = 20_000
_PATH_LIMIT = 4096


class RepoPaths:
    """The paths of one repository's work trees, to distinguish them from other repositories. ``former`` are
    folders where a work tree was earlier, or on another machine."""

    def __init__(
        self, repository: Repository, *, home: Path | None = None, former: Iterable[Path] = ()
    ) -> None:
        trees = [tree.path for tree in repository.worktrees() if tree.path is not None]
        known = dict.fromkeys(p for t in trees for p in (t, real_path(t)))
        self.roots: tuple[Path, ...] = tuple(known | dict.fromkeys(former))
        self.home = home
        self._tops: dict[Path, Path | None] = {root: root for root in former}
        self._parents: dict[Path, Path] = {}

    def place(self, entry: Entry) -> str | None:
        """Where a call worked: ``here``, ``elsewhere`` (also if it worked in both), or ``None`` (unknown)."""
        places = {self._place(path) for path in self.named(entry)} - {None}
        if not places and entry.folder:
            return self._place(Path(entry.folder))
        if not places:
            return None
        return "here" if places == {"here"} else "elsewhere"

    def relative(self, entry: Entry, edit: Edit) -> str | None:
        """Return an edit's path as git writes it; ``None`` if it is outside the repository."""
        return self._inside(self._resolve(entry.folder, edit.path))

    def touched(self, entry: Entry) -> Iterator[str]:
        """Yield the repository's files that a call may name, in its arguments or in its command, whether or
        not they exist: the call may have removed them. Names in commit messages do not count."""
        command = _without_messages(both_ends(entry.command or "", _COMMAND_LIMIT))
        moves = islice(self._moves(command, entry.folder), _MAX_FOLDERS)
        folders = dict.fromkeys((entry.folder, *(str(path) for path in moves)))
        words = [*islice(dict.fromkeys(_BETWEEN_WORDS.split(command)), _MAX_NAMES)]
        names = (self._resolve(folder, w) for folder in folders for w in words if 0 < len(w) < _PATH_LIMIT)
        left = iter(range(_MAX_MATCHED))
        matching = chain.from_iterable((name, *self._matching(name, left)) for name in names)
        paths = chain(self.named(entry, command), matching)
        return (inside for path in paths if (inside := self._inside(path)) is not None)

    def _inside(self, path: Path) -> str | None:
        """The path relative to the repository; None if it is outside."""
        parent = self._real(path.parent)
        for root in sorted(self.roots, key=lambda root: len(root.parts), reverse=True):  # nested trees
            for candidate in (path, parent / path.name):
                if candidate.is_relative_to(root) and candidate != root:
                    inside = candidate.relative_to(root)
                    return None if inside.parts[0] == ".git" else inside.as_posix()
        return None

    def _real(self, folder: Path) -> Path:
        real = self._parents[folder] = self._parents.get(folder) or real_path(folder)
        return real

    def _matching(self, path: Path, left: Iterator[int]) -> Iterator[Path]:
        """The files that match a path if it is a pattern that may lead into the repository. Each path on the
        way takes one of ``left``."""
        folder = Path(*takewhile(lambda part: not _PATTERN.search(part), path.parts))
        if folder == path or not any(
            at.is_relative_to(root) or root.is_relative_to(at)
            for at in (folder, self._real(folder))
            for root in self.roots
        ):
            return
        found = [folder]
        for part in path.parts[len(folder.parts) :]:
            is_pattern = _PATTERN.search(part)
            tried = (at for at, _ in zip(found, left, strict=False))
            below = (_list(at, part) if is_pattern else (at / part,) for at in tried)
            found = [*islice(chain.from_iterable(below), _MAX_NAMES)]
        yield from (at for at, _ in zip(found, left, strict=False))

    def named(self, entry: Entry, command: str | None = None) -> Iterator[Path]:
        """Yield the paths that a call names, in its arguments or in its command, except the installed
        programs that it runs. ``command`` replaces the call's command."""
        for name in (*entry.paths, *(edit.path for edit in entry.edits)):
            yield self._resolve(entry.folder, name)
        command = both_ends(entry.command or "", _COMMAND_LIMIT) if command is None else command
        command = _PROGRAM.sub(r"\g<before>", command)
        yield from islice(self._moves(command, entry.folder), _MAX_WORDS)
        for name in _ABSOLUTE.findall(command):
            if self._place(Path(name)):
                yield Path(name)
        for name in islice(dict.fromkeys(_RELATIVE.findall(command)), _MAX_WORDS):
            path = self._resolve(entry.folder, name)
            if self._place(path) and os.path.exists(path):  # noqa: PTH110 - see _top
                yield path

    def _moves(self, command: str, folder: str | None) -> Iterator[Path]:
        """Yield the folders that a command changes to."""
        for match in _CHANGES_FOLDER.finditer(command):
            path = self._resolve(folder, next(name for name in match.group(2, 3, 4) if name))
            if len(str(path)) > _PATH_LIMIT:
                break
            if not match["git"]:
                folder = str(path)  # the next cd starts from here; git -C does not stay
            yield path

    def _resolve(self, folder: str | None, name: str) -> Path:
        if self.home and (name == "~" or name.startswith("~/")):
            return self.home / name[2:]
        base = Path(_posix(folder)) if folder else (self.roots[0] if self.roots else Path("/"))
        return Path(os.path.normpath(base / _posix(name)))

    def _place(self, path: Path) -> str | None:
        if len(str(path)) > _PATH_LIMIT:
            return None
        top = self._top(path)
        if top is not None:
            return "here" if top in self.roots or real_path(top) in self.roots else "elsewhere"
        return "here" if any(path.is_relative_to(root) for root in self.roots) else None

    def _top(self, path: Path) -> Path | None:
        """The root of the worktree, of any repository, that a path is in."""
        top: Path | None = None
        below: list[Path] = []
        for folder in chain((path,), path.parents):
            if folder in self._tops:
                top = self._tops[folder]
                break
            below.append(folder)
            if os.path.exists(folder / ".git"):  # noqa: PTH110 - Path's raises: invalid name, no permission
                top = folder
                break
        self._tops.update(dict.fromkeys(below, top))
        return top


def _without_messages(command: str) -> str:
    """A command without the messages of the commits that it makes, in here-documents or as arguments."""
    lines, kept, at = command.split("\n"), [], 0
    while at < len(lines):
        kept.append(lines[at])
        here_document = _MESSAGE_BELOW.search(lines[at]) if can_commit(lines[at]) else None
        at += 1
        if here_document and here_document[1] in lines[at : at + _MAX_NAMES]:
            at = lines.index(here_document[1], at) + 1
    command = "\n".join(kept)
    return _GIT.sub(lambda git: _MESSAGE.sub("", git[0]) if can_commit(git[0]) else git[0], command)


def _list(folder: Path, pattern: str) -> Iterator[Path]:
    with suppress(OSError, ValueError), os.scandir(folder) as entries:
        yield from (folder / f.name for f in islice(entries, _MAX_NAMES) if fnmatch(f.name, pattern))


def _posix(name: str) -> str:
    """A Windows path as a POSIX one, below its drive: ``C:\\src\\a`` is ``/C:/src/a``."""
    if os.name == "nt":
        return name
    name = name.removeprefix("file://")
    return "/" + name.replace("\\", "/") if _DRIVE.match(name) else name


def real_path(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except (ValueError, OSError):  # an agent's path may be invalid
        return path
