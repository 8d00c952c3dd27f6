"""Options that several listings share, such as those that choose commits and trajectories."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import click

from gittraj.cli.common.repository import find_repository, find_to_read
from gittraj.errors import TrajError

Command = Callable[..., Any]
_COMMITS = (
    click.option("--author", metavar="A", help="Commits of this author, as in git log."),
    click.option("--since", metavar="DATE", help="Commits after this date, as in git log."),
    click.option("--until", metavar="DATE", help="Commits before this date, as in git log."),
)
_PATHS = (
    click.option(
        "--file", "paths", multiple=True, metavar="PATH", help="Commits that touched PATH, like -- PATH."
    ),
    click.option("--follow/--no-follow", default=True, help="Follow renames (the default)."),
)
team_option = click.option(
    "--team", metavar="URL", help="Query the database filled by git traj gather, across all its repositories."
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
        ("tag", "T", "Only trajectories with this tag; not a git tag."),
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
    """Parses its arguments as git does. Arguments after ``--`` are paths, which click cannot distinguish from
    a revision; ``-5`` is ``-n 5``; any other argument is a path if such a file exists and no such revision.
    With ``--team``, which knows no revisions and needs no repository, it is a path if such a file exists."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index("--") if "--" in args else len(args)
        with_value = self._options_with_value()
        others: list[str] = []
        paths: list[str] = []
        remaining = iter(args[:at])
        is_team = any(arg.partition("=")[0] == "--team" for arg in args[:at])
        for arg in remaining:
            if arg in with_value:
                others += [arg, *islice(remaining, 1)]
            elif "-n" in with_value and re.fullmatch(r"-\d+", arg):
                others.append(f"--max-count={arg[1:]}")
            else:
                (paths if _is_path(arg, any_file=is_team) else others).append(arg)
        paths += args[at + 1 :]
        return super().parse_args(ctx, [*others, *(f"--file={path}" for path in paths)])

    def _options_with_value(self) -> set[str]:
        options = [param for param in self.params if isinstance(param, click.Option)]
        return {name for option in options if not option.is_flag for name in option.opts}


def _is_path(word: str, *, any_file: bool) -> bool:
    """Whether an argument is a path: such a file exists and, unless ``any_file``, no such revision."""
    if word.startswith("-") or not os.path.lexists(word):
        return False
    if any_file:
        return True
    with find_to_read() as repository:
        return (
            repository.run("rev-parse", "--verify", "--quiet", "--end-of-options", word, check=False).code
            != 0
        )


class Number(click.FloatRange):
    """A range of floats that rejects NaN, which click accepts."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


class Plugged(click.Choice[str]):
    """A choice to which plug-ins may add: a value that is not among ``choices`` is looked up in ``more``,
    which is called only then."""

    def __init__(self, choices: Sequence[str], more: Callable[[], Collection[str]]) -> None:
        super().__init__(choices)
        self._more = more

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value not in self.choices:
            with suppress(TrajError), find_repository():
                if value in self._more():
                    return value
        return super().convert(value, param, ctx)
