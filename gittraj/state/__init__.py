"""``.git/traj``, all of it: this clone's own state, which is never shared.

Only file formats and locks; what a state means is decided elsewhere.
"""
