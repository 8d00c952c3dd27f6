"""Finds what rewritten commits became, by reflogs, patches and trees, without hooks.

``find_rewrites`` takes commits that exist, ``find_absent`` commits of which only a patch-id is known;
``find_unreachable`` lists unreachable commits, ``find_skipped`` those that a rebase left out. The package
must not know notes, records or sessions, and writes nothing.

- ``reading`` asks git, ``history`` is its answer as a table; ``filter_repo`` reads that program's map.
- ``story`` reads rewrites out of reflogs, ``rebases`` their steps, ``skipped`` what a rebase left out.
- ``copies``, ``squashes`` and ``pulls`` compare commits where no reflog tells.
- ``find`` asks them in this order; ``absent`` asks for commits that are not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gittraj.startup import lazy_names

if TYPE_CHECKING:
    from gittraj.history.absent import find_absent
    from gittraj.history.filter_repo import map_stamp, read_map
    from gittraj.history.find import find_rewrites
    from gittraj.history.history import Rewrite, Source
    from gittraj.history.reading import find_unreachable
    from gittraj.history.skipped import find_skipped

__all__ = [
    "Rewrite",
    "Source",
    "find_absent",
    "find_rewrites",
    "find_skipped",
    "find_unreachable",
    "map_stamp",
    "read_map",
]

__getattr__ = lazy_names(
    __name__,
    {
        "absent": "find_absent",
        "filter_repo": "map_stamp read_map",
        "find": "find_rewrites",
        "history": "Rewrite Source",
        "reading": "find_unreachable",
        "skipped": "find_skipped",
    },
)
