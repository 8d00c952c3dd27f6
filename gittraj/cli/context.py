"""What every command begins with: the repository it stands in, drained, and the environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from gittraj.config import Environ
from gittraj.git import Repository, open_repository


def environment() -> Mapping[str, str]:
    return dict(os.environ)


def find_repository() -> Repository:
    """The repository that the command was called in. ``GIT_DIR`` is honoured, as git does.

    Raises NotARepository.
    """
    named = os.environ.get("GIT_DIR")
    return open_repository(Path(named) if named else Path.cwd(), environ=environment())


def drain_first(repository: Repository, *, always: bool = False) -> bool:
    """So that a command sees a consistent state. A reading command drains only when something is new;
    what keeps it from draining is said in one line, and the command goes on with what is recorded.
    Returns whether all is up to date."""
    from gittraj.capture.news import has_news
    from gittraj.capture.state import load_state
    from gittraj.errors import TrajError
    from gittraj.local import LocalState

    local = LocalState.of(repository)
    if not (local.folder / "installed.json").exists():
        return True
    try:
        if always or has_news(repository, local.folder, load_state(local.folder)):
            from gittraj.drain.composition import drain  # the redactor's rules take 70 ms

            raw = environment()
            drain(repository, environ=Environ.of(raw), live=raw)
    except TrajError as error:
        sys.stderr.write(f"git-traj: not up to date: {error.message}\n")
        return False
    except OSError as error:
        sys.stderr.write(f"git-traj: not up to date: {error.filename}: {error.strerror}\n")
        return False
    return True


def current_session(environ: Environ) -> str:
    """The session (``agent:session``) whose environment this is. Raises TrajError outside of one."""
    from gittraj.agents import all_agents
    from gittraj.errors import TrajError

    for agent in all_agents().values():
        session = agent.current(environ)
        if session is not None:
            return f"{agent.name}:{session}"
    raise TrajError("this is not the shell of an agent's session", "without --session everything is meant")
