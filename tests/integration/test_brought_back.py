"""A fetch of all notes, or a colleague with plain git, removed records: which of them come back with the next
drain, and which do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gittraj.notes.recovery import find_deleted
from gittraj.state.cursors import load_state
from gittraj.state.folder import LocalState
from tests.integration.command import traj
from tests.integration.desk import Desk
from tests.integration.repository import Git
from tests.integration.sharing import RECORDS, bare, clone, refs
from tests.integration.test_integrity import delete_refs, doctor

FORCED = ("fetch", "-q", "origin", "+refs/notes/*:refs/notes/*")


@pytest.fixture
def server(desk: Desk, tmp_path: Path) -> Git:
    """Make a server that has the records of ``a``, but not those of ``b``."""
    server = bare(tmp_path / "server.git")
    desk.git("remote", "add", "origin", str(server.root))
    desk.git("config", "traj.push", "auto")
    desk.commit("a")
    desk.git("push", "-q", "origin", "main")
    assert traj(desk.git.root, "push").returncode == 0
    desk.commit("b", by="two")
    return server


def trajectory_of(git: Git, commit: str) -> str:
    said = json.loads(traj(git.root, "show", "--json", commit).stdout)
    (name,) = {each["id"] for each in said["trajectories"]}
    return str(name)


def month(git: Git) -> str:
    (ref,) = {*refs(git)} - {RECORDS}
    return ref


def move(git: Git, ref: str, *, parents: tuple[str, ...] = ()) -> str:
    """Point the ref, as a person may, to a commit without any records; return the commit's id."""
    tree = git("mktree", input="")
    words = [word for parent in parents for word in ("-p", parent)]
    commit = git("commit-tree", tree, *words, "-m", "by hand")
    git("update-ref", "-m", "by hand", ref, commit)
    return commit


def lost(git: Git) -> dict[str, str]:
    """Return the refs that lost records, by the tips that the last drain stored."""
    with git.open() as repository:
        state = load_state(LocalState.of(repository).folder)
        assert state
        return find_deleted(repository, state.tips)


@pytest.mark.parametrize("after", ["nothing", "git notes add"])
def test_history_from_before_a_purge_stays_away(desk: Desk, server: Git, tmp_path: Path, after: str) -> None:
    git, old = desk.git, refs(desk.git)
    other = clone(server, tmp_path / "other")
    traj(other.root, "fetch")
    name = trajectory_of(other, "HEAD")
    assert traj(other.root, "forget", name, "--purge").returncode == 0
    assert traj(other.root, "push", "--replace").returncode == 0
    git(*FORCED)
    if after == "git notes add":
        git("notes", "--ref=traj", "add", "-m", "theirs", git("rev-parse", "HEAD~2"))
    desk.drain()
    desk.commit("c", by="three")
    assert traj(git.root, "push").returncode == 0
    for each in (git, server):
        reached = each("rev-list", "--glob=refs/notes*").split()
        assert not {*old.values()} & {*reached}
    assert desk.recorded() == {"c": {"c"}}


def test_records_overwritten_after_a_purge_come_back(desk: Desk, server: Git) -> None:
    git = desk.git
    name = trajectory_of(git, "HEAD~")
    assert traj(git.root, "forget", name, "--purge").returncode == 0
    assert traj(git.root, "push", "--replace").returncode == 0
    desk.commit("c", by="three")
    git(*FORCED)
    desk.drain()
    assert desk.recorded() == {"b": {"b"}, "c": {"c"}}


def test_two_forced_fetches_before_a_drain(desk: Desk, server: Git) -> None:
    git = desk.git
    git(*FORCED)
    for ref in refs(git):  # another clone pushed there meanwhile
        move(server, ref, parents=(server("rev-parse", ref),))
    git(*FORCED)
    assert month(git) in lost(git)
    desk.drain()
    assert desk.recorded() == {"a": {"a"}, "b": {"b"}}


@pytest.mark.parametrize("then", ["fetch", "sync", "git notes add"])
def test_refs_that_are_deleted_and_recreated_before_a_drain(desk: Desk, server: Git, then: str) -> None:
    git = desk.git
    delete_refs(git)
    if then == "git notes add":
        git(*FORCED)
        git("notes", "--ref=traj", "add", "-m", "theirs", git("rev-parse", "HEAD~2"))
        assert {*lost(git)} == {*refs(git)}
        desk.drain()
    else:
        assert traj(git.root, then).returncode == 0
    assert desk.recorded() == {"a": {"a"}, "b": {"b"}}
    assert lost(git) == {} or then != "git notes add"


def test_a_join_into_a_deleted_ref_does_not_count_as_a_purge(desk: Desk, server: Git) -> None:
    """An earlier version's fetch did such joins."""
    git, before = desk.git, refs(desk.git)
    delete_refs(git)
    for ref in before:
        git("update-ref", "--create-reflog", "-m", "git-traj: join origin", ref, server("rev-parse", ref))
    desk.drain()
    assert desk.recorded() == {"a": {"a"}, "b": {"b"}}


def test_a_ref_that_is_not_a_commit_stops_no_drain(desk: Desk, server: Git) -> None:
    git, ref = desk.git, month(desk.git)
    tip = git("rev-parse", ref)
    git("update-ref", ref, git("hash-object", "-w", "--stdin", input="no commit\n"))
    for _ in range(2):
        desk.drain()
    said = traj(git.root, "doctor")
    assert said.returncode == 1 and "is a blob, not a commit" in said.stdout, said
    git("update-ref", "-d", ref)
    desk.drain()
    assert refs(git)[ref] == tip


