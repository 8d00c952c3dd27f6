"""The stems of texts, made by SQLite: every engine searches for them, so that all find the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing

from gittraj.index.words import TOKENIZE, cut, names

_TABLES = f"""
CREATE VIRTUAL TABLE said USING fts5 (words, content='', tokenize='{TOKENIZE}');
CREATE VIRTUAL TABLE found USING fts5vocab (said, instance);
"""
BETWEEN = "\n\u2029"
"""Separates the texts of one kind."""
_LONGEST = 64  # characters of a stem: longer strings are not words


def stem_all(texts: Iterable[str]) -> Iterator[str]:
    """Yield for each text its stems, sorted, a space around each; compound identifiers also as a whole."""
    return (f" {' '.join(found)} " for found in _stem(map(_indexed, texts)))


def unite(found: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return each kind once, with the stems of all its texts in the form of ``stem_all``; ``found`` has pairs
    of a text's kind and its stems."""
    kinds: dict[str, set[str]] = {}
    for kind, stems in found:
        kinds.setdefault(kind, set()).update(stems.split())
    return [(kind, f" {' '.join(sorted(words))} ") for kind, words in sorted(kinds.items())]


def stem(terms: Iterable[str]) -> list[list[str]]:
    """The stems of each word or phrase of a query, which ``index.words.cut`` has cut."""
    return list(_stem(terms))


def _stem(texts: Iterable[str]) -> Iterator[list[str]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_TABLES)
        connection.executemany("INSERT INTO said (rowid, words) VALUES (?, ?)", enumerate(texts))
        found: dict[int, list[str]] = {}
        for doc, term in connection.execute("SELECT DISTINCT doc, term FROM found ORDER BY term"):
            found.setdefault(doc, []).append(term[:_LONGEST])
        (count,) = connection.execute("SELECT coalesce(max(id), -1) + 1 FROM said_docsize").fetchone()
    yield from (found.get(doc, []) for doc in range(count))


def _indexed(text: str) -> str:
    words = cut(text)
    return "\n".join((words, *sorted(names([words]))))
