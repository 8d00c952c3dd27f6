"""``git traj summarize``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gittraj.cli.common.repository import environment, find_drained, read_environ
from gittraj.errors import TrajError
from gittraj.model.words import count
from gittraj.render.text.terminal import printable

if TYPE_CHECKING:
    from gittraj.summarizer.summarize import Summarized


@click.command("summarize")
@click.argument("revisions", metavar="[RANGE]", required=False)
@click.option("--dry-run", "-n", is_flag=True, help="Show what would be sent to the program; send nothing.")
def command(revisions: str | None, dry_run: bool) -> None:
    """Let the program of git config traj.summarizer summarise the records on RANGE, or on HEAD.

    The program gets the redacted text, also of records from a remote. Its answer is shown next to the agent's
    own words; quotes that are not in the log are refused.
    """
    from gittraj.summarizer.summarize import list_commits, preview, summarize

    with find_drained() as repository:
        commits = list_commits(repository, revisions)
        if dry_run:
            for request in preview(repository, commits):
                click.echo(printable(request))
            return
        done: list[Summarized] = []
        for each in summarize(repository, commits, environ=read_environ(), live=environment()):
            done.append(each)
            click.echo(printable(_line(each)), err=each.failure is not None)
    if not done:
        click.echo("Nothing to summarise: all records on these commits have a summary, or no agent's words")
    elif any(each.failure for each in done):
        raise TrajError(f"{count(sum(bool(d.failure) for d in done), 'answer')} could not be used")


def _line(done: Summarized) -> str:
    commit, answer, understood = done.work.commit[:12], done.answer, done.understood
    if understood is None:
        return f"{commit}: not summarised, {done.failure.one_line if done.failure else 'unknown'}"
    statements = f"{count(len(understood.decisions), 'decision')}, {count(len(understood.doubts), 'doubt')}"
    refused = f", {understood.refused} refused (not in the log)" if understood.refused else ""
    cost = f", ${answer.cost_usd:.4f}" if answer and answer.cost_usd else ""
    return f"{commit}: by {answer.model if answer else 'unknown'}, {statements}{refused}{cost}"
