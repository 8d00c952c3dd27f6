"""The tables for listings; those for search are in ``text``. An index that was written with another
``NUMBER`` is dropped and built again, never migrated.

Paths are bytes, as git has them. Commits have numbers, and a parent's is lower than its children's.

- ``large`` has the commits whose notes are too large to be read.
- ``tips`` has, for each commit that was queried, all commits that it reaches: see ``reach``.
- ``headers``: ``tallies`` comes before the other columns, because it is read alone, for all commits, and
  later columns may be on other pages of the database. ``page`` and ``small`` are the cached text, in full and
  on one line. For a note of runs (``notes.run_keys``), ``small`` is null; ``page`` is empty if the rows of
  all its runs are in ``runs``, else null. These rows are deleted with the row of the note.

The tables ``tips`` and ``headers`` have row ids: without them SQLite would read a whole row, a megabyte for a
tip, to compare its key.
"""

from __future__ import annotations

FOLDER = "traj-index"
"""The folder of all databases, in the common git directory."""
NUMBER = 11

TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;

CREATE TABLE commits (n INTEGER PRIMARY KEY, oid BLOB NOT NULL UNIQUE, time INTEGER NOT NULL);
CREATE TABLE paths (p INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE);
CREATE TABLE touched (p INTEGER, n INTEGER, PRIMARY KEY (p, n)) WITHOUT ROWID;
CREATE TABLE renames (new INTEGER, n INTEGER, parent INTEGER, old INTEGER, PRIMARY KEY (new, n, parent))
    WITHOUT ROWID;
CREATE TABLE tips (
    oid BLOB PRIMARY KEY, heights BLOB, numbers BLOB, links BLOB, more BLOB, joints BLOB, used INTEGER
);

CREATE TABLE notes (oid BLOB PRIMARY KEY, explored INTEGER NOT NULL, plain INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE large (oid BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE carries (trajectory TEXT, oid BLOB, PRIMARY KEY (trajectory, oid)) WITHOUT ROWID;
CREATE INDEX carried ON carries (oid);
CREATE TABLE headers (
    oid BLOB PRIMARY KEY, tallies TEXT NOT NULL, headers TEXT NOT NULL, page TEXT, small TEXT
);
CREATE TABLE runs (
    started TEXT NOT NULL, id TEXT NOT NULL, place BLOB NOT NULL REFERENCES headers ON DELETE CASCADE,
    row TEXT NOT NULL
);
CREATE INDEX newest ON runs (started, id);
CREATE INDEX placed ON runs (place);
"""
