"""Rates how near commits are to paths: those that touched them, and those that touched neighbours. Pure.

A neighbour is a file that changed together with one of the paths, or that is in the same folder. It must not
know what the commits' records say.
"""

from __future__ import annotations

import math
import posixpath
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field

from gittraj.frozen import dataclass
from gittraj.query.log.paths import is_below

_MANY = 30  # files: a larger commit does not show which files belong together
_TOGETHER = 0.5  # a file that always changed with a path
_BESIDE = 0.15  # a file of the same folder
_DOUBT = 2  # added to the number of commits: one common change is weak evidence


@dataclass(frozen=True, slots=True)
class Near:
    """How near a commit is (1: touched one of the paths and nothing else), and through which file; ``paths``:
    all of the given ones that it touched; ``files``: all that it touched, the nearest first."""

    commit: str
    weight: float
    path: str
    neighbour: bool
    paths: Sequence[str] = ()
    files: Sequence[str] = field(default=(), compare=False)


def find_near(
    changed: Mapping[str, Collection[str]],
    touching: Collection[str],
    paths: Sequence[str],
    beside: Collection[str],
) -> Iterator[Near]:
    """The near commits of ``changed`` (which has the files of each), in its order.

    ``touching`` are those that touched one of ``paths``, maybe under an earlier name; ``beside`` the paths
    whose folders' files are neighbours.
    """
    affinity = _find_affinity([changed[c] for c in changed if c in touching], paths)
    folders = {posixpath.dirname(path) for path in beside}
    for commit, files in changed.items():
        if commit in touching:
            yield touch(commit, files, paths)
        elif len(files) <= _MANY:
            weights = {f: max(affinity.get(f, 0), _BESIDE * (posixpath.dirname(f) in folders)) for f in files}
            ranked = sorted(weights, key=lambda file: (-weights[file], file))
            if ranked and weights[ranked[0]]:
                weight = _focus(files) * weights[ranked[0]]
                yield Near(commit, weight, ranked[0], neighbour=True, files=ranked)


def touch(commit: str, files: Collection[str], paths: Sequence[str]) -> Near:
    """A commit that touched one of ``paths``, with the first path if all were renamed since."""
    named = [path for path in paths if any(is_below(file, path) for file in files)] or [paths[0]]
    return Near(commit, _focus(files), named[0], neighbour=False, paths=named, files=[*files])


def _focus(files: Collection[str]) -> float:
    """The weight of a commit with these files: the more it has, the less its record says about each."""
    return 0.6 + 0.4 / math.sqrt(max(len(files), 1))


def _find_affinity(touching: Sequence[Collection[str]], paths: Sequence[str]) -> dict[str, float]:
    """How often each other file changed together with the paths."""
    together = Counter(file for files in touching if len(files) <= _MANY for file in set(files))
    share = _TOGETHER / (len(touching) + _DOUBT)
    return {f: share * n for f, n in together.items() if not any(is_below(f, path) for path in paths)}
