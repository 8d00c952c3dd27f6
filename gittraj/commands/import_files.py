"""Imports session files by name, from a pipe, or from another tool's refs, and reports each session.

Data that other tools keep in refs is written to files for the readers of their formats: git notes, and the
agents' logs that Entire keeps in a branch or in one ref each. ``formats.base.notes_file`` reads the notes.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from gittraj import limits
from gittraj.commands.backfill.digest_logs import Progress
from gittraj.commands.backfill.importer import import_files as import_sessions
from gittraj.commands.backfill.report import Report, taken_to_json
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
    """The result of an import. ``rows`` has a JSON object for each imported session, ``failed`` the ``path``
    and ``why`` of each failure; ``remark`` is a message for the user on how thinking was sealed."""

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
    """Import the files ``names`` and the content of ``pipe`` onto the commit ``rev``, or with ``auto`` onto
    the commits that the sessions made. ``raw``: a file that no format reads is stored as it is; ``live`` is
    the environment; the other options are those of ``importer.import_files``. Raises TrajError."""
    commit = find_commit(repository, rev) if rev else None
    with _as_files(repository, names, pipe) as (paths, failed):
        reports, refused = import_sessions(
            repository,
            live,
            list(paths),
            form=form,
            link=auto
            or any(map(CHECKPOINTS.fullmatch, names)),  # the agent's log proves which commits it made
            task=task,
            paused=paused,
            raw_too=raw,
            commit=commit,
            progress=progress,
        )
        original = {str(path.resolve()): name for path, name in paths.items()}
    failed += [{"path": original.get(str(Path(path).resolve()), path), "why": why} for path, why in refused]
    return _collect(reports, original, failed)


def _collect(reports: Sequence[Report], names: Mapping[str, str], failed: list[dict[str, str]]) -> Imported:
    """Return the reports' rows as one result. ``names`` are the files' original names, by path; ``failed``
    are the failures that are in no report."""
    rows = [row for report in reports for row in taken_to_json(report, names)]
    return Imported(
        rows=[row for row in rows if not row["why"]],
        failed=[*failed, *({"path": row["path"], "why": row["why"]} for row in rows if row["why"])],
        remark=next((report.remark for report in reports if report.remark), None),
    )


def is_pipe(name: str) -> bool:
    """Return whether a file can be read only once: a FIFO, ``/dev/stdin``, or a shell's ``<(command)``."""
    path = Path(name)
    return path.exists() and not path.is_file() and not path.is_dir()


def is_ref(name: str) -> bool:
    """Return whether ``name`` is a ref, not a file."""
    return name.startswith("refs/") and not Path(name).exists()


@contextmanager
def _as_files(repository: Repository, names: Sequence[str], pipe: Pipe | None) -> Iterator[Files]:
    """Copy pipes and refs to temporary files, since readers need a path. If this process is killed,
    :meth:`LocalState.tidy` removes the files."""
    refs = [name for name in names if is_ref(name)]
    paths = {Path(name): name for name in names if name not in refs and (pipe is None or name != pipe.name)}
    if pipe is None and not refs:
        yield paths, []
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that the folder is removed
    local = LocalState.of(repository)
    local.create()
    try:
        with local.scratch() as folder:
            written, failed = _write_refs(repository, refs, Path(folder))
            paths |= written
            if pipe is not None:
                path = Path(folder) / "stdin"
                paths[path] = pipe.name
                pipe.content.seek(0)
                with path.open("wb") as stream:
                    shutil.copyfileobj(pipe.content, stream)
            yield paths, failed
    finally:
        with suppress(OSError):
            local.folder.rmdir()  # empty if it was created only for this, as git-traj is not installed


Files = tuple[dict[Path, str], list[dict[str, str]]]
"""The paths of the files, with the names that the user gave; and the failures, as in ``Imported.failed``."""


def _write_refs(repository: Repository, refs: Sequence[str], folder: Path) -> Files:
    files: dict[Path, str] = {}
    failed: list[dict[str, str]] = []
    for number, ref in enumerate(refs):
        write = write_checkpoints if CHECKPOINTS.fullmatch(ref) else write_notes
        try:
            written, why = write(repository, ref, folder / f"ref{number}")
        except TrajError as error:  # the others can still be imported
            written, why = {}, f"{error.message} ({error.hint})"
        files |= written
        failed += [{"path": ref, "why": why}] if why else []
    return files, failed


CHECKPOINTS = re.compile(r"refs/(?:heads/|remotes/[^/]+/)?entire/checkpoints(?:/.+)?")
_LOG = re.compile(r"(?:[0-9a-f]{2}/[0-9a-f]{10}/)?(\d{1,4})/full\.jsonl")


