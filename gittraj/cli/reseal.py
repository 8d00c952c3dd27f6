"""``git traj reseal``. ``--json`` as of ``git traj seal``."""

from __future__ import annotations

from pathlib import Path

import click

from gittraj.cli import resealing
from gittraj.cli.commands import COMMANDS


@click.command("reseal", short_help=COMMANDS["sealing"]["reseal"])
@resealing.revisions
@resealing.identity
@resealing.as_json
def command(revisions: str | None, *, identities: tuple[Path, ...], as_json: bool) -> int:
    """Seal anew what is sealed, for today's readers alone, on the commits of RANGE or on all.

    Not a revocation: what was pushed before stays open to those who could open it.
    """
    from gittraj.commands.reseal import reseal_stored

    return resealing.run(reseal_stored, revisions, did="resealed", as_json=as_json, identities=identities)
