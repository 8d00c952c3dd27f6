"""What to say when nothing was found: one line on stderr, and what to try next. Never an error."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import click

from gittraj.git import Repository
from gittraj.local import LocalState
from gittraj.query.history import changed_paths, describe
from gittraj.query.recorded import Recorded
from gittraj.query.touching import Ancestry, touching
from gittraj.render.terminal import escape_line

_NEAREST = 200  # recorded commits before one that are asked whether they touched its files


def say_nothing_found(repository: Repository, recorded: Recorded) -> None:
    """For a listing."""
    if not recorded:
        _say_nothing_recorded(repository)
        return
    number = sum(1 for _ in recorded.carrying())
    many = {0: "no commit carries", 1: "one commit carries"}.get(number, f"{number} commits carry")
    _say(
        f"no commit found that carries such a trajectory; in this repository {many} one",
        "name other commits or fewer conditions; git traj status says what waits",
    )


def say_nothing_on(repository: Repository, recorded: Recorded, commit: str | None) -> None:
    """For one commit (None: an unborn branch)."""
    if not recorded or commit is None:
        _say_nothing_recorded(repository)
        return
    short = describe(repository, commit)["short"]
    nearest = _find_nearest(repository, recorded, commit)
    hint = "git traj log lists the commits that carry one"
    if nearest:
        hint = f"git traj show {describe(repository, nearest)['short']} tells of the last change of its files"
    _say(f"{short} carries no trajectory", hint)


def say_missing(missing: Sequence[str]) -> None:
    """Of segments that records name and this repository does not have."""
    several, verb = (f" and {len(missing) - 1} more", "are") if len(missing) > 1 else ("", "is")
    # a record names them, and anyone may have written it
    _say(
        f"events are left out: {escape_line(missing[0])}{several} {verb} not here",
        "git traj doctor says what is missing",
    )


def _find_nearest(repository: Repository, recorded: Recorded, commit: str) -> str | None:
    """The latest recorded commit before ``commit`` that touched one of its files."""
    paths = [f":(top,literal){path}" for path in changed_paths(repository, commit)[:_NEAREST]]
    if not paths:
        return None
    ancestry = Ancestry.read(repository, [commit])
    nearest = list(islice((c for c in ancestry.parents if c in recorded and c != commit), _NEAREST))
    found = touching(ancestry, nearest, paths)
    return next((c for c in nearest if c in found), None)


def _say_nothing_recorded(repository: Repository) -> None:
    if LocalState.of(repository).exists:
        _say("no trajectory is recorded yet", "git traj status says what is captured and what waits")
    else:
        _say("no trajectory is recorded here", "git traj install begins to record them")


def _say(said: str, hint: str) -> None:
    click.echo(f"{said}\nhint: {hint}", err=True)
