"""Finds what rewritten commits became, by reflogs, patches and trees, without hooks.

``find_rewrites`` takes commits that exist, ``find_absent`` commits of which only a patch-id is known;
``find_unreachable`` lists unreachable commits, ``find_skipped`` those that a rebase left out. The package
must not know notes, records or sessions, and writes nothing.

- ``reading`` asks git, ``history`` is its answer as a table; ``filter_repo`` reads that program's map.
- ``story`` reads rewrites out of reflogs, ``rebases`` their steps, ``skipped`` what a rebase left out.
- ``copies``, ``squashes`` and ``pulls`` compare commits where no reflog tells.
- ``find`` asks them in this order; ``absent`` asks for commits that are not here.
"""
