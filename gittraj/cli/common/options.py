"""Options that several listings share: which commits, and whose trajectories."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import click

from gittraj.cli.common.repository import find_repository
from gittraj.errors import TrajError

Command = Callable[..., Any]


_COMMITS = (
    click.option("--author", metavar="A", help="Commits of this author, as in git log."),
    click.option("--since", metavar="DATE", help="Commits after this date, as in git log."),
    click.option("--until", metavar="DATE", help="Commits before this date, as in git log."),
)
_PATHS = (
    click.option(
        "--file", "paths", multiple=True, metavar="PATH", help="Commits that touched it, like -- PATH."
    ),
    click.option("--follow/--no-follow", default=True, help="Follow renames (the default)."),
)
team_option = click.option(
    "--team", metavar="URL", help="Query the database that git traj gather filled, over all its repositories."
)


def _complete(_ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from gittraj.cli.common.completions import suggest_labels

    return suggest_labels(param.name or "", incomplete)


_LABELS = tuple(
    click.option(f"--{name}", metavar=metavar, help=text, shell_complete=_complete)
    for name, metavar, text in (
        ("agent", "NAME", "Only of this agent, such as claude-code."),
        ("model", "M", "Only of a model whose name contains M."),
        ("task", "ID", "Only for this task: its id, SYSTEM:ID or its title."),
        ("tag", "T", "Only with this tag."),
    )
)


def adding(options: Sequence[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """Return a decorator that adds all ``options``."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


label_options = adding(_LABELS)
"""``agent``, ``model``, ``task`` and ``tag``: the fields of ``query.log.filters.Labels``."""
commit_options = adding(_COMMITS)
"""``author``, ``since`` and ``until``: arguments of ``query.log.listing.list_commits``."""
path_options = adding(_PATHS)
"""``paths`` and ``follow``: arguments of ``query.log.listing.list_commits``."""


class WithPaths(click.Command):
    """Parses its arguments as git does: those after ``--`` as paths, which click cannot distinguish from a
    revision; ``-5`` as ``-n 5``; and as paths those that exist as files and are not a revision; with
    ``--team``, which knows no revisions and needs no repository, all that exist."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index("--") if "--" in args else len(args)
        options = [param for param in self.params if isinstance(param, click.Option)]
        taking = {name for option in options if not option.is_flag for name in option.opts}
        kept: list[str] = []
        paths: list[str] = []
        given = iter(args[:at])
        is_team = any(arg.partition("=")[0] == "--team" for arg in args[:at])
        for arg in given:
            if arg in taking:
                kept += [arg, *islice(given, 1)]
            elif "-n" in taking and re.fullmatch(r"-\d+", arg):
                kept.append(f"--max-count={arg[1:]}")
            else:
                (paths if _is_path(arg, sure=is_team) else kept).append(arg)
        paths += args[at + 1 :]
        return super().parse_args(ctx, [*kept, *(f"--file={path}" for path in paths)])


def _is_path(word: str, *, sure: bool) -> bool:
    """Whether an argument can only be a path: a file of that name exists, and (unless ``sure``) no revision
    has it."""
    if word.startswith("-") or not os.path.lexists(word):
        return False
    if sure:
        return True
    from gittraj.cli.common.repository import find_to_read

    with find_to_read() as repository:
        return (
            repository.run("rev-parse", "--verify", "--quiet", "--end-of-options", word, check=False).code
            != 0
        )


class Number(click.FloatRange):
    """A range of floats that rejects NaN, which click's comparisons let through."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


class Plugged(click.Choice[str]):
    """A choice to which plug-ins may add: a value that is not in it is looked up in ``more``."""

    def __init__(self, choices: Sequence[str], more: Callable[[], Collection[str]]) -> None:
        super().__init__(choices)
        self._more = more

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value not in self.choices:
            with suppress(TrajError), find_repository():
                if value in self._more():
                    return value
        return super().convert(value, param, ctx)
