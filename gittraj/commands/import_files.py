"""Imports session files by name, from a pipe, or from another tool's notes ref, and reports each session."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from gittraj.commands.backfill import Progress, taken_to_json
from gittraj.commands.backfill import import_files as import_sessions
from gittraj.commands.backfill.foreign_refs import CHECKPOINTS, write_checkpoints, write_notes
from gittraj.commands.link import find_commit
from gittraj.git import Repository
from gittraj.state.folder import LocalState


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipe:
    """What was read from a pipe, and the name that the user gave it."""

    name: str
    content: IO[bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """``rows``: a JSON object for each imported session; ``failed``: for each failure ``path`` and ``why``;
    ``remark``: what the user has to know of how thinking was sealed."""

    rows: Sequence[dict[str, Any]]
    failed: Sequence[dict[str, str]]
    remark: str | None = None


def import_files(
    repository: Repository,
    names: Sequence[str],
    *,
    pipe: Pipe | None,
    form: str | None,
    rev: str | None,
    auto: bool,
    task: str | None,
    paused: bool,
    raw: bool = False,
    live: Mapping[str, str],
    progress: Progress,
) -> Imported:
    """Import the files onto the commit ``rev``, or (``auto``) the commits they made. Raises TrajError."""
    commit = find_commit(repository, rev) if rev else None
    with _as_files(repository, names, pipe) as paths:
        reports, refused = import_sessions(
            repository,
            live,
            list(paths),
            form=form,
            link=auto,
            task=task,
            paused=paused,
            raw_too=raw,
            commit=commit,
            progress=progress,
        )
        named = {str(path.resolve()): name for path, name in paths.items()}
    rows = [row for report in reports for row in taken_to_json(report, named)]
    failed = [{"path": named.get(str(Path(r.path).resolve()), r.path), "why": r.why} for r in refused]
    failed += [{"path": row["path"], "why": row["why"]} for row in rows if row["why"]]
    return Imported(
        rows=[row for row in rows if not row["why"]],
        failed=failed,
        remark=next((report.remark for report in reports if report.remark), None),
    )


def is_pipe(name: str) -> bool:
    """Whether a file can be read only once: a FIFO, ``/dev/stdin``, what ``<(command)`` stands for."""
    path = Path(name)
    return path.exists() and not path.is_file() and not path.is_dir()


def is_ref(name: str) -> bool:
    """Whether ``name`` is a ref, not a file."""
    return name.startswith("refs/") and not Path(name).exists()


@contextmanager
def _as_files(repository: Repository, names: Sequence[str], pipe: Pipe | None) -> Iterator[dict[Path, str]]:
    """The files by path, with the names that the user gave. Pipes and refs become temporary files,
    since readers need a path; :meth:`LocalState.tidy` removes them if this process is killed."""
    refs = [name for name in names if is_ref(name)]
    if pipe is None and not refs:
        yield {Path(name): name for name in names}
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # it would leave the folder
    local = LocalState.of(repository)
    local.create()
    try:
        with TemporaryDirectory(prefix="import.", suffix=f".{os.getpid()}", dir=local.folder) as folder:
            placed = {ref: Path(folder) / f"notes{number}" for number, ref in enumerate(refs)}
            for ref, path in placed.items():
                write = write_checkpoints if CHECKPOINTS.fullmatch(ref) else write_notes
                write(repository, ref, path)
            if pipe is not None:
                placed[pipe.name] = Path(folder) / "stdin"
                pipe.content.seek(0)
                with placed[pipe.name].open("wb") as stream:
                    shutil.copyfileobj(pipe.content, stream)
            yield {placed.get(name, Path(name)): name for name in names}
    finally:
        with suppress(OSError):
            local.folder.rmdir()  # it was made for this alone, where git-traj is switched off
