"""One repository as seen from one of its worktrees: its folders, settings, git commands and objects.

This module must not know what git-traj stores in a repository.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Literal, NamedTuple

from gittraj.errors import GitError
from gittraj.frozen import dataclass
from gittraj.git.encoding import ObjectFormat
from gittraj.git.interface import Objects, is_oid
from gittraj.git.plumbing import PlumbingObjects
from gittraj.git.process import Result, Runner

Backend = Literal["auto", "libgit2", "plumbing"]


@dataclass(frozen=True, slots=True)
class Worktree:
    """A worktree: its git directory, and its folder ``path``, which is None for a bare repository and if the
    folder belongs to another repository: a copied repository still names the folders of the original.
    ``present`` is false when somebody deleted the folder without ``git worktree remove``; the reflog is still
    there."""

    git_dir: Path
    path: Path | None
    present: bool


class Setting(NamedTuple):
    """A line of git's configuration. ``scope`` is its file (``system``, ``global``, ``local``, ``worktree``);
    ``key`` is in lower case except between the first and the last dot."""

    scope: str
    key: str
    value: str


@dataclass(frozen=True)  # without slots: cached_property needs a __dict__
class Repository:
    """A repository; ``open_repository`` makes one. Used as a context manager, it ends the processes that it
    started. ``git_dir`` belongs to this worktree, ``common_dir`` to all worktrees; both are absolute.
    ``work_tree`` is None in a bare repository. git's configuration is read once, and again after ``run``
    changed it or ``forget_settings`` was called."""

    git_dir: Path
    common_dir: Path
    work_tree: Path | None
    object_format: ObjectFormat
    environ: Mapping[str, str] = field(repr=False, compare=False)
    backend: Backend = "auto"

    def __enter__(self) -> Repository:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if "objects" in self.__dict__:
            self.objects.close()

    def run(
        self,
        *args: str,
        input: bytes | None = None,  # noqa: A002 - the name that subprocess uses
        check: bool = True,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
        cwd: Path | None = None,
    ) -> Result:
        """Run git in this repository, at the top of its work tree, whatever the process's own environment.

        ``env`` adds to the sanitised environment; ``timeout`` is in seconds. Raises GitError when git fails
        (unless ``check`` is false), is not installed or does not end in time.
        """
        try:
            return self.runner.run(*args, input=input, check=check, env=env, timeout=timeout, cwd=cwd)
        finally:
            if args[0] == "config":
                self.forget_settings()

    @cached_property
    def runner(self) -> Runner:
        leading = [f"--git-dir={self.git_dir}"]
        if self.work_tree is not None and self.work_tree.is_dir():
            return Runner((*leading, f"--work-tree={self.work_tree}"), self.work_tree, self.environ)
        return Runner(tuple(leading), self.git_dir, self.environ)

    @cached_property
    def objects(self) -> Objects:
        """The objects, through libgit2 if it can open the repository, else through git's commands."""
        if self.backend != "plumbing":
            try:
                from gittraj.git.libgit2 import Libgit2Objects  # noqa: PLC0415 - importing pygit2 takes 60 ms

                return Libgit2Objects(
                    self.git_dir,
                    self.common_dir,
                    object_format=self.object_format,
                    identity=lambda: self._identity,
                )
            except (GitError, ImportError):
                if self.backend == "libgit2":
                    raise
        return PlumbingObjects(self.runner, object_format=self.object_format, identity=lambda: self._identity)

    def head(self) -> str | None:
        """The commit that HEAD points to; None on an unborn branch."""
        return self.find_commit("HEAD")

    def find_commit(self, rev: str) -> str | None:
        """The full id of the one commit that ``rev`` names; None for anything else, also for ``^A``."""
        if self.backend == "plumbing" and isinstance(self.objects, PlumbingObjects):
            named = self.objects.find(f"{rev}^{{commit}}")
            return named[0] if named else None
        query = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
        parsed = self.run(*query, check=False)
        oid = parsed.text.strip()
        return oid if parsed.code == 0 and not oid.startswith("^") else None

    def find_commits(self, revs: Sequence[str]) -> list[str | None]:
        """The commit that each of ``revs`` names, or None if it does not name one. Takes one process, and no
        libgit2, which takes longer to load than the whole answer."""
        if self.backend == "plumbing":
            return [self.find_commit(rev) for rev in revs]  # through the process that already reads objects
        names = [rev if "\n" not in rev else "" for rev in revs]
        lines = "".join(f"{rev}^{{commit}}\n" for rev in names).encode("utf-8", "surrogateescape")
        listed = self.run("cat-file", "--batch-check=%(objectname) %(objecttype)", input=lines).text
        rows = (line.split(" ") for line in listed.splitlines())
        return [row[0] if row[1:] == ["commit"] and is_oid(row[0]) else None for row in rows]

    def config(self, key: str) -> str | None:
        """The effective value of ``key`` in git's configuration; None when it is not set."""
        values = self.config_all(key)
        return values[-1] if values else None

    def config_all(self, key: str) -> tuple[str, ...]:
        section, _, rest = key.partition(".")
        middle, dot, name = rest.rpartition(".")
        spelt = f"{section.lower()}.{middle}{dot}{name.lower()}"
        return tuple(setting.value for setting in self.settings(f"{re.escape(spelt)}$"))

    def settings(self, pattern: str) -> list[Setting]:
        """The settings whose key matches ``pattern`` from its start, in git's order. Raises GitError."""
        return [setting for setting in self._settings if re.match(pattern, setting.key)]

    def forget_settings(self) -> None:
        """Read the configuration again when it is next needed: somebody may have changed it meanwhile."""
        self.__dict__.pop("_settings", None)

    @cached_property
    def _settings(self) -> tuple[Setting, ...]:
        """All settings except those that git-traj itself sets on git's command line."""
        listed = self.runner.run("config", "--list", "-z", "--show-scope").text
        words = listed.split("\0")[:-1]
        pairs = zip(words[::2], words[1::2], strict=True)
        rows = ((scope, *pair.partition("\n")) for scope, pair in pairs if scope != "command")
        return tuple(Setting(scope, key, value) for scope, key, _, value in rows)

    @cached_property
    def edge(self) -> frozenset[str]:
        """The oldest commits of a shallow clone. git does not have their parents, and blames them for all
        older lines."""
        try:
            return frozenset((self.common_dir / "shallow").read_text().split())
        except OSError:
            return frozenset()

    def is_partial(self) -> bool:
        """Whether this is a partial clone: git fetches missing objects from a remote on demand."""
        return bool(self.settings(r"extensions\.partialclone$|remote\..*\.promisor$"))

    def worktrees(self) -> tuple[Worktree, ...]:
        """The main worktree first, then the linked ones.

        Read from the files that gitrepository-layout(5) describes: `git worktree list` costs a process,
        quotes names before git 2.36, and does not print git directories.
        """
        linked = sorted((self.common_dir / "worktrees").glob("*/gitdir"))
        return (self._main_worktree(), *(_linked_worktree(file.parent) for file in linked))

    @cached_property
    def own_folders(self) -> tuple[Path, ...]:
        """The git directories and work trees of this repository, resolved; git-traj may write only to these.
        A copied repository may still name work trees of the original, which are not among them."""
        trees = [(self.work_tree, self.git_dir), *((t.path, t.git_dir) for t in self.worktrees())]
        named = [path for path, git_dir in trees if _is_tree(path, git_dir)]
        return tuple(dict.fromkeys(p.resolve() for p in (self.common_dir, self.git_dir, *named) if p))

    def owns(self, path: Path) -> bool:
        """Whether ``path``, with links resolved, is in one of ``own_folders``."""
        resolved = path.resolve()
        return any(resolved.is_relative_to(folder) for folder in self.own_folders)

    def _main_worktree(self) -> Worktree:
        own = self.git_dir == self.common_dir
        path = self.work_tree if own else find_work_tree(self.common_dir, self.runner)
        return Worktree(self.common_dir, path, present=path is None or path.is_dir())

    @cached_property
    def _identity(self) -> str:
        """The committer of commits on notes refs. The time is read once, so that all these commits have the
        same one, as the commits of one git process do. A drain must not fail if git does not know the user's
        name."""
        identity = self.run("var", "GIT_COMMITTER_IDENT", check=False)
        if identity.code == 0:
            return identity.text.strip()
        return f"git-traj <git-traj@localhost> {int(time.time())} +0000"


