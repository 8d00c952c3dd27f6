"""Objects and refs, the same through libgit2 and through git's own commands."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from gittraj.errors import GitError
from gittraj.git import BLOB, TREE, Entry, Repository, open_repository
from gittraj.git.plumbing import PlumbingObjects
from tests.integration.repository import Git

REF = "refs/notes/test"


def test_written_objects_are_identical_to_gits(each_git: Git, repository: Repository) -> None:
    objects = repository.objects
    blob = objects.write_blob(b"text\0\n")
    inner = objects.write_tree([Entry(BLOB, b"f", blob)])
    # git sorts a folder as if its name ended in "/": "a.b" < "a/" < "a0"
    tree = objects.write_tree([Entry(BLOB, b"a0", blob), Entry(TREE, b"a", inner), Entry(BLOB, b"a.b", blob)])
    commit = objects.write_commit(tree=tree, parents=[], message="subject\n\nbody")
    assert objects.swap_ref(REF, new=commit, old=None, message="made")

    assert each_git("fsck", "--strict") == ""
    assert each_git("ls-tree", "--name-only", commit).split() == ["a.b", "a", "a0"]
    assert each_git.raw("cat-file", "blob", f"{REF}:a/f") == b"text\0\n"
    assert (
        each_git("log", "-1", "--format=%an %ce %at %B", REF)
        == "A U Thor author@example.com 1767323045 subject\n\nbody\n"
    )
    assert each_git("reflog", REF) == f"{commit[:7]} {REF}@{{0}}: made"


def test_reading_what_git_wrote(each_git: Git, repository: Repository) -> None:
    first = each_git.commit({"f": "1"}, "one")
    second = each_git.commit({"d/ü": "2", "f": None}, "two\nlines\n\nbody")
    objects = repository.objects
    info = objects.commit(second)
    assert (info.parents, info.subject, info.message) == ((first,), "two lines", b"two\nlines\n\nbody\n")
    assert (info.author, info.time) == ("A U Thor <author@example.com>", 1767323045)
    assert objects.commit(first).parents == ()
    (entry,) = objects.read_tree(info.tree)
    assert (entry.mode, entry.name) == (TREE, b"d")
    (inner,) = objects.read_tree(entry.oid)
    assert (inner.mode, inner.name, objects.read_blob(inner.oid)) == (BLOB, "ü".encode(), b"2")
    assert [objects.kind(oid) for oid in (second, info.tree, inner.oid)] == ["commit", "tree", "blob"]


def test_missing_objects(each_git: Git, repository: Repository) -> None:
    objects = repository.objects
    commit = each_git.commit({"f": "1"})
    absent = "0" * len(commit)
    assert (objects.exists(absent), objects.kind(absent), objects.read(absent)) == (False, None, None)
    assert (objects.exists("HEAD"), objects.read("--help\n")) == (False, None)
    assert objects.resolve("refs/notes/none") is None
    assert objects.resolve("HEAD") == commit
    blob = each_git("rev-parse", "HEAD:f")
    assert list(objects.read_blobs([blob, absent, commit, blob])) == [b"1", None, None, b"1"]
    with pytest.raises(GitError, match=f"^blob {absent} is missing$"):
        objects.read_blob(absent)
    with pytest.raises(GitError, match=f"^{commit} is a commit, not a tree$"):
        objects.read_tree(commit)


def test_a_branch_without_an_upstream(each_git: Git, repository: Repository) -> None:
    """To resolve ``@{u}`` then ends ``git cat-file --batch``; the next query still gets its answer."""
    commit = each_git.commit({"f": "1"})
    assert repository.objects.resolve("@{u}") is None
    assert repository.objects.resolve("HEAD") == commit


def test_an_unfinished_iteration_spoils_no_later_answer(each_git: Git, repository: Repository) -> None:
    each_git.commit({str(n): str(n) for n in range(300)})
    blobs = [entry.oid for entry in repository.objects.read_tree(each_git("rev-parse", "HEAD^{tree}"))]
    next(repository.objects.read_blobs(blobs))
    assert repository.objects.read_blob(each_git("rev-parse", "HEAD:77")) == b"77"


def test_compare_and_swap(each_git: Git, repository: Repository) -> None:
    objects = repository.objects
    one, two, three = (each_git.commit({"f": name}) for name in "123")
    assert not objects.swap_ref(REF, new=one, old=two, message="no ref yet")
    assert objects.swap_ref(REF, new=one, old=None, message="create")
    assert not objects.swap_ref(REF, new=two, old=None, message="exists")
    assert objects.swap_ref(REF, new=two, old=one, message="move")
    assert not objects.swap_ref(REF, new=three, old=one, message="stale")
    each_git("pack-refs", "--all")
    assert objects.swap_ref(REF, new=three, old=two, message="packed")
    assert objects.resolve(REF) == three
    lock = each_git.root / ".git" / f"{REF}.lock"
    lock.touch()
    assert not objects.swap_ref(REF, new=one, old=three, message="locked")
    lock.unlink()
    assert objects.swap_ref(REF, new=one, old=three, message="free")


def test_commits_without_anybody_s_name(each_git: Git, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    nobody = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "home"), "GIT_CONFIG_NOSYSTEM": "1"}
    each_git("config", "user.useConfigOnly", "true")
    with open_repository(each_git.root, environ=nobody) as repository:
        objects = repository.objects
        commit = objects.write_commit(tree=objects.write_tree([]), parents=[], message="m")
        objects.swap_ref(REF, new=commit, old=None, message="m")
    assert each_git("log", "-1", "--format=%cn <%ce>", REF) == "git-traj <git-traj@localhost>"


def test_both_backends_write_the_same_ids(git: Git) -> None:
    with git.open("libgit2") as fast, git.open("plumbing") as slow:
        made = []
        for objects in (fast.objects, slow.objects):
            tree = objects.write_tree([Entry(BLOB, b"n", objects.write_blob(b"x" * 100_000))])
            made.append((tree, objects.write_commit(tree=tree, parents=[], message="m")))
        assert made[0] == made[1]


def test_a_repository_that_libgit2_refuses_opens_through_git(git: Git) -> None:
    git("config", "core.repositoryFormatVersion", "1")
    git("config", "extensions.worktreeConfig", "true")
    git("config", "extensions.noop", "true")
    sha256 = Git.init(git.root / "inner", "--object-format=sha256")
    with sha256.open() as repository:
        assert isinstance(repository.objects, PlumbingObjects)
    with pytest.raises(GitError, match="libgit2 cannot open"):
        assert sha256.open("libgit2").objects


def test_forgotten_processes_end_by_themselves(git: Git) -> None:
    commit = git.commit({"f": "1"})
    repository = git.open("plumbing")
    assert repository.objects.exists(commit)
    repository.objects.commit(commit)
    del repository
    gc.collect()  # a process left running is a ResourceWarning, which fails the test


def test_a_closed_repository_opens_again(each_git: Git, repository: Repository) -> None:
    commit = each_git.commit({"f": "1"})
    assert repository.objects.exists(commit)
    repository.close()
    repository.close()
    assert repository.objects.commit(commit).subject == "change"


def test_names_that_no_tree_can_contain(repository: Repository) -> None:
    blob = repository.objects.write_blob(b"")
    for name in (b"", b".", b"..", b".git", b"a/b", b"a\0b"):
        with pytest.raises(ValueError, match="a tree cannot contain the name"):
            repository.objects.write_tree([Entry(BLOB, name, blob)])
