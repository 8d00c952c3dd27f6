"""What the ``pre-commit`` hook reads to know whether it has anything to do, before it starts a process.

One word in ``traj/precommit``. The hook trusts it only while no file of git's configuration is newer.
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
"""Which files are trajectories, as pathspecs: of any case, since some file systems know none."""

_SLACK = 2.0
"""Seconds. A shell may compare times by whole seconds, and file systems round down."""


def read_search(repository: Repository, *, environ: Mapping[str, str] | None = None) -> tuple[Search, str]:
    """``traj.precommit``, and the word that stands there if it is none of the three: then it warns.

    ``environ`` is one whose ``git -c name=value`` counts.
    """
    given = {k: v for k, v in (environ or {}).items() if k.startswith("GIT_CONFIG_")}
    found = repository.run("config", "--get", "traj.precommit", check=False, env=given)
    word = found.out.decode("utf-8", "replace").strip().lower() if found.code == 0 else "off"
    return (cast(Search, word), "") if word in ("off", "warn", "block") else ("warn", word)


def update_watch(repository: Repository) -> None:
    """Write the flag that the pre-commit hook's shell reads, by the setting of today. Raises StoreError,
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
