"""Looks at the hooks, and changes nothing: hooks die silently, so somebody has to look."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gittraj.errors import TrajError
from gittraj.installation.hooks import HooksFolder, runs_ours
from gittraj.installation.shims import HOOKS, find_block, read_interpreter

Life = Literal["installed", "chained", "missing", "foreign", "dead", "damaged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookState:
    """``chained``: another tool runs ours; ``foreign``: another tool's stands there, and ours does not run;
    ``dead``: git cannot run it, or the interpreter that it starts is gone."""

    name: str
    path: Path
    state: Life


def inspect_hooks(folder: HooksFolder) -> tuple[HookState, ...]:
    """Each hook of ours; none where git looks for hooks in a folder that is not this repository's."""
    if folder.refused:
        return ()
    paths = [folder.path / name for name in HOOKS]
    return tuple(HookState(name=path.name, path=path, state=_inspect(path)) for path in paths)


def _inspect(path: Path) -> Life:
    if not path.is_file():
        return "missing"
    try:
        found = find_block(path.read_bytes())
    except (TrajError, OSError):
        return "damaged"
    if found is None:
        return "chained" if runs_ours(path) else "foreign"
    interpreter = read_interpreter(found.block)
    runs = os.access(path, os.X_OK) and (interpreter is None or os.access(interpreter.path, os.X_OK))
    return "installed" if runs else "dead"
