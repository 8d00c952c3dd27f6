"""Unwraps commands that run others: ``timeout 60 pytest``, ``uv run pytest``, ``ssh host 'make test'``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from itertools import dropwhile, pairwise

Pattern = re.Pattern[str]
_TABLE = tomllib.loads(files(__package__).joinpath("wrappers.toml").read_text("utf-8"))
_WRAPPERS = {**dict.fromkeys(_TABLE["plain"].split(), "(?!)"), **_TABLE["wrappers"]}
_SCRIPTED: dict[str, str] = _TABLE["scripted"]
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.S)
_SHELLS = ("sh", "bash", "zsh", "dash", "ksh")
_READ_INPUT = frozenset(("-", "-s", "-e", "-x", "-ex", "-l"))
"""The options of a shell with which it reads its script from its input."""
_RUN, _VALUED, _SSH_VALUED, _DETACHED, _REPEATED, _TERMINALS = (
    re.compile("".join(_TABLE[name]))
    for name in ("run", "valued", "ssh_valued", "detached", "repeated", "terminals")
)


def unwrap(words: Sequence[str]) -> list[str]:
    """Return the words without ``timeout 60``, ``uv run``, ``npx`` and the like."""
    left = list(words)
    while left:
        name = left[0].rpartition("/")[2]
        joined = " ".join(left[:6])
        if match := _RUN.match(joined):
            left = _skip_options(left[len(match[0].split()) :], _VALUED)
            if match[0].startswith(("docker", "podman", "kubectl")):
                left = left[2:] if left[1:2] == ["--"] else left[1:]
        elif name == "command" and left[1:2] in (["-v"], ["-V"]):
            return []
        elif name not in _WRAPPERS:
            return left
        else:
            left = _skip_options(left[1:], re.compile(_WRAPPERS[name]))
            if name in ("timeout", "gtimeout", "taskset", "flock"):
                left = left[1:]
            left = list(dropwhile(_ASSIGNMENT.fullmatch, left))
    return left


def _skip_options(words: list[str], valued: Pattern) -> list[str]:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "--":
            return words[at + 1 :]
        at += 2 if valued.fullmatch(words[at]) else 1
    return words[at:]


def nested_script(words: Sequence[str], document: str | None) -> str | None:
    """Return the shell script that the words run: by ``bash -c SCRIPT``, ``eval``, ``ssh HOST SCRIPT`` or in
    a terminal's window. ``document`` is the here-document that a bare ``bash`` reads."""
    if words[0] == "eval":
        return " ".join(dropwhile("eval".__eq__, words))
    if _TERMINALS.match(" ".join(words[:2]) + " "):
        return next((word for word in words[2:] if " " in word), None)
    return _find_script(unwrap(words) or words, document)


def _find_script(words: Sequence[str], document: str | None) -> str | None:
    name = words[0].rpartition("/")[2]
    if name == "ssh":
        return " ".join(_skip_options(list(words[1:]), _SSH_VALUED)[1:]) or None
    option = re.compile(_SCRIPTED.get(name, "(?!)"))
    for before, word in pairwise(words[1:]):
        if option.fullmatch(before):
            return word
    return document if name in _SHELLS and _READ_INPUT.issuperset(words[1:]) else None


def is_detached(words: Sequence[str]) -> bool:
    """Whether the command returns before the program that it starts has ended: the status is not that of the
    program."""
    return _DETACHED.match(" ".join(words[:12]) + " ") is not None


def is_repeated(words: Sequence[str]) -> bool:
    """Whether the command may run another one several times, or not at all, or hide that it failed."""
    return any(_REPEATED.match(" ".join(each[:12]) + " ") for each in (words, unwrap(words)))
