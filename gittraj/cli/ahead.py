"""Begins git's blame for ``git traj why PATH:LINE`` before click is imported: the two take about as long.

Only for what is plain; all else is begun by the command, which takes what is begun here or does without. It
must import next to nothing: see ``gittraj.index.glance``.
"""

from __future__ import annotations

import os

from gittraj.cli.quick import ASTRAY, finish, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BLAME = ("blame", "-w", "-C", "--porcelain", "--no-textconv", "--encoding=UTF-8")
"""As ``gittraj.git.blame``."""
IGNORED = ".git-blame-ignore-revs"
"""As there."""
_OPTIONS = ("--json", "--porcelain", "--no-fetch")

_LONG = 20

_begun: dict[str, tuple[int, int]] = {}


def begin(arguments: Sequence[str]) -> None:
    """Where ``arguments`` are those of such a question."""
    places = [word for word in arguments[1:] if word not in _OPTIONS]
    if arguments[:1] != ["why"] or len(places) != 1 or not ASTRAY.isdisjoint(os.environ):
        return
    path, _, lines = places[0].rpartition(":")
    first, _, last = lines.partition(",")
    last = last or first
    if not (lines.isascii() and first.isdecimal() and last.isdecimal() and len(lines) < _LONG):
        return
    if os.path.lexists(places[0]) or not _is_plain(path):
        return
    span = sorted((int(first), int(last)))
    try:
        _begun[places[0]] = start(*BLAME, f"-L{span[0]},{span[1]}", "--", path)
    except (AttributeError, OSError):  # Windows has no posix_spawn
        pass


def take(place: str) -> Callable[[], tuple[bytes, int]] | None:
    """What waits for the blame of a place that was begun, and gives its output and status."""
    begun = _begun.pop(place, None)
    return (lambda: finish(*begun)) if begun else None


def _is_plain(path: str) -> bool:
    """Whether it is a file below here, in a repository whose top has no list of commits to pass over."""
    here = os.path.realpath(".")
    place = os.path.normpath(os.path.join(here, path))  # noqa: PTH118
    folder = os.path.dirname(place)  # noqa: PTH120
    if path.startswith((":", "-")) or os.path.realpath(folder) != folder or not os.path.isfile(place):  # noqa: PTH113
        return False
    while not os.path.exists(f"{folder}/.git"):  # noqa: PTH110
        folder, below = os.path.dirname(folder), folder  # noqa: PTH120
        if folder == below:
            return False
    return not os.path.exists(f"{folder}/{IGNORED}")  # noqa: PTH110
