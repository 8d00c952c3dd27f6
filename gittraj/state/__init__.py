"""All of ``.git/traj``: this clone's own state, which is never shared.

It contains file formats, locks, and the variables that hooks spool; what a state means is decided elsewhere.

- ``folder`` opens the folder; ``lock`` locks it; ``sharing`` decides whose files these are.
- ``spool`` has what hooks reported, ``active`` what was recorded and has no commit yet.
- ``cursors``: how far logs were read, and what must not be read; ``changed``: whether anything may be new.
- ``precommit_flag`` tells the ``pre-commit`` hook whether to start.
"""
