"""The comment as text for a terminal: no foreign text controls it."""

from __future__ import annotations

import pytest

from gittraj.model.values import Decision, Retrospective
from gittraj.render.comment.comment import CommentOptions
from gittraj.render.comment.plain import render_plain
from gittraj.render.text.terminal import Page
from tests.integration.story import record
from tests.unit.render.changes import A, B, change_of, figures, full_change, whole
from tests.unit.render.test_inert import hostile


@pytest.mark.parametrize("seed", range(20))
def test_no_foreign_text_controls_the_terminal(seed: int) -> None:
    evil = [hostile(seed + n * 1_000) for n in range(4)]
    decision = Decision(
        chosen=evil[0], by=evil[1], alternatives=(evil[2],), reasoning=evil[3], confidence=0.1
    )
    back = Retrospective(by=evil[3], summary=evil[0])
    part_record = record(
        "traj_one",
        whole=whole(title=evil[0], agent=evil[1], retrospective=back),
        **figures(prompt=evil[1], decisions=(decision,), caveats=(evil[0],)),
    )
    change = change_of({A: [part_record]}, title=evil[1], files=(evil[3],))
    text = render_plain(change, CommentOptions(), Page())
    assert not [
        char for char in text if char != "\n" and not char.isprintable() and char not in "\u200d\ufe0f"
    ]


def test_an_inferred_decision_is_marked_as_such() -> None:
    text = render_plain(full_change(), CommentOptions(), Page())
    assert "  five attempts (inferred)\n" in text
    assert "  full jitter (90% sure)\n" in text


def test_a_title_by_the_agent_is_not_shown_as_the_prompt() -> None:
    typed = record("traj_one", whole=whole(title="Make it green"), **figures(prompt="Make it\ngreen, please"))
    given = record("traj_two", whole=whole(title="Theme colours changed"), **figures(prompt="And yellow"))
    text = render_plain(change_of({A: [typed], B: [given]}, title="Colours"), CommentOptions(), Page())
    assert "asked     Make it green\n" in text
    assert "titled    Theme colours changed\n" in text


def test_a_long_label_is_before_its_text() -> None:
    records = [record(f"traj_{name}", **figures(result=f"{name} works.")) for name in ("one", "two")]
    text = render_plain(
        change_of({A: [records[0]], B: [records[1]]}, title="Colours"), CommentOptions(), Page()
    )
    assert "\nresult (b2b2b2b): “two works.”\n" in text


def test_the_least_sure_decision_comes_first() -> None:
    chosen = [Decision(chosen=f"way {n}", by="agent", confidence=n / 10) for n in (9, 5, 1)]
    part_record = record("traj_one", **figures(decisions=tuple(chosen)))
    text = render_plain(change_of({A: [part_record]}), CommentOptions(), Page()).partition("Decided")[2]
    assert text.index("way 1") < text.index("way 5") < text.index("way 9")
