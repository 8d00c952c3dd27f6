"""``git traj reseal``. docs/json.md has its ``--json``."""

from __future__ import annotations

from pathlib import Path

import click

from gittraj.cli.common.sealing import identity_option, json_option, revisions_argument, run


@click.command("reseal")
@revisions_argument
@identity_option
@json_option
def command(revisions: str | None, *, identities: tuple[Path, ...], as_json: bool) -> int:
    """Encrypt again what is sealed, for today's readers alone, on the commits of RANGE or on all.

    Not a revocation: those who could open what was pushed before still can.
    """
    from gittraj.commands.reseal import reseal_stored

    return run(reseal_stored, revisions, did="resealed", as_json=as_json, identities=identities)
