"""Writers of interchange formats: trajectories as ``git traj show --json`` tells them in, text out.

A writer is pure: it reads nothing, opens no seal, and the same input gives the same bytes. It must not know
how what it is given was found, nor where its text goes. ``gittraj/exporting.py`` has the table of them all.
"""
