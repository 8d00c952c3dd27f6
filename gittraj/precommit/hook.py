"""Runs the hook once: redacts staged trajectory files, then searches all staged files for secrets.

The commit goes on whatever happens, unless ``traj.precommit`` is ``block``. If this process fails, the shell
that started it keeps the trajectory files out of the commit.

The redactor takes 0.2 s to import, so it is imported only when needed: after a change of git's configuration
every commit starts this process, and most have nothing to redact.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gittraj.errors import TrajError
from gittraj.git import open_for_hook
from gittraj.precommit.deadline import SECONDS, say
from gittraj.precommit.staged import Staging
from gittraj.state.precommit_flag import TRAJECTORIES, read_search, update_watch

DONE, BLOCKED = 0, 10
"""Exit statuses. Python itself ends with 1 or 2 if it cannot start, which must not look like either."""


def run(git_dir: Path, raw: Mapping[str, str], *, top: Path) -> int:
    """Run the hook and return its exit status. ``raw`` is its environment, ``top`` its folder. Raises
    TrajError."""
    end = time.monotonic() + SECONDS
    # libgit2 takes 60 ms to load; and only git knows the worktree if GIT_WORK_TREE sets it
    opened = open_for_hook(git_dir, top, environ=raw, backend="plumbing")
    with replace(opened, work_tree=top) as repository:
        index = top / (raw.get("GIT_INDEX_FILE") or git_dir / "index")
        staging = Staging(repository, index)
        if staged := staging.read(TRAJECTORIES):
            from gittraj.precommit.redacting import redact  # noqa: PLC0415

            redact(repository, staging, staged, raw, end)
        wanted, invalid = read_search(repository, environ=raw)
        if invalid:
            say(f"git config traj.precommit is '{invalid}', which is not off, warn or block: using warn")
        has_secrets = False
        if wanted != "off":
            from gittraj.precommit.searching import search  # noqa: PLC0415

            has_secrets = search(repository, staging, raw, end)
        try:
            update_watch(repository)
        except TrajError:
            pass  # the next commit then starts this process again
    if has_secrets and wanted == "block":
        others = "git commit --no-verify, or git config traj.precommit off"
        say(f"not committed: remove these secrets and stage again, or {others}")
        return BLOCKED
    return DONE
