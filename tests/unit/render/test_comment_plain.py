"""The comment as text for a terminal: nothing of others controls it."""

from __future__ import annotations

import pytest

from gittraj.model.values import Decision, Retrospective
from gittraj.render.comment.comment import CommentOptions
from gittraj.render.comment.plain import render_plain
from gittraj.render.text.terminal import Page
from tests.integration.story import record
from tests.unit.render.changes import A, change_of, figures, full_change, whole
from tests.unit.render.test_inert import hostile


@pytest.mark.parametrize("seed", range(20))
def test_nothing_of_others_controls_the_terminal(seed: int) -> None:
    evil = [hostile(seed + n * 1_000) for n in range(4)]
    decision = Decision(
        chosen=evil[0], by=evil[1], alternatives=(evil[2],), reasoning=evil[3], confidence=0.1
    )
    back = Retrospective(by=evil[3], summary=evil[0])
    told = record(
        "traj_one",
        whole=whole(title=evil[0], agent=evil[1], retrospective=back),
        **figures(prompt=evil[1], decisions=(decision,), caveats=(evil[0],)),
    )
    change = change_of({A: [told]}, title=evil[1], files=(evil[3],))
    text = render_plain(change, CommentOptions(), Page())
    assert not [
        char for char in text if char != "\n" and not char.isprintable() and char not in "\u200d\ufe0f"
    ]


def test_a_guess_does_not_read_as_stated() -> None:
    text = render_plain(full_change(), CommentOptions(), Page())
    assert "  five attempts (inferred)\n" in text
    assert "  full jitter (90% sure)\n" in text
