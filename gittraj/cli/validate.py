"""``git traj validate``. docs/json.md has its ``--json``."""

from __future__ import annotations

import click

from gittraj.cli.common.output import dump_json
from gittraj.cli.common.repository import find_if_any
from gittraj.render.text.terminal import escape_line


@click.command("validate")
@click.argument("name", metavar="FILE|REF")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(name: str, *, as_json: bool) -> int:
    """Check a document (ATIF, agent-trajectories, agent-trace, a git-traj note) or a ref (refs/notes/traj, a
    month of events, a remote's copy of one) against its format's schema. Exits 1 if it does not match."""
    from gittraj.commands.validate import validate

    with find_if_any("plumbing") as repository:
        form, faults = validate(repository, name)
    if as_json:
        rows = [{"path": path, "why": why} for path, why in faults]
        document = {"version": 1, "name": name, "format": form, "valid": not faults, "faults": rows}
        click.echo(dump_json(document))
    else:
        for path, why in faults:
            click.echo(f"{escape_line(path)}: {escape_line(why)}")
        click.echo(f"{escape_line(name)}: {escape_line(form)}, {'valid' if not faults else 'not valid'}")
    return int(bool(faults))
