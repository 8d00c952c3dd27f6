"""Finds what rewritten commits became, by reflogs, patches and trees, without hooks.

``find_rewrites`` takes commits that exist, ``find_absent`` commits of which only a patch-id is known;
``find_unreachable`` lists unreachable commits, ``find_skipped`` those that a rebase left out. The package
must not know notes, records or sessions, and writes nothing.

- ``reading`` queries git and makes the table in ``history``; ``filter_repo`` reads ``git filter-repo``'s map.
- ``story`` reads rewrites from reflogs, ``rebases`` the steps of a rebase, ``skipped`` what it left out.
- ``copies``, ``squashes`` and ``pulls`` compare commits for which no reflog has evidence.
- ``find`` uses these in this order; ``absent`` finds copies of commits that are missing here.
"""
