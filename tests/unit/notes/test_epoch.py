"""Epochs: written and read back, united in any order, and which records of older history may stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.errors import StoreError
from gittraj.model.values import ForeignLine, Link, Range, Record, Tombstone
from gittraj.notes.epoch import Epoch, decode_epoch, encode_epoch, unite

NAMES = st.sampled_from(["traj_a", "traj_b", "traj_c"])
EPOCHS = st.builds(
    Epoch,
    number=st.integers(0, 3),
    records=st.dictionaries(st.tuples(NAMES, st.sampled_from(["e0", None])), st.integers(1, 3), max_size=3),
    segments=st.frozensets(st.tuples(st.just("2020-03"), NAMES, st.integers(0, 2)), max_size=3),
    forgotten=st.frozensets(NAMES, max_size=2),
)


@given(EPOCHS)
def test_an_epoch_is_read_as_it_was_written(epoch: Epoch) -> None:
    assert decode_epoch(encode_epoch(epoch)) == epoch


@given(EPOCHS, EPOCHS)
def test_epochs_united_in_any_order_cover_each(one: Epoch, other: Epoch) -> None:
    both = unite([one, other])
    assert both == unite([other, one])
    assert both.covers(one)
    assert both.covers(other)
    assert unite([both, one, other]) == both
    known = not both or any(each.number and each.covers(both) for each in (one, other))
    assert both.number == max(one.number, other.number) + (not known)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b'{"v":2,"epoch":1}',
        b'{"v":1,"epoch":1,"records":[1]}',
        b'"x"',
        b'{"v":1,"epoch":1e999}',
        b'{"v":1,"epoch":' + b"9" * 4300 + b"}",
        b'{"v":1,"epoch":"1"}',
        b"[" * 100_000,
    ],
)
def test_an_invalid_epoch_is_refused(body: bytes) -> None:
    with pytest.raises(StoreError):
        decode_epoch(body)


def test_an_epoch_allows_only_records_that_were_not_purged() -> None:
    assert decode_epoch(b"1\n") == Epoch(number=1)
    epoch = Epoch(number=1, records={("traj_a", "e0"): 1000}, forgotten=frozenset({"traj_b"}))

    def record(name: str, first: str, rev: int) -> Record:
        return Record(
            id=name, rev=rev, link=Link(evidence="agent"), range=Range(first=first, last=first, n=1, at=0)
        )

    assert not epoch.allows(record("traj_a", "e0", 999))
    assert epoch.allows(record("traj_a", "e0", 1000))
    assert epoch.allows(record("traj_a", "e1", 1))
    assert not epoch.allows(record("traj_b", "e0", 5000))
    assert epoch.allows(Tombstone(id="traj_b", deleted="forgotten", scope="all"))
    assert not epoch.allows(ForeignLine(b'{"id":"traj_a"', "cut off"))
    assert epoch.allows(ForeignLine(b"somebody else's", "not JSON"))