def test_a_ref_that_cannot_be_restored_stops_no_drain(desk: Desk, server: Git) -> None:
    git = desk.git
    tip, records = git("rev-parse", month(git)), git("rev-parse", RECORDS)
    who = "N <e> 0 +0000"
    body = f"tree {'1' * len(tip)}\nauthor {who}\ncommitter {who}\n\nits tree is not here\n"
    broken = git("hash-object", "-t", "commit", "-w", "--stdin", input=body)
    ref = month(git)
    git("update-ref", "-m", "by hand", ref, broken)
    git("update-ref", "-d", RECORDS)
    for _ in range(2):
        desk.drain()
        assert refs(git) == {RECORDS: records, ref: broken}
        assert lost(git) == {ref: tip}
    assert f"deleted or overwritten: {ref}" in traj(git.root, "doctor").stdout
    assert "not fixed: " in traj(git.root, "doctor", "--fix").stderr
    git("update-ref", "-d", ref)
    desk.drain()
    assert refs(git) == {RECORDS: records, ref: tip}


@pytest.mark.parametrize("emptied", [False, True])
@pytest.mark.parametrize("how", ["set back", "rewritten"])
def test_a_ref_moved_by_hand_comes_back_unless_its_reflog_is_emptied(
    desk: Desk, server: Git, how: str, emptied: bool
) -> None:
    git = desk.git
    if how == "rewritten":
        move(git, month(git))
    else:
        git("update-ref", month(git), server("rev-parse", month(git)))
    if emptied:
        git("reflog", "expire", "--expire=now", "--all")
    after = git("rev-parse", month(git))
    assert bool(lost(git)) is not emptied
    desk.drain()
    assert (git("rev-parse", month(git)) == after) is emptied


def test_a_month_that_is_gone_hides_no_commit_without_records(desk: Desk, server: Git) -> None:
    git = desk.git
    git("notes", "--ref=traj", "remove", "HEAD")
    desk.drain()
    git("update-ref", "-d", month(git))
    found = [line for line in doctor(git) if "deleted" in line or "link" in line]
    assert len(found) == 2, found


@pytest.mark.parametrize("then", ["nothing", "a commit", "git notes add"])
def test_a_purge_that_a_forced_fetch_undid_is_done_again(desk: Desk, server: Git, then: str) -> None:
    git, old = desk.git, refs(desk.git)
    name, at = trajectory_of(git, "HEAD~"), month(git)
    assert traj(git.root, "forget", name, "--purge", "--no-fetch").returncode == 0
    expected = {"b": {"b"}}
    if then == "a commit":
        desk.commit("c", by="three")
        expected["c"] = {"c"}
    purged = refs(git)
    git(*FORCED)
    if then == "git notes add":
        git("notes", "--ref=traj", "add", "-m", "theirs", git("rev-parse", "HEAD~2"))
    assert refs(git)[at] != purged[at]
    assert then != "a commit" or {*lost(git)} == {RECORDS, at}
    assert "overwritten, and is restored" in traj(git.root, "doctor").stderr
    assert refs(git) == purged
    assert not {*old.values()} & {*git("rev-list", "--glob=refs/notes/*").split()}
    assert desk.recorded() == expected


def test_removed_notes_stay_removed_and_a_record_overwritten_by_that_comes_back(desk: Desk) -> None:
    """Six records, the last made just before; the removal had read an older state of one note."""
    git = desk.git
    for name in "abcdef":
        desk.commit(name)
    commits = git("rev-list", "--reverse", "-6", "HEAD").split()
    kept, *gone = (commits[0], *commits[-2:])
    older = git("rev-parse", f"{RECORDS}:{kept[:2]}/{kept[2:]}")
    git("notes", "--ref=traj", "append", "-m", "theirs", kept)
    scratch, message = {"GIT_INDEX_FILE": ".git/scratch"}, "Notes removed by 'git notes remove'"
    git("read-tree", RECORDS, env=scratch)
    git("update-index", "--cacheinfo", f"100644,{older},{kept}", "--force-remove", *gone, env=scratch)
    made = git("commit-tree", git("write-tree", env=scratch), "-p", RECORDS, "-m", message)
    git("update-ref", "-m", f"notes: {message}", RECORDS, made)
    traj(git.root, "log")
    assert {*desk.recorded()} == {"a", "b", "c", "d"}
    assert "theirs" in git("notes", "--ref=traj", "show", kept)


def test_a_note_emptied_in_an_editor_removes_no_other_record(desk: Desk) -> None:
    """``git notes edit`` has read the notes before the last record is written."""
    git = desk.git
    for name in "abc":
        desk.commit(name)
    edited, last = git("rev-list", "--reverse", "-3", "HEAD").split()[::2]
    scratch, message = {"GIT_INDEX_FILE": ".git/scratch"}, "Notes removed by 'git notes edit'"
    git("read-tree", RECORDS, env=scratch)
    git("update-index", "--force-remove", *(f"{each[:2]}/{each[2:]}" for each in (edited, last)), env=scratch)
    made = git("commit-tree", git("write-tree", env=scratch), "-p", RECORDS, "-m", message)
    git("update-ref", "-m", f"notes: {message}", RECORDS, made)
    traj(git.root, "log")
    assert {*desk.recorded()} == {"b", "c"}
