"""Records follow rewritten commits once, along every chain, together with tombstones."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.model.codec import decode_note, encode_note
from gittraj.model.values import Line, Link, Origin, Record, Tombstone
from gittraj.notes.carry import add_copies, carry_line, carry_note, is_own
from gittraj.notes.merge import merge_notes, standing
from tests.unit.notes.lines import COMMITS, HERE, LINES, NOTES, record

OLD, NEW, NEWER = COMMITS


def carried(note: bytes, onto: bytes = b"") -> bytes:
    """Return NEW's note after OLD's was carried there."""
    return merge_notes(NEW, onto, encode_note(carry_note(OLD, decode_note(note))))


@given(NOTES, NOTES)
def test_carrying_twice_is_carrying_once(lines: list[Line], there: list[Line]) -> None:
    note = encode_note(lines)
    once = carried(note, encode_note(there))
    assert carried(note, once) == once
    assert carried(merge_notes(OLD, note), once) == once


@given(LINES)
def test_a_carried_line_names_its_former_commit_and_is_otherwise_unchanged(line: Line) -> None:
    copy = carry_line(line, OLD)
    assert carry_line(copy, OLD) == copy
    if isinstance(line, Record):
        assert isinstance(copy, Record)
        assert set(copy.link.carried_from) == {*line.link.carried_from, OLD}
        assert (copy.rev, copy.key, copy.origin, copy.figures) == (
            line.rev,
            line.key,
            line.origin,
            line.figures,
        )
        assert copy.link.evidence == line.link.evidence
    else:
        assert copy == line


def test_a_deleted_record_is_not_carried_but_its_tombstone_is() -> None:
    stone = Tombstone(id="traj_a", first="1.0", deleted="unlinked")
    copied_lines = carry_note(OLD, [record("1.0"), record("2.0"), stone])
    assert [line.key for line in copied_lines if isinstance(line, Record)] == [("traj_a", "2.0")]
    assert stone in copied_lines


@pytest.mark.parametrize("gone", [{"deleted": "unlinked"}, {"deleted": "forgotten", "scope": "all"}])
def test_carrying_an_older_copy_late_does_not_restore_a_deleted_record(gone: dict[str, Any]) -> None:
    onto = carried(encode_note([record(), Tombstone(id="traj_a", **gone)]))
    late = carried(encode_note([record()]), onto)
    assert standing(NEW, decode_note(late)) == []


def test_a_carried_record_never_replaces_the_commits_own_record() -> None:
    own = record(origin=Origin(commit=NEW))
    note = carried(encode_note([record(origin=Origin(commit=OLD))]), encode_note([own]))
    assert decode_note(note) == [
        record(origin=Origin(commit=NEW), link=Link(evidence="agent", carried_from=(OLD,)))
    ]


def copies_of(batch: Mapping[str, list[Line]], rewrites: Mapping[str, tuple[str, ...]]) -> dict[str, bytes]:
    copied = {commit: list(lines) for commit, lines in batch.items()}
    add_copies(copied, rewrites)
    return {commit: merge_notes(commit, encode_note(lines)) for commit, lines in copied.items()}


def test_a_late_part_follows_a_chain_of_rewrites() -> None:
    notes = copies_of({OLD: [record()]}, {OLD: (NEW,), NEW: (NEWER,)})
    commits = {c: [r.link.carried_from for r in standing(c, decode_note(n))] for c, n in notes.items()}
    assert commits == {OLD: [()], NEW: [(OLD,)], NEWER: [(OLD, NEW)]}


def test_records_of_a_split_commit_go_to_both_fragments() -> None:
    notes = copies_of({HERE: [record()]}, {HERE: (NEW, NEWER)})
    assert set(notes) == {HERE, NEW, NEWER}


def test_a_record_follows_many_paths_to_one_commit_as_one_record() -> None:
    """Each commit became two, which became one again: a million paths lead to one record at the end."""
    name = "{:02x}{}".format
    rungs = [(name(n, "a" * 38), name(n, "b" * 38), name(n, "c" * 38)) for n in range(21)]
    rewrites = {top: (left, right) for top, left, right in rungs[:-1]}
    for (_, left, right), (below, *_) in pairwise(rungs):
        rewrites |= {left: (below,), right: (below,)}
    batch: dict[str, list[Line]] = {rungs[0][0]: [record()]}
    add_copies(batch, rewrites)
    (last,) = batch[rungs[-1][0]]
    assert isinstance(last, Record)
    assert last.link.carried_from == tuple(sorted(commit for rung in rungs[:-1] for commit in rung))


REWRITES = st.dictionaries(
    st.sampled_from(COMMITS), st.lists(st.sampled_from(COMMITS), max_size=2).map(tuple)
)


@given(st.dictionaries(st.sampled_from(COMMITS), NOTES, max_size=3), REWRITES)
def test_copying_along_rewrites_ends_and_repeating_it_adds_nothing(
    batch: dict[str, list[Line]], rewrites: dict[str, tuple[str, ...]]
) -> None:
    """This holds also if the rewrites form a cycle (a rebase back to where it began)."""
    once = copies_of(batch, rewrites)
    again = copies_of({commit: decode_note(note) for commit, note in once.items()}, rewrites)
    assert {c: n for c, n in again.items() if n} == {c: n for c, n in once.items() if n}


@given(NOTES, REWRITES)
def test_all_records_are_found_on_the_rewritten_commits(
    lines: list[Line], rewrites: dict[str, tuple[str, ...]]
) -> None:
    batch = {OLD: list(lines)}
    add_copies(batch, rewrites)
    for new in rewrites.get(OLD, ()):
        keys = {line.key for line in batch.get(new, []) if isinstance(line, Record)}
        assert {line.key for line in lines if isinstance(line, Record)} <= keys


def test_a_commit_has_its_own_work_if_a_record_is_linked_by_more_than_content() -> None:
    carried = Link(evidence="agent", carried_from=(OLD,))
    assert is_own(HERE, record())
    assert is_own(HERE, record(link=carried)), "it came back to where it began"
    assert not is_own(NEW, record(link=carried))
    assert not is_own(HERE, record(link=Link(evidence="content")))
    assert not is_own(HERE, record(role="explored"))
