"""Options that several listings share: which commits, and whose trajectories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]
_LABELS = (
    click.option("--agent", metavar="NAME", help="Only of this agent, such as claude-code."),
    click.option("--model", metavar="M", help="Only of a model whose name contains M."),
    click.option("--task", metavar="ID", help="Only for this task: its id, SYSTEM:ID or its title."),
    click.option("--tag", metavar="T", help="Only with this tag."),
)
_COMMITS = (
    click.option("--author", metavar="A", help="Commits of this author, as in git log."),
    click.option("--since", metavar="DATE", help="Commits after this date, as in git log."),
    click.option("--until", metavar="DATE", help="Commits before this date, as in git log."),
)
_PATHS = (
    click.option(
        "--file", "paths", multiple=True, metavar="PATH", help="Commits that touched this path, as -- PATH."
    ),
    click.option("--follow/--no-follow", default=True, help="Follow renames (the default)."),
)

team_option = click.option(
    "--team", metavar="URL", help="Ask the database that git traj gather filled, over all its repositories."
)


def label_options(command: Command) -> Command:
    """``agent``, ``model``, ``task`` and ``tag``: the fields of ``query.labels.Labels``."""
    return _add(_LABELS, command)


def commit_options(command: Command) -> Command:
    """``author``, ``since`` and ``until``: arguments of ``query.log.listing.list_commits``."""
    return _add(_COMMITS, command)


def path_options(command: Command) -> Command:
    """``paths`` and ``follow``: arguments of ``query.log.listing.list_commits``."""
    return _add(_PATHS, command)


def _add(options: tuple[Callable[[Command], Command], ...], command: Command) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


class WithPaths(click.Command):
    """Takes arguments after ``--`` as paths, as git does: click cannot distinguish them from a revision."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            args = [*args[:at], *(f"--file={path}" for path in args[at + 1 :])]
        return super().parse_args(ctx, args)
