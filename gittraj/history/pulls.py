"""Finds the commit that a server made from a pull request, if only the number in its subject shows it.

The patch of a squash differs from that of its branch as soon as the target branch changed a line nearby. Then
the number in the subject and the same paths are evidence, if only one commit has them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from gittraj.frozen import dataclass
from gittraj.history.history import Change, History, Kin, group

_NUMBER = re.compile(r"\((?:pull request )?[#!](\d+)\)$")
"""The end of a squash's subject, as GitHub, GitLab (by its template) and Bitbucket write it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Squashed:
    """``new`` squashes the branch whose last commit is ``tip``; ``change`` is the branch's whole change."""

    tip: str
    new: str
    change: Change


def find_squashes(
    pulls: Mapping[int, Collection[str]],
    targets: Iterable[str],
    known: Collection[str],
    *,
    history: History,
    kin: Kin,
) -> Iterator[Squashed]:
    """For each pull request, yield the commit whose subject names its number, if there is only one, and it is
    not in ``known`` (commits whose sources are known already). ``pulls`` maps a request's number to the tips
    of its branch; ``kin`` must have them as its marked commits."""

    def number_of(target: str) -> int | None:
        number = _NUMBER.search(history.commits[target].subject)
        return int(number[1]) if number else None

    named = group(targets, number_of)
    for number, tips in pulls.items():
        for tip in tips:
            news = [new for new in named.get(number, ()) if not kin.related(tip, new)]
            if len(news) != 1 or news[0] in known:
                continue
            new = history.commits[news[0]]
            base = history.merge_base(tip, new.parents[0]) if new.parents else None
            if base is not None and new.committed >= history.commits[tip].began:
                change = (history.commits[base].tree, history.commits[tip].tree)
                yield Squashed(tip=tip, new=new.id, change=change)


def match_pulls(
    squashes: Iterable[Squashed], known: Collection[str], history: History
) -> Iterator[tuple[str, str]]:
    """Yield the pairs (old, new) of squashes that change exactly the paths of their branch."""
    for squash in squashes:
        names = history.names(squash.change)
        if names and names == history.names(history.change(squash.new)):
            members = history.between(history.commits[squash.new].parents[0], squash.tip)
            yield from ((old, squash.new) for old in members if old in known)
