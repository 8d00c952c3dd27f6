"""What can be said of git-traj in this repository, gathered from local state, refs and reflogs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gittraj.capture.commits import read_moves
from gittraj.capture.session import Commit
from gittraj.capture.spool import Spooled, read_spool
from gittraj.capture.state import Off, SessionState, State, load_off, load_state
from gittraj.codec import decode_note, encode_note
from gittraj.config import Config, Environ, read_config
from gittraj.errors import GitError, TrajError
from gittraj.git import Repository, read_reflog
from gittraj.installation.book import FILE
from gittraj.installation.hooks import HooksFolder, find_hooks_folder
from gittraj.installation.inspection import HookState, inspect_hooks
from gittraj.installation.refspecs import find_remotes
from gittraj.local import LocalState, installed_positions
from gittraj.model import Record
from gittraj.notes.merge import merge_notes, standing
from gittraj.notes.store import NotesRef

_FRESH = 15 * 60
"""Seconds since a log grew in which its session counts as live."""
_SILENT = ("am",)
"""Kinds of commits for which git runs no post-commit hook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSession:
    """``waiting``: events that no commit has taken yet. ``title`` is an agent's text."""

    agent: str
    session: str
    title: str | None
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """Notes whose records the other side lacks; None when that cannot be told from here."""

    name: str
    unpushed: int | None
    unfetched: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """``since`` and ``paused`` are seconds since the epoch, ``since`` None where nothing is installed.

    ``waiting``: commits whose session was named but whose call is not in its log yet; ``unlinked``: those
    that were given up, without a record. ``without_hook``: commits made since the installation of which no
    hook told, oldest first; None where the refs' format keeps ids from the hooks. ``complaints``: what is
    damaged. ``config`` is None when it cannot be read.
    """

    since: float | None
    paused: float | None
    off: bool
    folder: HooksFolder
    hooks: tuple[HookState, ...]
    sessions: tuple[LiveSession, ...]
    parked: int
    waiting: tuple[str, ...]
    unlinked: tuple[str, ...]
    without_hook: tuple[str, ...] | None
    recorded: int
    remotes: tuple[Remote, ...]
    config: Config | None
    complaints: tuple[TrajError, ...]


def gather(repository: Repository, environ: Environ) -> Facts:
    """Never raises for what is damaged: that is what it is asked for."""
    local = LocalState.of(repository)
    state = load_state(local.folder) or State()
    complaints: list[TrajError] = []
    since, off, config = None, Off(), None
    try:
        since = installed_positions(local.read(FILE))[0]
    except TrajError as error:
        if (local.folder / FILE).exists():
            complaints.append(error)
    try:
        off = load_off(local.folder)
    except TrajError as error:
        complaints.append(error)
    try:
        config = read_config(repository)
    except TrajError as error:
        complaints.append(error)
    folder = find_hooks_folder(repository)
    notes = NotesRef(repository)
    waiting = tuple(w.commit for w in state.waiting)
    recorded = {commit for commit, body in notes.items() if _carries(commit, body)}
    lines = read_spool(local.folder, 0)[0]
    told = {line.id for line in lines if line.kind in ("commit", "off")}
    made = _made(repository, local, lines) if since is not None else []
    quiet = recorded.union(waiting, off.commits)
    by_file = not (repository.common_dir / "reftable").is_dir()
    return Facts(
        since=since,
        paused=off.paused,
        off=environ.off,
        folder=folder,
        hooks=inspect_hooks(folder),
        sessions=tuple(_live(state, notes)),
        parked=sum(part.parked for s in state.sessions.values() for part in s.parts),
        waiting=waiting,
        unlinked=tuple(c.id for c in made if c.sessions and c.stored and c.id not in quiet),
        without_hook=tuple(c.id for c in made if c.kind not in _SILENT and c.id not in told)
        if by_file
        else None,
        recorded=len(recorded),
        remotes=tuple(_compare(repository, name) for name in find_remotes(repository)),
        config=config,
        complaints=tuple(complaints),
    )


def _live(state: State, notes: NotesRef) -> Iterator[LiveSession]:
    for known in state.sessions.values():
        try:
            age = time.time() - Path(known.path).stat().st_mtime
        except OSError:
            continue  # its log is gone
        if age < _FRESH or known.waiting:
            yield LiveSession(
                agent=known.agent, session=known.session, title=_title(known, notes), waiting=known.waiting
            )


def _title(known: SessionState, notes: NotesRef) -> str | None:
    for commit in (commit for part in reversed(known.parts) for commit in part.commits):
        try:
            lines = decode_note(notes.read(commit) or b"")
        except GitError:
            return None
        for line in lines:
            if isinstance(line, Record) and line.whole.session == known.session and line.whole.title:
                return line.whole.title
    return None


def _made(repository: Repository, local: LocalState, lines: Sequence[Spooled]) -> list[Commit]:
    """The commits made since the installation, joined with what their hooks told."""
    _, installed = installed_positions(local.read(FILE))
    made: list[Commit] = []
    for tree in repository.worktrees():
        entries, _ = read_reflog(repository, tree.git_dir, installed.get(str(tree.git_dir)))
        moved = {entry.new for entry in entries}
        made += read_moves(entries, (line for line in lines if line.id in moved)).commits
    return made


def _carries(commit: str, body: bytes) -> bool:
    """Whether a record stands in a note; only one from which something was taken off has to be read."""
    return b'"deleted"' not in body or bool(standing(commit, decode_note(body)))


def _compare(repository: Repository, remote: str) -> Remote:
    """Only notes that differ are read, and what a merge would change on either side is counted."""
    ours, theirs = NotesRef(repository), NotesRef(repository, f"refs/notes-remote/{remote}/traj")
    unpushed = unfetched = 0
    try:
        for commit in theirs.changed(theirs.tip(), ours.tip()):
            here, there = ours.read(commit) or b"", theirs.read(commit) or b""
            merged = merge_notes(commit, here, there)
            unpushed += merged != encode_note(decode_note(there))
            unfetched += merged != encode_note(decode_note(here))
    except GitError:
        return Remote(name=remote, unpushed=None, unfetched=None)
    return Remote(name=remote, unpushed=unpushed, unfetched=unfetched)
