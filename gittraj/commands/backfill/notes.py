"""Writes other tools' git notes to a file for a format's reader.

It does not know any tool's format (``formats.base.notes_file`` does), and changes nothing.
"""

from __future__ import annotations

import json
from pathlib import Path

from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.notes.store import NotesRef


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
