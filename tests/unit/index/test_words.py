"""Splitting texts into words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.index.words import SPLIT, completions, cut, names, uncut, whole


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("rateLimit", "rate|Limit"),
        ("HTTPServer", "HTTP|Server"),
        ("parseHTML5Page", "parse|HTML5|Page"),
        ("aBCd", "a|B|Cd"),
        ("rate_limit", "rate_limit"),
        ("plain words", "plain words"),
        ("重试", "重|试|"),
        ("a\0b\x1b[31m", "a b [31m"),
    ],
)
def test_identifiers_are_split_into_words(text: str, parts: str) -> None:
    assert cut(text).replace(SPLIT, "|") == parts


@given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Cf"))))
def test_splitting_can_be_undone(text: str) -> None:
    assert uncut(cut(text)) == text


def test_identifiers_are_kept_whole() -> None:
    texts = [cut("call rate_limit(key) or RateLimiter.rateLimit; not this_" + "x" * 80)]
    assert names(texts) == {"ratelimit", "ratelimiter"}
    assert whole("rateLimit") == whole("rate_limit") == "ratelimit"
    assert whole("limit") is whole("a-b") is whole("") is None


def test_a_word_cut_within_its_ending_is_completed() -> None:
    assert "configuration" in completions("configurat")
    assert "limiting" in completions("limiti")
    assert completions("xy") == []
