"""Text for a terminal: whatever an agent wrote, it can be read but controls nothing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gittraj.render.text.terminal import Page, cut, escape, escape_line, width, wrap


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b]0;title\x07", "^[]0;title^G"),
        ("\x1b[2J\x1b[31mred", "^[[2J^[[31mred"),
        ("safe\rfake", "safe^Mfake"),
        ("two\r\nlines", "two\nlines"),
        ("\x9b31m", "<U+009B>31m"),
        ("a\u202egnp.exe\u202c", "a<U+202E>gnp.exe<U+202C>"),
        ("pass\u200bword\ufeff", "password"),
        ("tag\U000e0041\U000e0042", "tag"),
        ("half \ud83d", "half \ufffd"),
        ("a\tb", "a    b"),
        ("back\b\x7f\x00", "back^H^?^@"),
        ("line\u2028break", "line\nbreak"),
        ("日本語 🎉 é", "日本語 🎉 é"),
    ],
)
def test_no_text_controls_the_terminal(hostile: str, shown: str) -> None:
    assert escape(hostile) == shown


@given(st.text())
def test_escaped_text_has_no_controls_and_escaping_it_again_changes_nothing(text: str) -> None:
    safe = escape(text)
    assert {unicodedata.category(sign) for sign in safe.replace("\n", "")}.isdisjoint({"Cc", "Cf", "Cs"})
    assert escape(safe) == safe
    assert "\n" not in escape_line(text)


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("🎉", 2), ("\x1b[1mab\x1b[0m", 2)]
)
def test_the_width_of_a_text_is_the_terminals(text: str, columns: int) -> None:
    assert width(text) == columns


@given(st.text(), st.integers(8, 40))
@example("\t\x80", 8)
def test_wrapped_lines_fit_and_lose_nothing(text: str, columns: int) -> None:
    safe = escape(text)
    rows = wrap(safe, columns)
    assert all(width(row) <= columns for row in rows)
    assert "".join("".join(rows).split()) == "".join(safe.split())


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("one two three four", ["one two", "three four"]),
        ("    indented code stays", ["    indented", "code stays"]),
        ("https://example.com/a/b", ["https://exam", "ple.com/a/b"]),
        ("漢字かな交じり文", ["漢字かな交じ", "り文"]),
        ("a\n\nb", ["a", "", "b"]),
    ],
)
def test_a_long_text_is_wrapped(text: str, rows: list[str]) -> None:
    assert wrap(text, 12) == rows


def test_a_long_text_ends_with_an_ellipsis() -> None:
    assert wrap("one two three four five six", 10, lines=2) == ["one two", "three fou…"]
    assert wrap("one two", 10, lines=2) == ["one two"]
    assert wrap("a\nb\nc", None, lines=2) == ["a", "b …"]


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("日本語", 5, "日本…"), ("abc", None, "abc")],
)
def test_a_text_is_cut_to_a_width(text: str, columns: int | None, shown: str) -> None:
    assert cut(text, columns) == shown


def test_a_block_is_indented_after_its_label() -> None:
    page = Page(columns=16, colour=True)
    assert page.block("one two three", "dim", indent=6, label="  who") == [
        "\x1b[36m  who\x1b[0m \x1b[2mone two\x1b[0m",
        "      \x1b[2mthree\x1b[0m",
    ]
    assert Page(columns=16).block("one", "dim", indent=6, label="  who") == ["  who one"]
