"""Messages for an empty result, which is not an error: one line on stderr, and what to try next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

import click

from gittraj.cli.common.log_listing import name_place
from gittraj.cli.common.repository import is_installed, read_records
from gittraj.git import Repository
from gittraj.notes.recovery import find_deleted
from gittraj.notes.refs import refuse_broken
from gittraj.notes.store import RECORDS_REF
from gittraj.query.log.listing import changed_paths, describe
from gittraj.query.log.paths import Ancestry
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
    paths: Sequence[str] = (),
    everywhere: bool = False,
    others: str = "git traj log --trajectories --all lists",
) -> None:
    """Say that a listing of ``commits`` is empty, and what to try next.

    ``commits`` all have a note (None: every commit that has one). ``labels`` are the agent, model, status,
    task and tag that were searched for, ``paths`` the files. ``everywhere``: the listing included all commits
    and runs. ``others`` begins the hint at runs without a commit: a command and its verb.
    """
    if _is_explained(repository, recorded, recorded if commits is None else commits):
        return
    number = len(recorded.commits())
    available = _describe_available(repository, number)
    if number:
        hint = _name_labels(recorded, labels or {})
        if hint is None:
            all_of_them = "" if everywhere else _list_all(repository, recorded)
            hint = f"{all_of_them}git traj status shows what is not recorded yet"
        _say(f"no matching commits ({available}){_name_absent(repository, paths)}", hint)
    elif recorded.places():  # the keys of runs without a commit
        what = "runs" if everywhere else "commits"
        _say(f"no matching {what} ({available})", f"{others} those without a commit")
    else:
        _say(available, _next_step(repository))


def _describe_available(repository: Repository, number: int) -> str:
    """Say that ``number`` commits have a record, and if the clone is shallow."""
    several = f"records of {number} commits are here"
    available = several if number > 1 else f"{number or 'no'} commit here has a record"
    return available + "; this clone is shallow: git fetch --unshallow" * bool(repository.edge)


def _list_all(repository: Repository, recorded: Recorded) -> str:
    """The beginning of a hint: how to list the commits that have a record. A listing of HEAD, with ``--all``
    too, lacks those that HEAD does not reach."""
    commits = recorded.commits()
    others = sorted(commits.difference(Ancestry.read(repository, "HEAD").parents))
    if not others:
        return "git traj log --all lists all of them; "
    what = "it" if len(commits) == 1 else f"{len(others):,} of them"
    return f"HEAD does not reach {what}, {name_place(repository, others)}; "


def _name_absent(repository: Repository, paths: Sequence[str]) -> str:
    """Say which of the paths, typed in this folder, match no file of HEAD; empty if all do."""
    listing = ("ls-files", "--with-tree=HEAD", "--")
    found = {path: repository.run(*listing, path, check=False, cwd=Path.cwd()) for path in paths}
    absent = [escape_line(path) for path, done in found.items() if done.code == 0 and not done.out]
    return f"; HEAD has no {' and no '.join(absent)}" if absent else ""


def say_nothing_on(repository: Repository, recorded: Recorded, commit: str | None) -> None:
    """Say that a commit (None: an unborn branch) has no record."""
    if commit in recorded.over:
        return  # the note is too large, which was reported
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
        name = describe(repository, previous)["short"]
        hint = f"git traj show {name} shows the last recorded change of its files"
    _say(f"no record for this commit: {short}", hint)


def say_nothing_wrote(path: str) -> None:
    """Say that no recorded call wrote the file of ``show --file``."""
    hint = "a shell command may have written it: see git traj show; git traj log -- PATH lists the commits"
    _say(f"no recorded edit of {escape_line(path)} here", hint)


def say_nothing_about(
    repository: Repository, recorded: Recorded, paths: Sequence[str], *, neighbours: bool
) -> None:
    """Say that paths have no record; ``neighbours``: whether files near them have one."""
    if _is_explained(repository, recorded, recorded):
        return
    names = ", ".join(escape_line(path) for path in paths[:3]) + ", …" * (len(paths) > 3)
    near = "what follows is about files near it"
    _say(f"no record for {names}", near if neighbours else "git traj log lists the commits that have one")


def say_no_match(repository: Repository, parts: int, *, hint: str) -> None:
    """Say that a search over this many ``parts`` has no match."""
    recorded = None if parts else read_records(repository)
    if recorded is None or not _is_explained(repository, recorded, recorded):
        _say("nothing recorded here matches", hint)


def say_unread(waiting: int, away: Sequence[str], why: str | None) -> None:
    """Say what a search did not cover: the number of trajectories not indexed yet (``waiting``), the months
    whose events are not in this clone (``away``), and why the events could not be fetched."""
    if waiting:
        unread = "one trajectory is" if waiting == 1 else f"{waiting:,} trajectories are"
        _say(f"{unread} not read yet", "the next search continues with them, newest first")
    if away:
        months = f"{len(away)} months" if len(away) > 1 else escape_line(away[0])
        _say(
            f"the events of {months} are not here: only their records were searched",
            why or "git traj search --fetch gets them from the remotes",
        )


def say_missing(missing: Sequence[str], why: str | None) -> None:
    """Say which segments this clone lacks although records name them, and why they could not be fetched."""
    several, verb = (f" and {len(missing) - 1} more", "are") if len(missing) > 1 else ("", "is")
    # the names come from a record, which anyone may have written
    _say(
        f"events are left out: {escape_line(missing[0])}{several} {verb} not here",
        why or "git traj doctor says what is missing",
    )


def _name_labels(recorded: Recorded, labels: Mapping[str, str | None]) -> str | None:
    """A hint for the first label that no recorded trajectory has: similar recorded labels, or some of them;
    None if there is no such label."""
    from difflib import get_close_matches

    from gittraj.cli.common.completions import read_labels

    known = read_labels(recorded) if any(labels.values()) else {}
    for name, value in labels.items():
        exact = name in ("agent", "status", "tag")
        if (
            value
            and (names := known.get(name))
            and not any(value == n if exact else value.lower() in n.lower() for n in names)
        ):
            similar = get_close_matches(value, names, n=2)
            plural = "statuses" if name == "status" else f"{name}s"
            examples = " or ".join(map(escape_line, similar or names[:5]))
            return f"did you mean {examples}?" if similar else f"{plural} recorded here: {examples}"
    return None


def _is_explained(repository: Repository, recorded: Recorded, commits: Iterable[str]) -> bool:
    """Print why a listing is empty, if there is no record at all or notes of these commits cannot be read;
    returns whether that was printed."""
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
        # for a user who has already fetched, the records must be pushed first
        push_first = "git traj push where they were made, then " * any(
            repository.settings(r"remote\..*\.trajfetch")
        )
        _say(f"No records here; if your team shares them: {push_first}git traj fetch", _next_step(repository))
    else:
        when = "yet" if is_installed(repository) else "here"
        _say(f"no trajectories are recorded {when}", _next_step(repository))


def _next_step(repository: Repository) -> str:
    if is_installed(repository):
        return "git traj status shows what is not recorded yet, git traj backfill links earlier sessions"
    return "git traj install starts recording"


def _say(message: str, hint: str) -> None:
    click.echo(f"{message}\nhint: {hint}", err=True)
