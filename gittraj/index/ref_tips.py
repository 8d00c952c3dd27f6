"""Checks whether the text index is current with the refs. It must import little, because each query does
this."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gittraj.index import file, text

if TYPE_CHECKING:
    import sqlite3

    from gittraj.git import Repository

Refs = Mapping[str, str]
"""The refs that the text comes from, with their tips."""
RECORDS, EVENTS = "refs/notes/traj", "refs/notes/traj-data-"
"""``RECORDS_REF`` and ``DATA_PREFIX`` of ``gittraj.notes.store``."""
_CODE = ("index/text_fields.py", "index/text.py", "index/words.py")


def read_refs(repository: Repository) -> Refs:
    query = ("for-each-ref", "--format=%(refname) %(objectname)", RECORDS, f"{EVENTS}*")
    rows = (line.split() for line in repository.run(*query).text.splitlines())
    return dict(sorted((name, tip) for name, tip in rows))


def is_current(connection: sqlite3.Connection, refs: Refs) -> bool:
    """Whether the text index needs no update. ``went`` in ``meta``: deleted words are still in the file."""
    source = file.read_source(connection)
    known = source.get("refs") == json.dumps(refs) and source.get("made_by") == made_by()
    return known and "went" not in source and not text.count(connection)[1]


def made_by() -> str:
    """The version of the code that tokenizes. Words that other code made could not be deleted again."""
    package = Path(__file__).parent.parent
    return " ".join(file.read_stamp(package / name) or "" for name in _CODE)
