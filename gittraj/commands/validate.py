"""Checks a document, or a ref of git-traj, against the schema of its format. Nothing is written.

The formats with a published schema are ATIF, agent-trajectories, agent-trace, and git-traj's own records and
segments (docs/format.md). Every difference from the schema is a fault, even if a reader would tolerate it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from gittraj.errors import FormatError, TrajError
from gittraj.formats.agent_trace.write import record_faults
from gittraj.formats.agent_trajectories.schema import document_faults as trajectory_faults
from gittraj.formats.atif.read import is_trajectory
from gittraj.formats.atif.schema import document_faults as atif_faults
from gittraj.formats.base import coerce, document, lines
from gittraj.git import Repository
from gittraj.model.codec import decode_note, decode_segment
from gittraj.model.values import ForeignLine
from gittraj.notes.store import DataRefs, NotesRef

Faults = Iterator[tuple[str, str]]
"""Where in the document each fault is, and what is wrong."""
MOST = 1_000
"""The maximum number of faults that are listed."""
_DATA = re.compile(r"(.*traj-data-)(\d{4}-\d{2})")


def validate(repository: Repository | None, name: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the format of a file, or of a ref of ``repository``, and its faults. Raises TrajError if there
    is no such file or ref, or its format has no schema."""
    path = Path(name)
    if path.is_file():
        form, faults = _of_file(path)
    elif repository is not None and name.startswith("refs/") and repository.objects.resolve(name):
        form, faults = _of_ref(repository, name)
    else:
        raise TrajError(
            f"'{name}' is neither a file nor a ref here", "git for-each-ref refs/notes lists refs"
        )
    return form, list(islice(faults, MOST))


def _of_file(path: Path) -> tuple[str, Faults]:
    with path.open("rb") as stream:
        value, damage = document.load(stream)
    rows = [value] if damage is None else list(_rows(path))
    if any(map(_is_record, rows)):  # checked before agent-trace: a record may have "files", too
        return "records", _of_note(path.read_bytes(), "")
    if damage is None and isinstance(value, dict):
        if is_trajectory(value):
            return str(value.get("schema_version")), atif_faults(value)
        if "chapters" in value or str(value.get("id", "")).startswith("traj_"):
            return "agent-trajectories", trajectory_faults(value)
    if rows and all(map(_is_trace, rows)):
        return "agent-trace", _numbered(rows)
    raise TrajError(f"{path}: not in a format with a published schema", "git traj import may still read it")


def _is_record(row: Any) -> bool:
    return coerce.mapping(row).keys() >= {"id", "v"}


def _is_trace(row: Any) -> bool:
    return not coerce.mapping(row).keys().isdisjoint({"vcs", "files"})


def _rows(path: Path) -> Iterator[Any]:
    for line in path.read_bytes().splitlines():
        if line.strip():
            try:
                yield lines.decode(line.decode("utf-8", "replace"))
            except (ValueError, RecursionError):
                yield None


def _numbered(rows: list[Any]) -> Faults:
    for number, row in enumerate(rows, 1):
        yield from ((f"line {number}: {path}", why) for path, why in record_faults(row))


def _of_ref(repository: Repository, ref: str) -> tuple[str, Faults]:
    if data := _DATA.fullmatch(ref):
        return "segments", _of_segments(DataRefs(repository, data[1]), data[2])
    return "records", _of_notes(NotesRef(repository, ref))


def _of_notes(notes: NotesRef) -> Faults:
    over: list[str] = []
    for commit, body in notes.items(over=over):
        yield from _of_note(body, f"{commit[:12]} ")
    yield from ((commit[:12], "too large to be read") for commit in over)


def _of_note(body: bytes, prefix: str) -> Faults:
    for number, line in enumerate(decode_note(body), 1):
        if isinstance(line, ForeignLine):
            yield f"{prefix}line {number}", "written by a newer version" if line.newer else line.why


def _of_segments(data: DataRefs, month: str) -> Faults:
    for path, _ in data.blobs(month):
        body = data.read(month, path)
        if body is None:
            yield path, "not here, or too large"
            continue
        try:
            decode_segment(body, path)
        except FormatError as error:
            yield path, error.message
