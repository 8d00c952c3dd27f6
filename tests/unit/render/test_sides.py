"""The sides of a decision in words: a rejection alone says only what was rejected."""

from __future__ import annotations

import pytest

from gittraj.model.sides import decided, sides
from gittraj.render.comment.tables import decisions_table


@pytest.mark.parametrize(
    ("chosen", "others", "expected", "words"),
    [
        ("a bucket", ["a window"], ("a bucket", ["a window"]), "a bucket over a window"),
        ("not: a window", ["a window"], ("", ["a window"]), "not: a window"),
        ("I decided against UUIDs", ["UUIDs"], ("", ["UUIDs"]), "I decided against UUIDs"),
        ("I won't use a log", ["use a log"], ("I won't use a log", []), "I won't use a log"),
        ("lru_cache", ["cache"], ("lru_cache", ["cache"]), "lru_cache over cache"),
        ("I'll raise", ["clamp"], ("I'll raise", ["clamp"]), "I'll raise rather than clamp"),
        (
            "cap in add",
            ["in a property"],
            ("cap in add", ["in a property"]),
            "cap in add rather than in a property",
        ),
        (
            "a cap",
            ["international units"],
            ("a cap", ["international units"]),
            "a cap over international units",
        ),
    ],
)
def test_the_sides_of_a_decision_are_put_into_words(
    chosen: str, others: list[str], expected: tuple[str, list[str]], words: str
) -> None:
    decision = {"chosen": chosen, "alternatives": others}
    assert (sides(decision), decided(decision)) == (expected, words)


def test_a_rejection_alone_fills_one_cell() -> None:
    decision = {"question": None, "chosen": "not: a log", "alternatives": ["a log"], "reasoning": "it grows"}
    table = decisions_table([{**decision, "by": "agent", "confidence": None}])
    assert table.splitlines()[-1] == "| a log | it grows |"
