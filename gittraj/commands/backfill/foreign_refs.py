"""Writes what other tools keep in refs to files for their formats' readers: git notes, and the agents' logs
of Entire, in its branch or in one ref each.

It does not know any tool's notes (``formats.base.notes_file`` does), and changes nothing.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from gittraj import limits
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.notes.store import NotesRef

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
            session = _session(repository, about) or f"{name}/{path}"
            longest[session] = max(longest.get(session, (0, "")), (int(meta[3]), meta[2]))
    if not longest:
        raise TrajError(f"{ref}: no checkpoints of Entire here", "git fetch origin entire/checkpoints/v1")
    folder.mkdir()
    for number, (_, blob) in enumerate(longest.values()):
        (folder / f"{number:06}.jsonl").write_bytes(repository.objects.read_blob(blob))


def _session(repository: Repository, about: list[str] | None) -> str | None:
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
