"""Search queries as people write them, and how they are translated for SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gittraj.errors import UsageError
from gittraj.index.language import parse_query
from gittraj.index.text import TEXTS, Part, TextField, about, ranked, replace_parts
from tests.sizes import size

SAMPLE_TEXTS = {
    1: "The RateLimiter counts per key",
    2: "def rate_limit(key): pass",
    3: "rateLimit is called twice",
    4: "we limit the rate of requests",
    5: "at this rate the naïve retry hits a limit",
    6: "configuration of the XMLHttpRequest",
    7: "重试队列 holds what failed",
    8: "unlimited",
}


@pytest.fixture(scope="module")
def texts() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(TEXTS.tables)
        for number, text in SAMPLE_TEXTS.items():
            fields = [TextField("message", "e1", text)]
            replace_parts(
                connection, {f"t{number}": [Part(f"t{number}", "e1", None, 0, number, {}, (), fields)]}
            )
        yield connection


def search(connection: sqlite3.Connection, query: str) -> set[int]:
    docs = (doc for doc, _ in ranked(connection, parse_query(query).match))
    return {int(about(connection, doc)[0].removeprefix("t")) for doc in docs}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("rate limit", {1, 2, 3, 4, 5}),
        ('"rate limit"', {1, 2, 3}),
        ("rateLimit", {1, 2, 3}),
        ("rate_limit", {1, 2, 3}),
        ("ratelimit", {2, 3, 1}),  # its stem is that of ratelimiter
        ("RateLimiter", {1, 2, 3}),
        ("LIMITED", {1, 2, 3, 4, 5}),
        ("limit*", {1, 2, 3, 4, 5}),
        ("configurat*", {6}),
        ("xmlhttp*", {6}),
        ('"xml http"', {6}),
        ("naive", {5}),
        ("重试", {7}),
        ("retry OR configuration", {5, 6}),
        ("limit -rate_limit", {4, 5}),
        ("limit NOT (requests OR retry)", {1, 2, 3}),
        ("(key OR twice) rate", {1, 2, 3}),
        ("key AND rate", {1, 2}),
        ("called → twice", {3}),
        ("rate near limit", set()),
        ('"limit the rat"*', {4}),
    ],
)
def test_a_query_finds_the_expected_texts(texts: sqlite3.Connection, query: str, expected: set[int]) -> None:
    assert search(texts, query) == expected


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("", "it contains no words"),
        (" \t", "it contains no words"),
        ("→ ++", "it contains no words"),
        ("*", "it contains no words"),
        ('say "so', "unbalanced quotes"),
        ("(a", "unbalanced parentheses"),
        ("a)", "unbalanced parentheses"),
        ("a ()", "( ) has nothing in it"),
        ("a OR", "OR has nothing beside it"),
        ("OR a", "OR has nothing beside it"),
        ("a AND", "AND has nothing after it"),
        ("AND a", "AND has nothing before it"),
        ("a NOT", "NOT has nothing after it"),
        ("-a", "it only excludes words"),
        ("NOT a NOT b", "it only excludes words"),
        ("a OR -b", "OR cannot be combined with an excluded word"),
        ("NOT (-a)", "NOT twice in a row"),
        ("(" * 30 + "a" + ")" * 30, "parentheses nested more than 20 deep"),
        ("a " * 500, "it has more than 200 words"),
    ],
)
def test_an_invalid_query_is_explained_in_one_line(query: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_query(query)
    assert caught.value.message == f"invalid query: {why}"


_SIGNS = st.sampled_from(["a", "rateLimit", '"', "(", ")", " ", "-", "*", "OR", "AND", "NOT", "'", ":", "\0"])


@settings(max_examples=size(75, 300))
@example('"')
@example('a"*"b')
@example("\ud800 \u200b \u0301")
@given(
    st.one_of(
        st.text(max_size=30), st.lists(_SIGNS, max_size=14).map(" ".join), st.lists(_SIGNS).map("".join)
    )
)
def test_no_query_makes_sqlite_fail(texts: sqlite3.Connection, query: str) -> None:
    try:
        parsed = parse_query(query)
    except UsageError:
        return
    list(ranked(texts, parsed.match, kinds=("prompt", "message")))
    list(ranked(texts, parsed.sought))
