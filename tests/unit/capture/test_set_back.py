"""Commands that remove lines from the work tree again, and the paths that they reset."""

from __future__ import annotations

import pytest

from gittraj.capture.set_back import SetBack, find_set_back


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("git checkout -- a.py", ("a.py",)),
        ("git checkout HEAD~ -- 'a b.py' c", ("a b.py", "c")),
        ("cd sub && git checkout .", (".",)),
        ("git checkout -f main", (".",)),
        ("git -C sub restore --source=HEAD a.py", ("a.py",)),
        ("git restore --staged --worktree a.py", ("a.py",)),
        ("git reset --hard HEAD~1", (".",)),
        ("git stash", (".",)),
        ("git stash push -m wip", (".",)),
        ("git checkout main", None),
        ("git checkout -b topic", None),
        ("git restore --staged a.py", None),
        ("git reset a.py", None),
        ("git stash list", None),
        ("git checkout -- 'a", None),
        ("echo git", None),
    ],
)
def test_commands_that_reset_files_are_found_with_their_paths(
    command: str, paths: tuple[str, ...] | None
) -> None:
    assert find_set_back(command) == ([SetBack(paths)] if paths else [])


def test_a_stash_pop_brings_the_changes_back() -> None:
    away, back = find_set_back("git stash && git pull && git stash pop")
    assert (away.again, back.again) == (False, True)


@pytest.mark.parametrize(
    ("named", "covered"), [(".", True), ("./src/a.py", True), ("a.py", True), ("src/", True), ("b.py", False)]
)
def test_a_named_path_covers_a_file_in_any_folder(named: str, *, covered: bool) -> None:
    assert SetBack((named,)).covers("src/a.py") is covered
