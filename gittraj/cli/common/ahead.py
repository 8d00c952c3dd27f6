"""Starts git's blame for ``git traj why PATH:LINE`` before click is imported: the two take about as long.

It does so for simple arguments only; in all other cases the command starts its own blame. This module must
import next to nothing, because everything else waits for it.
"""

from __future__ import annotations

import os

from gittraj.startup import BLAME, DISTURBING, FIXED, IGNORED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OPTIONS = ("--json", "--porcelain", "--no-fetch")
_TOO_LONG = 20
"""The length from which line numbers are left to the command."""
_LEADING = ("git", "--no-pager", "-c", "color.ui=false", "-c", "core.quotePath=false")
_started: dict[tuple[str, str | None], tuple[int, int]] = {}
"""The process and the pipe of each started blame, by argument of ``why`` and revision."""


def begin(arguments: Sequence[str]) -> None:
    """Start the blame, if ``arguments`` are those of a simple ``why``."""
    if arguments[:1] != ["why"] or not DISTURBING.isdisjoint(os.environ):  # variables like GIT_DIR
        return
    words, rev = _take_rev([word for word in arguments[1:] if word not in _OPTIONS])
    if len(words) != 1:
        return
    path, _, numbers = words[0].rpartition(":")
    span = _parse_span(numbers)
    if span is None or os.path.lexists(words[0]) or not _is_plain(path, rev):
        return
    at_rev = () if rev is None else (rev,)
    try:
        _started[words[0], rev] = _start(*BLAME, f"-L{span[0]},{span[1]}", *at_rev, "--", path)
    except (AttributeError, OSError):  # Windows has no posix_spawn
        pass


def take(argument: str, rev: str | None) -> Callable[[], tuple[bytes, int]] | None:
    """Return a function that waits for the blame and returns its output and status; None if no blame was
    started for this argument of ``why``, such as ``f.py:3``."""
    started = _started.pop((argument, rev), None)
    return (lambda: _finish(*started)) if started else None


def _take_rev(words: list[str]) -> tuple[list[str], str | None]:
    """The words without ``--rev R``, and R."""
    if "--rev" not in words[:-1]:
        return words, None
    at = words.index("--rev")
    return [*words[:at], *words[at + 2 :]], words[at + 1]


def _parse_span(numbers: str) -> list[int] | None:
    """The first and the last line of ``LINE`` or ``LINE,LINE``; None if ``numbers`` has another form."""
    first, _, last = numbers.partition(",")
    last = last or first
    if not (numbers.isascii() and first.isdecimal() and last.isdecimal() and len(numbers) < _TOO_LONG):
        return None
    return sorted((int(first), int(last)))


def _start(*arguments: str) -> tuple[int, int]:
    """Start git without input; returns the process and the pipe with its output."""
    output, write = os.pipe()
    try:
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, write, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        command = [*_LEADING, *arguments]
        return os.posix_spawnp("git", command, {**os.environ, **FIXED}, file_actions=actions), output
    finally:
        os.close(write)


def _finish(process: int, output: int) -> tuple[bytes, int]:
    """Wait for the process; returns its output and status."""
    with open(output, "rb") as stream:
        out = stream.read()
    return out, os.waitpid(process, 0)[1]


def _is_plain(path: str, rev: str | None) -> bool:
    """Whether ``path`` may be a file in a repository without a list of ignored commits, reached without
    symbolic links and without a special meaning for git."""
    here = os.path.realpath(".")
    file = os.path.normpath(os.path.join(here, path))  # noqa: PTH118
    folder = os.path.dirname(file)  # noqa: PTH120
    if path.startswith((":", "-")) or os.path.realpath(folder) != folder:
        return False
    if rev.startswith("-") if rev else not os.path.isfile(file):  # noqa: PTH113
        return False
    while not os.path.exists(f"{folder}/.git"):  # noqa: PTH110
        folder, below = os.path.dirname(folder), folder  # noqa: PTH120
        if folder == below:
            return False
    return not os.path.exists(f"{folder}/{IGNORED}")  # noqa: PTH110
