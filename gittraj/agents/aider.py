"""Aider: all sessions of a work tree in its file ``.aider.chat.history.md``.

Aider makes the commits and prints their ids. A history file elsewhere (``--chat-history-file``) is read only
if ``traj.sessions.path`` names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gittraj.agents import Agent, SessionFile, is_new
from gittraj.config import Environ


class Aider(Agent):
    """Aider has no ``instructions``: it reads only files that its command or configuration names."""

    name = "aider"
    option = "aider"

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        from gittraj.formats.aider import FILE  # noqa: PLC0415 - only if sessions are searched

        for path in dict.fromkeys(root.resolve() / FILE for root in roots):
            if is_new(path, since):
                yield from _sessions(path, since)


def _sessions(path: Path, since: float) -> Iterator[SessionFile]:
    """Yield a history's sessions that lasted past ``since``. A session lasts until the next one begins."""
    from gittraj.formats.aider import history  # noqa: PLC0415 - only if there is a history

    try:
        names = list(history.sessions(path))
    except OSError:
        return
    for name, following in zip(names, [*names[1:], None], strict=True):
        ended = history.started_at(following) if following else None
        if ended is None or ended >= since:
            changed = int(ended * 1000) if ended is not None else None
            yield SessionFile(agent=Aider.name, session=name, path=path, format="aider", changed=changed)
