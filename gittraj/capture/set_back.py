"""Finds what a session's commands undid in the worktree: lines that were undone are not the session's any
more, even if somebody writes them again."""

from __future__ import annotations

import re
import shlex

from gittraj.frozen import dataclass

_WORDS = r"((?:\s+[^\s;&|<>]+)*+)"
_GIT = re.compile(rf"\bgit(?:\s+-[cC]\s+\S+)*\s+(checkout|restore|reset|stash){_WORDS}")
_KEEPS = {"list", "show", "drop", "clear", "create", "store", "branch"}
"""The subcommands of `git stash` that do not change the worktree's files."""


@dataclass(frozen=True, slots=True)
class SetBack:
    """A command that undid changes of ``paths``, as it named them ("." for all), or, if ``again`` is true,
    brought back what was stashed."""

    paths: tuple[str, ...]
    again: bool = False

    def covers(self, path: str) -> bool:
        """Whether the command affects a path of the repository, in whichever folder it ran."""
        named = (each.removeprefix("./").rstrip("/") for each in self.paths)
        return any(
            each in (".", "") or path == each or path.endswith(f"/{each}") or path.startswith(f"{each}/")
            for each in named
        )


def find_set_back(command: str) -> list[SetBack]:
    """Find what a shell command undoes, in order. Checking out a branch undoes no uncommitted line."""
    commands = (_parse(verb, arguments) for verb, arguments in _GIT.findall(command))
    return [each for each in commands if each is not None]


def _parse(verb: str, arguments: str) -> SetBack | None:
    try:
        words = shlex.split(arguments)
    except ValueError:
        return None
    return _PARSERS[verb](words)


def _parse_stash(words: list[str]) -> SetBack | None:
    sub = next((word for word in words if not word.startswith("-")), "push")
    return None if sub in _KEEPS else SetBack((".",), again=sub in ("pop", "apply"))


def _parse_reset(words: list[str]) -> SetBack | None:
    return SetBack((".",)) if "--hard" in words else None


def _parse_restore(words: list[str]) -> SetBack | None:
    staged = {"--staged", "-S"} & {*words} and not {"--worktree", "-W"} & {*words}
    paths = tuple(word for word in words if not word.startswith("-"))
    return SetBack(paths) if paths and not staged else None


def _parse_checkout(words: list[str]) -> SetBack | None:
    if "--" in words:
        return SetBack(tuple(words[words.index("--") + 1 :])) if words[-1] != "--" else None
    return SetBack((".",)) if {"-f", "--force", "."} & {*words} else None


_PARSERS = {
    "stash": _parse_stash,
    "reset": _parse_reset,
    "restore": _parse_restore,
    "checkout": _parse_checkout,
}
