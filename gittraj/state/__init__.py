"""Reads and writes all of ``.git/traj``: this clone's own state, which is never shared.

This package has the file formats, the locks, and the environment variables that hooks write to the spool;
other packages decide what a state means.

- ``folder`` opens the folder; ``lock`` locks it; ``sharing`` decides which user its files belong to.
- ``spool`` reads what hooks reported, ``active`` the events recorded with git-traj
  commands that have no commit yet.
- ``cursors`` stores how far logs were read, and what must not be read; ``changed`` checks for anything new.
- ``precommit_flag`` is the file that says whether the ``pre-commit`` hook starts git-traj.
"""
