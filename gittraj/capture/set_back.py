"""Finds what a session's commands undid in the worktree: such lines are not the session's any more, whoever
writes them again."""

from __future__ import annotations

import re
import shlex

from gittraj.frozen import dataclass

_WORDS = r"((?:\s+[^\s;&|<>]+)*+)"
_GIT = re.compile(rf"\bgit(?:\s+-[cC]\s+\S+)*\s+(checkout|restore|reset|stash){_WORDS}")
_KEEPS = {"list", "show", "drop", "clear", "create", "store", "branch"}
"""The subcommands of `git stash` that do not count here."""


@dataclass(frozen=True, slots=True)
class SetBack:
    """``paths`` as a command named them, "." for all; ``again``: it brings back what was stashed."""

    paths: tuple[str, ...]
    again: bool = False

    def covers(self, path: str) -> bool:
        """Whether it affects a path of the repository, in whichever of its folders the command ran."""
        named = (each.removeprefix("./").rstrip("/") for each in self.paths)
        return any(
            each in (".", "") or path == each or path.endswith(f"/{each}") or path.startswith(f"{each}/")
            for each in named
        )


def find_set_back(command: str) -> list[SetBack]:
    """Find what a shell command undoes, in order. Checking out a branch undoes no uncommitted line."""
    found = (_read(verb, rest) for verb, rest in _GIT.findall(command))
    return [each for each in found if each is not None]


def _read(verb: str, rest: str) -> SetBack | None:
    try:
        words = shlex.split(rest)
    except ValueError:
        return None
    return _READERS[verb](words)


def _stashed(words: list[str]) -> SetBack | None:
    sub = next((word for word in words if not word.startswith("-")), "push")
    return None if sub in _KEEPS else SetBack((".",), again=sub in ("pop", "apply"))


def _reset(words: list[str]) -> SetBack | None:
    return SetBack((".",)) if "--hard" in words else None


def _restored(words: list[str]) -> SetBack | None:
    staged = {"--staged", "-S"} & {*words} and not {"--worktree", "-W"} & {*words}
    paths = tuple(word for word in words if not word.startswith("-"))
    return SetBack(paths) if paths and not staged else None


def _checked_out(words: list[str]) -> SetBack | None:
    if "--" in words:
        return SetBack(tuple(words[words.index("--") + 1 :])) if words[-1] != "--" else None
    return SetBack((".",)) if {"-f", "--force", "."} & {*words} else None


_READERS = {"stash": _stashed, "reset": _reset, "restore": _restored, "checkout": _checked_out}
