"""``git traj pr``. docs/json.md has its ``--json``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gittraj.cli.common.output import dump_json, is_terminal, text_page, write
from gittraj.cli.common.repository import find_drained, read_records

if TYPE_CHECKING:
    from gittraj.git import Repository


@click.command("pr")
@click.option("--base", metavar="B", help="The branch to merge into (default: the upstream branch).")
@click.option("--head", default="HEAD", metavar="H", help="The tip of the change (default: HEAD).")
@click.option("--prompts", is_flag=True, help="Include the prompts in full.")
@click.option("--no-cost", is_flag=True, help="Leave out the cost.")
@click.option(
    "--format",
    "form",
    type=click.Choice(("github", "gitlab", "text")),
    help="Markdown (the same on all hosts), or text (the default on a terminal).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    *,
    base: str | None,
    head: str,
    prompts: bool,
    no_cost: bool,
    form: str | None,
    as_json: bool,
) -> None:
    """Write the comment for this branch's pull request: why the changes were made, where to look first, what
    was decided and rejected. Prints text on a terminal, Markdown in a pipe."""
    from gittraj.commands.pr import change_to_json, find_base
    from gittraj.notes.store import NotesRef
    from gittraj.query.read_change import read_change
    from gittraj.render.comment.comment import CommentOptions, render_comment
    from gittraj.render.comment.tables import Location

    options = CommentOptions(prompts=prompts, cost=not no_cost)
    with find_drained() as repository:
        notes = NotesRef(repository)
        base = base or find_base(repository, head)
        change = read_change(repository, read_records(repository), base, head, notes=notes.tip())
        if not as_json and (form == "text" or (form is None and is_terminal())):
            from gittraj.render.comment.plain import render_plain

            text = render_plain(change, options, text_page(repository))
            write(repository, [text])
            return
        if change.recorded and not as_json:
            _say_if_unpushed(repository)
    text = render_comment(change, Location(), options)
    click.echo(dump_json(change_to_json(change, base=base, markdown=text)) if as_json else text, nl=as_json)


def _say_if_unpushed(repository: Repository) -> None:
    """Hint at git traj push if no remote has all records: the comment ends with how others can see them."""
    from gittraj.commands.doctor.recorded import compare_remote
    from gittraj.commands.install.refspecs import find_remotes

    remotes = find_remotes(repository)
    if remotes and all(compare_remote(repository, name).unpushed for name in remotes):
        click.echo(
            "hint: some records here are on no remote yet, where others find them: git traj push", err=True
        )
