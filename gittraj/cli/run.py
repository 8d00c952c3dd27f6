"""``git traj run``."""

from __future__ import annotations

import sys

import click

from gittraj.cli.common.repository import environment, find_repository, is_installed, read_environ
from gittraj.errors import TrajError


@click.command(
    "run",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option("--agent", metavar="NAME", help="The agent's name (default: the program's name).")
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND…")
def command(agent: str | None, words: tuple[str, ...]) -> int:
    """Run COMMAND, an agent that has neither log nor hook, and record what it prints.

    Typed input is not recorded. A commit made meanwhile gets a trace ("who made it is not known") or, if git
    printed the commit's id, the output itself. The exit status is that of COMMAND.
    """
    from gittraj.commands.run import run

    with find_repository() as repository:
        if not is_installed(repository):
            raise TrajError("git-traj is not set up here", "git traj install")
        if read_environ().off:
            raise TrajError(
                "GIT_TRAJ=0: nothing is recorded", "unset GIT_TRAJ, or run the command without git traj run"
            )
        try:
            return run(repository, words, agent=agent, live=environment())
        except TrajError as error:  # the status is a shell's for a command that it cannot run
            sys.stderr.write(f"git-traj: {error.one_line}\n")
            return 127
