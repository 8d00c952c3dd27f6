"""Prints the error that ended a command: one line and a hint, or, for a bug, how to report it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

import click

from gittraj import __version__
from gittraj.errors import DeclinedError, TrajError, UsageError


def report_error(error: Exception) -> int:
    """Print the error and a hint on stderr; returns the exit status."""
    match error:
        case BrokenPipeError():
            _silence(sys.stdout)  # the reader of the pipe closed it
            return 0
        case click.UsageError():
            _report_usage(error)
            return UsageError.exit_code
        case click.ClickException():
            _say(error.format_message(), None)
            return 1
        case TrajError():
            _say(error.message, error.hint, "" if isinstance(error, DeclinedError) else "error")
            return error.exit_code
        case OSError():
            _silence(sys.stdout)
            where = f"{error.filename}: " if error.filename else ""
            _say(f"{where}{error.strerror or type(error).__name__}", None)
            return 1
        case _:
            _say(f"a bug: {type(error).__name__}", f"please report it with {_write_report(error)}")
            return 3


def _report_usage(error: click.UsageError) -> None:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return
    if isinstance(error, click.NoSuchOption):
        error = _without_dashes(error)
    _say(error.format_message(), _usage_hint(error))


def _write_report(error: BaseException) -> str:
    """Write a file that is safe to paste anywhere; returns its path. It has the error's type and stack, but
    not its message or values, which may be the user's text."""
    import platform
    import tempfile
    from pathlib import Path
    from traceback import extract_tb

    lines = [
        f"git-traj {__version__}, Python {platform.python_version()}, {sys.platform}",
        type(error).__name__,
        *(f"  {Path(f.filename).name}:{f.lineno} in {f.name}" for f in extract_tb(error.__traceback__)),
    ]
    with tempfile.NamedTemporaryFile(
        "w", prefix="git-traj-", suffix=".txt", delete=False, encoding="utf-8"
    ) as stream:
        stream.write("\n".join(lines) + "\n")
    return stream.name


def _silence(stream: TextIO) -> None:
    """Discard unwritten output: Python would report the error again at its exit."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _without_dashes(error: click.NoSuchOption) -> click.NoSuchOption:
    """The same error with better suggestions: click counts the dashes as letters in common."""
    from difflib import get_close_matches

    names = {name.strip("-"): name for name in error.possibilities or ()}
    meant = [names[name] for name in get_close_matches(error.option_name.strip("-"), names)]
    return click.NoSuchOption(error.option_name, possibilities=meant, ctx=error.ctx)


def _usage_hint(error: click.UsageError) -> str | None:
    """A hint for a wrong command line: a similar choice, a command line that works, or the command's help."""
    similar = _similar_choices(error)
    if similar:
        return f"did you mean {' or '.join(similar)}?"
    if error.ctx is None:
        return None
    if error.ctx.info_name == "why" and (argument := _guess_argument(error, error.ctx.params)):
        return f"{error.ctx.command_path} {argument}"
    if isinstance(error, click.MissingParameter):
        from gittraj.cli.common.examples import read_examples

        if examples := read_examples().get(error.ctx.info_name or ""):
            return f"such as {examples[0][0]}"
    return f"{error.ctx.command_path} -h"


def _similar_choices(error: click.UsageError) -> list[str]:
    """The choices of an option that are similar to the wrong value; empty for any other error."""
    if not (
        isinstance(error, click.BadParameter) and isinstance(error.param and error.param.type, click.Choice)
    ):
        return []
    from difflib import get_close_matches

    value = error.message.partition("'")[2].partition("'")[0]
    choices: Sequence[str] = error.param.type.choices  # type: ignore[union-attr]
    shortened = re.compile(".*".join(map(re.escape, value)), re.I)  # "md" finds "markdown"
    similar = get_close_matches(value, choices, n=2, cutoff=0.5)
    return similar or [name for name in choices if value and shortened.match(name)][:2]


def _guess_argument(error: click.UsageError, parameters: Mapping[str, Any]) -> str | None:
    """The argument as ``git traj why`` accepts it, made from lines in the form that other programs accept."""
    if error.message.startswith("No such option '-L'"):
        return "FILE:LINE,LINE"
    extra = re.fullmatch(r"Got unexpected extra arguments? \((.+)\)", error.message)
    words = (parameters["place"], extra[1]) if extra else ()
    lines = [word for word in words if re.fullmatch(r"[\d,]+", word)]
    files = [word for word in words if word not in lines]
    return f"{files[0]}:{lines[0]}" if files and lines else None


def _say(message: str, hint: str | None, kind: str = "error") -> None:
    """Print the message on one line, after its ``kind`` unless that is empty, and the hint."""
    first, *rest = message.splitlines() or [""]
    colour = _colours_errors() or None
    red, yellow, plain = ("\x1b[31m", "\x1b[33m", "\x1b[0m") if colour else ("", "", "")
    line = " ".join([first, *(line.strip() for line in rest)])
    click.echo(f"{red}{kind}:{plain} {line}" if kind else line, err=True, color=colour)
    if hint:
        click.echo(f"{yellow}hint:{plain} {hint}", err=True, color=colour)


def _colours_errors() -> bool:
    """Whether errors are coloured: on a terminal, unless an option, ``NO_COLOR`` or git config forbids it."""
    allowed = {"--no-color", "--color=never"}.isdisjoint(sys.argv) and not os.environ.get("NO_COLOR")
    if not (allowed and sys.stderr.isatty()) or os.environ.get("TERM") == "dumb":
        return False
    import subprocess

    query = ["git", "config", "--get-colorbool", "color.traj", "true"]
    try:
        return subprocess.run(query, capture_output=True, check=False).stdout.strip() == b"true"
    except OSError:
        return False
