"""Which records go to which fragment of a split commit."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import pytest

from gittraj.git import CommitChanges, PathChange
from gittraj.model.values import FileChanged, Line, Link, Origin, PartSummary, Range, Record, Tombstone
from gittraj.notes.split_commits import SplitCommits

PATHS = {"p": ("f", "shared"), "q": ("g", "shared")}


def record(first: str, *files: str, call: str = "c", name: str = "traj_a") -> Record:
    return Record(
        id=name,
        link=Link(evidence="agent", call=call),
        range=Range(first=first, last=first, n=1, at=0),
        figures=PartSummary(files=tuple(FileChanged(path=f, kind="update", edits=1) for f in files)),
    )


def read(commits: Collection[str]) -> dict[str, CommitChanges]:
    return {c: changes(c, *PATHS[c]) for c in commits if c in PATHS}


def changes(commit: str, *paths: str, adds: str = "", parents: int = 1) -> CommitChanges:
    changed = (PathChange(p, "update", None, "blob", tuple(adds.split())) for p in paths)
    return CommitChanges(commit, ("base",) * parents, "subject", tuple(changed))


def split_commits(*pairs: tuple[str, str], known: Sequence[Line] = ()) -> SplitCommits:
    return SplitCommits(pairs, read=read, note=lambda _: known)


@pytest.mark.parametrize(
    ("files", "on_p", "on_q"),
    [
        (["f"], True, False),
        (["g"], False, True),
        (["f", "g"], True, True),
        (["shared"], True, True),
        (["elsewhere"], True, True),
        ([], True, True),
    ],
)
def test_a_fragment_gets_the_records_that_touched_its_files(files: list[str], on_p: bool, on_q: bool) -> None:
    split = split_commits(("old", "p"), ("old", "q"))
    lines = [record("e1", *files), record("e2")]  # the second is the result of the same call
    assert split.select("old", "p", lines) == (lines if on_p else [])
    assert split.select("old", "q", lines) == (lines if on_q else [])


def test_a_late_record_goes_to_the_fragment_with_the_rest_of_its_call() -> None:
    known = [record("e1", "f"), record("e0", "g", call="other")]
    split = split_commits(("old", "p"), ("old", "q"), known=known)
    late, tombstone = record("e2"), Tombstone(id="traj_b", rev=1, deleted="x")
    assert split.select("old", "q", [late, tombstone]) == [tombstone]
    assert split.select("old", "p", [late]) == [late]


def test_a_commit_that_became_a_single_one_gives_it_all_records() -> None:
    pairs = [("old", "q"), ("old", "old"), ("other", "p")]
    split = SplitCommits(pairs, read=lambda _: pytest.fail("no need"), note=lambda _: pytest.fail("no need"))
    assert split.select("old", "q", [record("e1", "f")]) == [record("e1", "f")]


def test_a_commit_may_be_among_its_own_fragments() -> None:
    split = split_commits(("old", "p"), ("old", "q"), ("old", "old"))
    assert split.select("old", "old", [record("e1", "f")]) == [record("e1", "f")]


def test_a_missing_fragment_gets_the_records_that_fit_no_other() -> None:
    split = split_commits(("old", "p"), ("old", "gone"))
    assert split.select("old", "gone", [record("e1", "f")]) == []
    assert split.select("old", "gone", [record("e1", "else")]) == [record("e1", "else")]


def test_a_fragment_gets_the_records_whose_lines_it_has() -> None:
    """One call made two commits, which were squashed and split; then ``p`` got a line of somebody else."""
    made = {
        "one": changes("one", "f", adds="a b"),
        "two": changes("two", "g", adds="c"),
        "q": changes("q", "g", adds="c"),
        "p": replace(changes("p", "f", "g", adds="a d"), parents=("q",)),
        "pick": changes("pick", "f", adds="a b"),
    }
    link = Link(evidence="agent", call="call")
    notes = {
        commit: [replace(record("e1", "f", "g"), link=link, origin=Origin(commit=commit))]
        for commit in ("one", "two")
    }
    both, last = (
        replace(line, link=replace(link, carried_from=commits), origin=Origin(commit="two"))
        for line, commits in ((record("e1", "f", "g"), ("one", "two")), (record("e2"), ("two",)))
    )
    split = SplitCommits(
        [("both", "p"), ("both", "q"), ("both", "pick"), ("one", "pick")],
        read=lambda commits: {c: made[c] for c in commits if c in made},
        note=lambda commit: notes.get(commit, []),
    )
    assert split.select("both", "q", [both, last]) == [both, last]
    assert split.select("both", "p", [both, last]) == [both]


def test_a_fragment_committed_again_is_compared_without_the_others() -> None:
    """``again`` copies ``two``, not ``one`` (based on ``two``): ``again`` has no line of ``one``."""
    made = {
        "work": changes("work", "f", adds="a"),
        "two": changes("two", "f", adds="b"),
        "one": replace(changes("one", "f", adds="a"), parents=("two",)),
        "again": changes("again", "f", adds="b"),
    }
    line = replace(record("e1", "f"), origin=Origin(commit="work"))
    pairs = [("both", "one"), ("both", "two"), ("both", "again")]
    for known, expected in ((pairs, [line]), ([*pairs, ("two", "again")], [])):
        split = SplitCommits(
            known, read=lambda commits: {c: made[c] for c in commits if c in made}, note=lambda _: []
        )
        assert split.select("both", "again", [line]) == expected
        assert split.select("both", "one", [line]) == [line]


@pytest.mark.parametrize(("origin", "on_q"), [("one", False), ("not here", True)])
def test_a_record_whose_origin_is_missing_goes_to_every_fragment_with_its_files(
    origin: str, on_q: bool
) -> None:
    made = {
        "one": changes("one", "f", adds="a"),
        "p": changes("p", "f", adds="a"),
        "q": replace(changes("q", "f", adds="z"), parents=("p",)),
    }
    line = carried("e1", "one", origin=origin)
    line = replace(line, figures=record("e1", "f").figures)
    fragments = SplitCommits(
        [("both", "p"), ("both", "q")],
        read=lambda commits: {c: made[c] for c in commits if c in made},
        note=lambda commit: [replace(line, origin=Origin(commit="one"))] if commit == "one" else [],
    )
    assert fragments.select("both", "p", [line]) == [line]
    assert fragments.select("both", "q", [line]) == ([line] if on_q else [])


def carried(first: str, *commits: str, origin: str) -> Record:
    """Return a record, named by ``first``, of a call of the same name, carried from ``commits``."""
    record_ = record(first, call=first)
    return replace(record_, link=replace(record_.link, carried_from=commits), origin=Origin(commit=origin))


def test_a_squash_gets_no_record_whose_lines_it_does_not_add() -> None:
    """``both`` has the work of ``one`` and ``two``; ``squash``, made of ``both``, adds no line of ``one``."""
    made = {
        "one": changes("one", "f", adds="a b"),
        "two": changes("two", "f", adds="c"),
        "both": changes("both", "f", adds="a b c"),
        "merge": changes("merge", parents=2),
        "squash": changes("squash", "f", adds="c d"),
    }
    notes = {
        "one": [carried("first", origin="one"), carried("shared", origin="one")],
        "two": [carried("second", origin="two"), carried("shared", origin="two")],
        "both": [],
    }
    lines = [
        carried("first", "one", origin="one"),
        carried("second", "two", origin="two"),
        carried("shared", "one", "two", origin="one"),
        carried("merged", "merge", origin="merge"),
        carried("far", "both", origin="not here"),
    ]
    split = SplitCommits(
        [("both", "squash")],
        read=lambda commits: {c: made[c] for c in commits if c in made},
        note=lambda commit: notes.get(commit, []),
        squashed={"both": ("squash",)},
    )
    assert split.select("both", "squash", lines) == lines[1:]
    assert split.select("both", "amended", lines) == lines
