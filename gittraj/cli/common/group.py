"""The command group: imports a command when it is called, and turns errors into lines and statuses."""

from __future__ import annotations

import atexit
import importlib
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, TextIO

import click

from gittraj import __version__
from gittraj.cli.common.command_list import COMMANDS, FILES
from gittraj.errors import DeclinedError, TrajError, UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_NAMES = {name: line for group in COMMANDS.values() for name, line in group.items()}


_ALIASES = {"blame": "why"}
_MEANT = {"explain": "why", "reason": "why", "reasons": "why", "tests": "log"}
"""Words that people may type for a command, and that are not similar to its name."""
_ANYWHERE = {
    "--no-pager": "--no-pager",
    "--color": "--color=always",
    "--no-color": "--color=never",
    **{f"--color={when}": f"--color={when}" for when in ("always", "never", "auto")},
}
"""Options of the group that are accepted anywhere in the command line, as the group spells them."""


class _Formatter(click.HelpFormatter):
    """Formats help for narrow terminals, too: click needs at least 50 columns, with texts beside names."""

    def __init__(self, **options: Any) -> None:
        import shutil  # with all of its compressors

        super().__init__(**options)
        self._narrow = (there := shutil.get_terminal_size().columns) < 52
        self.width = there if self._narrow else self.width

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
        end = _end_of_ours(args)
        ours = [arg for arg in args[:end] if arg in _ANYWHERE]
        rest = [arg for arg in args[:end] if arg not in _ANYWHERE]
        return super().parse_args(ctx, [*(_ANYWHERE[arg] for arg in ours), *rest, *args[end:]])

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _NAMES:
            return None
        module = f"{cmd_name}_" if iskeyword(cmd_name) else FILES.get(cmd_name, cmd_name)
        found = importlib.import_module(f"gittraj.cli.{module}")
        command: click.Command = getattr(found, cmd_name if cmd_name in FILES else "command")
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

            meant = _MEANT.get(args[0])
            near = [meant] if meant else get_close_matches(args[0], _NAMES, n=2)
            hint = f"did you mean {' or '.join(near)}?" if near else "git traj -h lists the commands"
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
                others = {of: (name, f"Another name of {of}") for name, of in _ALIASES.items()}
                rows = [[row, *([others[row[0]]] if row[0] in others else [])] for row in commands.items()]
                formatter.write_dl([row for both in rows for row in both])


def _end_of_ours(args: Sequence[str]) -> int:
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
    """Why is this code as it is? The reasoning of AI agents, kept in git beside their commits."""
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
    except BrokenPipeError:
        _silence(sys.stdout)  # the reader of the pipe closed it
        return 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return UsageError.exit_code
    except click.UsageError as error:
        if isinstance(error, click.NoSuchOption):
            error = _without_dashes(error)
        _say(error.format_message(), _usage_hint(error), "error")
        return UsageError.exit_code
    except click.ClickException as error:
        _say(error.format_message(), None, "error")
        return 1
    except TrajError as error:
        _say(error.message, error.hint, "" if isinstance(error, DeclinedError) else "error")
        return error.exit_code
    except OSError as error:
        _silence(sys.stdout)
        where = f"{error.filename}: " if error.filename else ""
        _say(f"{where}{error.strerror or type(error).__name__}", None, "error")
        return 1
    except Exception as error:  # noqa: BLE001 - the one place where a bug becomes a report
        _say(f"a bug: {type(error).__name__}", f"please report it with {_write_report(error)}", "error")
        return 3


def _write_report(error: BaseException) -> str:
    """Write a file that is safe to paste anywhere; returns its path. It has the error's type and stack, but
    not its message or values, which may be the user's text."""
    import platform
    import tempfile
    from pathlib import Path
    from traceback import extract_tb

    lines = [
        f"git-traj {__version__}, Python {platform.python_version()}, {sys.platform}",
        type(error).__name__,
        *(f"  {Path(f.filename).name}:{f.lineno} in {f.name}" for f in extract_tb(error.__traceback__)),
    ]
    with tempfile.NamedTemporaryFile(
        "w", prefix="git-traj-", suffix=".txt", delete=False, encoding="utf-8"
    ) as stream:
        stream.write("\n".join(lines) + "\n")
    return stream.name


