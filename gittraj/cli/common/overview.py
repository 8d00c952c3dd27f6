"""``git traj`` alone: how many commits are recorded, what is pending, and why the last ones were made."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import islice

import click

from gittraj.cli.common.command_list import COMMANDS
from gittraj.cli.common.output import columns, wants_colour
from gittraj.cli.common.repository import drain_first, find_to_read, is_installed, read_environ, read_records
from gittraj.errors import NotARepository
from gittraj.git import Repository
from gittraj.model.words import unmarked
from gittraj.render.text.terminal import Page, cut, escape_line, render_line, wrap

_LAST = 3
"""The number of recorded commits whose reasons are shown."""
_FIRST = "common commands"


def show_overview() -> None:
    """Print the overview; outside of a repository, or if nothing is recorded or installed, how to begin."""
    try:
        opened = find_to_read()
    except NotARepository:
        _say_how_to_begin("Not in a git repository.")
        return
    with opened as repository:
        if not is_installed(repository) and not repository.objects.resolve("refs/notes/traj"):
            state = "Nothing is recorded in this repository yet: git traj install"
            if repository.run("remote").out:
                state += "\nIf your team shares records, git traj fetch brings them"
            _say_how_to_begin(state)
            return
        drain_first(repository)
        _print(repository)


def _say_how_to_begin(state: str) -> None:
    """Print what git-traj is, the ``state``, and the first commands: fewer lines than the complete help."""
    context = click.get_current_context()
    formatter = context.make_formatter()
    with formatter.section(_FIRST.capitalize()):
        formatter.write_dl(list(COMMANDS[_FIRST].items()))
    purpose = "\n".join(wrap(context.command.help or "", formatter.width))
    click.echo(f"{purpose}\n\n{state}\n\n{formatter.getvalue()}\ngit traj -h lists all commands")


def _print(repository: Repository) -> None:
    from gittraj.commands.doctor.facts import gather
    from gittraj.commands.status import overview_to_lines

    page = Page(columns(), wants_colour(repository))
    for line in overview_to_lines(gather(repository, read_environ())):
        click.echo(render_line(line, page), nl=False, color=page.colour)
    lines = _last_reasons(repository, page) if repository.head() else []
    if lines:
        click.echo("\n" + "\n".join(lines), color=page.colour)
    more = "git traj log lists all, " * bool(lines)
    more += "git traj why FILE:LINE explains a line, git traj -h lists the commands"
    click.echo("\n".join(["", *wrap(more, page.columns)]))


def _last_reasons(repository: Repository, page: Page) -> list[str]:
    """For each of the last recorded commits: a line with its subject, and one that says why it was made or,
    if that is not recorded, what was asked."""
    from gittraj.index.answers import open_index
    from gittraj.query.log.filters import Wanted
    from gittraj.query.log.listing import list_commits, read_entries

    with ExitStack() as stack:
        index = stack.enter_context(open_index(repository))
        recorded = read_records(repository, index.notes if index else None)
        ancestry, commits = list_commits(repository, recorded, "HEAD")
        lines = []
        for entry in islice(read_entries(ancestry, recorded, commits, Wanted()), _LAST):
            why = next((h["why"] or h["prompt"] or h["title"] for h in entry["trajectories"]), None)
            subject = cut(escape_line(entry["subject"]), page.room(len(entry["short"]) + 1))
            lines.append(f"{page.paint(entry['short'], 'yellow')} {page.paint(subject, 'bold')}")
            if why:
                lines.append(f"  {cut(escape_line(unmarked(why)), page.room(2))}")
        return lines
