"""Reads and writes all of ``.git/traj``: this clone's own state, which is never shared.

This room has the file formats, the locks, and the variables that hooks spool; other rooms decide what a state
means.

- ``folder`` opens the folder; ``lock`` locks it; ``sharing`` decides which user its files belong to.
- ``spool`` reads what hooks reported, ``active`` what was recorded by command and has no commit yet.
- ``cursors`` has how far logs were read, and what must not be read; ``changed`` checks for anything new.
- ``precommit_flag`` is the file that says whether the ``pre-commit`` hook starts git-traj.
"""
