"""Imports session files by name, from a pipe, or from another tool's refs, and reports each session.

What other tools keep in refs is written to files for their formats' readers: git notes, and the agents' logs
of Entire, in its branch or in one ref each. It does not know any tool's notes (``formats.base.notes_file``
does).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from gittraj import limits
from gittraj.commands.backfill.digest_logs import Progress
from gittraj.commands.backfill.importer import import_files as import_sessions
from gittraj.commands.backfill.report import taken_to_json
from gittraj.commands.link import find_commit
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.notes.store import NotesRef
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


CHECKPOINTS = re.compile(r"refs/(?:heads/|remotes/[^/]+/)?entire/checkpoints(?:/.+)?")
_LOG = re.compile(r"(?:[0-9a-f]{2}/[0-9a-f]{10}/)?(\d{1,4})/full\.jsonl")


def write_checkpoints(repository: Repository, ref: str, folder: Path) -> None:
    """Write the logs below ``ref``, a branch or the beginning of refs, into ``folder``. Raises TrajError
    where there is none, OSError.

    A checkpoint's folder has ``<n>/full.jsonl``, all of a session's log until then, and
    ``<n>/metadata.json``. Of each session the longest log is enough. What Entire says of whose a commit is
    proves less than the log.
    """
    listed = repository.run("for-each-ref", "--format=%(refname)", ref).out.decode("utf-8", "replace")
    longest: dict[str, tuple[int, str]] = {}
    for name in listed.split():
        tree = repository.run("ls-tree", "-r", "-z", "-l", name).out.decode("utf-8", "replace")
        blobs = {
            path: meta.split() for meta, _, path in (row.partition("\t") for row in tree.split("\0")) if path
        }
        for path, meta in blobs.items():
            if not _LOG.fullmatch(path) or not meta[3].isdecimal() or int(meta[3]) > limits.OBJECT:
                continue
            about = blobs.get(f"{path.removesuffix('full.jsonl')}metadata.json")
            session = _session_of(repository, about) or f"{name}/{path}"
            longest[session] = max(longest.get(session, (0, "")), (int(meta[3]), meta[2]))
    if not longest:
        raise TrajError(f"{ref}: no checkpoints of Entire here", "git fetch origin entire/checkpoints/v1")
    folder.mkdir()
    for number, (_, blob) in enumerate(longest.values()):
        (folder / f"{number:06}.jsonl").write_bytes(repository.objects.read_blob(blob))


def _session_of(repository: Repository, about: list[str] | None) -> str | None:
    """The session that a checkpoint's metadata names."""
    if about is None or not about[3].isdecimal() or int(about[3]) > limits.SETTINGS:
        return None
    try:
        named = json.loads(repository.objects.read_blob(about[2]))["session_id"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return named if isinstance(named, str) else None


def write_notes(repository: Repository, ref: str, path: Path) -> None:
    """Write the notes of ``ref`` on commits that are here, the oldest commit's first. Raises TrajError where
    there is no such ref, OSError."""
    notes = NotesRef(repository, ref)
    if notes.tip() is None:
        raise TrajError(f"{ref}: no such ref here", "git for-each-ref refs/notes shows those that are")
    bodies = dict(notes.items())
    here = [commit for commit in bodies if repository.objects.kind(commit) == "commit"]
    asked = "".join(f"{commit}\n" for commit in here).encode()
    sort = ("rev-list", "--topo-order", "--reverse", "--timestamp", "--stdin")
    listed = repository.run(*sort, input=asked).out.decode().split("\n") if here else []
    with path.open("w", encoding="utf-8") as stream:
        for line in listed:
            time, _, commit = line.partition(" ")
            if commit in bodies:
                text = bodies[commit].decode("utf-8", "replace")
                stream.write(json.dumps({"commit": commit, "time": int(time), "note": text}) + "\n")