def _silence(stream: TextIO) -> None:
    """Discard unwritten output: Python would report the error again at its exit."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _without_dashes(error: click.NoSuchOption) -> click.NoSuchOption:
    """It with the options that were meant: click counts the dashes as letters that are alike."""
    from difflib import get_close_matches

    names = {name.strip("-"): name for name in error.possibilities or ()}
    meant = [names[name] for name in get_close_matches(error.option_name.strip("-"), names)]
    return click.NoSuchOption(error.option_name, possibilities=meant, ctx=error.ctx)


def _usage_hint(error: click.UsageError) -> str | None:
    """The choice that was meant, where one is near; a line that works, where one is known; else where the
    help is."""
    near = _near_choices(error)
    if near:
        return f"did you mean {' or '.join(near)}?"
    if error.ctx is None:
        return None
    if error.ctx.info_name == "why" and (place := _place_meant(error, error.ctx.params)):
        return f"{error.ctx.command_path} {place}"
    if isinstance(error, click.MissingParameter):
        from gittraj.cli.common.examples import read_examples

        if found := read_examples().get(error.ctx.info_name or ""):
            return f"such as {found[0][0]}"
    return f"{error.ctx.command_path} -h"


def _near_choices(error: click.UsageError) -> list[str]:
    if not (
        isinstance(error, click.BadParameter) and isinstance(error.param and error.param.type, click.Choice)
    ):
        return []
    from difflib import get_close_matches

    given = error.message.partition("'")[2].partition("'")[0]
    choices: Sequence[str] = error.param.type.choices  # type: ignore[union-attr]
    shortened = re.compile(".*".join(map(re.escape, given)), re.I)  # md: markdown
    near = get_close_matches(given, choices, n=2, cutoff=0.5)
    return near or [name for name in choices if given and shortened.match(name)][:2]


def _place_meant(error: click.UsageError, given: Mapping[str, Any]) -> str | None:
    """What ``git traj why`` takes for what it was given."""
    if error.message.startswith("No such option '-L'"):
        return "FILE:LINE,LINE"
    extra = re.fullmatch(r"Got unexpected extra arguments? \((.+)\)", error.message)
    words = (given["place"], extra[1]) if extra else ()
    lines = [word for word in words if re.fullmatch(r"[\d,]+", word)]
    files = [word for word in words if word not in lines]
    return f"{files[0]}:{lines[0]}" if files and lines else None


def _say(message: str, hint: str | None, kind: str) -> None:
    first, *rest = message.splitlines() or [""]
    colour = _colours_errors() or None
    red, yellow, plain = ("\x1b[31m", "\x1b[33m", "\x1b[0m") if colour else ("", "", "")
    shown = " ".join([first, *(line.strip() for line in rest)])
    click.echo(f"{red}{kind}:{plain} {shown}" if kind else shown, err=True, color=colour)
    if hint:
        click.echo(f"{yellow}hint:{plain} {hint}", err=True, color=colour)


def _colours_errors() -> bool:
    """Whether errors are coloured: on a terminal, unless an option, ``NO_COLOR`` or git config forbids it."""
    named = {"--no-color", "--color=never"}.isdisjoint(sys.argv) and not os.environ.get("NO_COLOR")
    if not (named and sys.stderr.isatty()) or os.environ.get("TERM") == "dumb":
        return False
    import subprocess

    asked = ["git", "config", "--get-colorbool", "color.traj", "true"]
    try:
        return subprocess.run(asked, capture_output=True, check=False).stdout.strip() == b"true"
    except OSError:
        return False
