"""Decides whether to ask a session: if it made a commit in this repository, and wrote no retrospective.

The decision is based on the records of this repository and the session's log, and changes neither. This
module must not know how agents are asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gittraj.agents import SessionFile
from gittraj.capture.commits import made_kind
from gittraj.config import read_config
from gittraj.decisions.blocks import parse_blocks
from gittraj.decisions.commands import ABANDONED, COMPLETED
from gittraj.decisions.derivation import derive
from gittraj.git import Repository, open_for_hook, read_reflog
from gittraj.model.session_items import Cursor, Entry
from gittraj.model.values import AnyEvent, NoteEvent, RetrospectiveEvent
from gittraj.record.drain.open_log import read_items
from gittraj.state.active import load_active
from gittraj.state.cursors import Suspension, load_state, load_suspension
from gittraj.state.spool import parse_spool

_MADE = re.compile(rb" ([0-9a-f]{7,40})\] ")
"""``[main 1a2b3c4] subject``, as git prints it."""
_TRACE = re.compile(
    rb"\[\[(?:RETROSPECTIVE|TRAJECTORY:retrospective)\]\]"
    # the example in our own instruction, which the log has, does not count
    rb'(?! \{\\*"summary\\*": \\*"(?:\xe2\x80\xa6|\\+u2026))'
    rb"|traj\W[^\n]{0,80}?(?:complete|abandon)",
    re.IGNORECASE,
)
"""Text that every log with a retrospective contains: a log without it need not be read."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn that has ended, as the agent's hook reports it. ``last_message`` may not be in the log yet."""

    file: SessionFile
    last_message: str = ""

    @classmethod
    def of(cls, agent: str, last_message: str, payload: Mapping[str, Any]) -> Turn:
        """The turn in a hook's payload, whose field ``last_message`` has the agent's last message. Raises
        LookupError or TypeError if the payload is not valid."""
        message = payload.get(last_message)
        log = Path(payload["transcript_path"])
        file = SessionFile(agent=agent, session=str(payload["session_id"]), path=log)
        return cls(file, message if isinstance(message, str) else "")


def is_due(turn: Turn, folder: Path, git_dir: Path, *, environ: Mapping[str, str]) -> bool:
    """Whether to ask. ``folder`` has the local state, ``git_dir`` is that of the worktree in which the turn
    ended, and ``environ`` is passed on to git. Raises OSError, TrajError."""
    off = load_suspension(folder)
    if is_off(turn.file, off):
        return False
    log = turn.file.path.read_bytes()
    with open_for_hook(git_dir, Path.cwd(), environ=environ) as repository:
        config = read_config(repository)
        if config.retrospective != "ask" or turn.file.agent in config.exclude:
            return False
        made, unrecorded = _spooled(turn.file, folder)
        made |= {*_linked(turn.file, folder), *_printed(log, repository)}
    return not made <= {*unrecorded, *off.commits} and not _looked_back(turn, folder, log)


def is_off(file: SessionFile, off: Suspension) -> bool:
    """Whether recording is off for the session, so that none of its log may be read."""
    return off.is_paused(file.name) or off.paused is not None or file.trajectory in off.forgotten


def looks_back(events: Iterable[AnyEvent]) -> bool:
    """Whether a retrospective is among the events, or a statement that the work ended without one."""
    return any(
        isinstance(event, RetrospectiveEvent)
        or (isinstance(event, NoteEvent) and not {COMPLETED, ABANDONED}.isdisjoint(event.tags))
        for event in events
    )


def _spooled(file: SessionFile, folder: Path) -> tuple[set[str], set[str]]:
    """The commits whose hooks ran in the session, and those made while recording was off (``GIT_TRAJ=0``)."""
    path, session = folder / "spool", file.session.encode()
    data = path.read_bytes() if path.exists() else b""
    candidates = (line for line in data.split(b"\n") if session in line or line.startswith(b"off\t"))
    lines = list(parse_spool(b"\n".join(candidates)))
    made = {line.id for line in lines if line.kind == "commit" and file.name in line.sessions}
    return made, {line.id for line in lines if line.kind == "off"}


def _linked(file: SessionFile, folder: Path) -> set[str]:
    """The commits that an earlier drain linked to the session."""
    state = load_state(folder)
    known = state.sessions.get(file.trajectory) if state else None
    anchors = known.anchors if known else ()
    return {c for a in anchors if a.stored and a.evidence in ("agent", "output") for c in a.commits}


def _printed(log: bytes, repository: Repository) -> set[str]:
    """The commits that git printed in the log and the reflog confirms: some agents switch git's hooks off."""
    printed = tuple(commit.decode() for commit in _MADE.findall(log))
    moves = read_reflog(repository, repository.git_dir, None)[0] if printed else []
    return {move.new for move in moves if made_kind(move) and move.new.startswith(printed)}


def _looked_back(turn: Turn, folder: Path, log: bytes) -> bool:
    """Whether a retrospective is in the turn's last message, was recorded by a command, or is in the log."""
    active = [a for a in load_active(folder) if a.header.trajectory == turn.file.trajectory]
    recorded = {event.id: event for trajectory in active for event in trajectory.events}
    last = parse_blocks(turn.last_message, name="").events
    if any(trajectory.header.status for trajectory in active) or looks_back((*recorded.values(), *last)):
        return True
    return _TRACE.search(log) is not None and looks_back(_logged(turn.file, recorded))


def _logged(file: SessionFile, recorded: Mapping[str, AnyEvent]) -> Iterator[AnyEvent]:
    """Yield the events of the session's log; those that commands recorded are taken from ``recorded``."""
    for item in derive(read_items(file), Cursor(), recorded.get):
        if isinstance(item, Entry) and item.session is None:
            yield item.event
