"""Rates how near commits are to paths: those that touched them, and those that touched neighbours. Pure.

A neighbour is a file that changed together with one of the paths, or that is in the same folder. This module
must not know what the commits' records say.
"""

from __future__ import annotations

import math
import posixpath
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain

from gittraj.frozen import dataclass
from gittraj.query.log.paths import is_below

_MANY = 30  # files: a larger commit does not show which files belong together
_TOGETHER = 0.5  # the weight of a file that always changed together with a path
_BESIDE = 0.15  # the weight of a file in the same folder
_DOUBT = 2  # added to the number of commits: one common change is weak evidence


@dataclass(frozen=True, slots=True)
class Near:
    """How near a commit is (``weight`` is 1 if it touched one of the paths and nothing else), and through
    which file (``path``). ``paths`` are all given paths that it touched; ``files`` are all files that it
    touched, the nearest first."""

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
    """Yield the near commits of ``changed`` (which has the files of each commit), in its order.

    ``touching`` are the commits that touched one of ``paths``, maybe under an earlier name; ``beside`` are
    the paths whose folders' files are neighbours.
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
    """Return how near a commit is that touched one of ``paths``, with those that it touched: of several that
    all had other names then, none, as which of them it touched is not known."""
    named = [path for path in paths if any(is_below(file, path) for file in files) or len(paths) == 1]
    path = next(chain(named, files, paths))
    return Near(commit, _focus(files), path, neighbour=False, paths=named, files=[*files])


def _focus(files: Collection[str]) -> float:
    """Return the weight of a commit with these files: the more files, the less its record says about each."""
    return 0.6 + 0.4 / math.sqrt(max(len(files), 1))


def _find_affinity(touching: Sequence[Collection[str]], paths: Sequence[str]) -> dict[str, float]:
    """Return how often each other file changed together with the paths."""
    together = Counter(file for files in touching if len(files) <= _MANY for file in set(files))
    share = _TOGETHER / (len(touching) + _DOUBT)
    return {f: share * n for f, n in together.items() if not any(is_below(f, path) for path in paths)}
