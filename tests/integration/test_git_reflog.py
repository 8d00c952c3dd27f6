"""Reading HEAD's reflog incrementally."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gittraj.git import Position, ReflogEntry, open_repository, read_reflog
from tests.integration.repository import Git


@pytest.fixture(params=["file", "listing"])
def reflog_git(request: pytest.FixtureRequest, git: Git) -> Git:
    """A repository; its reflog is read from the file, or from git's listing, as reftable has no file."""
    if request.param == "listing":
        (git.root / ".git" / "reftable").mkdir()
    return git


def read(git: Git, position: Position | None = None) -> tuple[list[ReflogEntry], Position]:
    repository = open_repository(git.root)
    return read_reflog(repository, repository.git_dir, position)


def test_kinds_and_ids_in_order(reflog_git: Git) -> None:
    git = reflog_git
    first = git.commit({"f": "1"}, "one: with a colon")
    second = git.commit({"f": "2"}, "two")
    git("commit", "--quiet", "--amend", "--message", "two, again")
    third = git.head()
    git("checkout", "--quiet", "-b", "side", first)
    git("cherry-pick", third)
    entries, _ = read(git)
    assert [(e.old, e.new) for e in entries] == [
        ("0" * 40, first),
        (first, second),
        (second, third),
        (third, first),
        (first, git.head()),
    ]
    assert [e.kind for e in entries] == [
        "commit (initial)",
        "commit",
        "commit (amend)",
        "checkout",
        "cherry-pick",
    ]
    assert entries[0].message == "commit (initial): one: with a colon"


def test_only_new_entries_are_read(reflog_git: Git) -> None:
    git = reflog_git
    git.commit({"f": "1"})
    entries, position = read(git)
    assert len(entries) == 1
    assert read(git, position) == ([], position)
    second, third = git.commit({"f": "2"}), git.commit({"f": "3"})
    entries, later = read(git, Position(*json.loads(json.dumps(position))))
    assert [e.new for e in entries] == [second, third]
    assert read(git, later) == ([], later)


def test_an_expired_or_rewritten_reflog_is_read_from_its_start(reflog_git: Git) -> None:
    git = reflog_git
    for n in range(5):
        git.commit({"f": str(n)})
    _, position = read(git)
    git("reflog", "delete", "HEAD@{2}")
    new = git.commit({"f": "new"})
    entries, _ = read(git, position)
    assert len(entries) == 5
    assert entries[-1].new == new
    git("reflog", "expire", "--expire=now", "--all")
    assert read(git, position) == ([], Position())
    only = git.commit({"f": "after"})
    assert [e.new for e in read(git, position)[0]] == [only]


def test_the_first_entry_left_has_the_id_before_it(reflog_git: Git) -> None:
    """An expired reflog begins like this: it is not complete."""
    git = reflog_git
    first, second = git.commit({"f": "1"}), git.commit({"f": "2"})
    git("reflog", "delete", "HEAD@{1}")
    assert [(e.old, e.new) for e in read(git)[0]] == [(first, second)]


def test_an_unborn_branch_and_a_missing_reflog(reflog_git: Git) -> None:
    assert read(reflog_git) == ([], Position())
    assert read(reflog_git, Position(100, "gone")) == ([], Position())


def test_an_incomplete_line_is_not_read(git: Git) -> None:
    commit = git.commit({"f": "1"})
    log = git.root / ".git" / "logs" / "HEAD"
    line = f"{commit} {'a' * 40} N <e> 0 +0000\tcommit: half"
    whole = log.read_bytes()
    log.write_bytes(whole + line.encode())
    entries, position = read(git)
    assert (len(entries), position.size) == (1, len(whole))
    log.write_bytes(whole + line.encode() + b" and half\n")
    assert read(git, position)[0] == [ReflogEntry(commit, "a" * 40, "commit: half and half")]


def test_each_worktree_has_its_own_reflog(git: Git, tmp_path: Path) -> None:
    git.commit({"f": "1"})
    git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    there = Git(tmp_path / "linked").commit({"f": "2"}, "there")
    repository = open_repository(git.root)
    main, linked = (read_reflog(repository, w.git_dir, None)[0] for w in repository.worktrees())
    assert [e.message for e in main] == ["commit (initial): change"]
    assert linked[-1].new == there


def test_messages_of_any_bytes(git: Git) -> None:
    git.commit({"f": "1"})
    log = git.root / ".git" / "logs" / "HEAD"
    zero = b"0" * 40
    with log.open("ab") as file:
        file.write(zero + b" " + b"1" * 40 + b" N <e> 0 +0000\n")
        file.write(zero + b" " + b"2" * 40 + b" N <e> 0 +0000\tcommit: caf\xe9\r\x0b\x85 x\n")
    entries, _ = read(git)
    assert [e.message for e in entries[1:]] == ["", "commit: caf\udce9\r\x0b\udc85 x"]


def test_the_reflog_of_a_reftable_repository(tmp_path: Path) -> None:
    if not Git.init(tmp_path / "any").succeeds(
        "init", "--quiet", "--ref-format=reftable", str(tmp_path / "repo")
    ):
        pytest.skip("this git knows no reftable")
    git = Git(tmp_path / "repo")
    first, second = git.commit({"f": "1"}), git.commit({"f": "2"})
    entries, position = read(git)
    assert [(e.old, e.new, e.kind) for e in entries] == [
        ("0" * 40, first, "commit (initial)"),
        (first, second, "commit"),
    ]
    third = git.commit({"f": "3"})
    assert [e.new for e in read(git, position)[0]] == [third]
