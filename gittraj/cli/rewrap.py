"""``git traj rewrap``. docs/json.md has its ``--json``."""

from __future__ import annotations

from pathlib import Path

import click

from gittraj.cli.common.sealing import identity_option, json_option, revisions_argument, run


@click.command("rewrap")
@revisions_argument
@identity_option
@json_option
def command(revisions: str | None, *, identities: tuple[Path, ...], as_json: bool) -> int:
    """Let today's readers open what is sealed, on the commits of RANGE or on all. A key of yours must open
    it.

    The sealed text itself does not change.

    Readers who were removed from the list can still open it: git traj reseal.
    """
    from gittraj.commands.reseal import rewrap_stored

    return run(rewrap_stored, revisions, did="rewrapped", as_json=as_json, identities=identities)
