"""The command group: imports a command when it is called, and turns errors into exit statuses."""

from __future__ import annotations

import atexit
import importlib
import os
import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

import click

from gittraj import __version__
from gittraj.cli.common.command_list import COMMANDS, FILES
from gittraj.errors import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_NAMES = {name: line for group in COMMANDS.values() for name, line in group.items()}
_ALIASES = {"blame": "why"}
_SYNONYMS = {
    **dict.fromkeys(("explain", "reason", "reasons"), "why"),
    "purge": "redact --purge (for a text) or forget --purge (for a trajectory)",
    "tests": "log",
}
"""Words that people may type for a command although they are not similar to its name, and what to suggest."""
_ANYWHERE = {
    "--no-pager": "--no-pager",
    "--color": "--color=always",
    "--no-color": "--color=never",
    **{f"--color={when}": f"--color={when}" for when in ("always", "never", "auto")},
}
"""Options of the group that are accepted anywhere in the command line, and how the group spells each."""


class _Formatter(click.HelpFormatter):
    """Formats help for narrow terminals, too: click needs 50 columns to put texts next to names."""

    def __init__(self, **options: Any) -> None:
        import shutil  # it imports all compressors

        super().__init__(**options)
        self._narrow = (width := shutil.get_terminal_size().columns) < 52
        self.width = width if self._narrow else self.width

    def write_dl(self, rows: Iterable[tuple[str, str]], *args: Any, **options: Any) -> None:
        if not self._narrow:
            super().write_dl(rows, *args, **options)
        for name, text in rows if self._narrow else ():
            self.write_text(name)
            with self.indentation():
                self.write_text(text)


click.Context.formatter_class = _Formatter


class LazyGroup(click.Group):
    """A group whose commands are modules of this package."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Accept ``--color``, ``--no-color`` and ``--no-pager`` after the command, too."""
        end = _end_of_own(args)
        moved = [_ANYWHERE[arg] for arg in args[:end] if arg in _ANYWHERE]
        others = [arg for arg in args[:end] if arg not in _ANYWHERE]
        return super().parse_args(ctx, [*moved, *others, *args[end:]])

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _NAMES:
            return None
        file = f"{cmd_name}_" if iskeyword(cmd_name) else FILES.get(cmd_name, cmd_name)
        module = importlib.import_module(f"gittraj.cli.{file}")
        command: click.Command = getattr(module, cmd_name if cmd_name in FILES else "command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Accept ``help [COMMAND]``, too, as git does; the error for a wrong name suggests similar ones."""
        if args[0] == "help":
            args = [*args[1:2], "--help"]
            if len(args) == 1:
                click.echo(ctx.get_help())
                ctx.exit()
        args = [_ALIASES.get(args[0], args[0]), *args[1:]]
        if args[0] not in _NAMES:
            from difflib import get_close_matches

            synonym = _SYNONYMS.get(args[0])
            similar = [synonym] if synonym else get_close_matches(args[0], _NAMES, n=2)
            hint = f"did you mean {' or '.join(similar)}?" if similar else "git traj -h lists the commands"
            raise UsageError(f"'{args[0]}' is not a command", hint=hint)
        name, command, rest = super().resolve_command(ctx, args)
        if command and not {"-h", "--help"}.isdisjoint(rest):
            from gittraj.cli.common.examples import epilog

            command.epilog = epilog(args[0])
        return name, command, rest

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete without importing every command for its help."""
        from click.shell_completion import CompletionItem

        names = [CompletionItem(n, help=h) for n, h in _NAMES.items() if n.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in COMMANDS.items():
            with formatter.section(title.capitalize()):
                rows = list(commands.items())
                for alias, name in _ALIASES.items():
                    if name in commands:
                        rows.insert([*commands].index(name) + 1, (alias, f"Another name for {name}"))
                formatter.write_dl(rows)


def _end_of_own(args: Sequence[str]) -> int:
    """The number of ``args`` before ``--``, or before the program that ``run`` starts."""
    end = args.index("--") if "--" in args else len(args)
    words = [
        at
        for at, (before, arg) in enumerate(pairwise(["", *args[:end]]))
        if before != "--agent" and not arg.startswith("-")
    ]
    return words[1] if len(words) > 1 and args[words[0]] == "run" else end


@click.group(
    name="git-traj",
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="git-traj", message="%(prog)s %(version)s")
@click.option("--no-pager", is_flag=True, help="Write to the terminal without a pager.")
@click.option(
    "--color",
    type=click.Choice(("auto", "always", "never")),
    metavar="[=WHEN]",
    help="auto (default, as color.ui says), always or never; also after a command.",
)
@click.pass_context
def group(ctx: click.Context, no_pager: bool, color: str | None) -> None:
    """Why is this code the way it is? The reasoning of AI agents, kept in git beside their commits."""
    ctx.obj = {"pager": not no_pager}
    ctx.color = {"always": True, "never": False}.get(color or "")
    if ctx.invoked_subcommand is None:
        from gittraj.cli.common.overview import show_overview

        show_overview()


def run(arguments: Sequence[str] | None = None) -> None:
    """Run and exit with a status: 0 done, 1 an error, 2 wrong usage, 3 a bug, 130 interrupted."""
    status = call(arguments)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            status = status or 1
    os._exit(status)  # skips the interpreter's shutdown, which takes 6 ms


def call(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the status."""
    try:
        result: Any = group.main(
            args=list(arguments) if arguments is not None else None,
            prog_name="git traj",
            standalone_mode=False,
        )
        return result if isinstance(result, int) else 0
    except (click.exceptions.Abort, KeyboardInterrupt):
        return 130
    except Exception as error:  # noqa: BLE001 - the one place where a bug becomes a report
        from gittraj.cli.common.error_report import report_error

        return report_error(error)
