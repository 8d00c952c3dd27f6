"""The job's log, where a line can be a command to the runner: foreign text must never become one.

The runner reads ``::name …::`` as a command at the start of a line, after blanks, and the older ``##[name]``
anywhere in it (https://github.com/actions/runner, src/Runner.Common/ActionCommand.cs). Of a
trajectory's text only what stands at a line of the diff is printed, of git's stderr only one line: both
inside a line of ours.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, TextIO

from github_action.token import Token
from gittraj.render.text.terminal import escape_line

Level = Literal["notice", "warning", "error"]
_TITLE = 255
_ANNOTATIONS = 10
_MESSAGE = 4096
"""The runner's limits: annotations of a level in a step, and characters of one,
src/Runner.Worker/ExecutionContext.cs."""


@dataclass(slots=True)
class Console:
    """Writes to ``stream``, which is UTF-8. ``commands``: whether the runner reads GitHub's."""

    stream: TextIO
    commands: bool = True
    _annotated: Counter[Level] = field(default_factory=Counter)

    def say(self, text: str) -> None:
        """One line of the log."""
        self._put(inert(text))

    def annotate(self, level: Level, text: str, *, title: str = "git-traj") -> None:
        """A line that is also shown on the run's page; a plain one past the runner's limit."""
        if not self._command(level, text, title=title):
            self.say(f"{level}: {text}")

    def point(self, text: str, *, title: str, file: str, line: int) -> None:
        """A notice at a line of the pull request's diff; nothing past the runner's limit. ``text``, ``title``
        and ``file`` may be anybody's."""
        self._command("notice", text, file=file, line=str(line), title=title)

    def _command(self, level: Level, text: str, **properties: str) -> bool:
        """Returns False, and writes nothing, past the runner's limit."""
        self._annotated[level] += 1
        if self._annotated[level] > _ANNOTATIONS or not self.commands:
            return False
        given = ",".join(f"{name}={_property(inert(value)[:_TITLE])}" for name, value in properties.items())
        # escaped it may be three times as long
        self._put(f"::{level} {given}::{_data(inert(text)[: _MESSAGE // 3])}")
        return True

    def mask(self, token: Token) -> None:
        """Have the runner mask a token that it did not issue. Never use it for a detected secret: the line
        contains the value."""
        if self.commands:
            self._put(f"::add-mask::{_data(token.reveal())}")

    def _put(self, line: str) -> None:
        self.stream.write(line + "\n")
        self.stream.flush()


def inert(text: str) -> str:
    """``text`` as one line that is not a command; what is not seen goes as it does in a terminal."""
    return re.sub(r"^(\W*?)::", r"\1: :", escape_line(text)).replace("##[", "## [")


def _data(text: str) -> str:
    """As @actions/core does: https://github.com/actions/toolkit, packages/core/src/command.ts."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
