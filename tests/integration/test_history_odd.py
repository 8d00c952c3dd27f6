"""Late installation, pruned reflogs, wrong clocks and unusual commits: edge cases 15 and 17 of
``docs/edge-cases.md``.
``desk``: a repository where agents commit, recorded at once. ``each_desk``: at once, or only at the end."""

from __future__ import annotations

import pytest

from tests.e2e.scenario import Shell, Write
from tests.integration.desk import Desk
from tests.integration.records import read_records
from tests.integration.repository import Git

EACH = {name: {name} for name in "abc"}
QUIET = {"GIT_EDITOR": "true"}


def forget_reflogs(git: Git) -> None:
    git("reflog", "expire", "--expire=now", "--all")


# ---------------------------------------------------------------- installed late, pruned, wrong clocks


@pytest.mark.parametrize("way", ["--merge", "--apply"])
def test_edge_15_installed_in_the_middle_of_a_rebase(git: Git, way: str) -> None:
    """Earlier commits have no record until a backfill; later ones are recorded."""
    git.commit({"f": "1\n"}, "base")
    git("checkout", "-q", "-b", "topic")
    git.commit({"f": "2\n"}, "before")
    git.commit({"g": "2\n"}, "before too")
    git("checkout", "-q", "main")
    git.commit({"f": "theirs\n"}, "upstream")
    git("checkout", "-q", "topic")
    desk = Desk(git)
    assert desk.run_git("rebase", way, "main") == 1
    desk.install()
    desk.work("resolve", Write("f", "both\n"), Shell("git add f && GIT_EDITOR=true git rebase --continue"))
    assert git("log", "--format=%s", "main..") == "before too\nbefore"
    desk.commit("a")
    desk.check({"a": {"resolve", "a"}})


def test_edge_15_installed_again_in_the_middle_of_a_rebase(desk: Desk) -> None:
    """The hooks were removed before the rebase began; the existing records follow."""
    desk.branch_off("a", "b", "c")
    desk.git("checkout", "-q", "main")
    desk.git.commit({"b": "theirs\n"}, "their b")
    desk.git("checkout", "-q", "topic")
    desk.git("config", "core.hooksPath", "/dev/null")
    assert desk.run_git("rebase", "main") == 1
    desk.git("config", "--unset", "core.hooksPath")
    desk.git.write({"b": "both\n"})
    desk.git("add", "b")
    assert desk.run_git("rebase", "--continue", env=QUIET) == 0
    desk.check(EACH)


@pytest.mark.parametrize("drained", [True, False], ids=["recorded", "waiting"])
def test_edge_15_a_pruned_reflog(desk: Desk, drained: bool) -> None:
    """The hooks' lines report the commits and the rebase; no record is lost with what git prunes."""
    desk.waits = not drained
    desk.branch_off("a", "b", "c")
    forget_reflogs(desk.git)
    assert desk.run_git("rebase", "main") == 0
    forget_reflogs(desk.git)
    desk.check(EACH)
    desk.git("gc", "--quiet", "--prune=now")
    desk.commit("d")
    desk.check({**EACH, "d": {"d"}})


@pytest.mark.parametrize("to", ["1999-01-01T00:00:00Z", "2037-12-31T00:00:00Z"], ids=["back", "ahead"])
def test_edge_15_a_clock_that_jumps(each_desk: Desk, to: str) -> None:
    """git's clock jumps for one commit, and for the rebase of all."""
    each_desk.git("checkout", "-q", "-b", "topic")
    each_desk.commit("a")
    jump = f"GIT_AUTHOR_DATE={to} GIT_COMMITTER_DATE={to}"
    each_desk.work("b", Write("b", "b\n" * 3), Shell(f"git add . && {jump} git commit -qm b"))
    each_desk.commit("c")
    each_desk.git("checkout", "-q", "main")
    each_desk.git.commit({"upstream": "theirs\n"}, "upstream")
    each_desk.git("checkout", "-q", "topic")
    assert each_desk.run_git("rebase", "main", env={"GIT_COMMITTER_DATE": to}) == 0
    each_desk.check(EACH)


