"""Finding a repository, and running git in it whatever the environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gittraj.errors import GitError, NotARepository
from gittraj.git import clean_environment, open_repository
from tests.integration.repository import Git


def test_from_a_subfolder(git: Git) -> None:
    (git.root / "a" / "b").mkdir(parents=True)
    found = open_repository(git.root / "a" / "b")
    assert (found.git_dir, found.common_dir, found.work_tree) == (
        git.root / ".git",
        git.root / ".git",
        git.root,
    )
    assert found.object_format == "sha1"


def test_from_the_git_directory(git: Git) -> None:
    found = open_repository(git.root / ".git")
    assert (found.git_dir, found.work_tree) == (git.root / ".git", git.root)


def test_names_with_newlines(tmp_path: Path) -> None:
    root = Git.init(tmp_path / "new\nline").root
    assert open_repository(root).work_tree == root


def test_a_bare_repository_has_no_work_tree(tmp_path: Path) -> None:
    root = Git.init(tmp_path / "bare.git", "--bare").root
    found = open_repository(root)
    assert (found.git_dir, found.work_tree, found.head()) == (root, None, None)
    assert [(w.path, w.git_dir, w.present) for w in found.worktrees()] == [(None, root, True)]


def test_the_object_format_of_a_sha256_repository(tmp_path: Path) -> None:
    assert open_repository(Git.init(tmp_path, "--object-format=sha256").root).object_format == "sha256"


def test_separate_git_directory(tmp_path: Path) -> None:
    root = Git.init(tmp_path / "work", f"--separate-git-dir={tmp_path / 'store'}").root
    found = open_repository(root)
    assert (found.git_dir, found.work_tree) == (tmp_path / "store", root)


def test_submodule_opened_by_its_git_directory(git: Git, tmp_path: Path) -> None:
    other = Git.init(tmp_path / "other")
    other.commit({"f": "1"})
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.root), "lib")
    found = open_repository(git.root / ".git" / "modules" / "lib")
    assert found.work_tree == git.root / "lib"


def test_linked_worktrees(git: Git, tmp_path: Path) -> None:
    git.commit({"f": "1"})
    git("worktree", "add", "--quiet", "--detach", str(tmp_path / "odd\nname"))
    git("worktree", "add", "--quiet", str(tmp_path / "gone"))
    for file in (tmp_path / "gone").iterdir():
        file.unlink()
    (tmp_path / "gone").rmdir()

    found = open_repository(tmp_path / "odd\nname")
    places = git.root / ".git" / "worktrees"
    assert found.common_dir == git.root / ".git"
    assert found.git_dir.parent == places
    assert found.head() == git.head()
    listed = found.worktrees()
    assert {(w.path, w.present) for w in listed} == {
        (git.root, True),
        (tmp_path / "odd\nname", True),
        (tmp_path / "gone", False),
    }
    assert listed[0].git_dir == git.root / ".git"
    assert {w.git_dir.parent for w in listed[1:]} == {places}
    assert open_repository(found.git_dir).work_tree == tmp_path / "odd\nname"
    (gone,) = (w.git_dir for w in listed if not w.present)
    assert open_repository(gone).head() == git.head()


def test_worktrees_of_a_bare_repository(tmp_path: Path) -> None:
    Git.init(tmp_path / "src").commit({"f": "1"})
    Git(tmp_path)("clone", "--quiet", "--bare", "src", "all/.git")
    Git(tmp_path / "all" / ".git")("worktree", "add", "--quiet", "../one")
    listed = open_repository(tmp_path / "all" / "one").worktrees()
    assert [w.path for w in listed] == [None, tmp_path / "all" / "one"]


def test_head_before_and_after_the_first_commit(git: Git) -> None:
    found = open_repository(git.root)
    assert found.head() is None
    assert found.head() is None
    assert git.commit({"f": "1"}) == found.head()


def test_which_commit_a_revision_names(git: Git) -> None:
    commit = git.commit({"a": "1\n"}, "one")
    git("tag", "-a", "-m", "one", "v1")
    with git.open() as repository:
        for rev in ("v1", "HEAD", commit[:9]):
            assert repository.find_commit(rev) == commit, rev
        for rev in ("^HEAD", "HEAD..HEAD", "HEAD:a", "nowhere", "--all", ""):
            assert repository.find_commit(rev) is None, rev


def test_a_hooks_environment_is_ignored(git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Git.init(tmp_path / "other")
    there = other.commit({"theirs": "1"})
    here = git.commit({"ours": "1"})
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git" / "index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.root / ".git" / "objects"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.name")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "Somebody Else")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'user.email=else@example.com'")

    found = open_repository(git.root)
    assert (found.git_dir, found.head()) == (git.root / ".git", here)
    assert found.run("ls-files").out == b"ours\n"
    assert (found.config("user.name"), found.config("user.email")) == ("A U Thor", "author@example.com")
    assert not found.objects.exists(there)


def test_every_local_variable_of_this_git_is_removed(git: Git) -> None:
    names = git("rev-parse", "--local-env-vars").split()
    kept = clean_environment(dict.fromkeys(names, "x") | {"PATH": "/bin", "GIT_SSH_COMMAND": "ssh -x"})
    assert {name for name in names if kept.get(name) == "x"} == set()
    assert (kept["PATH"], kept["GIT_SSH_COMMAND"], kept["LC_ALL"]) == ("/bin", "ssh -x", "C")


def test_runs_at_the_top_of_the_work_tree(git: Git) -> None:
    (git.root / "a").mkdir()
    git.commit({"a/f": "1", "g": "1"})
    assert open_repository(git.root / "a").run("ls-files", "-z").out == b"a/f\0g\0"


def test_a_configured_value_and_all_of_them(git: Git) -> None:
    git("config", "--add", "traj.exclude", "a\nb")
    git("config", "--add", "traj.exclude", "c")
    found = open_repository(git.root)
    assert found.config_all("traj.exclude") == ("a\nb", "c")
    assert found.config("traj.exclude") == "c"
    assert found.config("traj.nothing") is None


def test_the_configuration_is_read_again_after_a_change_of_ours(git: Git) -> None:
    found = open_repository(git.root)
    assert found.config("traj.nothing") is None
    found.run("config", "traj.nothing", "ours")
    assert found.config("traj.nothing") == "ours"
    git("config", "traj.nothing", "another's")
    assert found.config("traj.nothing") == "ours"
    found.forget_settings()
    assert found.config("traj.nothing") == "another's"


def test_not_a_repository(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "missing"):
        with pytest.raises(NotARepository) as caught:
            open_repository(place)
        assert caught.value.message == f"{place} is not in a git repository"


def test_another_owner_gets_gits_own_hint(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # git's own switch for its tests
    with pytest.raises(GitError) as caught:
        open_repository(git.root)
    assert "dubious ownership" in caught.value.message
    assert caught.value.hint == f"if you trust it: git config --global --add safe.directory {git.root}"


def test_git_not_installed(git: Git, tmp_path: Path) -> None:
    with pytest.raises(GitError) as caught:
        open_repository(git.root, environ={"PATH": str(tmp_path / "empty")})
    assert caught.value.message == "git was not found on PATH"


def test_a_failing_command_says_which_and_why(git: Git) -> None:
    with pytest.raises(GitError, match=r"^git rev-parse failed: Needed a single revision$"):
        open_repository(git.root).run("-c", "a.b=c", "rev-parse", "--verify", "nothing")
    assert open_repository(git.root).run("rev-parse", "--verify", "nothing", check=False).code == 128


def test_a_command_that_hangs(git: Git) -> None:
    found = open_repository(git.root)
    with pytest.raises(GitError, match=r"git sleeper did not end within 0.2 seconds"):
        found.run("-c", "alias.sleeper=!exec sleep 5", "sleeper", timeout=0.2)


def test_importing_the_git_package_does_not_import_pygit2() -> None:
    script = "import sys, gittraj.git, gittraj.notes.store; print('pygit2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
