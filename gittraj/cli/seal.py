"""``git traj seal``. docs/json.md has its ``--json``."""

from __future__ import annotations

import click

from gittraj.cli.common.sealing import json_option, revisions_argument, run


@click.command("seal")
@revisions_argument
@json_option
def command(revisions: str | None, *, as_json: bool) -> int:
    """Seal thinking that was stored in clear, on the commits of RANGE or on all.

    Text that was not pushed yet is removed from the refs' history. What was pushed stays where it is.
    """
    from gittraj.commands.reseal import seal_stored

    return run(lambda ground, _: seal_stored(ground), revisions, did="sealed", as_json=as_json)
