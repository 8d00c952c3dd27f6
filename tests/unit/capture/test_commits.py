"""The reflog determines which commits were made; the spool only adds details."""

from __future__ import annotations

from pathlib import Path

import pytest

from gittraj.capture.commits import Moves, read_moves
from gittraj.git import ReflogEntry
from gittraj.state.spool import Spooled
from tests.unit.capture.logs import ME, oid

ZERO = "0" * 40


def entries(*moves: tuple[str, str]) -> list[ReflogEntry]:
    """Return reflog entries for pairs of new commit and message; each starts where the one before ended."""
    olds = [ZERO, *(oid(name) for name, _ in moves)]
    return [ReflogEntry(old, oid(name), message) for old, (name, message) in zip(olds, moves, strict=False)]


def hook(name: str, *, by: str | None = ME, call: str | None = None) -> Spooled:
    return Spooled(kind="commit", id=oid(name), git_dir=Path("/g"), sessions=(by,) if by else (), call=call)


def rewrite(old: str, new: str) -> Spooled:
    return Spooled(kind="rewrite", id=oid(old), other=oid(new), git_dir=Path("/g"))


def made(moves: Moves) -> list[tuple[str, str]]:
    return [(c.id, c.kind) for c in moves.commits]


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("commit: x", "commit"),
        ("commit (initial): x", "commit"),
        ("commit (merge): x", "merge"),
        ("commit (amend): x", "amend"),
        ("commit (cherry-pick): x", "cherry-pick"),
        ("cherry-pick: x", "cherry-pick"),
        ("revert: Revert x", "revert"),
        ("am: x", "am"),
        ("rebase (pick): x", None),
        ("rebase (squash): x", None),
        ("rebase (reword): x", None),
        ("rebase -i (pick): x", None),
        ("rebase (start): checkout main", None),
        ("rebase (finish): returning to refs/heads/x", None),
        ("reset: moving to HEAD~1", None),
        ("checkout: moving from a to b", None),
        ("pull: Fast-forward", None),
        ("merge x: Fast-forward", None),
        ("cherry-pick: fast-forward", None),
        ("clone: from x", None),
        ("", None),
    ],
)
def test_only_some_kinds_of_reflog_entries_make_a_commit(message: str, kind: str | None) -> None:
    assert made(read_moves(entries(("A", message)), ())) == ([(oid("A"), kind)] if kind else [])


def test_commits_are_in_the_reflogs_order_with_the_spools_details_by_id() -> None:
    found = read_moves(entries(("B", "commit: b"), ("A", "commit: a")), [hook("A", call="c1")])
    assert [(c.id, c.sessions, c.call) for c in found.commits] == [
        (oid("B"), (), None),
        (oid("A"), (ME,), "c1"),
    ]


def test_an_amend_is_a_commit_and_a_rewrite() -> None:
    found = read_moves(entries(("A", "commit: x"), ("B", "commit (amend): x")), [rewrite("A", "B")])
    assert made(found) == [(oid("A"), "commit"), (oid("B"), "amend")]
    assert found.pairs == ((oid("A"), oid("B")),)


def test_an_amend_without_a_known_predecessor_is_not_a_rewrite() -> None:
    assert read_moves([ReflogEntry(ZERO, oid("A"), "commit (amend): x")], ()).pairs == ()


def test_after_a_rebase_the_originals_are_the_commits_and_the_copies_rewrites() -> None:
    log = entries(
        ("A", "commit: a"),
        ("M", "rebase (start): checkout main"),
        ("A2", "rebase (pick): a"),
        ("A2", "rebase (finish): returning to refs/heads/x"),
    )
    found = read_moves(log, [hook("A"), hook("A2"), rewrite("A", "A2")], earlier=lambda: log)
    assert made(found) == [(oid("A"), "commit")]
    assert found.pairs == ((oid("A"), oid("A2")),)


def test_a_hooks_line_may_come_after_its_entry_was_read() -> None:
    history = entries(("A", "commit (amend): a"), ("B", "checkout: moving from x to y"))
    found = read_moves((), [hook("A")], earlier=lambda: history)
    assert [(c.id, c.kind, c.sessions) for c in found.commits] == [(oid("A"), "amend", (ME,))]


def test_a_late_line_counts_even_if_its_commit_was_checked_out_again() -> None:
    history = entries(
        ("A", "commit: a"), ("B", "checkout: moving from x to y"), ("A", "checkout: moving from y to x")
    )
    found = read_moves(history[1:], [hook("A")], earlier=lambda: history)
    assert made(found) == [(oid("A"), "commit")]


def test_a_late_line_counts_even_if_its_reflog_entry_expired() -> None:
    history = entries(("A", "commit: a"), ("P", "rebase (pick): p"), ("B", "commit: b"))[1:]
    found = read_moves((), [hook("A"), hook("P"), hook("B")], earlier=lambda: history)
    assert made(found) == [(oid("A"), "commit"), (oid("B"), "commit")]


def test_a_late_line_of_a_rebase_makes_no_commit() -> None:
    history = entries(("A", "rebase (pick): a"))
    assert made(read_moves((), [hook("A")], earlier=lambda: history)) == []
    assert made(read_moves(history, [hook("A")])) == []


def test_without_a_reflog_the_spools_commits_count_once_each() -> None:
    assert made(read_moves((), [hook("B"), hook("A"), hook("B")])) == [
        (oid("B"), "commit"),
        (oid("A"), "commit"),
    ]


def test_commits_made_while_recording_is_off_are_not_stored() -> None:
    log = entries(("A", "commit: a"), ("B", "commit: b"), ("C", "commit: c"), ("D", "commit: d"))
    off = Spooled(kind="off", id=oid("A"), git_dir=Path("/g"))
    found = read_moves(log, [off, hook("C"), hook("D", by="codex:t")], off=[oid("B")], paused={ME})
    assert [c.stored for c in found.commits] == [False, False, False, True]
    assert not any(c.stored for c in read_moves(log, (), stored=False).commits)


def source(kind: str, name: str, onto: str) -> Spooled:
    return Spooled(kind=kind, id=oid(name), other=oid(onto), git_dir=Path("/g"))  # type: ignore[arg-type]


def test_a_cherry_picks_source_and_copy_are_a_rewrite() -> None:
    log = entries(("M", "commit: m"), ("P", "cherry-pick: x"))
    found = read_moves(log, [source("picked", "X", "M"), hook("P")])
    assert found.pairs == ((oid("X"), oid("P")),)


def test_every_source_of_a_squash_is_rewritten_to_the_one_commit() -> None:
    lines = [source("squashed", "X", "M"), source("squashed", "Y", "M"), hook("P")]
    found = read_moves(entries(("P", "commit: squashed")), lines)
    assert found.pairs == ((oid("X"), oid("P")), (oid("Y"), oid("P")))


def test_an_aborted_cherry_pick_is_not_a_rewrite() -> None:
    lines = [
        source("picked", "X", "M"),  # aborted: the next commit, P, was not made here (no reflog entry)
        hook("P"),
        hook("Q"),
        source("picked", "Y", "Q"),  # aborted: no commit follows
    ]
    found = read_moves(entries(("Q", "commit: q")), lines)
    assert found.pairs == ()
