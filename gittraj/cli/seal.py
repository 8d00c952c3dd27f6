"""``git traj seal``, ``rewrap`` and ``reseal``. docs/json.md has their ``--json``."""

from __future__ import annotations

from pathlib import Path

import click

from gittraj.cli.common.sealing import identity_option, json_option, revisions_argument, run


@click.command("seal")
@revisions_argument
@json_option
def seal(revisions: str | None, *, as_json: bool) -> int:
    """Seal thinking that was stored in clear, on the commits of RANGE or on all.

    Text that was not pushed yet is removed from the refs' history. What was pushed stays where it is.
    """
    from gittraj.commands.reseal import seal_stored

    return run(lambda ground, _: seal_stored(ground), revisions, did="sealed", as_json=as_json)


@click.command("rewrap")
@revisions_argument
@identity_option
@json_option
def rewrap(revisions: str | None, *, identities: tuple[Path, ...], as_json: bool) -> int:
    """Let today's readers open what is sealed, on the commits of RANGE or on all. A key of yours must open
    it.

    The sealed text itself does not change.

    Readers who were removed from the list can still open it: git traj reseal.
    """
    from gittraj.commands.reseal import rewrap_stored

    return run(rewrap_stored, revisions, did="rewrapped", as_json=as_json, identities=identities)


@click.command("reseal")
@revisions_argument
@identity_option
@json_option
def reseal(revisions: str | None, *, identities: tuple[Path, ...], as_json: bool) -> int:
    """Encrypt again what is sealed, for today's readers alone, on the commits of RANGE or on all.

    Not a revocation: those who could open what was pushed before still can.
    """
    from gittraj.commands.reseal import reseal_stored

    return run(reseal_stored, revisions, did="resealed", as_json=as_json, identities=identities)
