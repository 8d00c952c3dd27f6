"""Two worlds side by side: every command of a walk is run in one with git-traj and in one with plain git.

Names and dates are the same, so both must have the very same commits, statuses and messages. A walk's
queries of git go to the plain one. Nothing here knows git-traj.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

LATER = 4_000_000_000.0
"""Seconds since 1970, after any installation: work from before one would not be recorded."""
_CONFLICT = re.compile(r"^(?:<{7} .*|={7}|>{7} .*)\n", re.MULTILINE)
_LOGGER = "#!/bin/sh\ncat >>'{}'\n"
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


@dataclass(slots=True)
class Clock:
    """A clock for sessions' logs and git's commits, in seconds since 1970."""

    time: float = LATER

    def now(self) -> str:
        self.time += 0.01
        stamp = datetime.fromtimestamp(self.time, UTC).isoformat(timespec="milliseconds")
        return stamp.replace("+00:00", "Z")

    def dates(self) -> dict[str, str]:
        return dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{int(self.time)} +0000")


@dataclass(slots=True)
class World:
    """``root/ours`` and ``root/plain`` have repositories of the same names; with ``alone``, there is only the
    first, as some tools change the commits that they record. ``statuses`` are those of all commands,
    ``broken`` the commands with another result with git-traj than without, ``story`` is what happened."""

    root: Path
    clock: Clock
    alone: bool = False
    statuses: list[int] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    _read: int = 0

    @property
    def ours(self) -> Path:
        return self.root / "ours"

    @property
    def plain(self) -> Path:
        return self.ours if self.alone else self.root / "plain"

    @property
    def _pairs(self) -> Path:
        return self.root / "pairs"

    @property
    def _listener(self) -> Path:
        return self.root / "listening" / "post-rewrite"

    def git(
        self, tree: str, *arguments: str, env: Mapping[str, str] | None = None, hooks: bool = True
    ) -> bool:
        """Run a command in both worlds; return whether it succeeded. Some programs switch ``hooks`` off."""
        silent = ["git", "-c", f"core.hooksPath={self._listener.parent}", *arguments]
        ours = self.run(self.ours / tree, ["git", *arguments] if hooks else silent, env)
        plain = ours if self.alone else self.run(self.plain / tree, ["git", *arguments], env)
        self.statuses.append(ours.returncode)
        self.compare(tree, arguments, plain, ours)
        self.log(f"  {tree}: git {' '.join(arguments)}{'' if hooks else ' (no hooks)'}: {plain.returncode}")
        return plain.returncode == 0

    def log(self, what: str) -> None:
        self.story.append(what)

    def compare(
        self,
        tree: str,
        what: object,
        plain: subprocess.CompletedProcess[str],
        ours: subprocess.CompletedProcess[str],
    ) -> None:
        errors = [
            done.stderr.replace(str(side), "") for done, side in ((plain, self.plain), (ours, self.ours))
        ]
        if plain.returncode != ours.returncode or errors[0] != errors[1]:
            self.broken.append(
                f"{tree}: {what}: {plain.returncode} {errors[0]!r}, {ours.returncode} {errors[1]!r}"
            )

    def shell(self, tree: str, command: str, dates: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Repeat in the plain world what an agent did in ours."""
        return self.run(self.plain / tree, ["/bin/bash", "-c", command], dates)

    def ask(self, tree: str, *arguments: str) -> str:
        return self.run(self.plain / tree, ["git", *arguments]).stdout.rstrip("\n")

    def run(
        self, folder: Path, command: list[str], env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **self.clock.dates(), "GIT_EDITOR": "true", **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    # ------------------------------------------------------------ files

    def write(self, tree: str, path: str, text: str) -> None:
        for side in (self.ours, self.plain):
            (side / tree / path).write_text(text)

    def read(self, tree: str, path: str) -> str:
        return (self.plain / tree / path).read_text()

    def settle(self, tree: str) -> None:
        """Resolve conflicts by keeping both sides."""
        for path in {*self.ask(tree, "diff", "--name-only", "--diff-filter=U").splitlines()}:
            if (self.plain / tree / path).exists():
                self.write(tree, path, _CONFLICT.sub("", self.read(tree, path)))
        self.git(tree, "add", "--all")

    # ------------------------------------------------------------ git's reports

    def clone(self, server: str, tree: str) -> None:
        self.git(".", "clone", "--quiet", server, tree)
        self.listen(tree)

    def listen(self, tree: str) -> None:
        """Make git report, in the plain world, which commit became which."""
        for hook in (self.plain / tree / ".git" / "hooks" / "post-rewrite", self._listener):
            hook.parent.mkdir(exist_ok=True)
            hook.write_text(
                _LOGGER.format(self._pairs if self.alone or hook != self._listener else "/dev/null")
            )
            hook.chmod(0o755)

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield the pairs (old, new) that git reported since the last call."""
        text = self._pairs.read_text() if self._pairs.exists() else ""
        new, self._read = text[self._read :], len(text)
        for line in new.splitlines():
            old, became, *_ = line.split()
            yield old, became

    def differences(self, tree: str) -> list[str]:
        """Return the differences of branches, HEAD, index and files between the two worlds."""
        questions: tuple[tuple[str, ...], ...] = (
            ("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/stash"),
            ("rev-parse", "HEAD"),
            ("status", "--porcelain"),
        )
        answers = [
            [self.run(side / tree, ["git", *each]).stdout for each in questions]
            for side in (self.plain, self.ours)
        ]
        return [f"{tree}: {a!r} became {b!r}" for a, b in zip(*answers, strict=True) if a != b]
