"""(b) A rebase of fifty commits, during which the hooks run fifty times."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.place import home, repository, wait_for_worker
from benchmarks.table import Row, rounds, timed
from tests.integration.repository import Git

ROUNDS = 5
COMMITS = 50
_TARGET = 2.5


def measure(folder: Path) -> Iterator[Row]:
    with home(folder / "home"):
        repositories = {
            name: repository(folder / name, installed=name == "hooked") for name in ("plain", "hooked")
        }
        for git in repositories.values():
            _grow(git)
        found = rounds(
            {name: lambda git=git: _rebase(git) for name, git in repositories.items()},  # type: ignore[misc]
            ROUNDS,
        )
    plain, hooked = found["plain"], found["hooked"]
    yield Row.of(f"(b) rebase of {COMMITS} commits, no hooks", plain)
    yield Row.of("… with hooks", hooked)
    ratios = [b / a for a, b in zip(plain, hooked, strict=True)]
    yield Row.of("… with hooks, compared", ratios, _TARGET, "x")


def _grow(git: Git) -> None:
    git("switch", "--quiet", "--create", "topic")
    for number in range(COMMITS):
        git.commit({f"topic/{number}.py": f"value = {number}\n"}, f"Topic {number}")
    git("switch", "--quiet", "main")
    git.commit({"main.py": "main = True\n"}, "Main went on")
    git("switch", "--quiet", "topic")


def _rebase(git: Git) -> float:
    took = timed(("git", "rebase", "--quiet", "main"), git.root).clock
    if (git.root / ".git" / "traj").exists():
        wait_for_worker(git)
    git("reset", "--quiet", "--hard", "ORIG_HEAD")
    return took
