"""Reading notes that anybody may have written."""

from __future__ import annotations

from gittraj import limits
from gittraj.query.records import Recorded

ONE, TWO = "1" * 40, "2" * 40


def test_of_a_note_with_very_many_lines_the_first_are_read() -> None:
    recorded = Recorded([(ONE, b"x\n" * (limits.LINES + 1))])
    assert recorded.on(ONE) == []
    assert recorded.unread([ONE, TWO]) == (ONE,)


def test_a_line_that_is_too_large_leaves_its_commit_unread() -> None:
    recorded = Recorded([(ONE, b'{"v":1,"id":"' + b"a" * limits.LINE + b'"}\n'), (TWO, b"\n")])
    assert recorded.unread([ONE, TWO]) == (ONE,)
