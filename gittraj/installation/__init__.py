"""Puts git-traj into a repository, and takes it out again byte for byte.

Three things are touched: the folder of local state, three hooks, and each remote's fetch refspecs. What
was changed stands in ``traj/installed.json`` under ``undo``. It must not touch the notes.
"""

from __future__ import annotations

from gittraj.installation.install import install
from gittraj.installation.steps import Step
from gittraj.installation.uninstall import uninstall

__all__ = ["Step", "install", "uninstall"]
