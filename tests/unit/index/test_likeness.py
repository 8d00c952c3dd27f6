"""Finding texts that are similar to another, also in other words."""

from __future__ import annotations

import pytest

from benchmarks.similar import Question, measure, read_asked


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    return read_asked()


def test_paraphrases_find_texts_that_words_alone_do_not(questions: list[Question]) -> None:
    assert len(questions) >= 60
    rows = {row.system: row for row in measure(questions)}
    plain, similar = rows["plain OR"], rows["--similar"]
    assert rows["plain AND"].mrr < plain.mrr < similar.mrr / 2
    assert similar.recall > 0.55
    assert plain.recall < 0.35
