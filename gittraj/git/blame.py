"""Finds the commit that each line of a file is from: git's own blame, and the file as it was blamed.

Moved lines are followed; changes of white space and the commits that a team ignores are skipped. The blame
itself takes one process. This module must not know why a commit was made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, partial

from gittraj.errors import GitError
from gittraj.frozen import dataclass
from gittraj.git.process import Result
from gittraj.git.repository import Repository
from gittraj.startup import BLAME, IGNORED

_GROUP = re.compile(rb"([0-9a-f]{40}(?:[0-9a-f]{24})?) (\d+) (\d+)")
_NO_FUNCTION = b": no match"
_FEW = 200  # lines
_AROUND = 20  # lines
_BLAME_SPACES = tuple(word for word in BLAME if word != "-w")


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """Line ``number`` (from 1) is from ``commit`` (None: not committed), in which it was line ``first`` of
    ``path``. In the commit's ``parent`` that file was called ``was``; both are None if it was not in a
    parent, or git does not say."""

    number: int
    first: int
    commit: str | None
    path: str
    parent: str | None
    was: str | None


def read_blob(repository: Repository, commit: str, path: str) -> list[str]:
    """The lines of a file in a commit; empty if the commit has no such file, or is missing."""
    objects = repository.objects
    try:
        oid = objects.commit(commit).tree
        for name in path.encode("utf-8", "surrogateescape").split(b"/"):
            oid = next((entry.oid for entry in objects.read_tree(oid) if entry.name == name), "")
        body = objects.read_blob(oid)
    except GitError:
        return []
    return [line.removesuffix("\r") for line in body.decode("utf-8", "surrogateescape").split("\n")]


@dataclass(slots=True)
class Blame:
    """A blame that runs in the background; ``read`` waits for it. ``where`` has git's arguments for lines,
    revision and path; ``finish`` waits for git's output and exit status."""

    repository: Repository
    path: str
    where: tuple[str, ...]
    finish: Callable[[], tuple[bytes, int]]

    def read(self) -> list[BlamedLine]:
        """Return the lines, in order. Raises GitError when git cannot blame them."""
        out, status = self.finish()
        if status != 0:  # again, for the error message, and without an ignore list that git could not read
            again = self.repository.run(*BLAME, *self.where, check=False)
            if _NO_FUNCTION in again.err:
                from importlib.resources import as_file, files  # noqa: PLC0415 - git mostly finds functions

                with as_file(files("gittraj.git") / "functions.attributes") as drivers:
                    option = ("-c", f"core.attributesFile={drivers}")
                    again = self.repository.run(*option, *BLAME, *self.where, check=False)
            if again.code != 0:
                raise _refusal(again, self.path, self.where[0].removeprefix("-L:"))
            out = again.out
        return _parse(out)

    def read_around(self, blamed: Sequence[BlamedLine]) -> list[BlamedLine]:
        """Blame ``blamed`` again, together with the lines around it: git recognises a block that moved to
        another file only if it has 40 letters or digits, and one line may have fewer."""
        first, last = blamed[0].number, blamed[-1].number
        wide = self._blame_again(BLAME, [f"-L{max(1, first - _AROUND)},{last + _AROUND}"])
        again = [line for line in wide if first <= line.number <= last]
        return again if len(again) == len(blamed) else [*blamed]

    def find_respaced(self, blamed: Sequence[BlamedLine], lines: Sequence[str]) -> dict[int, str]:
        """Map numbers of ``blamed`` lines to the later commits that changed their white space. Empty for too
        many lines; ``lines`` are those of the file as it was blamed."""
        if len(blamed) > _FEW:
            return {}
        read = cache(partial(read_blob, self.repository))
        changed = {
            line.number: line.commit
            for line in blamed
            if line.commit
            and [lines[line.number - 1]] != read(line.commit, line.path)[line.first - 1 : line.first]
        }
        if not changed:
            return {}
        latest = self._blame_again(_BLAME_SPACES, [f"-L{number},{number}" for number in changed])
        return {n.number: n.commit for n in latest if n.commit and n.commit != changed[n.number]}

    def _blame_again(self, command: Sequence[str], spans: Sequence[str]) -> list[BlamedLine]:
        """Blame other lines of the same file; empty if git fails."""
        where = [word for word in self.where if not word.startswith("-L")]
        return _parse(
            self.repository.run(*command, *_ignored(self.repository), *spans, *where, check=False).out
        )


def start_blame(
    repository: Repository,
    path: str,
    *,
    span: tuple[int, int] | str | None,
    rev: str | None,
    begun: Callable[[], tuple[bytes, int]] | None = None,
) -> Blame:
    """Start to blame lines of ``path``, which is relative to the top of the work tree. ``span`` is the first
    and last line, or the name of a function, or None for the whole file. ``begun`` waits for the output of
    exactly this blame, if it was started already."""
    where = [f"-L:{span}" if isinstance(span, str) else f"-L{span[0]},{span[1]}"] if span else []
    where += [rev, "--", path] if rev else ["--", path]
    if begun is None:
        process = repository.runner.start(*BLAME, *_ignored(repository), *where)

        def begun() -> tuple[bytes, int]:
            return process.communicate()[0], process.returncode

    return Blame(repository, path, tuple(where), begun)


def _ignored(repository: Repository) -> tuple[str, ...]:
    top = repository.work_tree
    if top is None or not (top / IGNORED).is_file() or repository.config_all("blame.ignoreRevsFile"):
        return ()
    return (f"--ignore-revs-file={top / IGNORED}",)


def _parse(data: bytes) -> list[BlamedLine]:
    """Parse git-blame(1)'s porcelain format: a commit's headers come only with its first line, its path once
    more for each further path."""
    blamed: list[BlamedLine] = []
    named: dict[bytes, tuple[str, str | None, str | None]] = {}
    was: tuple[str | None, str | None] = None, None
    commit, number, first = b"", 0, 0
    for line in data.split(b"\n"):
        if line.startswith(b"\t"):
            uncommitted = not commit.strip(b"0")
            oid = None if uncommitted else commit.decode()
            blamed.append(BlamedLine(number, first, oid, *named[commit]))
        elif group := _GROUP.match(line):
            commit, first, number, was = group[1], int(group[2]), int(group[3]), (None, None)
        elif line.startswith(b"previous "):
            _, parent, name = line.split(b" ", 2)
            was = parent.decode(), _name(name)
        elif line.startswith(b"filename "):
            named[commit] = (_name(line[9:]), *was)
    return blamed


def _name(raw: bytes) -> str:
    """Decode a path, which is quoted as in C if it has characters that would break the line."""
    if raw.startswith(b'"'):
        raw = raw[1:-1].decode("unicode_escape").encode("latin-1")
    return raw.decode("utf-8", "surrogateescape")


def _refusal(blame: Result, path: str, function: str) -> GitError:
    if b"no such path" in blame.err or b"no such ref: HEAD" in blame.err:
        return GitError(f"no commit has '{path}' yet", hint="git status says what is not committed")
    if _NO_FUNCTION in blame.err:
        last = function.rpartition(".")[2]
        hint = "check its spelling; git finds functions as git log -L does (gitattributes(5): diff)"
        hint = hint if last == function else f"name it without its class: {path}:{last}"
        return GitError(f"git finds no such function in '{path}'", hint=hint)
    ignored = "blame.ignoreRevsFile names it" if b"object name" in blame.err else None
    return GitError(f"git blame: {blame.complaint or f'status {blame.code}'}", hint=ignored)
