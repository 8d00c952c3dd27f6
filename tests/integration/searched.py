"""Reads the files of the full-text index directly: its texts are compressed, its words stemmed."""

from __future__ import annotations

import json
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

from gittraj.index.schema import FOLDER
from gittraj.index.text import TEXTS


def place(common_dir: Path) -> Path:
    return common_dir / FOLDER / TEXTS.name


def indexed(common_dir: Path) -> str:
    """Every text and every word in the index; empty if there is no index."""
    if not place(common_dir).exists():
        return ""
    with closing(sqlite3.connect(place(common_dir))) as connection:
        connection.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, words, row)")
        words = [term for (term,) in connection.execute("SELECT term FROM temp.terms")]
        rows = connection.execute("SELECT said, about FROM parts").fetchall()
        leaves = connection.execute("SELECT block FROM words_data").fetchall()
    texts = [text for said, _ in rows for _, _, text, *_ in json.loads(zlib.decompress(said))]
    raw = [leaf.decode("latin-1") for (leaf,) in leaves]  # also removed words, which stay until SQLite merges
    return "\n".join((*words, *texts, *raw, *(about for _, about in rows)))
