"""``git traj status``. docs/json.md has its ``--json``."""

from __future__ import annotations

import json

import click

from gittraj.cli.common.output import columns, wants_colour
from gittraj.cli.common.repository import environment, find_drained
from gittraj.config import Environ
from gittraj.render.text.terminal import Page, render_line


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(as_json: bool) -> None:
    """Show what is recorded in this repository, what waits, and which settings apply."""
    from gittraj.commands.doctor.facts import gather
    from gittraj.commands.status import status_to_json, status_to_lines

    with find_drained(to_read=True) as repository:
        raw = environment()
        facts = gather(repository, Environ.of(raw))
        if as_json:
            click.echo(json.dumps(status_to_json(facts)))
            return
        page = Page(columns(raw), wants_colour(repository, raw))
    for line in status_to_lines(facts):
        click.echo(render_line(line, page), nl=False, color=page.colour)
