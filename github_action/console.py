"""The job's log, in which whole lines are commands: nothing foreign may become one.

The runner takes ``::name …::`` for a command at the beginning of a line, after blanks, and the older
``##[name]`` anywhere in one (https://github.com/actions/runner, src/Runner.Common/ActionCommand.cs). Text
of a trajectory is not printed at all; of what git says on stderr only a line within one of ours.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, TextIO

from github_action.token import Token

Level = Literal["notice", "warning", "error"]
_ANNOTATIONS = 10
_MESSAGE = 4096
"""Annotations of a level in a step, and characters of one: what the runner takes,
src/Runner.Worker/ExecutionContext.cs."""


@dataclass(slots=True)
class Console:
    """Writes to ``stream``, which is UTF-8."""

    stream: TextIO
    _said: Counter[Level] = field(default_factory=Counter)

    def say(self, text: str) -> None:
        """One line of the log."""
        self._put(inert(text))

    def annotate(self, level: Level, text: str, *, title: str = "git-traj") -> None:
        """A line that also stands on the run's page; a plain one when there are too many."""
        self._said[level] += 1
        if self._said[level] > _ANNOTATIONS:
            self.say(f"{level}: {text}")
            return
        message = _data(inert(text)[: _MESSAGE // 2])  # escaped it may be three times as long
        self._put(f"::{level} title={_property(inert(title))}::{message}")

    def mask(self, token: Token) -> None:
        """Has the runner hide a token that it did not make itself. Never for a secret that was found
        somewhere: this is a line that holds it."""
        self._put(f"::add-mask::{_data(token.reveal())}")

    def _put(self, line: str) -> None:
        self.stream.write(line + "\n")
        self.stream.flush()


def inert(text: str) -> str:
    """One line that is no command: controls and formats (terminal sequences, bidirectional overrides) are
    blanks."""
    line = "".join(" " if unicodedata.category(c) in _UNSEEN else c for c in text)
    return re.sub(r"^(\W*?)::", r"\1: :", line).replace("##[", "## [")


_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def _data(text: str) -> str:
    """As @actions/core does: https://github.com/actions/toolkit, packages/core/src/command.ts."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
