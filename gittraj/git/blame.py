"""Which commit each line of a file is from: git's own blame, and the file in a commit.

Moved lines are followed, white space and the commits that a team ignores are passed over. One process for
the blame itself. It must not know why a commit was made.
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


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """Line ``number`` (from 1) is from ``commit`` (None: not committed), there line ``first``, where the file
    was called ``path`` and in its parent ``parent`` ``was`` (None: it had none, or it is not known)."""

    number: int
    first: int
    commit: str | None
    path: str
    parent: str | None
    was: str | None


def read_blob(repository: Repository, commit: str, path: str) -> list[str]:
    """The lines of a file in a commit; none where it has no such file, or is not here."""
    objects = repository.objects
    try:
        found = objects.commit(commit).tree
        for name in path.encode("utf-8", "surrogateescape").split(b"/"):
            found = next((entry.oid for entry in objects.read_tree(found) if entry.name == name), "")
        body = objects.read_blob(found)
    except GitError:
        return []
    return [line.removesuffix("\r") for line in body.decode("utf-8", "surrogateescape").split("\n")]


@dataclass(slots=True)
class Blame:
    """A blame that goes on meanwhile; ``read`` waits for it."""

    repository: Repository
    path: str
    where: tuple[str, ...]
    finish: Callable[[], tuple[bytes, int]]

    def read(self) -> list[BlamedLine]:
        """The lines, in order. Raises GitError when git cannot tell."""
        out, status = self.finish()
        if status != 0:  # once more for its words, without a list that git would not read
            found = self.repository.run(*BLAME, *self.where, check=False)
            if _NO_FUNCTION in found.err:
                from importlib.resources import as_file, files  # noqa: PLC0415 - git mostly finds it itself

                with as_file(files("gittraj.git") / "functions.attributes") as drivers:
                    lent = ("-c", f"core.attributesFile={drivers}")
                    found = self.repository.run(*lent, *BLAME, *self.where, check=False)
            if found.code != 0:
                raise _refusal(found, self.path, self.where[0].removeprefix("-L:"))
            out = found.out
        return _parse(out)

    def read_around(self, blamed: Sequence[BlamedLine]) -> list[BlamedLine]:
        """``blamed`` again, with the lines around: git recognises a block that moved to another file by its
        40 letters, and one line may have less."""
        first, last = blamed[0].number, blamed[-1].number
        wide = f"-L{max(1, first - _AROUND)},{last + _AROUND}"
        where = [word for word in self.where if not word.startswith("-L")]
        out = self.repository.run(*BLAME, *_ignored(self.repository), wide, *where, check=False).out
        found = [line for line in _parse(out) if first <= line.number <= last]
        return found if len(found) == len(blamed) else [*blamed]

    def find_respaced(self, blamed: Sequence[BlamedLine], lines: Sequence[str]) -> dict[int, str]:
        """The commits that since changed the white space of ``blamed`` lines; of many it is not asked."""
        read = cache(partial(read_blob, self.repository))
        old = {line.number: line for line in (blamed if len(blamed) <= _FEW else ()) if line.commit}
        changed = [
            number
            for number, line in old.items()
            if [lines[number - 1]] != read(line.commit, line.path)[line.first - 1 : line.first]
        ]
        if not changed:
            return {}
        where = [word for word in self.where if not word.startswith("-L")]
        plain = (word for word in BLAME if word != "-w")
        spans = (f"-L{number},{number}" for number in changed)
        out = self.repository.run(*plain, *_ignored(self.repository), *spans, *where, check=False).out
        found = {line.number: line.commit for line in _parse(out)}
        return {n: commit for n, commit in found.items() if commit and commit != old[n].commit}


def start_blame(
    repository: Repository,
    path: str,
    *,
    span: tuple[int, int] | str | None,
    rev: str | None,
    begun: Callable[[], tuple[bytes, int]] | None = None,
) -> Blame:
    """Blame the lines of ``span`` (first and last; a function's name, as git finds it; None: all) of ``path``
    (from the top). ``begun`` waits for what git says of just that."""
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
    """What git-blame(1) calls the porcelain format: facts of a commit stand where it comes first, its path
    again wherever the commit has several."""
    found: list[BlamedLine] = []
    named: dict[bytes, tuple[str, str | None, str | None]] = {}
    was: tuple[str | None, str | None] = None, None
    commit, number, first = b"", 0, 0
    for line in data.split(b"\n"):
        if line.startswith(b"\t"):
            none = not commit.strip(b"0")
            found.append(BlamedLine(number, first, None if none else commit.decode(), *named[commit]))
        elif group := _GROUP.match(line):
            commit, first, number, was = group[1], int(group[2]), int(group[3]), (None, None)
        elif line.startswith(b"previous "):
            _, parent, name = line.split(b" ", 2)
            was = parent.decode(), _name(name)
        elif line.startswith(b"filename "):
            named[commit] = (_name(line[9:]), *was)
    return found


def _name(raw: bytes) -> str:
    """A path, quoted as C does where it has signs that would break the line."""
    if raw.startswith(b'"'):
        raw = raw[1:-1].decode("unicode_escape").encode("latin-1")
    return raw.decode("utf-8", "surrogateescape")


def _refusal(found: Result, path: str, function: str) -> GitError:
    if b"no such path" in found.err or b"no such ref: HEAD" in found.err:
        return GitError(f"no commit has '{path}' yet", hint="git status says what is not committed")
    if _NO_FUNCTION in found.err:
        last = function.rpartition(".")[2]
        hint = "is it spelt so there? git finds functions as git log -L does (gitattributes(5): diff)"
        hint = hint if last == function else f"without what it is in: {path}:{last}"
        return GitError(f"git finds no such function in '{path}'", hint=hint)
    ignored = "blame.ignoreRevsFile names it" if b"object name" in found.err else None
    return GitError(f"git blame: {found.complaint or f'status {found.code}'}", hint=ignored)
