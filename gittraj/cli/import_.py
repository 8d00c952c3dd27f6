"""``git traj import``."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, TYPE_CHECKING, Any

import click

from gittraj.cli.commands import COMMANDS
from gittraj.cli.progress import show_progress
from gittraj.cli.repository import drain_first, environment, find_repository, say_remark
from gittraj.errors import TrajError

if TYPE_CHECKING:
    from gittraj.git import Repository

_PIPE = "-"
_EACH_NAMED = 8
"""Sessions of one file that each get a line."""


@click.command("import", short_help=COMMANDS["by hand"]["import"])
@click.argument("files", nargs=-1, required=True, metavar="FILE…|-")
@click.option("--format", "form", metavar="NAME", help="Instead of what the content says.")
@click.option("--commit", "rev", metavar="REV", help="Put all of it onto this commit.")
@click.option("--auto", is_flag=True, help="Link it to the commits that it made, by evidence.")
@click.option("--task", metavar="SYSTEM:ID", help="The task that it worked on.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def command(files: tuple[str, ...], *, as_json: bool, **given: Any) -> int:
    """Take in session files of any known agent, or one from a pipe, or what another tool left in notes
    (refs/notes/agentnote, refs/notes/ai), which goes to the commits that those stand on.

    Without --commit or --auto a session stands where it started, as work that led to no commit (git traj
    log --all shows it). Safe to repeat: a longer version of a session only adds. From a pipe nothing fails
    the run that feeds it: what could not be imported is said, and the status is 0.
    """
    if given["rev"] and given["auto"]:
        raise click.UsageError("--commit and --auto exclude each other")
    if given["task"] and not all(given["task"].partition(":")):
        raise click.UsageError(f"--task {given['task']}: a task is named SYSTEM:ID")
    if given["rev"] and any(map(_is_ref, files)):
        raise click.UsageError("--commit: notes go to the commits that they stand on")
    piped = _PIPE in files
    try:
        with TemporaryFile() as raw:  # it has no name: whatever ends this run, nothing of it stays
            pipes = [name for name in files if name == _PIPE or _is_pipe(name)]
            if len(pipes) > 1:
                raise click.UsageError(f"{' and '.join(pipes)} are pipes; one at a time")
            for name in pipes:
                with sys.stdin.buffer if name == _PIPE else Path(name).open("rb") as stream:
                    shutil.copyfileobj(stream, raw)
            rows, failed = _import(files, raw, pipe=next(iter(pipes), None), **given)
    except (TrajError, OSError) as error:
        if not piped:
            raise
        why = error.message if isinstance(error, TrajError) else str(error)
        rows, failed = [], [{"path": _PIPE, "why": why}]
    if as_json:
        click.echo(json.dumps({"version": 1, "imported": rows, "failed": failed}))
    for line in _lines(rows) if not as_json else ():
        click.echo(line)
    for each in failed:
        sys.stderr.write(f"{'git-traj' if piped else 'error'}: {each['path']}: not imported: {each['why']}\n")
    return int(bool(failed) and not piped)


def _is_pipe(name: str) -> bool:
    """Whether a file can be read only once: a FIFO, ``/dev/stdin``, what ``<(command)`` stands for."""
    path = Path(name)
    return path.exists() and not path.is_file() and not path.is_dir()


def _is_ref(name: str) -> bool:
    return name.startswith("refs/") and not Path(name).exists()


@contextmanager
def _named(
    repository: Repository, files: tuple[str, ...], raw: IO[bytes], pipe: str | None
) -> Iterator[dict[Path, str]]:
    """The files by path, with what they are called. What came through a pipe, or stands in notes, gets a
    name, which readers need, for as long as it is read; :meth:`LocalState.tidy` removes it should this
    process be killed."""
    refs = [name for name in files if _is_ref(name)]
    if pipe is None and not refs:
        yield {Path(name): name for name in files}
        return
    from gittraj.commands.backfill.notes import write_notes
    from gittraj.state.folder import LocalState

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # it would leave the folder
    local = LocalState.of(repository)
    local.create()
    try:
        with TemporaryDirectory(prefix="import.", suffix=f".{os.getpid()}", dir=local.folder) as folder:
            path = Path(folder) / "stdin"
            raw.seek(0)
            with path.open("wb") as stream:
                shutil.copyfileobj(raw, stream)
            placed = {pipe: path} | {ref: Path(folder) / f"notes{at}" for at, ref in enumerate(refs)}
            for ref in refs:
                write_notes(repository, ref, placed[ref])
            yield {placed.get(name, Path(name)): name for name in files}
    finally:
        with suppress(OSError):
            local.folder.rmdir()  # it was made for this alone, where git-traj is switched off


def _import(
    files: tuple[str, ...],
    raw: IO[bytes],
    *,
    pipe: str | None,
    form: str | None,
    rev: str | None,
    auto: bool,
    task: str | None,
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    from gittraj.commands.backfill import import_files
    from gittraj.commands.link import find_commit
    from gittraj.render.text.backfill import taken_to_json

    given: dict[str, Any] = {"form": form, "link": auto, "task": task}
    with find_repository() as repository, show_progress() as progress:
        drain_first(repository)
        given["commit"] = find_commit(repository, rev) if rev else None
        with _named(repository, files, raw, pipe) as paths:
            reports, refused = import_files(
                repository, environment(), list(paths), progress=progress, **given
            )
            say_remark(next((report.remark for report in reports if report.remark), None))
            names = {str(path.resolve()): name for path, name in paths.items()}
    rows = [row for report in reports for row in taken_to_json(report, names)]
    failed = [{"path": names.get(str(Path(r.path).resolve()), r.path), "why": r.why} for r in refused]
    failed += [{"path": row["path"], "why": row["why"]} for row in rows if row["why"]]
    return [row for row in rows if not row["why"]], failed


def _lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    """One line a session; of a store with many sessions one line for all."""
    by_path: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_path.setdefault(row["path"], []).append(row)
    for path, found in by_path.items():
        if len(found) <= _EACH_NAMED:
            yield from (f"{path}: {row['trajectory']}, {_told(row)}" for row in found)
            continue
        parts = sum(row["parts"] for row in found)
        commits = {each["commit"] for row in found for each in row["commits"]}
        where = f"on {_count(len(commits), 'commit')}" if commits else "none made a commit here"
        told = f"{_count(parts, 'new part')}; {where}"
        yield f"{path}: {len(found)} sessions, {told}"


def _told(row: dict[str, Any]) -> str:
    where = ", ".join(f"{each['commit'][:12]} ({each['evidence']})" for each in row["commits"])
    if not where and row["explored"]:
        where = f"{row['explored'][0][:12]} (explored)"
    if not where:
        where = "no commit: it waits for the first one here"
    damage = f"; {_count(row['damage'], 'damaged place')} left out" if row["damage"] else ""
    return f"{_count(row['parts'], 'new part')}; on {where}{damage}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
