"""A report of a bug that may be pasted anywhere: where in our code, never what was being read."""

from __future__ import annotations

import platform
import sys
import tempfile
import traceback
from pathlib import Path

from gittraj import __version__


def report(error: BaseException) -> Path:
    """Write a report and return its path. It holds no message of the error and no value: they may be the
    user's text; only its type and the lines of code that it came through."""
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
