"""Decides which program may be used as a summarizer, and with which arguments: agents run without tools.

Only ``Program.ask`` starts it.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Any

from gittraj.errors import TrajError
from gittraj.frozen import dataclass
from gittraj.plugins.process import run
from gittraj.summarizer.output import READERS, Answer, read_plain

_KEY = "git config traj.summarizer"
_TIME_LIMIT = 120.0
"""Seconds that the program may take."""
_OUTPUT_LIMIT = 1_000_000
"""The maximum number of bytes that the program may print."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program for summaries. ``arguments`` include those that switch its tools off; ``kind`` is the reader
    of its output, None for plain text."""

    arguments: tuple[str, ...]
    name: str
    kind: str | None = None

    @classmethod
    def of(cls, command: str) -> Program:
        """Return the program that the setting ``command`` names. Raises TrajError if it may not be used."""
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise TrajError(f"{_KEY}: {error}", "write it as a shell would read it") from None
        if not words:
            raise TrajError(f"{_KEY} is empty", "git config --global --unset traj.summarizer")
        name = _name(words[0])
        rules = _rules().get(name) if name in _known() else None
        if name in _refused():
            raise TrajError(f"{_KEY}: {name} cannot be run without its tools", f"use {' or '.join(_known())}")
        if rules is None:
            for inner in map(_name, words[1:]):
                if inner in (*_known(), *_refused()):
                    raise TrajError(f"{_KEY}: {inner} is inside another command", f"call {inner} itself")
            return cls(tuple(words), name)
        _check(name, rules, words[1:])
        return cls((*words, *rules["add"]), name, rules["answer"])

    def ask(self, request: str, environ: Mapping[str, str]) -> Answer:
        """Run the program with ``request`` as its input. Raises TrajError if there is no answer."""
        code, out = run(
            self.arguments,
            request,
            _clean(environ),
            seconds=_TIME_LIMIT,
            limit=_OUTPUT_LIMIT,
            key="traj.summarizer",
        )
        answer = READERS.get(self.kind or "", read_plain)(out)
        if answer is None or (code and self.kind is None):
            raise TrajError(f"{self.name} returned no answer (exit status {code})")
        return answer if answer.model else replace(answer, model=self._model())

    def _model(self) -> str:
        """The model that the command names, else the name of the program."""
        words = self.arguments
        for at, word in enumerate(words[:-1]):
            if word in ("-m", "--model"):
                return words[at + 1]
            if words[at + 1].startswith("model=") and word in ("-c", "--config"):
                return words[at + 1].partition("=")[2].strip("\"'")
        return self.name


def _clean(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment that the program inherits."""
    names = _rules()["environment"]["without"]
    prefixes = tuple(name for name in names if name.endswith("_"))
    inherited = {k: v for k, v in environ.items() if k not in names and not k.startswith(prefixes)}
    return {**inherited, "GIT_TRAJ": "0"}


@cache
def _rules() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("programs.toml").read_text("utf-8"))


def _known() -> list[str]:
    return [name for name, rules in _rules().items() if "answer" in rules]


def _refused() -> Sequence[str]:
    return tuple(_rules()["refused"]["names"])


def _name(word: str) -> str:
    return PurePath(word.replace("\\", "/")).name.removesuffix(".exe").removesuffix(".cmd").lower()


def _check(name: str, rules: Mapping[str, Any], words: Sequence[str]) -> None:
    """Raise TrajError for an option that may switch tools on again, or if there is no option that makes the
    program answer without a terminal."""
    if not {*words} & {*rules["ask"]}:
        raise TrajError(f"{_KEY}: {name} needs a terminal without {rules['ask'][0]}: add it")
    remaining = iter(words)
    for word in remaining:
        option, _, value = word.partition("=")
        if word in rules["flags"]:
            continue
        if option in rules["takes"]:
            value = value if "=" in word else next(remaining, "")
            setting = value.partition("=")[0].partition(".")[0]
            if option not in ("-c", "--config") or setting in rules["settings"]:
                continue
        takes = ", ".join((*rules["flags"], *rules["takes"]))
        raise TrajError(f"{_KEY}: '{word}' is not allowed for {name}", f"allowed are {takes}")
