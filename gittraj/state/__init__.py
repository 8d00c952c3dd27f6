"""``.git/traj``, all of it: this clone's own state, which is never shared.

It contains file formats, locks, and the variables that hooks spool; what a state means is decided elsewhere.
"""
