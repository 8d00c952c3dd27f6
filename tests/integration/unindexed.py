"""A repository in which no index can be written, to get the same answer without one."""

from __future__ import annotations

import shutil
from pathlib import Path

from gittraj.index.schema import FOLDER


def without(root: Path) -> Path:
    """Copy the repository so that no index can be written in it."""
    copy = root.with_name(f"{root.name}-plain")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(root, copy)
    shutil.rmtree(copy / ".git" / FOLDER, ignore_errors=True)
    (copy / ".git" / FOLDER).write_text("in the way")
    return copy