def write_checkpoints(repository: Repository, ref: str, folder: Path) -> tuple[dict[Path, str], str]:
    """Write the logs below ``ref``, a branch or a prefix of refs, to files in ``folder``. Return the paths of
    the files, with git's names for the logs, and why some logs are left out. Raises OSError, and TrajError if
    there are no logs.

    A checkpoint's folder contains ``<n>/full.jsonl``, a session's log up to the checkpoint, and
    ``<n>/metadata.json``. The longest log of each session is enough. Entire's own data about who made a
    commit is not read, because it proves less than the log.
    """
    longest, large = _find_longest(repository, ref)
    if not longest and not large:
        raise TrajError("no checkpoints of Entire here", "git fetch origin entire/checkpoints/v1")
    folder.mkdir()
    files: dict[Path, str] = {}
    for number, (_, blob, name) in enumerate(longest.values()):
        path = folder / f"{number:06}.jsonl"
        path.write_bytes(repository.objects.read_blob(blob))
        files[path] = name
    return files, _explain_large(sorted(large), limits.OBJECT)


def _find_longest(repository: Repository, ref: str) -> tuple[dict[str, tuple[int, str, str]], set[str]]:
    """Return size, blob and name of each session's longest log, and the names of logs that are too large."""
    listed = repository.run("for-each-ref", "--format=%(refname)", ref).out.decode("utf-8", "replace")
    longest: dict[str, tuple[int, str, str]] = {}
    large = set()
    for name in listed.split():
        blobs = _list_blobs(repository, name)
        for path, (_, _, blob, size) in blobs.items():
            if not _LOG.fullmatch(path) or not size.isdecimal():
                continue
            if int(size) > limits.OBJECT:
                large.add(f"{name}:{path}")
                continue
            metadata = blobs.get(f"{path.removesuffix('full.jsonl')}metadata.json")
            session = _session_of(repository, metadata) or f"{name}/{path}"
            log = (int(size), blob, f"{name}:{path}")
            longest[session] = max(longest.get(session, log), log)
    return longest, large


def _list_blobs(repository: Repository, ref: str) -> dict[str, list[str]]:
    """Return the mode, kind, id and size of each blob in a commit, by path."""
    tree = repository.run("ls-tree", "-r", "-z", "-l", ref).out.decode("utf-8", "replace")
    rows = (row.partition("\t") for row in tree.split("\0"))
    return {path: columns.split() for columns, _, path in rows if path}


def _explain_large(names: Sequence[str], limit: int) -> str:
    """Return why ``names`` are left out; an empty text if there are no names."""
    more = f" and {len(names) - 1} more" * (len(names) > 1)
    return f"{names[0]}{more}: not here, or larger than {limit >> 20} MB" if names else ""


def _session_of(repository: Repository, metadata: list[str] | None) -> str | None:
    """Return the session that a checkpoint's metadata names. ``metadata`` is its row of ``_list_blobs``."""
    if metadata is None or not metadata[3].isdecimal() or int(metadata[3]) > limits.SETTINGS:
        return None
    try:
        session = json.loads(repository.objects.read_blob(metadata[2]))["session_id"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return session if isinstance(session, str) else None


def write_notes(repository: Repository, ref: str, path: Path) -> tuple[dict[Path, str], str]:
    """Write the notes of ``ref`` on existing commits to ``path``, the oldest commit's first. Return the same
    as ``write_checkpoints``. Raises OSError, and TrajError if there is no such ref."""
    objects = repository.objects
    tip = objects.resolve(ref)
    if tip is None:
        raise TrajError("no such ref here", "git for-each-ref refs/notes shows those that are")
    blobs: dict[str, list[str]] = {}
    for commit, blob in iter_notes(objects, objects.commit(tip).tree):
        blobs.setdefault(commit, []).append(blob)
    commits = [commit for commit in blobs if objects.kind(commit) == "commit"]
    text = "".join(f"{commit}\n" for commit in commits).encode()
    sort = ("rev-list", "--topo-order", "--reverse", "--timestamp", "--stdin")
    listed = repository.run(*sort, input=text).text.split("\n") if commits else []
    large: list[str] = []
    with path.open("w", encoding="utf-8") as stream:
        for line in listed:
            time, _, commit = line.partition(" ")
            bodies = [*objects.read_blobs(blobs.get(commit, ()), limits.FOREIGN_NOTE)]
            if None in bodies:
                large.append(f"the note of {commit[:12]}")
            elif bodies:
                body = b"\n".join(filter(None, bodies)).decode("utf-8", "replace")
                row = {"commit": commit, "time": int(time), "note": body}
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
    return {path: ref}, _explain_large(large, limits.FOREIGN_NOTE)
