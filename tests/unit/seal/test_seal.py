"""The content of a seal, and what it is bound to. The format below it is tested in ``age/``."""

from __future__ import annotations

import gzip
import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.errors import SealError
from gittraj.model.texts import map_texts
from gittraj.model.values import AnyEvent, Artifact, Message, Thinking
from gittraj.seal.age import (
    NoMatch,
    decrypt,
    encrypt,
    generate_identity,
    parse_identity,
    parse_recipient,
    rewrap,
)
from gittraj.seal.events import LIMIT, count_readers, open_events, seal_events
from gittraj.seal.seal import padded, seal, unseal

SECRET = generate_identity()
KEY = parse_identity(SECRET)
READER = parse_recipient(KEY.recipient())
SEALER = partial(seal, [READER])


class Opener:
    """Opens seals with one key; what it cannot open stays sealed."""

    def __init__(self, key: Any = KEY) -> None:
        self.key = key

    def open(self, trajectory: str, events: Any, headers: Any, payload: bytes) -> Any:
        try:
            return unseal(trajectory, events, headers[0], payload, [self.key])
        except SealError:
            return None


def thoughts(*texts: str) -> list[AnyEvent]:
    return [Thinking(id=f"t{n}", content=text, ts="2026-01-01T00:00:00Z") for n, text in enumerate(texts)]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=5))
def test_sealed_events_are_opened_unchanged(texts: list[str]) -> None:
    events = [*thoughts(*texts), Message(id="m", content="said")]
    sealed, seals = seal_events("traj_a", events, SEALER)
    assert [e.content for e in sealed] == [""] * len(texts) + ["said"]
    assert open_events("traj_a", sealed, seals, Opener()) == events


def test_one_event_has_the_payload_and_each_has_the_total_size() -> None:
    sealed, seals = seal_events("traj_a", thoughts("a", "b" * 5_000), SEALER)
    (name,) = seals
    assert [(e.seal, e.payload is not None) for e in sealed if isinstance(e, Thinking)] == [
        (name, True),
        (name, False),
    ]
    assert len({e.sealed_bytes for e in sealed if isinstance(e, Thinking)}) == 1


def test_no_other_field_reveals_the_sealed_text() -> None:
    thinking = Thinking(
        id="t",
        content="canary",
        raw={"signature": "canary"},
        extra={"more": "canary"},
        artifact=Artifact(media_type="text/plain", bytes=6, sha256="0" * 64),
    )
    sealed, _ = seal_events("traj_a", [thinking], SEALER)
    assert "canary" not in repr(sealed)
    assert isinstance(sealed[0], Thinking)
    assert sealed[0].artifact is None


def test_map_texts_does_not_reach_a_payload() -> None:
    sealed, seals = seal_events("traj_a", thoughts("a"), SEALER)
    walked = [map_texts(event, lambda text, _: f"x{text}") for event in sealed]
    assert isinstance(walked[0], Thinking)
    assert walked[0].payload == getattr(sealed[0], "payload")  # noqa: B009
    assert seals


def test_a_seal_is_bound_to_one_trajectory_and_its_events() -> None:
    events = thoughts("a", "b")
    sealed, seals = seal_events("traj_a", events, SEALER)
    opened = open_events("traj_b", sealed, seals, Opener())
    assert opened == sealed
    for changed in (sealed[:1], [*sealed, _like(sealed[1], "t9")], [sealed[0], _like(sealed[1], "t9")]):
        assert open_events("traj_a", changed, seals, Opener()) == changed
    assert open_events("traj_a", sealed, {}, Opener()) == sealed
    assert open_events("traj_a", sealed, seals, Opener(parse_identity(generate_identity()))) == sealed


def _like(event: AnyEvent, name: str) -> AnyEvent:
    assert isinstance(event, Thinking)
    return Thinking(id=name, seal=event.seal, sealed_bytes=event.sealed_bytes)


def test_payload_and_header_of_two_seals_cannot_be_combined() -> None:
    (first, one), (second, two) = (SEALER("traj_a", {"t": text}) for text in "ab")
    for header, payload in ((first, two), (second, one)):
        with pytest.raises(SealError):
            unseal("traj_a", ["t"], header, payload, [KEY])


@pytest.mark.parametrize(
    "plain",
    [
        b"",
        b"no gzip",
        gzip.compress(b"no JSON"),
        gzip.compress(b"[]"),
        gzip.compress(b'{"git-traj":2,"trajectory":"traj_a","blocks":{"t":"a"}}'),
        gzip.compress(b'{"git-traj":1,"trajectory":"traj_a","blocks":{"t":1}}'),
        gzip.compress(b'{"git-traj":1,"trajectory":"traj_a","blocks":["t"]}'),
        gzip.compress(b'{"git-traj":1,"trajectory":"traj_a","blocks":{"t":"a"}}')[:-1],
        gzip.compress(b'{"git-traj":1,"trajectory":"traj_a","blocks":{"t":"a"}}') + b"\0\0x",
        gzip.compress(b" " * 17_000_000),
        gzip.compress(b"[" * 100_000),
    ],
    ids=["empty", "bare", "text", "list", "version", "number", "blocks", "cut", "tail", "bomb", "deep"],
)
def test_content_that_git_traj_did_not_seal_is_refused(plain: bytes) -> None:
    header, payload = encrypt(plain, [READER])
    with pytest.raises(SealError) as caught:
        unseal("traj_a", ["t"], header, payload, [KEY])
    assert "\n" not in caught.value.message


def test_a_seal_can_be_opened_without_git_traj() -> None:
    header, payload = SEALER("traj_a", {"t": "ü"})
    plain = decrypt(header, payload, [KEY])
    assert json.loads(gzip.decompress(plain.rstrip(b"\0") + b"\0" * 8)) == {
        "git-traj": 1,
        "trajectory": "traj_a",
        "blocks": {"t": "ü"},
    }


def test_sealing_twice_gives_different_bytes_of_the_same_size() -> None:
    (one, first), (two, second) = (SEALER("traj_a", {"t": "a" * n}) for n in (1, 900))
    assert one != two
    assert first != second
    assert len(first) == len(second)


@pytest.mark.parametrize(
    ("length", "size"),
    [(0, 1024), (1024, 1024), (1025, 1088), (2000, 2048), (100_000, 100_352), (9**9, 394264576)],
)
def test_sizes_are_padded(length: int, size: int) -> None:
    """Calculated by hand from the definition in the paper on Padmé."""
    assert padded(length) == size


@given(st.integers(1024, 10**9))
def test_padding_costs_at_most_an_eighth(length: int) -> None:
    assert length <= padded(length) <= length * 1.125


def test_a_lot_of_thinking_makes_several_seals() -> None:
    events = thoughts(*("x" * (LIMIT // 2 + 1) for _ in range(3)))
    sealed, seals = seal_events("traj_a", events, SEALER)
    assert len(seals) == 3
    assert open_events("traj_a", sealed, seals, Opener()) == events


def test_readers_can_be_added_to_the_same_payload() -> None:
    other = parse_identity(generate_identity())
    header, payload = SEALER("traj_a", {"t": "a"})
    with pytest.raises(NoMatch):
        unseal("traj_a", ["t"], header, payload, [other])
    wider = rewrap(header, [KEY], [READER, parse_recipient(other.recipient())])
    assert unseal("traj_a", ["t"], wider, payload, [other]) == {"t": "a"}
    assert (count_readers([header]), count_readers([header, wider]), count_readers([])) == (1, 2, 0)
