"""Merging notes: any order, any grouping, any number of times gives the same, and nothing is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from gittraj.model.codec import decode_note, encode_line, encode_note
from gittraj.model.values import ForeignLine, Line, Link, Origin, Range, Record, SessionInfo, Tombstone
from gittraj.notes.merge import merge_notes, merge_records, order, standing
from tests.unit.notes.lines import COMMITS, HERE, NOTES, record

THERE = COMMITS[1]


def merged(*notes: list[Line]) -> bytes:
    return merge_notes(HERE, *map(encode_note, notes))


@given(NOTES, NOTES)
def test_merging_is_commutative(one: list[Line], other: list[Line]) -> None:
    assert merged(one, other) == merged(other, one)


@given(NOTES, NOTES, NOTES)
def test_merging_is_associative(one: list[Line], other: list[Line], third: list[Line]) -> None:
    def merge(*bodies: bytes) -> bytes:
        return merge_notes(HERE, *bodies)

    a, b, c = map(encode_note, (one, other, third))
    assert merge(merge(a, b), c) == merge(a, merge(b, c)) == merge(a, b, c)


@given(NOTES, NOTES)
def test_merging_is_idempotent(one: list[Line], other: list[Line]) -> None:
    body = merged(one, other)
    assert merge_notes(HERE, body) == body
    assert merge_notes(HERE, body, body, encode_note(one)) == body


@given(NOTES, NOTES)
def test_plain_gits_union_of_lines_gives_the_same(one: list[Line], other: list[Line]) -> None:
    """A plain ``git notes merge -s cat_sort_uniq`` before or after git-traj's own merge changes nothing."""
    union = encode_note([*one, *other])
    assert merge_notes(HERE, union) == merged(one, other)
    assert merge_notes(HERE, merged(one) + merged(other)) == merged(one, other)


@given(NOTES, NOTES)
def test_no_key_tombstone_or_foreign_line_is_lost(one: list[Line], other: list[Line]) -> None:
    merged_lines = decode_note(merged(one, other))
    records = [line for line in merged_lines if isinstance(line, Record)]
    assert {r.key for r in records} == {line.key for line in one + other if isinstance(line, Record)}
    assert len({r.key for r in records}) == len(records)
    for line in one + other:
        if not isinstance(line, Record):
            assert encode_line(line) in map(encode_line, merged_lines)


@given(NOTES, NOTES)
def test_a_record_that_a_merge_keeps_has_no_tombstone(one: list[Line], other: list[Line]) -> None:
    for kept in standing(HERE, decode_note(merged(one, other))):
        for line in one + other:
            if isinstance(line, Tombstone) and line.id == kept.id and line.first in (None, kept.key[1]):
                assert line.scope == "commit"
                assert line.rev < kept.rev


OWN = record()
CARRIED = record(link=Link(evidence="agent", carried_from=(THERE,)), origin=Origin(commit=THERE))


@pytest.mark.parametrize(
    ("winner", "loser"),
    [
        pytest.param(replace(CARRIED, rev=2), OWN, id="a higher rev, before all else"),
        pytest.param(OWN, CARRIED, id="an own link before a carried one"),
        pytest.param(
            OWN,
            replace(CARRIED, range=Range(first="1.0", last="7.0", n=7, at=0)),
            id="an own link before a larger part",
        ),
        pytest.param(
            record(range=Range(first="1.0", last="2.0", n=2, at=0)),
            record(whole=SessionInfo(title="z")),
            id="a larger part before greater bytes",
        ),
        pytest.param(
            record(whole=SessionInfo(title="b")), record(whole=SessionInfo(title="a")), id="greater bytes"
        ),
    ],
)
def test_one_record_per_key_is_kept(winner: Record, loser: Record) -> None:
    for pair in ([winner, loser], [loser, winner]):
        kept = merge_records(HERE, pair)
        assert replace(kept, link=winner.link) == winner
        commits = {*winner.link.carried_from, *loser.link.carried_from}
        assert kept.link.carried_from == tuple(sorted(commits))


def test_a_record_carried_back_to_its_own_commit_stays_its_own() -> None:
    """A commit is rewritten and comes back with the same id: carriedFrom, a union, does not show that."""
    back = replace(OWN, link=replace(OWN.link, carried_from=(THERE,)))
    carried = replace(CARRIED, range=Range(first="1.0", last="7.0", n=7, at=0))
    assert merge_records(HERE, [back, carried]).origin == Origin(commit=HERE)
    assert merge_records(HERE, [merge_records(HERE, [OWN, carried]), carried]).origin == Origin(commit=HERE)


def test_readers_of_one_rev_are_united_and_a_later_rev_may_take_one_away() -> None:
    alice, bob = (
        record(seals={"thinking": ("alice",)}),
        record(seals={"thinking": ("bob",), "rest": ("bob",)}),
    )
    assert merge_records(HERE, [alice, bob]).seals == {"thinking": ("alice", "bob"), "rest": ("bob",)}
    rewrapped = record(rev=2, seals={"thinking": ("alice",)})
    assert merge_records(HERE, [bob, rewrapped]).seals == {"thinking": ("alice",)}


@pytest.mark.parametrize(
    ("tombstone", "counts"),
    [
        (Tombstone(id="traj_a", deleted="x", rev=1), False),
        (Tombstone(id="traj_a", deleted="x", rev=0), True),
        (Tombstone(id="traj_a", deleted="x", rev=0, scope="all"), False),
        (Tombstone(id="traj_a", deleted="x", first="1.0", rev=3), False),
        (Tombstone(id="traj_a", deleted="x", first="2.0", rev=3), True),
        (Tombstone(id="traj_b", deleted="x", rev=3), True),
    ],
)
def test_only_a_tombstone_deletes(tombstone: Tombstone, counts: bool) -> None:
    assert (standing(HERE, [tombstone, OWN]) == [OWN]) is counts


def test_a_stub_is_hidden_by_a_record_of_its_trajectory() -> None:
    stub = record(None, rev=0)
    other = record(None, rev=0, id="traj_b")
    assert standing(HERE, [stub, OWN, other]) == [OWN, other]
    assert standing(HERE, [stub]) == [stub]


def test_records_are_ordered_for_readers() -> None:
    def part(first: str, *, at: int | None, n: int = 1, began: str | None = None) -> Record:
        made = record(first, range=Range(first=first, last="z", n=n, at=at))
        return replace(made, figures=replace(made.figures, started_at=began))

    expected = [
        part("b", at=0, n=5),
        part("a", at=0, n=2),
        part("c", at=0, n=2),
        part("0", at=7),
        part("y", at=None, began="2026-01-01"),
        part("x", at=None, began="2026-01-02"),
    ]
    expected.reverse()
    assert sorted(expected, key=order) == expected[::-1]


def test_foreign_lines_are_kept_as_they_are() -> None:
    foreign = ForeignLine(b"Reviewed-by:  me\r", "not JSON")
    assert merge_notes(HERE, b"Reviewed-by:  me\r\n" + encode_note([OWN])) == encode_note([foreign, OWN])