def find_work_tree(git_dir: Path, runner: Runner) -> Path | None:
    """The work tree of ``git_dir``, found without running git inside it; None for a bare repository."""
    if (git_dir / "gitdir").is_file():
        return _linked_worktree(git_dir).path
    listed = runner.run(
        *(f"--git-dir={git_dir}", "config", "-z", "--get-regexp", r"^core\.(bare|worktree)$"), check=False
    )
    pairs = listed.text.split("\0")[:-1]
    settings = {key: value for key, _, value in (pair.partition("\n") for pair in pairs)}
    if "core.worktree" in settings:  # a submodule
        return (git_dir / settings["core.worktree"]).resolve()
    bare = settings.get("core.bare", "false") in ("true", "yes", "on", "1")
    return git_dir.parent if git_dir.name == ".git" and not bare else None


def _linked_worktree(git_dir: Path) -> Worktree:
    # `gitdir` names the worktree's `.git` file; relative (to its own folder) with worktree.useRelativePaths
    named = (git_dir / "gitdir").read_bytes().decode("utf-8", "surrogateescape").removesuffix("\n")
    path = (git_dir / named).resolve().parent
    if not _is_tree(path, git_dir):
        return Worktree(git_dir, None, present=False)
    return Worktree(git_dir, path, present=path.is_dir())


def _is_tree(path: Path | None, git_dir: Path) -> bool:
    """Whether ``path`` can be the work tree of ``git_dir``: its ``.git``, if any, points to ``git_dir``."""
    if path is None:
        return False
    link = path / ".git"
    try:
        named = link.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:  # a folder, or nothing
        return not link.is_dir() or link.resolve() == git_dir.resolve()
    return (path / named.removeprefix("gitdir: ").removesuffix("\n")).resolve() == git_dir.resolve()
