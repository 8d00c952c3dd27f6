"""Puts git-traj into a repository, and takes it out again byte for byte.

Touched are the folder of local state, three hooks, each remote's fetch refspecs and, for agents that were
named, their settings and instructions in the work tree and git's list of what to ignore. What was changed
stands in ``traj/installed.json`` under ``undo``. It must not touch the notes.
"""

from __future__ import annotations

from gittraj.commands.install.install import install
from gittraj.commands.install.steps import Step
from gittraj.commands.install.uninstall import uninstall

__all__ = ["Step", "install", "uninstall"]
