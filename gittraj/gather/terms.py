"""The words of texts as SQLite stems them: what every engine is asked for, so that all find the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

from gittraj.index.words import TOKENIZE, cut, names

_TABLES = f"""
CREATE VIRTUAL TABLE said USING fts5 (words, content='', tokenize='{TOKENIZE}');
CREATE VIRTUAL TABLE found USING fts5vocab (said, instance);
"""
_LONGEST = 64  # characters of a word: longer ones are no words


def stem_all(texts: Iterable[str]) -> Iterator[str]:
    """For each text its stems, sorted, each once, with a space around each."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_TABLES)
        rows = enumerate(map(_indexed, texts))
        connection.executemany("INSERT INTO said (rowid, words) VALUES (?, ?)", rows)
        by_text: dict[int, list[str]] = {}
        for doc, term in connection.execute("SELECT DISTINCT doc, term FROM found ORDER BY term"):
            by_text.setdefault(doc, []).append(term[:_LONGEST])
        (count,) = connection.execute("SELECT coalesce(max(id), -1) + 1 FROM said_docsize").fetchone()
    yield from (f" {' '.join(by_text.get(doc, ()))} " for doc in range(count))


def _indexed(text: str) -> str:
    words = cut(text)
    return "\n".join((words, *sorted(names([words]))))


def stem(words: Sequence[str]) -> list[list[str]]:
    """For each word, or phrase, its stems."""
    return [found.split() for found in stem_all(words)]
