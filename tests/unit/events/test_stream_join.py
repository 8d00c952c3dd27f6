"""A text in fragments: secrets found in the joined text are replaced in their fragments."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gittraj.events.stream_join import find_runs, split_text
from gittraj.model.values import AnyEvent, Foreign, Message, Thinking

PIECES = st.lists(st.text(alphabet="abR- \n", max_size=6), min_size=1, max_size=6)


def put(whole: str, spans: list[tuple[int, int]]) -> str:
    """Return ``whole`` with a placeholder for each of the ``spans``."""
    clean, at = "", 0
    for number, (start, end) in enumerate(spans, 1):
        clean += f"{whole[at:start]}REDACTED-key-n{number}"
        at = end
    return clean + whole[at:]


def test_the_placeholder_of_a_secret_over_a_boundary_is_where_it_began() -> None:
    pieces = ["the key is se", "cre", "t, keep it"]
    clean = "the key is REDACTED-key-n1, keep it"
    assert split_text(pieces, [(11, 17)], clean) == ["the key is REDACTED-key-n1", "", ", keep it"]


def test_a_secret_that_only_the_joined_text_reveals_is_replaced() -> None:
    pieces = ["password=", "hunter2", " it is"]
    clean = "password=REDACTED-password-n1 it is"
    assert split_text(pieces, [(9, 16)], clean) == ["password=", "REDACTED-password-n1", " it is"]


def test_two_overlapping_matches_are_one_secret() -> None:
    assert split_text(["ab", "cd"], [(0, 3), (1, 4)], "REDACTED-key-n1") == ["REDACTED-key-n1", ""]


def test_a_clean_text_that_does_not_fit_goes_to_the_first_fragment() -> None:
    assert split_text(["ab", "cd"], [(0, 1)], "something else") == ["something else", ""]


def test_without_a_match_the_fragments_stay() -> None:
    assert split_text(["ab", "cd"], [], "abcd") == ["ab", "cd"]


@given(PIECES, st.data())
def test_no_text_is_lost_and_no_secret_comes_back(pieces: list[str], data: st.DataObject) -> None:
    whole = "".join(pieces)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=6)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    clean = put(whole, spans)
    split = split_text(pieces, spans, clean)
    assert "".join(split) == clean
    assert len(split) == len(pieces)
    inside = {i for start, end in spans for i in range(start, end)}
    at = 0
    for piece, kept in zip(pieces, split, strict=True):
        untouched = not inside & set(range(at, at + len(piece)))
        begins = any(at <= start < at + len(piece) for start, _ in spans)
        assert not untouched or kept == piece
        assert begins or "REDACTED" not in kept
        at += len(piece)


def test_only_events_of_one_kind_and_one_response_are_joined() -> None:
    def say(response: str | None) -> Message:
        return Message(id="x", response=response)

    events: list[AnyEvent] = [
        say("a"),
        say("a"),
        Thinking(id="t", response="a"),
        say("a"),
        say("b"),
        say("b"),
        say("b"),
        say(None),
        say(None),
    ]
    assert list(find_runs(events)) == [range(2), range(4, 7)]
    assert list(find_runs([])) == []


def test_the_events_of_a_raw_log_are_one_text() -> None:
    events = [Foreign(id=f"raw:{n}", type="raw", content="x") for n in range(3)]
    assert list(find_runs([*events, Foreign(id="o", type="other"), Foreign(id="p", type="other")])) == [
        range(3)
    ]