def test_edge_15_the_log_s_clock_jumps(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the order of the log's events counts."""
    times = iter(["2030-01-01T00:00:00.000Z", "1999-01-01T00:00:00.000Z"] * 500)
    monkeypatch.setattr("tests.integration.claude_session.now", lambda: next(times))
    desk.branch_off("a", "b")
    desk.check({"a": {"a"}, "b": {"b"}})


# ---------------------------------------------------------------- unusual commits


def test_edge_17_unborn_root_and_amended_root(git: Git) -> None:
    desk = Desk(git).install()
    desk.work("look", Shell("git status"))
    assert read_records(git) == {}
    desk.commit("root")
    assert desk.run_git("commit", "--amend", "--message", "root, amended") == 0
    desk.check({"root, amended": {"look", "root"}})


def test_edge_17_an_unborn_branch_next_to_others(desk: Desk) -> None:
    desk.commit("a")
    assert desk.run_git("checkout", "--orphan", "other") == 0
    desk.work("b", Write("b", "b\n"), Shell("git rm -rqf a && git add . && git commit -qm b"))
    desk.check({"a": {"a"}, "b": {"b"}})


def test_edge_17_empty_commits(each_desk: Desk) -> None:
    """The commits look alike; the calls that made them distinguish them, also after a rebase."""
    each_desk.git("checkout", "-q", "-b", "topic")
    for name in "ab":
        each_desk.work(name, Shell(f"git commit --allow-empty -m {name}"))
    each_desk.git.commit(message="mine, empty")
    each_desk.git("checkout", "-q", "main")
    each_desk.git.commit({"upstream": "theirs\n"}, "upstream")
    each_desk.git("checkout", "-q", "topic")
    assert each_desk.run_git("rebase", "main") == 0
    each_desk.check({"a": {"a"}, "b": {"b"}})


def test_edge_17_merges_by_an_agent(each_desk: Desk) -> None:
    """A merge that git commits by itself has no work of its own: the merged work is on its own commits; a
    merge that the agent commits is its work."""
    for name in "ab":
        each_desk.git("checkout", "-q", "-b", name, "main")
        each_desk.commit(name)
    each_desk.git("checkout", "-q", "main")
    each_desk.git.commit({"u": "upstream\n"}, "upstream")
    each_desk.work("octopus", Shell("git merge -m octopus a b"))
    assert len(each_desk.git("log", "-1", "--format=%P").split()) == 3
    each_desk.git("checkout", "-q", "-b", "c", "main~1")
    each_desk.commit("c")
    each_desk.work("merge", Shell("git merge -q --no-commit main && git commit -m merge"))
    each_desk.check({"a": {"a"}, "b": {"b", "octopus"}, "c": {"c"}, "merge": {"merge"}})


def test_edge_17_a_person_s_octopus_merge(desk: Desk) -> None:
    for name in "ab":
        desk.git("checkout", "-q", "-b", name, "main")
        desk.commit(name)
    desk.git("checkout", "-q", "main")
    desk.git.commit({"u": "upstream\n"}, "upstream")
    assert desk.run_git("merge", "--no-edit", "a", "b") == 0
    desk.check({"a": {"a"}, "b": {"b"}})


def test_edge_17_detached_head(each_desk: Desk) -> None:
    """An agent commits, amends and rebases on a detached HEAD, and then checks out a branch."""
    each_desk.git("checkout", "-q", "--detach")
    each_desk.commit("a")
    each_desk.git("checkout", "-q", "main")
    each_desk.git.commit({"upstream": "theirs\n"}, "upstream")
    each_desk.git("checkout", "-q", "-")
    assert each_desk.run_git("commit", "--amend", "--message", "amended") == 0
    assert each_desk.run_git("rebase", "main") == 0
    each_desk.git("branch", "-q", "kept")
    each_desk.git("checkout", "-q", "main")
    each_desk.check({"amended": {"a"}})
