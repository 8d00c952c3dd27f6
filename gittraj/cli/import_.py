"""``git traj import``."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

import click

from gittraj.cli.common.output import show_progress
from gittraj.cli.common.repository import environment, find_drained, say_remark
from gittraj.errors import TrajError

if TYPE_CHECKING:
    from gittraj.commands.import_files import Imported, Pipe

_STDIN = "-"


@click.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE…|-")
@click.option("--format", "form", metavar="NAME", help="Read as this format (default: by its content).")
@click.option("--commit", "rev", metavar="REV", help="Link the whole session to this commit.")
@click.option("--auto", is_flag=True, help="Link the session to the commits that it made, by evidence.")
@click.option("--task", metavar="SYSTEM:ID", help="The task that the session worked on.")
@click.option("--include-paused", "paused", is_flag=True, help="Include what was done during a pause.")
@click.option("--raw", is_flag=True, help="Keep a file in an unknown format, for a later version to read.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(files: tuple[str, ...], *, as_json: bool, **options: Any) -> int:
    """Import sessions: files of any known agent, one file from a pipe (-), or what other tools keep in git.

    Notes of another tool (refs/notes/agentnote, refs/notes/ai, refs/notes/whogitit) are imported on the
    commits that they annotate, Entire's logs (refs/heads/entire/checkpoints/v1, refs/entire/checkpoints) as
    with --auto. Without --commit or --auto a session is recorded on the commit where it started, as work that
    led to no commit (git traj log --all shows it). Safe to repeat: a longer version of a session only adds
    events. From a pipe the exit status is always 0, so that the run that feeds it does not fail; failed
    imports are reported.
    """
    from gittraj.commands.import_files import Imported
    from gittraj.render.text.backfill import render_imported

    _check_options(files, options)
    piped = _STDIN in files
    try:
        imported = _import(files, **options)
    except (TrajError, OSError) as error:
        if not piped:
            raise
        why = error.message if isinstance(error, TrajError) else str(error)
        imported = Imported(rows=[], failed=[{"path": _STDIN, "why": why}])
    if as_json:
        document = {"version": 1, "imported": imported.rows, "failed": imported.failed}
        click.echo(json.dumps(document))
    else:
        for line in render_imported(imported.rows):
            click.echo(line)
    for each in imported.failed:
        sys.stderr.write(f"{'git-traj' if piped else 'error'}: {each['path']}: not imported: {each['why']}\n")
    return int(bool(imported.failed) and not piped)


def _check_options(files: Sequence[str], options: Mapping[str, Any]) -> None:
    from gittraj.commands.import_files import is_ref

    if options["rev"] and options["auto"]:
        raise click.UsageError("--commit and --auto cannot be combined")
    if options["task"] and not all(options["task"].partition(":")):
        raise click.UsageError(f"--task {options['task']}: expected SYSTEM:ID")
    if options["rev"] and any(map(is_ref, files)):
        raise click.UsageError("--commit does not apply to notes: they stay on their own commits")


def _import(files: Sequence[str], **options: Any) -> Imported:
    from gittraj.commands.import_files import import_files

    with TemporaryFile() as content:  # without a name: nothing is left even if this process is killed
        pipe = _read_pipe(files, content)
        with find_drained() as repository, show_progress() as progress:
            imported = import_files(
                repository, files, pipe=pipe, live=environment(), progress=progress, **options
            )
            say_remark(imported.remark)
    return imported


def _read_pipe(files: Sequence[str], content: IO[bytes]) -> Pipe | None:
    """Copy the pipe among the files, if there is one, into ``content``."""
    from gittraj.commands.import_files import Pipe, is_pipe

    pipes = [name for name in files if name == _STDIN or is_pipe(name)]
    if len(pipes) > 1:
        raise click.UsageError(f"only one pipe can be read at a time: {' and '.join(pipes)}")
    for name in pipes:
        with sys.stdin.buffer if name == _STDIN else Path(name).open("rb") as stream:
            shutil.copyfileobj(stream, content)
        return Pipe(name=name, content=content)
    return None
