"""``git traj status``.

``--json``: ``{"version": 1, "installed": bool, "since": time|null, "paused": time|null, "off": bool,
"hooks": {"folder", "refused": reason|null, "configured": bool, "states": [{"name", "state", "path",
"old": bool}]},
"agents": [{"name", "state", "path"}],
"sessions": [{"agent", "id", "status": active|idle|ended, "title"|null, "waiting": events}],
"active": [{"id", "title"|null, "agent"|null, "byHand", "events", "startedAt", "task"|null, "participants",
"chapter"|null, "decisions": [text]}], "parked": parts, "waiting": [commit],
"unlinked": [commit], "withoutHook": [commit]|null, "recorded": commits, "recordedElsewhere": commits,
"traced": commits made in a shell that an agent opened, by whom is unknown,
"recordedBeside": {remote: commits}, "unstamped": parts, "exposed": [trajectory],
"stranded": [commit], "remotes": [{"name", "unpushed": notes|null, "unfetched": notes|null}]|null,
"withoutRefspec": [remote], "thinking"|null, "sealing": {"readers", "trusted": bool, "remark"|null}|null,
"config": {key: {"value", "source"}}|null,
"summarizer": {"command", "source", "runs", "runsADay", "failed": text|null}|null,
"plugins": [{"name", "leftOut": reason|null}],
"complaints": [text]}``. A state is ``installed``, ``chained`` (another tool runs our hook), ``missing``,
``foreign``, ``dead``, ``damaged`` or ``off``; of an agent's hooks also ``changed`` or ``untrusted``. Times
are ISO 8601 UTC.
"""

from __future__ import annotations

import json

import click

from gittraj.cli.commands import COMMANDS
from gittraj.cli.output import columns, wants_colour
from gittraj.cli.repository import drain_first, environment, find_to_read
from gittraj.config import Environ
from gittraj.render.text.status import render_line
from gittraj.render.text.terminal import Page


@click.command("status", short_help=COMMANDS["common commands"]["status"])
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(as_json: bool) -> None:
    """Show what is recorded in this repository, what waits, and which settings apply."""
    from gittraj.commands.doctor import gather
    from gittraj.commands.status import status_to_json, status_to_lines

    with find_to_read() as repository:
        drain_first(repository)
        raw = environment()
        facts = gather(repository, Environ.of(raw))
        if as_json:
            click.echo(json.dumps(status_to_json(facts)))
            return
        page = Page(columns(raw), wants_colour(repository, raw))
    for line in status_to_lines(facts):
        click.echo(render_line(line, page), nl=False, color=page.colour)
