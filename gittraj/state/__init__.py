"""``.git/traj``, all of it: this clone's own state, which is never shared.

It contains file formats and locks only; what a state means is decided elsewhere.
"""
