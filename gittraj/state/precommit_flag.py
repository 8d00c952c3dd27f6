"""The flag by which the ``pre-commit`` hook decides whether to start a process at all.

It is one word in ``traj/precommit``. The hook trusts it only while no file of git's configuration is newer.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Literal, cast

from gittraj.errors import unwritable
from gittraj.git import Repository
from gittraj.state.folder import LocalState
from gittraj.state.lock import discard

FILE = "precommit"
Search = Literal["off", "warn", "block"]

TRAJECTORIES = (
    ":(top,glob,icase)**/.trajectories/**",
    ":(top,glob,icase)**/.agentworkforce/trajectories/**",
    ":(top,glob,icase)**/*.trajectory.json",
    ":(top,glob,icase)**/*.trajectory.md",
)
"""Pathspecs of files with trajectories; they ignore case, since some file systems do."""

_SLACK = 2.0
"""Seconds by which the flag is dated back: a shell may compare whole seconds, and file systems round down."""


def read_search(repository: Repository, *, environ: Mapping[str, str] | None = None) -> tuple[Search, str]:
    """Read ``traj.precommit``; if it is invalid, return ``warn`` and the invalid value.

    ``environ`` is an environment whose settings by ``git -c name=value`` count.
    """
    settings = {k: v for k, v in (environ or {}).items() if k.startswith("GIT_CONFIG_")}
    answer = repository.run("config", "--get", "traj.precommit", check=False, env=settings)
    word = answer.out.decode("utf-8", "replace").strip().lower() if answer.code == 0 else "off"
    return (cast(Search, word), "") if word in ("off", "warn", "block") else ("warn", word)


def update_watch(repository: Repository) -> None:
    """Write the flag that the pre-commit hook's shell reads, from the current setting. Raises StoreError,
    GitError."""
    local = LocalState.of(repository)
    path = local.folder / FILE
    begin = time.time()
    state = "values" if read_search(repository)[0] != "off" else "idle"
    fresh = path.with_name(f"{FILE}.{os.getpid()}")
    try:
        fresh.write_bytes(state.encode() + b"\n")  # as a shell reads it, on Windows too
        os.utime(fresh, (begin - _SLACK, begin - _SLACK))
        fresh.replace(path)
    except OSError as error:
        discard(fresh)
        raise unwritable(path, error) from None
