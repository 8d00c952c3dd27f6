"""Imports session files by name, from a pipe, or from another tool's refs, and reports each session.

What other tools keep in refs is written to files for their formats' readers: git notes, and the agents' logs
that Entire keeps in a branch or in one ref each. It does not know any tool's notes
(``formats.base.notes_file`` does).
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
from gittraj.notes.tree import iter_notes
from gittraj.state.folder import LocalState


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipe:
    """The content of a pipe, and the name that the user gave it."""

    name: str
    content: IO[bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """``rows``: a JSON object for each imported session; ``failed``: for each failure ``path`` and ``why``;
    ``remark``: what the user has to know about how thinking was sealed."""

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
    with _as_files(repository, names, pipe) as (paths, missed):
        reports, refused = import_sessions(
            repository,
            live,
            list(paths),
            form=form,
            link=auto or any(map(CHECKPOINTS.fullmatch, names)),  # an agent's log proves its commits itself
            task=task,
            paused=paused,
            raw_too=raw,
            commit=commit,
            progress=progress,
        )
        named = {str(path.resolve()): name for path, name in paths.items()}
    rows = [row for report in reports for row in taken_to_json(report, named)]
    failed = missed
    failed += [{"path": named.get(str(Path(path).resolve()), path), "why": why} for path, why in refused]
    failed += [{"path": row["path"], "why": row["why"]} for row in rows if row["why"]]
    return Imported(
        rows=[row for row in rows if not row["why"]],
        failed=failed,
        remark=next((report.remark for report in reports if report.remark), None),
    )


def is_pipe(name: str) -> bool:
    """Whether a file can be read only once: a FIFO, ``/dev/stdin``, what ``<(command)`` expands to."""
    path = Path(name)
    return path.exists() and not path.is_file() and not path.is_dir()


def is_ref(name: str) -> bool:
    """Whether ``name`` is a ref, not a file."""
    return name.startswith("refs/") and not Path(name).exists()


@contextmanager
def _as_files(repository: Repository, names: Sequence[str], pipe: Pipe | None) -> Iterator[Placed]:
    """Copy pipes and refs to temporary files, since readers need a path; :meth:`LocalState.tidy` removes
    them if this process is killed."""
    refs = [name for name in names if is_ref(name)]
    paths = {Path(name): name for name in names if name not in refs and (pipe is None or name != pipe.name)}
    if pipe is None and not refs:
        yield paths, []
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that the folder is removed
    local = LocalState.of(repository)
    local.create()
    try:
        with TemporaryDirectory(prefix="import.", suffix=f".{os.getpid()}", dir=local.folder) as folder:
            missed: list[dict[str, str]] = []
            for number, ref in enumerate(refs):
                write = write_checkpoints if CHECKPOINTS.fullmatch(ref) else write_notes
                try:
                    written, why = write(repository, ref, Path(folder) / f"ref{number}")
                except TrajError as error:  # the others can still be imported
                    written, why = {}, f"{error.message} ({error.hint})"
                paths |= written
                missed += [{"path": ref, "why": why}] if why else []
            if pipe is not None:
                path = Path(folder) / "stdin"
                paths[path] = pipe.name
                pipe.content.seek(0)
                with path.open("wb") as stream:
                    shutil.copyfileobj(pipe.content, stream)
            yield paths, missed
    finally:
        with suppress(OSError):
            local.folder.rmdir()  # empty if it was created only for this, as git-traj is not installed


Placed = tuple[dict[Path, str], list[dict[str, str]]]
"""The files by path, with the names that the user gave; and the failures, as in ``Imported.failed``."""
CHECKPOINTS = re.compile(r"refs/(?:heads/|remotes/[^/]+/)?entire/checkpoints(?:/.+)?")
_LOG = re.compile(r"(?:[0-9a-f]{2}/[0-9a-f]{10}/)?(\d{1,4})/full\.jsonl")


def write_checkpoints(repository: Repository, ref: str, folder: Path) -> tuple[dict[Path, str], str]:
    """Write the logs below ``ref``, a branch or a prefix of refs, to files in ``folder``. Returns the paths,
    with git's names for them, and why some are left out. Raises TrajError if there are none, OSError.

    A checkpoint's folder has ``<n>/full.jsonl``, all of a session's log until then, and
    ``<n>/metadata.json``. Of each session the longest log is enough. What Entire says about who made a commit
    proves less than the log.
    """
    listed = repository.run("for-each-ref", "--format=%(refname)", ref).out.decode("utf-8", "replace")
    longest: dict[str, tuple[int, str, str]] = {}
    large = set()
    for name in listed.split():
        tree = repository.run("ls-tree", "-r", "-z", "-l", name).out.decode("utf-8", "replace")
        blobs = {
            path: meta.split() for meta, _, path in (row.partition("\t") for row in tree.split("\0")) if path
        }
        for path, meta in blobs.items():
            if not _LOG.fullmatch(path) or not meta[3].isdecimal():
                continue
            if int(meta[3]) > limits.OBJECT:
                large.add(f"{name}:{path}")
                continue
            about = blobs.get(f"{path.removesuffix('full.jsonl')}metadata.json")
            session = _session_of(repository, about) or f"{name}/{path}"
            here = (int(meta[3]), meta[2], f"{name}:{path}")
            longest[session] = max(longest.get(session, here), here)
    if not longest and not large:
        raise TrajError("no checkpoints of Entire here", "git fetch origin entire/checkpoints/v1")
    folder.mkdir()
    written = {folder / f"{n:06}.jsonl": found for n, found in enumerate(longest.values())}
    for log, (_, blob, _) in written.items():
        log.write_bytes(repository.objects.read_blob(blob))
    return {log: name for log, (_, _, name) in written.items()}, _say_large(sorted(large), limits.OBJECT)


def _say_large(names: Sequence[str], limit: int) -> str:
    """Say why ``names`` are left out; empty without any."""
    more = f" and {len(names) - 1} more" * (len(names) > 1)
    return f"{names[0]}{more}: not here, or larger than {limit >> 20} MB" if names else ""


def _session_of(repository: Repository, about: list[str] | None) -> str | None:
    """The session that a checkpoint's metadata names."""
    if about is None or not about[3].isdecimal() or int(about[3]) > limits.SETTINGS:
        return None
    try:
        named = json.loads(repository.objects.read_blob(about[2]))["session_id"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return named if isinstance(named, str) else None


def write_notes(repository: Repository, ref: str, path: Path) -> tuple[dict[Path, str], str]:
    """Write the notes of ``ref`` on commits that are here to ``path``, the oldest commit's first. Returns
    the same as ``write_checkpoints``. Raises TrajError if there is no such ref, OSError."""
    objects = repository.objects
    tip = objects.resolve(ref)
    if tip is None:
        raise TrajError("no such ref here", "git for-each-ref refs/notes shows those that are")
    blobs: dict[str, list[str]] = {}
    for commit, blob in iter_notes(objects, objects.commit(tip).tree):
        blobs.setdefault(commit, []).append(blob)
    here = [commit for commit in blobs if objects.kind(commit) == "commit"]
    asked = "".join(f"{commit}\n" for commit in here).encode()
    sort = ("rev-list", "--topo-order", "--reverse", "--timestamp", "--stdin")
    listed = repository.run(*sort, input=asked).text.split("\n") if here else []
    left: list[str] = []
    with path.open("w", encoding="utf-8") as stream:
        for line in listed:
            time, _, commit = line.partition(" ")
            bodies = [*objects.read_blobs(blobs.get(commit, ()), limits.FOREIGN_NOTE)]
            if None in bodies:
                left.append(f"the note of {commit[:12]}")
            elif bodies:
                text = b"\n".join(filter(None, bodies)).decode("utf-8", "replace")
                row = {"commit": commit, "time": int(time), "note": text}
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
    return {path: ref}, _say_large(left, limits.FOREIGN_NOTE)
