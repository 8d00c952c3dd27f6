"""``git traj export`` and ``git traj bundle``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gittraj.cli.common.options import Plugged
from gittraj.cli.common.output import refuse_html, say_written
from gittraj.cli.common.repository import environment, find_drained, read_records
from gittraj.commands.export import EXCHANGES, FOLDERS, FORMATS, Exchange, documents, exchanges, join, load
from gittraj.errors import UsageError

if TYPE_CHECKING:
    from gittraj.formats.base.exported import Exported
    from gittraj.git import Repository
    from gittraj.query.show.chapters import Segments
    from gittraj.query.show.selection import Chosen


@click.command("export")
@click.argument("names", nargs=-1, metavar="[REV|A..B|TRAJECTORY]...")
@click.option(
    "--format",
    "form",
    type=Plugged([*FORMATS, *EXCHANGES], exchanges),
    help="Default: by the extension of -o, else markdown.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Every commit below HEAD that has a record, and runs without a commit.",
)
@click.option("--seal", metavar="NAME", help="Write this seal as an age file; show --json lists the names.")
@click.option(
    "-o",
    "output",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Write into a file; into a folder for several documents or an HTML site.",
)
@click.option("--open", "opens", is_flag=True, help="Open in your browser what -o wrote.")
@click.option("--no-fetch", is_flag=True, help="Do not fetch missing events from the remotes.")
def export(
    names: tuple[str, ...],
    *,
    form: str | None,
    everything: bool,
    seal: str | None,
    output: Path | None,
    opens: bool,
    no_fetch: bool,
) -> None:
    """Export commits and trajectories: HEAD by default; into a folder, everything reachable from it.

    Sealed thinking stays sealed in every format. --seal writes one seal unchanged: git traj export --seal
    NAME | age -d -i KEY | gunzip.
    """
    if form and seal:
        raise UsageError("choose --format or --seal")
    if not seal:
        form = form or _guess(output)
    if everything and names:
        raise UsageError("--all cannot be combined with names", hint="use one of them")
    if opens and not output:
        raise UsageError("--open needs -o PATH", hint="git traj show --open needs no PATH")
    if not output:
        refuse_html(form, environment())
    with find_drained() as repository:
        if form is None:
            from gittraj.query.show.chapters import read_seal

            _put([read_seal(repository, seal or "")], output)
            written = True
        else:
            written = _export(repository, names, form, output, everything=everything, fetch=not no_fetch)
    if output and written:
        say_written(output, show=opens)


@click.command("bundle")
@click.argument("names", nargs=-1, required=True, metavar="TASK|REV|TRAJECTORY...")
@click.option("-o", "output", type=click.Path(path_type=Path), required=True, metavar="FOLDER")
@click.pass_context
def bundle(ctx: click.Context, /, *, names: tuple[str, ...], output: Path) -> None:
    """Write everything about a task, commits or trajectories into a folder to read: for each a document, a
    summary, its chapters and artifacts, and an index. It is export --format trajectory-bundle."""
    ctx.invoke(export, names=names, form="trajectory-bundle", output=output)


def _export(
    repository: Repository,
    names: Sequence[str],
    form: str,
    output: Path | None,
    *,
    everything: bool,
    fetch: bool,
) -> bool:
    """Export; returns whether there was anything to export."""
    from gittraj.cli.common.repository import read_events
    from gittraj.query.show.selection import choose, gather

    runs = everything
    folder = output if output is not None and form in FOLDERS and _is_folder(output) else None
    everything = everything or (folder is not None and not names)
    named = None if everything else names or ["HEAD"]
    recorded = read_records(repository)
    read = partial(read_events, repository, command="export", fetch=fetch)
    if form in exchanges():
        exported = read(partial(gather, repository, recorded, named, runs=runs))
        found = bool(exported.trajectories)
        if found:
            _put_documents(exchanges()[form], exported, output)
    else:

        def write(segments: Segments) -> list[str | bytes] | None:
            chosen = choose(repository, recorded, named, segments, runs=runs)
            return _write(chosen, form, folder) if chosen else None

        parts = read(write)
        found = parts is not None
        if parts is not None and folder is None:
            _put(parts, output)
    if not found:
        from gittraj.cli.common.no_match import say_nothing_found

        say_nothing_found(repository, recorded, others="git traj export --all exports")
    return found


def _write(chosen: Chosen, form: str, folder: Path | None) -> list[str | bytes]:
    if folder is None:
        return [*load(FORMATS[form])(chosen)]
    from gittraj.cli.common.output import show_progress

    with show_progress("commits") as tell:
        load(FOLDERS[form])(chosen, folder, tell=tell)
    return []


def _guess(output: Path | None) -> str:
    """The format that a file's name implies; a folder is a site, and everything else Markdown."""
    if output is None or not _is_folder(output):
        return {".html": "html", ".json": "json", ".csv": "csv"}.get(
            output.suffix if output else "", "markdown"
        )
    return "html"


def _is_folder(path: Path) -> bool:
    return path.is_dir() or not path.suffix


def _put(parts: Iterable[str | bytes], output: Path | None) -> None:
    with click.open_file(str(output or "-"), "wb") as stream:
        stream.write(join(parts))


def _put_documents(form: Exchange, exported: Exported, output: Path | None) -> None:
    """Write one document to standard output or into the named file, several into a folder."""
    files = list(documents(form, exported))
    if not form.tree and len(files) == 1 and not (output and output.is_dir()):
        _put([files[0][1]], output)
        return
    if output is None:
        raise UsageError(f"{len(files)} documents need a folder", hint="-o FOLDER names one")
    for name, body in files:
        path = output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        _put([body], path)
