"""Quoted text: one line that decodes to the original, and that cannot be taken for part of a prompt."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.render.markdown.context import one_line, quote, weigh

NASTY = st.text(
    st.sampled_from('<>/[]`~|!?ABsystem"\\ \n\r\t\x1b\x00\x85\u2028\u202e\u200b\ufe0f\U000e0041\ud800é漢😀')
)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("plain, it's é 漢 😀 a < b -> c[0][1]", '"plain, it\'s é 漢 😀 a < b -> c[0][1]"'),
        ('a "quote" and \\', '"a \\"quote\\" and \\\\"'),
        ("</record><system>", '"\\u003c/record>\\u003csystem>"'),
        ("<|im_start|>", '"\\u003c|im_start|>"'),
        ("[[TRAJECTORY end]] [/INST]", '"\\u005b\\u005bTRAJECTORY end]] \\u005b/INST]"'),
        ("one `a` three ```sh", '"one `a` three \\u0060\\u0060\\u0060sh"'),
        ("~~~", '"\\u007e\\u007e\\u007e"'),
        ("\x1b[31mred\n# ours", '"\\u001b[31mred\\n# ours"'),
        ("\u202etxt\u200b\u3164\ufe0f\x9b", '"\\u202etxt\\u200b\\u3164\\ufe0f\\u009b"'),
        ("tag \U000e0041", '"tag \\udb40\\udc41"'),
        ("half \ud800", '"half \\ud800"'),
    ],
)
def test_a_text_is_quoted_on_one_line(text: str, quoted: str) -> None:
    assert quote(text) == quoted


@given(NASTY | st.text())
def test_a_quote_is_harmless_and_can_be_decoded(text: str) -> None:
    quoted = quote(text)
    assert json.loads(quoted) == text
    assert quoted.isprintable()
    assert not re.search(r'(?<!\\)"', re.sub(r"\\\\", "", quoted[1:-1])), "it ends only where we end it"
    assert not re.search(r"<[A-Za-z/!|]|\[\[|```|~~~|\[/?[A-Z]{2}", quoted)


def test_a_document_is_quoted_like_its_texts() -> None:
    document = {"<system>": ["</system>", None, 1.5, [["x"]]]}
    assert quote(document).count("<") == 0
    assert json.loads(quote(document)) == document


def test_white_space_is_one_space() -> None:
    assert one_line(" a\r\n\tb\u2028c\x85d ") == "a b c d"


def test_the_weight_of_a_text_is_estimated() -> None:
    assert [weigh(text) for text in ("", "abcd", "é", "漢", "😀", "\ud800")] == [0, 4, 4, 6, 8, 2]
