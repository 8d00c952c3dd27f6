"""Messages for an empty result, which is not an error: one line on stderr, and what to try next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

import click

from gittraj.cli.common.repository import is_installed, read_records
from gittraj.git import Repository
from gittraj.notes.recovery import find_deleted
from gittraj.notes.refs import refuse_broken
from gittraj.notes.store import RECORDS_REF
from gittraj.query.log.listing import changed_paths, describe
from gittraj.query.records import Recorded
from gittraj.render.text.terminal import escape_line
from gittraj.state.cursors import load_state
from gittraj.state.folder import LocalState

_SEARCHED = 200  # recorded commits to examine, for a previous change and for damage


def say_nothing_found(
    repository: Repository,
    recorded: Recorded,
    commits: Iterable[str] | None = None,
    *,
    labels: Mapping[str, str | None] | None = None,
    everywhere: bool = False,
    others: str = "git traj log --trajectories --all lists",
) -> None:
    """Say that a listing of ``commits``, all with a note (None: every commit that has one), is empty.
    ``labels``: the wanted agent, model, task and tag; ``everywhere``: the listing itself says where others
    are; ``others``: the command for runs without a commit, and what it does."""
    if _is_explained(repository, recorded, recorded if commits is None else commits):
        return
    number = len(recorded.commits())
    here = (
        f"records of {number} commits are here"
        if number > 1
        else f"{number or 'no'} commit here has a record"
    )
    if repository.edge:
        here += "; this clone is shallow: git fetch --unshallow"
    if not number and recorded.places():
        what = "runs" if everywhere else "commits"
        _say(f"no matching {what} ({here})", f"{others} those without a commit")
        return
    if not number:
        _say(here, _next(repository))
        return
    where = "" if everywhere else "git traj log --all lists all of them; "
    hint = _name_labels(recorded, labels or {}) or f"{where}git traj status shows what waits"
    _say(f"no matching commits ({here})", hint)


def say_nothing_on(repository: Repository, recorded: Recorded, commit: str | None) -> None:
    """Say that a commit (None: an unborn branch) has no record."""
    if commit in recorded.over:
        return  # that was reported
    if commit is None:
        say_nothing_recorded(repository)
        return
    if _is_explained(repository, recorded, [commit]):
        return
    from gittraj.query.why.previous import find_previous

    short = describe(repository, commit)["short"]
    paths = changed_paths(repository, [commit]).get(commit, [])[:_SEARCHED]
    previous = find_previous(repository, {commit: paths}).get(commit) if paths else None
    hint = "git traj log lists the commits that have one"
    if previous:
        named = describe(repository, previous)["short"]
        hint = f"git traj show {named} shows the last recorded change of its files"
    _say(f"no record for this commit: {short}", hint)


def say_nothing_wrote(path: str) -> None:
    """Say that no recorded call wrote the file of ``show --file``."""
    hint = "a command may have written it: git traj show; git traj log -- PATH lists the commits"
    _say(f"no recorded edit of {escape_line(path)} here", hint)


def say_nothing_about(
    repository: Repository, recorded: Recorded, paths: Sequence[str], *, neighbours: bool
) -> None:
    """Say that paths have no record; ``neighbours``: whether files near them have one."""
    if _is_explained(repository, recorded, recorded):
        return
    named = ", ".join(escape_line(path) for path in paths[:3]) + ", …" * (len(paths) > 3)
    near = "what follows is about files near it"
    _say(f"no record for {named}", near if neighbours else "git traj log lists the commits that have one")


def say_no_match(repository: Repository, parts: int, *, hint: str) -> None:
    """Say that a search over this many ``parts`` has no match."""
    recorded = None if parts else read_records(repository)
    if recorded is None or not _is_explained(repository, recorded, recorded):
        _say("nothing recorded here matches", hint)


def say_unread(waiting: int, away: Sequence[str], why: str | None = None) -> None:
    """Say what a search did not cover: the number of trajectories not indexed yet, the months that are not in
    this clone, and why those could not be fetched."""
    if waiting:
        many = "one trajectory is" if waiting == 1 else f"{waiting:,} trajectories are"
        _say(f"{many} not read yet", "the next search continues with them, newest first")
    if away:
        many = f"{len(away)} months" if len(away) > 1 else escape_line(away[0])
        _say(
            f"the events of {many} are not here: only their records were searched",
            why or "git traj search --fetch asks the remotes for them",
        )


def say_missing(missing: Sequence[str], why: str | None = None) -> None:
    """Report segments that records name and this clone lacks, and why they could not be fetched."""
    several, verb = (f" and {len(missing) - 1} more", "are") if len(missing) > 1 else ("", "is")
    # the names come from a record, which anyone may have written
    _say(
        f"events are left out: {escape_line(missing[0])}{several} {verb} not here",
        why or "git traj doctor says what is missing",
    )


def _name_labels(recorded: Recorded, labels: Mapping[str, str | None]) -> str | None:
    """A hint for the first label that no recorded trajectory has: similar recorded ones, or some of them."""
    from difflib import get_close_matches

    from gittraj.cli.common.completions import read_labels

    known = read_labels(recorded) if any(labels.values()) else {}
    for name, value in labels.items():
        exact = name in ("agent", "tag")
        if (
            value
            and (names := known.get(name))
            and not any(value == n if exact else value.lower() in n.lower() for n in names)
        ):
            near = get_close_matches(value, names, n=2)
            shown = " or ".join(map(escape_line, near or names[:5]))
            return f"did you mean {shown}?" if near else f"{name}s recorded here: {shown}"
    return None


def _is_explained(repository: Repository, recorded: Recorded, commits: Iterable[str]) -> bool:
    """Whether there is no record at all, or notes of these commits cannot be read; says so, too."""
    if not recorded and not recorded.over:
        say_nothing_recorded(repository)
        return True
    if unreadable := recorded.unreadable([*islice(commits, _SEARCHED)]):
        several = f" and {len(unreadable) - 1} more" if len(unreadable) > 1 else ""
        _say(f"the note of {unreadable[0][:12]}{several} cannot be read", "git traj doctor says why")
    return bool(unreadable)


def say_nothing_recorded(repository: Repository) -> None:
    """Say that a repository has no record at all. Raises StoreError if it may have some."""
    refuse_broken(repository, RECORDS_REF)
    state = load_state(LocalState.of(repository).folder)
    if deleted := find_deleted(repository, state.tips if state else {}):
        _say(f"deleted or overwritten: {', '.join(deleted)}", "git traj doctor --fix restores it")
    elif repository.run("remote").out:
        # somebody who fetched already needs another hint
        again = "git traj push where they were made, then " * any(
            repository.settings(r"remote\..*\.trajfetch")
        )
        _say(f"No records here; if your team shares them: {again}git traj fetch", _next(repository))
    else:
        _say(
            f"no trajectories are recorded {'yet' if is_installed(repository) else 'here'}", _next(repository)
        )


def _next(repository: Repository) -> str:
    if is_installed(repository):
        return "git traj status shows what waits, git traj backfill links earlier sessions"
    return "git traj install starts recording"


def _say(message: str, hint: str) -> None:
    click.echo(f"{message}\nhint: {hint}", err=True)
