"""Quoted parts of a message: code, quotations and HTML that the agent shows but does not say."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.events.quotation import around, find_code_spans, find_quoted


def rest(text: str) -> str:
    """Return the text without its quoted parts."""
    for start, end in reversed(find_quoted(text)):
        text = text[:start] + text[end:]
    return text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n```\nX\n```\nb", "a\nb"),
        ("a\r\n```\r\nX\r\n```\r\nb", "a\r\nb"),
        ("~~~~\n```\nX\n```\n~~~~\nb", "b"),
        ("- ```\n  X\n  ```\n- b", "- b"),
        ("1. a\n   - c\n\n         ~~~\n         X\n         ~~~\nb", "1. a\n   - c\n\nb"),
        ("```\n```json\nX\n```\nX\n```\nb", "b"),
        ("```markdown\nPrint\n```\nX\n```\nthen\n```\n\nb", "\nb"),
        ("```\nX", ""),
        ("> ```\n> X\n\nb", "\nb"),
        ("a\n\n    X\n\n    X\nb", "a\n\n\nb"),
        ("a\n\n\tX\nb", "a\n\nb"),
        ("a\n    b", "a\n    b"),
        ("- a\n\n    b\n\n      X?\n\n        X", "- a\n\n    b\n\n\n"),
        ("a <code>X</code> b <!--X--> c <PRE>X\n</PRE>", "a  b  c "),
        ("a <pre> b --> c", "a <pre> b --> c"),
        ("```\n<pre>\n```\n</pre>a", "a"),
        ("```a```\nb", "```a```\nb"),
        ("a ~~b~~ c", "a ~~b~~ c"),
    ],
)
def test_quoted_lines_are_found(text: str, message: str) -> None:
    assert rest(text) == message


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("a `b` c", ["`b`"]),
        ("``b ` c`` `d`", ["``b ` c``", "`d`"]),
        ("a ` b\n\nc ` d", []),
        ("a `b\nc` d", ["`b\nc`"]),
        ("`` a ` b", []),
    ],
)
def test_code_spans_within_a_line_are_found(text: str, spans: list[str]) -> None:
    assert [text[start:end] for start, end in find_code_spans(text)] == spans


@given(st.text(alphabet="a`~> \n\r-1.#\t", max_size=80))
def test_spans_are_ordered_and_do_not_overlap(text: str) -> None:
    for spans in (find_quoted(text), find_code_spans(text)):
        assert all(start < end for start, end in spans)
        assert all(one[1] <= other[0] for one, other in pairwise(spans))
        for at in range(len(text)):
            assert around(spans, at) == next((s for s in spans if s[0] <= at < s[1]), None)


@pytest.mark.parametrize(
    "unit",
    ["`", "``` ", "`a``b", "```\n", "> ", "- ", "1. ", "\n\n    ", "~~~x\n", "<pre>", "<!--", "<pre></pre>"],
)
def test_a_hostile_text_is_read_quickly(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    start = time.process_time()
    find_quoted(text)
    find_code_spans(text)
    assert time.process_time() - start < 2.0
