"""The rules that are data: each can be reached, compiled and tried, and says what it finds."""

from __future__ import annotations

import re

import pytest

from gittraj.redact.decide import ACCEPT
from gittraj.redact.load import Row, _row, rows
from gittraj.redact.rules import Gate, Page
from tests.redaction.templates import expand

ROWS = rows()


def reached(row: Row) -> bool:
    """Whether the keywords of a rule stand in its own examples."""
    pages = [Page(expand(text, 0)[0], lambda: None) for text in row.good]
    return all(Gate([row.keywords]).open(page) for page in pages)


@pytest.mark.parametrize("row", ROWS, ids=[f"{n}-{row.id}" for n, row in enumerate(ROWS)])
def test_a_rule_of_lines_is_whole(row: Row) -> None:
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", row.id)
    assert row.good and reached(row)
    assert all(keyword and keyword == keyword.lower() for keyword in row.keywords)
    assert row.accept in ACCEPT and row.flags in ("", "i") and row.window >= 0
    assert "<<" not in row.pattern.replace("<<<", "")
    assert "v" in re.compile(row.pattern).groupindex


def test_a_column_that_is_none_is_refused() -> None:
    with pytest.raises(TypeError, match="colour"):
        _row({"id": "x", "keywords": ["x"], "pattern": "x", "good": ["x"], "colour": "red"})
