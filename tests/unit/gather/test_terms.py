"""Stems are the same as those of the index, whatever the text."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from hypothesis import given
from hypothesis import strategies as st

from gittraj.gather.terms import stem, stem_all, unite
from gittraj.index.language import quote
from gittraj.index.words import TOKENIZE, cut


def test_words_are_stemmed_and_identifiers_are_kept_whole() -> None:
    assert list(stem_all(["Limiting rateLimit, limits; naïve", "", "…"])) == [
        " limit naiv rate ratelimit ",
        "  ",
        "  ",
    ]
    assert stem([cut("rateLimits"), ""]) == [["limit", "rate"], []]


def test_the_stems_of_all_texts_of_a_kind_are_united_in_one_text() -> None:
    texts = [("doubt", "Limits of it"), ("file", "src/b.py"), ("doubt", "no limit"), ("file", "…")]
    stems = [(kind, stems) for (kind, _), stems in zip(texts, stem_all(t for _, t in texts), strict=True)]
    assert unite(stems) == [("doubt", " it limit no of "), ("file", " b py src ")]


@given(st.text(max_size=40), st.text(alphabet="abcXY é_漢-", min_size=1, max_size=9))
def test_a_text_that_the_index_finds_has_the_words_stems(before: str, word: str) -> None:
    text = f"{before} {word}"
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE VIRTUAL TABLE t USING fts5 (words, tokenize='{TOKENIZE}')")
        connection.execute("INSERT INTO t VALUES (?)", (cut(text),))
        (found,) = connection.execute("SELECT count(*) FROM t WHERE t MATCH ?", (quote(word),)).fetchone()
    (stems,) = stem_all([text])
    (word_stems,) = stem([cut(word)])
    if found:
        assert all(f" {each} " in stems for each in word_stems)
