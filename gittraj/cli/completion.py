"""``git traj completion``: prints a shell script that calls this command for the completions.

The script calls it with ``--words``, which prints a line ``word<TAB>value<TAB>help`` for each completion, and
``files`` if files fit, too.
"""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", context_settings={"ignore_unknown_options": True})
@click.option("--words", is_flag=True, hidden=True)
@click.argument("shell", nargs=-1, type=click.UNPROCESSED, metavar="bash|zsh|fish")
def command(shell: tuple[str, ...], words: bool) -> None:
    """Print the completion script of a shell, for `git traj <TAB>` and `git-traj <TAB>`.

    \b
    bash: git traj completion bash >~/.local/share/bash-completion/completions/git-traj
    zsh:  git traj completion zsh >>~/.zshrc   (after compinit)
    fish: git traj completion fish >~/.config/fish/conf.d/git-traj.fish
    """
    if words:
        from gittraj.cli.common.completions import suggest

        for line in suggest(list(shell)):
            click.echo(line)
        return
    if len(shell) != 1 or shell[0] not in SHELLS:
        raise click.UsageError(f"name a shell: {', '.join(SHELLS)}")
    from importlib.resources import files

    click.echo((files("gittraj.cli") / f"completion.{shell[0]}").read_text("utf-8"), nl=False)
