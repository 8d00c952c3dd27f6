"""Begins git's blame for ``git traj why PATH:LINE`` before click is imported: the two take about as long.

Only for simple arguments; in all other cases the command starts its own blame. It must import next to
nothing: see ``gittraj.index.fast_open``.
"""

from __future__ import annotations

import os

from gittraj.startup import BLAME, DISTURBING, FIXED, IGNORED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OPTIONS = ("--json", "--porcelain", "--no-fetch")
_LONG = 20
_LEADING = ("git", "--no-pager", "-c", "color.ui=false", "-c", "core.quotePath=false")
_begun: dict[tuple[str, str | None], tuple[int, int]] = {}


def begin(arguments: Sequence[str]) -> None:
    """Begin the blame, if ``arguments`` are those of a simple ``why``."""
    words = [word for word in arguments[1:] if word not in _OPTIONS]
    rev = None
    if "--rev" in words[:-1]:
        at = words.index("--rev")
        rev = words[at + 1]
        del words[at : at + 2]
    if arguments[:1] != ["why"] or len(words) != 1 or not DISTURBING.isdisjoint(os.environ):
        return
    path, _, lines = words[0].rpartition(":")
    first, _, last = lines.partition(",")
    last = last or first
    if not (lines.isascii() and first.isdecimal() and last.isdecimal() and len(lines) < _LONG):
        return
    if os.path.lexists(words[0]) or not _is_plain(path, rev):
        return
    span = sorted((int(first), int(last)))
    at_rev = () if rev is None else (rev,)
    try:
        _begun[words[0], rev] = _start(*BLAME, f"-L{span[0]},{span[1]}", *at_rev, "--", path)
    except (AttributeError, OSError):  # Windows has no posix_spawn
        pass


def take(place: str, rev: str | None) -> Callable[[], tuple[bytes, int]] | None:
    """Return a function that waits for the blame of ``place`` and returns its output and status; None if none
    was begun."""
    begun = _begun.pop((place, rev), None)
    return (lambda: _finish(*begun)) if begun else None


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
    """Whether ``path`` may be a file below here, in a repository whose top has no list of ignored commits."""
    here = os.path.realpath(".")
    place = os.path.normpath(os.path.join(here, path))  # noqa: PTH118
    folder = os.path.dirname(place)  # noqa: PTH120
    if path.startswith((":", "-")) or os.path.realpath(folder) != folder:
        return False
    if rev.startswith("-") if rev else not os.path.isfile(place):  # noqa: PTH113
        return False
    while not os.path.exists(f"{folder}/.git"):  # noqa: PTH110
        folder, below = os.path.dirname(folder), folder  # noqa: PTH120
        if folder == below:
            return False
    return not os.path.exists(f"{folder}/{IGNORED}")  # noqa: PTH110
