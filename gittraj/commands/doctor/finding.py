"""One thing that a check found; and the check whether a login shell finds ``git traj``: agents run their
commands in one.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Literal

from gittraj.commands.install.agent_hooks import wrapper_path
from gittraj.frozen import dataclass
from gittraj.git import Repository


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """``wrong`` needs somebody to do something, a ``note`` is good to know. ``code`` is stable, for scripts.

    ``fix``, where there is one, is safe: it loses nothing and can be repeated. It may raise TrajError.
    """

    code: str
    text: str
    remedy: str
    severity: Literal["wrong", "note"] = "wrong"
    fix: Callable[[], object] | None = field(default=None, repr=False, compare=False)


_SECONDS = 5.0
_FOUND = "found"


def check_login_shell(repository: Repository, raw: Mapping[str, str]) -> Iterator[Finding]:
    """A note, where the user's shell starts and says that it does not."""
    shell = raw.get("SHELL")
    if not shell:
        return
    command = f"command -v git-traj >/dev/null && echo {_FOUND}; true"
    try:
        ran = subprocess.run(
            [shell, "-lc", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=True,
            env=dict(raw),
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return
    if _FOUND.encode() not in ran.stdout.split():
        yield Finding(
            code="not-on-path",
            severity="note",
            text="git traj is not on the PATH of a login shell, where agents run commands",
            remedy=f"add its folder to PATH in your profile; agents are given {wrapper_path(repository)}",
        )
