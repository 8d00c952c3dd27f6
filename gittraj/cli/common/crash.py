"""A bug report that is safe to paste anywhere: lines of our code, never the data being read."""

from __future__ import annotations

import platform
import sys
import tempfile
import traceback
from pathlib import Path

from gittraj import __version__


def report(error: BaseException) -> Path:
    """Write a report and return its path. It has the error's type and stack, but not its message or values,
    which may be the user's text."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [
        f"git-traj {__version__}, Python {platform.python_version()}, {sys.platform}",
        type(error).__name__,
        *(f"  {Path(f.filename).name}:{f.lineno} in {f.name}" for f in frames),
    ]
    with tempfile.NamedTemporaryFile(
        "w", prefix="git-traj-", suffix=".txt", delete=False, encoding="utf-8"
    ) as stream:
        stream.write("\n".join(lines) + "\n")
    return Path(stream.name)
