"""Reads what happened in the worktrees since the last drain, from reflogs and the spool that hooks write."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from gittraj.capture.commits import Moves, made_kind, read_moves
from gittraj.capture.session import Commit
from gittraj.git import Position, ReflogEntry, Repository, read_reflog
from gittraj.history.skipped import find_skipped
from gittraj.record.drain.context import Context, Installed
from gittraj.record.drain.moved import find_abandoned_squashes, find_fresh
from gittraj.state.active import place_of
from gittraj.state.cursors import State, Suspension
from gittraj.state.folder import reflog_name
from gittraj.state.spool import Spooled, find_reported, read_spool

HOOK_GRACE = 0.1
"""Seconds to wait for a hook's line after its commit is in the reflog."""
_OLD_COMMITS = 300
_LOGS_KEPT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """Everything that is new since the last drain. ``spooled`` are the new lines of the spool; ``fresh`` are
    commits that HEADs moved to, each with its parents; ``ended`` are sessions whose agent reported their end;
    ``worktrees`` maps each commit to the worktree in which it was made (plus ``#`` if that was removed)."""

    spooled: Sequence[Spooled]
    moves: Sequence[Moves]
    fresh: Mapping[str, Sequence[str]]
    ended: frozenset[str]
    worktrees: Mapping[str, str]

    @property
    def silent(self) -> set[str]:
        """The commits made while recording was off."""
        return {c.id for m in self.moves for c in m.commits if not c.stored}

    def pairs(self) -> list[tuple[str, str]]:
        """The rewrites (old, new), without those into commits made while recording was off."""
        silent = self.silent
        return [pair for m in self.moves for pair in m.pairs if pair[1] not in silent]


def read_news(context: Context, state: State, off: Suspension) -> tuple[News, State]:
    """Read the news. Also return the state after it: the new positions in the reflogs and the spool."""
    repository = context.repository
    reflogs, read = _read_reflogs(context, state)
    entries = [entry for each in read.values() for entry in each]
    fresh = find_fresh(repository, entries)
    spooled, offset = _read_spool(context.folder, state.spool, {e.new for e in entries if made_kind(e)})
    logged, ended = find_reported(spooled)
    logs = [(name, log) for name, log in state.logs.items() if name not in logged] + [*logged.items()]
    moves, worktrees = _read_moves(repository, read, [ln for ln in spooled if ln.kind != "session"], off)
    news = News(spooled=spooled, moves=moves, fresh=fresh, ended=ended, worktrees=worktrees)
    return news, replace(state, spool=offset, reflogs=reflogs, logs=dict(logs[-_LOGS_KEPT:]))


def read_old_commits(repository: Repository, installed: Installed) -> tuple[Commit, ...]:
    """The commits made before the installation: the events that led to them are not stored."""
    old: list[Commit] = []
    for name, position in installed.reflogs.items():
        git_dir = repository.common_dir / name
        entries, _ = read_reflog(repository, git_dir, None)
        later, _ = read_reflog(repository, git_dir, position)
        before = entries[: len(entries) - len(later)] if len(later) < len(entries) else []
        old += read_moves(before[-_OLD_COMMITS:], (), stored=False).commits
    return tuple(old)


def _read_reflogs(
    context: Context, state: State
) -> tuple[dict[str, tuple[str, ...]], dict[Path, list[ReflogEntry]]]:
    """Return the positions reached in the reflogs, and their new entries by git directory."""
    reflogs = dict(state.reflogs)
    entries: dict[Path, list[ReflogEntry]] = {}
    for git_dir in [tree.git_dir for tree in context.repository.worktrees()]:
        name = reflog_name(git_dir, context.repository.common_dir)
        known = reflogs.get(name)
        since = Position(int(known[0]), known[1]) if known else context.installed.reflogs.get(name)
        entries[git_dir], position = read_reflog(context.repository, git_dir, since)
        reflogs[name] = (str(position.size), position.digest)
    return reflogs, entries


def _read_spool(folder: Path, since: int, made: set[str]) -> tuple[list[Spooled], int]:
    """Read the spool's new lines. git writes the reflog before it runs the hook: wait a moment for the line
    of each commit in ``made``, or an agent's commit would count as a person's."""
    spooled, offset = read_spool(folder, since)
    end = time.monotonic() + HOOK_GRACE
    while made - {line.id for line in spooled} and time.monotonic() < end:
        time.sleep(0.02)
        spooled, offset = read_spool(folder, since)
    return spooled, offset


def _read_moves(
    repository: Repository,
    read: Mapping[Path, list[ReflogEntry]],
    spooled: Sequence[Spooled],
    off: Suspension,
) -> tuple[list[Moves], dict[str, str]]:
    """Return the moves of each worktree, and the worktree of each commit."""
    worktree_of = partial(place_of, common_dir=repository.common_dir)
    paused = {*filter(off.is_paused, off.sessions)}
    by_worktree = _group(spooled, read)
    moves: list[Moves] = []
    worktrees: dict[str, str] = {}
    if removed := by_worktree.get(None):  # the reflogs of removed worktrees are gone, too
        moves.append(read_moves((), removed, off=off.commits, paused=paused))
        worktrees.update((line.id, f"{worktree_of(line.git_dir)}#") for line in removed)
    for git_dir, entries in read.items():
        here = by_worktree.get(git_dir, [])
        if entries or here:
            earlier = partial(_history, repository, git_dir)
            made = read_moves(entries, here, earlier=earlier, off=off.commits, paused=paused)
            moves.append(_drop_false_pairs(repository, made, git_dir))
            worktrees.update((c.id, worktree_of(git_dir)) for c in made.commits)
    return moves, worktrees


def _group(spooled: Iterable[Spooled], git_dirs: Collection[Path]) -> dict[Path | None, list[Spooled]]:
    """Group the lines by worktree; the lines of removed worktrees are under None."""
    groups: dict[Path | None, list[Spooled]] = {}
    for line in spooled:
        git_dir = next((each for each in git_dirs if _same(line.git_dir, each)), None)
        groups.setdefault(git_dir, []).append(line)
    return groups


def _drop_false_pairs(repository: Repository, moves: Moves, git_dir: Path) -> Moves:
    """Remove false pairs from the moves: git reports that a commit which a rebase skipped became the commit
    before it, and a squash may have been abandoned."""
    false = find_abandoned_squashes(repository, moves.squashed)
    if moves.rebased:
        false |= find_skipped(repository, moves.rebased, _history(repository, git_dir))
    return replace(moves, pairs=tuple(pair for pair in moves.pairs if pair not in false))


def _history(repository: Repository, git_dir: Path) -> list[ReflogEntry]:
    return read_reflog(repository, git_dir, None)[0]


def _same(one: Path, other: Path) -> bool:
    return one == other or one.resolve() == other.resolve()
