"""``git traj export`` and ``git traj bundle``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gittraj.cli.common.options import Plugged
from gittraj.cli.common.output import refuse_html, say_written, show_progress
from gittraj.cli.common.repository import find_drained, read_events, read_records
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
    help="Output format (default: from the extension of -o, otherwise markdown); those for other tools are "
    "in docs/exchange.md.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Every recorded commit reachable from HEAD, and work that led to no commit.",
)
@click.option(
    "--seal", metavar="NAME", help="Write one sealed text as an age file; show --json has its NAME."
)
@click.option(
    "-o",
    "output",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Write into a file; into a folder for several documents or an HTML site.",
)
@click.option("--open", "opens", is_flag=True, help="Open the file or folder of -o in your browser.")
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
    """Export commits and trajectories: HEAD by default; into a folder, everything reachable from HEAD.

    Sealed thinking stays sealed in every format. --seal writes one sealed text unchanged: git traj export
    --seal NAME | age -d -i KEY | gunzip.
    """
    for wrong, message, hint in (
        (form and seal, "choose --format or --seal", None),
        (everything and names, "--all cannot be combined with names", "use one of them"),
        (opens and not output, "--open needs -o PATH", "git traj show --open needs no PATH"),
    ):
        if wrong:
            raise UsageError(message, hint=hint)
    if not output:
        refuse_html(form)
    with find_drained() as repository:
        if seal:
            from gittraj.query.show.chapters import read_seal

            _put([read_seal(repository, seal)], output)
        elif not _export(repository, names, form, output, everything=everything, fetch=not no_fetch):
            return
    if output:
        say_written(output, show=opens)


@click.command("bundle")
@click.argument("names", nargs=-1, required=True, metavar="TASK|REV|TRAJECTORY...")
@click.option("-o", "output", type=click.Path(path_type=Path), required=True, metavar="FOLDER")
@click.pass_context
def bundle(ctx: click.Context, /, *, names: tuple[str, ...], output: Path) -> None:
    """Write everything about a task, commits or trajectories into a folder to read: for each trajectory a
    document, a summary, its chapters and the text files that it stored (artifacts), and one index of all. The
    same as export --format trajectory-bundle."""
    ctx.invoke(export, names=names, form="trajectory-bundle", output=output)


def _export(
    repository: Repository,
    names: Sequence[str],
    form: str | None,
    output: Path | None,
    *,
    everything: bool,
    fetch: bool,
) -> bool:
    """Export; returns whether there was anything to export."""
    from gittraj.query.show.selection import choose, gather

    form = form or _guess(output)
    # only a format with several files is written into a folder
    folder = output if output is not None and form in FOLDERS and _is_folder(output) else None
    all_commits = everything or (folder is not None and not names)
    chosen_names = None if all_commits else names or ["HEAD"]
    recorded = read_records(repository)
    read = partial(read_events, repository, command="export", fetch=fetch)
    if form in exchanges():
        exported = read(partial(gather, repository, recorded, chosen_names, runs=everything))
        is_written = _put_documents(exchanges()[form], exported, output)
    else:

        def write(segments: Segments) -> list[str | bytes] | None:
            return _write(choose(repository, recorded, chosen_names, segments, runs=everything), form, folder)

        fragments = read(write)
        is_written = fragments is not None
        if fragments is not None and folder is None:
            _put(fragments, output)
    if not is_written:
        from gittraj.cli.common.no_match import say_nothing_found

        say_nothing_found(repository, recorded, others="git traj export --all exports")
    return is_written


def _write(chosen: Chosen | None, form: str, folder: Path | None) -> list[str | bytes] | None:
    """Write into the folder, or return what is to be written into a file; None if nothing was chosen."""
    if not chosen:
        return None
    if folder is None:
        return [*load(FORMATS[form])(chosen)]
    with show_progress("commits") as progress:
        load(FOLDERS[form])(chosen, folder, progress=progress)
    return []


def _guess(output: Path | None) -> str:
    """The format that the output's name implies: HTML for a folder, Markdown for an unknown extension."""
    if output is None or not _is_folder(output):
        return {".html": "html", ".json": "json", ".csv": "csv"}.get(
            output.suffix if output else "", "markdown"
        )
    return "html"


def _is_folder(path: Path) -> bool:
    """Whether the path is a folder, or has no extension."""
    return path.is_dir() or not path.suffix


def _put(fragments: Iterable[str | bytes], output: Path | None) -> None:
    with click.open_file(str(output or "-"), "wb") as stream:
        stream.write(join(fragments))


def _put_documents(form: Exchange, exported: Exported, output: Path | None) -> bool:
    """Write one document to standard output or into the named file, several into a folder; returns False if
    there is nothing to write."""
    if not exported.trajectories:
        return False
    files = list(documents(form, exported))
    if not form.tree and len(files) == 1 and not (output and output.is_dir()):
        _put([files[0][1]], output)
        return True
    if output is None:
        raise UsageError(f"{len(files)} documents need a folder", hint="-o FOLDER names one")
    for name, body in files:
        path = output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        _put([body], path)
    return True
