"""Notes and segments in a real repository: nothing is lost, and other people's notes stay unchanged."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gittraj.errors import StoreError
from gittraj.git import Repository
from gittraj.notes import refs
from gittraj.notes.store import DataRefs, NotesRef
from tests.integration.repository import Git
from tests.sizes import size


def add(line: str) -> Callable[[bytes], bytes]:
    return lambda note: note + line.encode() + b"\n"


def notes_tree(git: Git, files: dict[str, str]) -> None:
    """Write a notes commit as another tool might: these files at these paths, whatever the fan-out."""
    index = {"GIT_INDEX_FILE": str(git.root / ".git" / "notes-index")}
    for path, content in files.items():
        blob = git("hash-object", "-w", "--stdin", input=content)
        git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", env=index)
    commit = git("commit-tree", git("write-tree", env=index), "-m", "foreign")
    git("update-ref", "refs/notes/traj", commit)


def paths(git: Git, ref: str = "refs/notes/traj") -> dict[str, str]:
    listed = git("ls-tree", "-r", "-z", ref).split("\0")[:-1]
    return {
        line.partition("\t")[2]: git("cat-file", "blob", line.split()[2].partition("\t")[0])
        for line in listed
    }


def fanned(commit: str, *cuts: int) -> str:
    ends = [*cuts, len(commit)]
    starts = [0, *cuts]
    return "/".join(commit[a:b] for a, b in zip(starts, ends, strict=True))


def test_notes_are_written_and_read(each_git: Git, repository: Repository) -> None:
    one, two, three = (each_git.commit({"f": name}) for name in "123")
    notes = NotesRef(repository)
    assert (notes.tip(), notes.read(one), list(notes.items())) == (None, None, [])
    tip = notes.write({one: add("a"), two: add("b")}, message="git-traj: record 2 parts on 2 commits")
    assert tip == notes.tip() == each_git("rev-parse", "refs/notes/traj")
    assert notes.write({one: add("c")}, message="m") != tip
    assert (notes.read(one), notes.read(two), notes.read(three)) == (b"a\nc\n", b"b\n", None)
    assert dict(notes.items()) == {one: b"a\nc\n", two: b"b\n"}
    assert list(notes.pick([three, two])) == [(two, b"b\n")]
    assert dict(notes.items(tip)) == {one: b"a\n", two: b"b\n"}
    assert paths(each_git) == {fanned(one, 2): "a\nc", fanned(two, 2): "b"}
    assert each_git("log", "--format=%s", "refs/notes/traj").splitlines() == [
        "m",
        "git-traj: record 2 parts on 2 commits",
    ]


def test_git_notes_reads_and_writes_the_same_notes(each_git: Git, repository: Repository) -> None:
    ours, theirs = (each_git.commit({"f": name}) for name in "12")
    notes = NotesRef(repository)
    notes.write({ours: add("ours")}, message="m")
    each_git("notes", "--ref=traj", "append", "-m", "appended", ours)
    each_git("notes", "--ref=traj", "add", "-m", "theirs", theirs)
    assert notes.read(theirs) == b"theirs\n"
    notes.write({ours: add("again"), theirs: add("ours too")}, message="m")
    assert each_git("notes", "--ref=traj", "show", ours).split() == ["ours", "appended", "again"]
    assert each_git("notes", "--ref=traj", "show", theirs).split() == ["theirs", "ours", "too"]


def test_nothing_is_written_when_nothing_changes(each_git: Git, repository: Repository) -> None:
    commit = each_git.commit({"f": "1"})
    notes = NotesRef(repository)
    assert notes.write({commit: lambda note: note}, message="m") is None
    assert notes.tip() is None
    tip = notes.write({commit: add("a")}, message="m")
    assert notes.write({commit: lambda _: b"a\n"}, message="m") is None
    assert notes.write({}, message="m") is None
    assert notes.tip() == tip


def test_an_empty_note_is_removed(each_git: Git, repository: Repository) -> None:
    one, two = (each_git.commit({"f": name}) for name in "12")
    notes = NotesRef(repository)
    notes.write({one: add("a"), two: add("b")}, message="m")
    notes.write({one: lambda _: b""}, message="m")
    assert dict(notes.items()) == {two: b"b\n"}
    notes.write({two: lambda _: b""}, message="m")
    assert list(notes.items()) == []
    assert paths(each_git) == {}


@pytest.mark.parametrize("cuts", [(), (2,), (2, 4), (2, 4, 6)], ids=["flat", "2/38", "2/2/36", "2/2/2/34"])
def test_a_note_at_any_depth_is_read_and_replaced(
    each_git: Git, repository: Repository, cuts: tuple[int, ...]
) -> None:
    commit, other = (each_git.commit({"f": name}) for name in "12")
    notes_tree(each_git, {fanned(commit, *cuts): "old\n", fanned(other, *cuts): "other\n"})
    notes = NotesRef(repository)
    assert notes.read(commit) == b"old\n"
    assert dict(notes.items()) == {commit: b"old\n", other: b"other\n"}
    notes.write({commit: add("new")}, message="m")
    assert paths(each_git) == {fanned(commit, 2): "old\nnew", fanned(other, *cuts): "other"}
    assert each_git("notes", "--ref=traj", "show", commit) == "old\nnew"


def test_a_note_at_two_depths_becomes_one(each_git: Git, repository: Repository) -> None:
    commit = each_git.commit({"f": "1"})
    notes_tree(each_git, {commit: "flat", fanned(commit, 2): "fanned\n", fanned(commit, 2, 4): "deep\n"})
    notes = NotesRef(repository)
    assert notes.read(commit) == b"flat\nfanned\ndeep\n"
    assert list(notes.items()) == [(commit, notes.read(commit))]
    notes.write({commit: add("new")}, message="m")
    assert paths(each_git) == {fanned(commit, 2): "flat\nfanned\ndeep\nnew"}


def test_foreign_entries_stay(each_git: Git, repository: Repository) -> None:
    commit = each_git.commit({"f": "1"})
    foreign = {
        "epoch": "1",
        "ab/readme": "2",
        "abcd": "3",
        f"{'g' * 40}": "4",
        "ABCD/x": "5",
        "s/ab/t/0": "6",
    }
    notes_tree(each_git, foreign)
    notes = NotesRef(repository)
    assert list(notes.items()) == []
    notes.write({commit: add("a")}, message="m")
    assert dict(notes.items()) == {commit: b"a\n"}
    assert paths(each_git) == foreign | {fanned(commit, 2): "a"}


def test_a_foreign_file_where_the_folder_belongs_stays(each_git: Git, repository: Repository) -> None:
    commit = each_git.commit({"f": "1"})
    notes_tree(each_git, {commit[:2]: "foreign"})
    notes = NotesRef(repository)
    notes.write({commit: add("a")}, message="m")
    notes.write({commit: add("b")}, message="m")
    assert paths(each_git) == {commit[:2]: "foreign", commit: "a\nb"}


def test_only_object_ids_have_notes(repository: Repository) -> None:
    with pytest.raises(StoreError, match="'HEAD' is not an object id"):
        NotesRef(repository).write({"HEAD": add("a")}, message="m")


def test_a_note_of_a_missing_commit(repository: Repository) -> None:
    absent = "ab" * (20 if repository.object_format == "sha1" else 32)
    notes = NotesRef(repository)
    notes.write({absent: add("a")}, message="m")
    assert dict(notes.items()) == {absent: b"a\n"}


def test_a_note_larger_than_a_command_line(each_git: Git, repository: Repository) -> None:
    commit = each_git.commit({"f": "1"})
    notes = NotesRef(repository)
    body = b"x" * 1_000_000 + b"\n"
    notes.write({commit: lambda _: body}, message="m")
    assert notes.read(commit) == body


def test_changed_lists_the_commits_whose_notes_differ(each_git: Git, repository: Repository) -> None:
    one, two, three = (each_git.commit({"f": name}) for name in "123")
    notes = NotesRef(repository)
    first = notes.write({one: add("a"), two: add("b")}, message="m")
    second = notes.write({two: add("c"), three: add("d")}, message="m")
    third = notes.write({one: lambda _: b""}, message="m")
    assert list(notes.changed(None, first)) == sorted([one, two])
    assert list(notes.changed(first, second)) == sorted([two, three])
    assert list(notes.changed(second, third)) == [one]
    assert list(notes.changed(first, third)) == sorted([one, two, three])
    assert list(notes.changed(third, None)) == sorted([two, three])
    assert list(notes.changed(third, third)) == []


def test_a_moved_note_does_not_count_as_a_change(each_git: Git, repository: Repository) -> None:
    one, two = (each_git.commit({"f": name}) for name in "12")
    notes_tree(each_git, {one: "a", fanned(two, 2): "b"})
    notes = NotesRef(repository)
    flat = notes.tip()
    (each_git.root / ".git" / "notes-index").unlink()
    notes_tree(each_git, {fanned(one, 2, 4): "a", fanned(two, 2): "c"})
    assert list(notes.changed(flat, notes.tip())) == [two]


def test_in_a_bare_repository_and_from_a_linked_worktree(git: Git, tmp_path: Path) -> None:
    commit = git.commit({"f": "1"})
    git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    Git(tmp_path)("clone", "--quiet", "--bare", "repo", "bare.git")
    for root in (tmp_path / "linked", tmp_path / "bare.git"):
        with Git(root).open("libgit2") as fast, Git(root).open("plumbing") as slow:
            NotesRef(fast).write({commit: add("fast")}, message="m")
            NotesRef(slow).write({commit: add("slow")}, message="m")
    for repository in (git, Git(tmp_path / "bare.git")):
        assert repository("notes", "--ref=traj", "show", commit).split() == ["fast", "slow"]


WRITER = """
import sys
from pathlib import Path
from gittraj.git import open_repository
from gittraj.notes.store import NotesRef
root, backend, name, count, width = sys.argv[1:]
with open_repository(Path(root), backend=backend) as repository:
    notes = NotesRef(repository)
    for n in range(int(count)):
        # every second note is one that all writers append to; the others are the writer's own
        commit = f"{n:02x}" + "0" * (int(width) - 2) if n % 2 else f"{int(name):02x}{n:0{int(width) - 2}x}"
        notes.write({commit: lambda old: old + f"{name} {n}\\n".encode()}, message=f"{name} {n}")
