"""Installs git-traj in a repository, and removes it again byte for byte.

An installation changes the folder of local state, three hooks, each remote's fetch refspecs and, for the
chosen agents, their settings and instructions in the work tree and git's exclude file. The manifest,
``traj/installed.json``, records every change under ``undo``. This package must not touch the notes.
"""
