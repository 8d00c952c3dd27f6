"""How integration tests run git: short calls, fixed names and dates, nothing hidden.

The environment (an empty HOME, one author, one date) is that of ``tests/conftest.py``: the same
test makes the same commit ids on every machine.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gittraj.git import Backend, Repository, open_repository

Content = str | bytes | None


@dataclass(frozen=True, slots=True)
class Git:
    """git, run in ``root``."""

    root: Path

    @classmethod
    def init(cls, root: Path, *options: str) -> Git:
        """A new repository at ``root``; ``options`` are those of ``git init``."""
        root.mkdir(parents=True, exist_ok=True)
        git = cls(root)
        git("init", "--quiet", *options)
        return git

    @classmethod
    def copy_of(cls, first: Path, to: Path) -> Git:
        """Copy the empty repository ``first``, which is made if missing, to ``to``, without a process."""
        if not first.exists():
            cls.init(first)
        shutil.copytree(first, to)
        return cls(to)

    def __call__(
        self,
        *args: str | bytes,
        input: str | bytes | None = None,  # noqa: A002 - the name that subprocess uses
        env: Mapping[str, str] | None = None,
    ) -> str:
        """Run git and return its stdout without the last newline; if git fails, the test fails with
        its message.
        """
        return self.raw(*args, input=input, env=env).decode("utf-8", "surrogateescape").removesuffix("\n")

    def raw(
        self,
        *args: str | bytes,
        input: str | bytes | None = None,  # noqa: A002
        env: Mapping[str, str] | None = None,
    ) -> bytes:
        given = input.encode("utf-8", "surrogateescape") if isinstance(input, str) else input
        done = subprocess.run(
            ["git", *args],
            cwd=self.root,
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            check=False,
            env={**os.environ, **(env or {})},
        )
        if done.returncode != 0:
            raise AssertionError(
                f"git {args} ended with {done.returncode}: {done.stderr.decode(errors='replace')}"
            )
        return done.stdout

    def succeeds(self, *args: str) -> bool:
        return subprocess.run(["git", *args], cwd=self.root, capture_output=True, check=False).returncode == 0

    def write(self, files: Mapping[str | bytes, Content]) -> None:
        """Write files into the work tree; None deletes one."""
        for name, content in files.items():
            path = self.root / os.fsdecode(name)
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: Mapping[str | bytes, Content] | None = None, message: str = "change") -> str:
        """Write and delete files, commit everything, return the commit's id. Without files the commit is
        empty.
        """
        self.write(files or {})
        self("add", "--all")
        self("commit", "--quiet", "--allow-empty", "--message", message)
        return self.head()

    def head(self) -> str:
        """The id of HEAD; read from git's files if possible, as after each commit, without a process."""
        folder = self.root / ".git"
        try:
            head = (folder / "HEAD").read_text()
            return (
                (folder / head[5:].strip()).read_text().strip() if head.startswith("ref: ") else head.strip()
            )
        except OSError:
            return self("rev-parse", "HEAD")

    def open(self, backend: Backend = "auto") -> Repository:
        """Open the repository as git-traj does. Close the result, or use it in a ``with``."""
        return open_repository(self.root, backend=backend)


def copy_repository(first: Path, to: Path) -> None:
    """Copy ``first``, in which git-traj may be installed, as if it had been made at ``to``."""
    shutil.copytree(first, to, symlinks=True, dirs_exist_ok=True)
    for path in (to / ".git" / "traj").iterdir():
        if path.is_file() and bytes(first) in (body := path.read_bytes()):
            path.write_bytes(body.replace(bytes(first), bytes(to)))


def has_configured_hooks() -> bool:
    """Whether git can run hooks named in its configuration. Call it in a test: fixtures choose the git."""
    version = subprocess.check_output(["git", "version"], text=True)
    major, minor = re.findall(r"\d+", version)[:2]
    return (int(major), int(minor)) >= (2, 54)