"""


def test_many_processes_lose_nothing(each_git: Git, repository: Repository) -> None:
    count, each = size(3, 8), size(8, 50)
    width = len(each_git.commit({"f": "1"}))
    arguments = [str(each_git.root), repository.backend]
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, *arguments, str(name), str(each), str(width)])
        for name in range(count)
    ]
    assert [writer.wait() for writer in writers] == [0] * count
    lines = [line for _, note in NotesRef(repository).items() for line in note.decode().splitlines()]
    assert sorted(lines) == sorted(f"{name} {n}" for name in range(count) for n in range(each))
    assert each_git("rev-list", "--count", "refs/notes/traj") == str(count * each)


def test_a_write_is_repeated_if_another_writer_comes_in_between(
    each_git: Git, repository: Repository
) -> None:
    commit, other = (each_git.commit({"f": name}) for name in "12")
    notes = NotesRef(repository)
    seen = []

    def edit(note: bytes) -> bytes:
        seen.append(note)
        if len(seen) == 1:
            each_git("notes", "--ref=traj", "add", "-m", "theirs", commit)
            each_git("notes", "--ref=traj", "add", "-m", "other", other)
        return note + b"ours\n"

    notes.write({commit: edit}, message="m")
    assert seen == [b"", b"theirs\n"]
    assert dict(notes.items()) == {commit: b"theirs\nours\n", other: b"other\n"}


def test_a_lock_that_stays_is_reported(
    each_git: Git, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = each_git.commit({"f": "1"})
    notes = NotesRef(repository)
    notes.write({commit: add("a")}, message="m")
    lock = each_git.root / ".git" / "refs" / "notes" / "traj.lock"
    lock.touch()
    monkeypatch.setattr(refs, "_TIMEOUT", 0.1)
    with pytest.raises(StoreError) as caught:
        notes.write({commit: add("b")}, message="m")
    assert caught.value.message == "refs/notes/traj could not be updated within 0.1 seconds"
    assert caught.value.hint == f"if no git process runs, remove {lock}"
    assert notes.read(commit) == b"a\n"


def test_another_ref_is_read_the_same(each_git: Git, repository: Repository) -> None:
    commit = each_git.commit({"f": "1"})
    each_git("notes", "--ref=traj", "add", "-m", "a", commit)
    each_git("update-ref", "refs/notes-remote/origin/traj", "refs/notes/traj")
    assert NotesRef(repository, "refs/notes-remote/origin/traj").read(commit) == b"a\n"


def test_segments_are_written_and_read(each_git: Git, repository: Repository) -> None:
    data = DataRefs(repository)
    assert (data.months(), data.read("2026-11", "s/ab/t/0")) == ((), None)
    data.write("2026-11", {"s/ab/t/0": b"zero", "s/cd/u/0": b"\0bytes"})
    data.write("2026-10", {"s/ab/t/0": b"earlier"})
    assert data.months() == ("2026-10", "2026-11")
    assert data.read("2026-11", "s/ab/t/0") == b"zero"
    assert data.read("2026-11", "s/cd/u/0") == b"\0bytes"
    assert data.read("2026-10", "s/ab/t/0") == b"earlier"
    assert [data.read("2026-11", path) for path in ("s/ab/t", "s/ab/t/1", "s/ab/t/0/x")] == [None] * 3
    assert each_git("log", "--format=%s", "refs/notes/traj-data-2026-11") == "git-traj: 2 segments"


def test_a_segment_never_changes(each_git: Git, repository: Repository) -> None:
    data = DataRefs(repository)
    data.write("2026-11", {"s/ab/t/0": b"first"})
    tip = each_git("rev-parse", "refs/notes/traj-data-2026-11")
    data.write("2026-11", {"s/ab/t/0": b"second"})
    assert each_git("rev-parse", "refs/notes/traj-data-2026-11") == tip
    data.write("2026-11", {"s/ab/t/0": b"second", "s/ab/t/1": b"new"})
    assert (data.read("2026-11", "s/ab/t/0"), data.read("2026-11", "s/ab/t/1")) == (b"first", b"new")


def test_only_a_valid_month_is_accepted(repository: Repository) -> None:
    with pytest.raises(StoreError, match="expected YYYY-MM"):
        DataRefs(repository).write("../heads/main", {"a": b""})
