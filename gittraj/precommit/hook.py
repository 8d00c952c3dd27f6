"""One run of the hook: redacts what is staged of trajectories, then searches all that is staged.

The commit goes on whatever happens, unless ``traj.precommit`` is ``block``. When this fails, the shell that
started it keeps the trajectories out.

The redactor takes 0.2 s to import: after a change of git's configuration every commit comes here, and most
have nothing for it.
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
"""Exit statuses. Python itself ends with 1 or 2 when it cannot start: that must not look like either."""


def run(git_dir: Path, raw: Mapping[str, str], *, top: Path) -> int:
    """``raw`` is the hook's environment, ``top`` the folder that git runs it in. Raises TrajError."""
    end = time.monotonic() + SECONDS
    # libgit2 takes 60 ms to load; and only git knows the worktree if GIT_WORK_TREE sets it
    opened = open_for_hook(git_dir, top, environ=raw, backend="plumbing")
    with replace(opened, work_tree=top) as repository:
        index = top / (raw.get("GIT_INDEX_FILE") or git_dir / "index")
        staging = Staging(repository, index)
        if staged := staging.read(TRAJECTORIES):
            from gittraj.precommit.redacting import redact  # noqa: PLC0415

            redact(repository, staging, staged, raw, end)
        wanted, odd = read_search(repository, environ=raw)
        if odd:
            say(f"git config traj.precommit is '{odd}', which is not off, warn or block: using warn")
        found = False
        if wanted != "off":
            from gittraj.precommit.searching import search  # noqa: PLC0415

            found = search(repository, staging, raw, end)
        try:
            update_watch(repository)
        except TrajError:
            pass  # then the next hook starts this again
    if found and wanted == "block":
        say("not committed: take them out, or git commit --no-verify, or git config traj.precommit off")
        return BLOCKED
    return DONE
