"""A server merges a branch, seen from a clone: edge case 14 of ``docs/edge-cases.md``.

The server does not have git-traj: it merges in a clone of its own and deletes the branch.
``desk``: a repository where agents commit, recorded at once. ``each_desk``: at once, or only at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.scenario import Shell, Write
from tests.integration.desk import Desk
from tests.integration.repository import Git

ALL = {"a", "b", "c"}
EACH = {name: {name} for name in "abc"}
Merge = Callable[[Git], None]


@pytest.fixture
def server(desk: Desk, tmp_path: Path) -> Git:
    """Return the desk's ``origin``, with a work tree for merges; ``main`` has a new commit there."""
    git = Git.init(tmp_path / "server")
    git("fetch", "-q", str(desk.git.root), "main")
    git("reset", "-q", "--hard", "FETCH_HEAD")
    git("config", "receive.denyCurrentBranch", "ignore")
    desk.git("remote", "add", "origin", str(git.root))
    desk.git("checkout", "-q", "-b", "topic")
    for name in "abc":
        desk.commit(name)
    desk.git("push", "-q", "--no-verify", "origin", "topic")
    git.commit({"upstream": "theirs\n"}, "upstream")
    return git


def squash(server: Git) -> None:
    server("merge", "-q", "--squash", "topic")
    server("commit", "-q", "-m", "Topic (#7)")


def rebase(server: Git) -> None:
    server("cherry-pick", "main..topic")


def merge(server: Git) -> None:
    server("merge", "-q", "--no-ff", "-m", "Merge pull request #7", "topic")


def queue(server: Git) -> None:
    """Merge another pull request first, and then move main to the tested commit."""
    server("checkout", "-q", "-b", "queue/main/pr-7")
    server.commit({"other": "theirs\n", "a2": "a\n" * 3}, "Other (#6)")
    squash(server)
    server("checkout", "-q", "main")
    server("merge", "-q", "--ff-only", "queue/main/pr-7")
    server("branch", "-q", "-D", "queue/main/pr-7")


def finish(desk: Desk, server: Git, *, deletes: bool = True) -> None:
    """Fetch after the branch was deleted on the server, and delete it in the clone."""
    server("branch", "-q", "-D", "topic")
    desk.git("checkout", "-q", "main")
    assert desk.run_git("pull", "--prune", "--ff-only", "origin", "main") == 0
    if deletes:
        assert desk.run_git("branch", "-D", "topic") == 0


WAYS = pytest.mark.parametrize(
    ("way", "expected"),
    [(squash, {"Topic (#7)": ALL}), (rebase, EACH), (merge, EACH), (queue, {"Topic (#7)": ALL})],
    ids=["squash", "rebase", "merge", "queue"],
)


@WAYS
def test_edge_14_merged_by_a_server(
    desk: Desk, server: Git, way: Merge, expected: dict[str, set[str]]
) -> None:
    way(server)
    finish(desk, server)
    desk.check(expected, "main")


@WAYS
def test_edge_14_merged_before_anything_was_recorded(
    each_desk: Desk, server: Git, way: Merge, expected: dict[str, set[str]]
) -> None:
    """If the desk waits, its first drain is in ``check``, after the merge. The clone keeps its branch."""
    way(server)
    finish(each_desk, server, deletes=False)
    each_desk.check(expected, "main")


def test_edge_14_a_deleted_branch_that_nobody_merged(desk: Desk, server: Git) -> None:
    """The records stay on the branch's commits, and are on no other commit."""
    tip = desk.git.head()
    finish(desk, server)
    desk.check({}, "main")
    assert desk.recorded(tip) == EACH


def test_edge_14_the_same_message_twice(each_desk: Desk) -> None:
    each_desk.git("checkout", "-q", "-b", "topic")
    for name in "abc":
        each_desk.work(name, Write(name, f"{name}\n" * 3), Shell("git add . && git commit -q -m wip"))
    each_desk.git("checkout", "-q", "main")
    each_desk.git.commit({"upstream": "theirs\n"}, "wip")
    each_desk.git("checkout", "-q", "topic")
    assert each_desk.run_git("rebase", "main") == 0
    made = each_desk.git("rev-list", "--reverse", "main..").splitlines()
    each_desk.check({commit: {name} for commit, name in zip(made, "abc", strict=True)})


def test_edge_14_the_same_patch_twice(each_desk: Desk) -> None:
    """The patch is made, reverted by a person, and made again: each commit keeps its own record in a
    rebase."""
    each_desk.git("checkout", "-q", "-b", "topic")
    each_desk.commit("a")
    assert each_desk.run_git("revert", "--no-edit", "HEAD") == 0
    each_desk.work("again", Write("a", "a\n" * 3), Shell("git add . && git commit -m again"))
    each_desk.git("checkout", "-q", "main")
    each_desk.git.commit({"upstream": "theirs\n"}, "upstream")
    each_desk.git("checkout", "-q", "topic")
    assert each_desk.run_git("rebase", "main") == 0
    each_desk.check({"a": {"a"}, "again": {"again"}})


def test_edge_14_two_agents_make_the_same_patch(desk: Desk) -> None:
    """The patches are on two branches, and neither counts as a copy of the other."""
    for branch in ("one", "two"):
        desk.git("checkout", "-q", "-b", branch, "main")
        desk.work(branch, Write("x", "same\n" * 3), Shell(f"git add . && git commit -m {branch}"), by=branch)
    desk.check({"one": {"one"}, "two": {"two"}})
