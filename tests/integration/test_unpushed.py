"""``git log --all`` shows one commit of ours per ref and push, and this loses nothing."""

from __future__ import annotations

import pytest

from gittraj.git import Repository
from gittraj.notes.recovery import restore_lost
from gittraj.notes.store import DataRefs, NotesRef
from tests.integration.desk import Desk
from tests.integration.repository import Git
from tests.integration.sharing import Be, bare, clone, told
from tests.integration.test_store import add, notes_tree

REF = "refs/notes/traj"


def ours(git: Git) -> list[str]:
    """List our commits in ``git log --all``."""
    return [line for line in git("log", "--all", "--format=%s").splitlines() if line.startswith("git-traj")]


def test_two_pushes_of_thirteen_commits_leave_two_of_our_commits_per_ref(desk: Desk, be: Be) -> None:
    git = desk.git
    server = bare(git.root.with_name("server"))
    git("remote", "add", "origin", str(server.root))
    git("config", "traj.push", "auto")
    first = ["git-traj: 21 segments", "git-traj: 7 commits"]
    for number in range(13):
        desk.commit(f"c{number}")
        if number == 6:
            assert sorted(ours(git)) == first
            be(git)("push")
    be(git)("push")
    assert sorted(ours(git)) == sorted([*first, "git-traj: 18 segments", "git-traj: 6 commits"])
    assert len(git("reflog", REF).splitlines()) == 13, "what was replaced is in the reflog"
    assert told(server) == told(git)
    assert git("log", "--exclude=refs/notes*/*", "--all", "--format=%s").count("git-traj") == 0
    desk.check({f"c{number}": {f"c{number}"} for number in range(13)})


def test_subject_counts_a_commit_once(git: Git) -> None:
    one, two = (git.commit({"f": name}) for name in "12")
    with git.open() as repository:
        notes = NotesRef(repository)
        notes.write({one: add("a")})
        assert ours(git) == ["git-traj: 1 commit"]
        notes.write({one: add("b"), two: add("c")})
        assert ours(git) == ["git-traj: 2 commits"]
        notes.write({two: add("d")})
        DataRefs(repository).write("2026-11", {"s/ab/t/0": b"0"})
        DataRefs(repository).write("2026-11", {"s/ab/t/1": b"1"})
        assert sorted(ours(git)) == ["git-traj: 2 commits", "git-traj: 2 segments"]
        assert dict(notes.items()) == {one: b"a\nb\n", two: b"c\nd\n"}


KEPT = {
    "pushed": ("update-ref", "refs/notes-remote/origin/traj", REF),
    "copied": ("update-ref", "refs/notes/backup", REF),
    "copied elsewhere": ("update-ref", "refs/backups/traj", REF),
    "made elsewhere": ("reflog", "expire", "--expire=all", REF),
    "followed": ("notes", "--ref=traj", "append", "-m", "theirs"),
}


@pytest.mark.parametrize("why", KEPT)
def test_a_commit_that_others_may_have_is_not_replaced(git: Git, why: str) -> None:
    commit = git.commit({"f": "1"})
    with git.open() as repository:
        NotesRef(repository).write({commit: add("a")})
        git(*KEPT[why])
        before = git("rev-parse", REF)
        after = NotesRef(repository).write({commit: add("b")})
        assert git("rev-parse", f"{after}^") == before


def test_bare_repository_has_no_reflog_and_keeps_all(git: Git) -> None:
    commit = git.commit({"f": "1"})
    git("clone", "--quiet", "--bare", ".", "../bare")
    bare_clone = Git(git.root.with_name("bare"))
    with bare_clone.open() as repository:
        NotesRef(repository).write({commit: add("a")})
        NotesRef(repository).write({commit: add("b")})
    assert ours(bare_clone) == ["git-traj: 1 commit"] * 2


@pytest.mark.parametrize("parent", ["read", "latest"])
def test_records_survive_git_notes_that_overwrites_a_replacing_commit(
    each_git: Git, repository: Repository, parent: str
) -> None:
    """``git notes add`` read the notes before a drain replaced their commit, and moved the ref after it; its
    parent is the old commit or the new one."""
    one, two, three = (each_git.commit({"f": name}) for name in "123")
    notes = NotesRef(repository)
    read = notes.write({one: add("one")})
    latest = notes.write({two: add("two")})
    each_git("update-ref", "refs/notes/other", str(read))
    each_git("notes", "--ref=other", "add", "-m", "theirs", three)
    each_git("notes", "--ref=other", "remove", one)
    base, said = str(read if parent == "read" else latest), "Notes added by 'git notes add'"
    made = each_git("commit-tree", "refs/notes/other^{tree}", "-p", base, "-m", said)
    each_git("update-ref", "-d", "refs/notes/other")
    each_git("update-ref", "-m", f"notes: {said}", REF, made)
    restore_lost(repository, since=None)
    assert dict(notes.items()) == {two: b"two\n", three: b"theirs\n"}
    tip = notes.tip()
    assert restore_lost(repository, since=None) == tip, "nothing is restored twice"


def test_a_commit_that_was_pushed_while_it_was_replaced_is_joined(git: Git, be: Be) -> None:
    """A drain may replace a commit that a push has just sent: the next push joins both."""
    commit = git.commit({"f": "1"})
    server = bare(git.root.with_name("server"))
    git("push", "--quiet", str(server.root), "HEAD:main")
    ann = clone(server, git.root.with_name("ann"))
    with ann.open() as repository:
        notes = NotesRef(repository)
        notes.write({commit: add('{"a":1}')})
        ann("push", "--quiet", str(server.root), REF)  # this makes no copy of the remote's ref
        notes.write({commit: add('{"b":2}')})
    be(ann)("push")
    assert server("notes", "--ref=traj", "show", commit).splitlines() == ['{"a":1}', '{"b":2}']
    assert ours(server) == ["git-traj: join origin", *["git-traj: 1 commit"] * 2]


def test_notes_of_others_in_any_layout_are_followed(git: Git) -> None:
    commit = git.commit({"f": "1"})
    notes_tree(git, {commit: "theirs\n"})
    with git.open() as repository:
        NotesRef(repository).write({commit: add("ours")})
        NotesRef(repository).write({commit: add("again")})
        assert NotesRef(repository).read(commit) == b"theirs\nours\nagain\n"
    assert git("log", "--format=%s", REF).splitlines() == ["git-traj: 1 commit", "foreign"]
