"""Puts git-traj into a repository, and takes it out again byte for byte.

It changes the folder of local state, three hooks, each remote's fetch refspecs and, for the agents asked for,
their settings and instructions in the work tree and git's exclude file. The manifest,
``traj/installed.json``, records every change under ``undo``. It must not touch the notes.
"""
