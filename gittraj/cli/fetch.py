"""``git traj fetch``. docs/json.md has its ``--json``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gittraj.cli.common.output import say
from gittraj.cli.common.repository import find_drained
from gittraj.cli.common.sharing import report

if TYPE_CHECKING:
    from gittraj.sync import Remote


@click.command("fetch")
@click.argument("remote", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(remote: str | None, *, as_json: bool) -> None:
    """Fetch a remote's records and join them with ours; nothing of ours is lost.

    The events themselves are fetched when a command needs them.
    """
    from gittraj.sync import fetch, find_remote, remember_join

    with find_drained() as repository:
        chosen = find_remote(repository, remote, pushing=False)
        fetched = fetch(repository, chosen, tell=say)
        remember_join(repository, chosen)
    document: dict[str, object] = {"version": 1, "remote": chosen.name, "fetched": fetched}
    report([describe(chosen, fetched)], document, as_json=as_json)


def describe(remote: Remote, fetched: int) -> str:
    """What a fetch brought. Not escaped."""
    from gittraj.model.words import count

    found = f"new records on {count(fetched, 'commit')}" if fetched else "no new records"
    return f"{remote.name}: {found}"
