"""Writes the job's log, in which a line can be a command to the runner: foreign text must never become one.

The runner reads ``::name …::`` as a command at the start of a line, after white space, and the older
``##[name]`` anywhere in a line (https://github.com/actions/runner, src/Runner.Common/ActionCommand.cs). Text
of a trajectory is printed only in annotations on lines of the diff, and only one line of git's stderr is
printed. Both follow text of our own on the same line.
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
"""The runner's limits: characters of a title, annotations of one level in a step, and characters of one
annotation, src/Runner.Worker/ExecutionContext.cs."""


@dataclass(slots=True)
class Console:
    """Writes to ``stream``, which is UTF-8. ``commands``: whether the runner reads GitHub's commands."""

    stream: TextIO
    commands: bool = True
    _annotated: Counter[Level] = field(default_factory=Counter)

    def say(self, text: str) -> None:
        """Print one line of the log."""
        self._put(inert(text))

    def annotate(self, level: Level, text: str, *, title: str = "git-traj") -> None:
        """Print a line that is also shown on the run's page; past the runner's limit, print a plain line."""
        if not self._command(level, text, title=title):
            self.say(f"{level}: {text}")

    def annotate_line(self, text: str, *, title: str, file: str, line: int) -> None:
        """Show a notice at a line of the pull request's diff; past the runner's limit, do nothing. ``text``,
        ``title`` and ``file`` may be foreign text."""
        self._command("notice", text, file=file, line=str(line), title=title)

    def _command(self, level: Level, text: str, **properties: str) -> bool:
        """Write a command. Returns False, and writes nothing, past the runner's limit."""
        self._annotated[level] += 1
        if self._annotated[level] > _ANNOTATIONS or not self.commands:
            return False
        pairs = ",".join(f"{name}={_property(inert(value)[:_TITLE])}" for name, value in properties.items())
        # escaping may make the text three times as long
        self._put(f"::{level} {pairs}::{_data(inert(text)[: _MESSAGE // 3])}")
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
    """Return ``text`` as one line that is not a command; invisible characters are escaped as for a
    terminal."""
    return re.sub(r"^(\W*?)::", r"\1: :", escape_line(text)).replace("##[", "## [")


def _data(text: str) -> str:
    """Escape a command's text as @actions/core does: https://github.com/actions/toolkit,
    packages/core/src/command.ts."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
