"""Commits that are copied or made again, by every such command: edge case 12 of ``docs/edge-cases.md``.

``desk``: a repository where agents commit, recorded at once. ``each_desk``: at once, or only at the end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.scenario import Edit, Shell, Write
from tests.integration.desk import Desk
from tests.integration.past import recorded
from tests.integration.records import traj
from tests.integration.repository import Git
from tests.integration.test_repair import plumb

ALL = {"a", "b", "c"}
EACH = {name: {name} for name in "abc"}


@pytest.fixture
def topic(desk: Desk) -> Desk:
    """``topic`` has a, b and c; ``main`` is checked out."""
    desk.branch_off("a", "b", "c")
    desk.git("checkout", "-q", "main")
    return desk


@pytest.fixture
def clash(topic: Desk) -> Desk:
    """``main`` has another ``b``."""
    topic.git.commit({"b": "theirs\n"}, "their b")
    return topic


# ---------------------------------------------------------------- cherry-pick and revert


def test_edge_12_cherry_pick(each_desk: Desk) -> None:
    each_desk.branch_off("a", "b", "c")
    each_desk.git("checkout", "-q", "main")
    assert each_desk.run_git("cherry-pick", "topic~2", "topic") == 0
    each_desk.check({"a": {"a"}, "c": {"c"}}, "main")


def test_edge_12_an_agent_picks(topic: Desk) -> None:
    topic.work("pick", Shell("git cherry-pick topic~1"))
    topic.check({"b": {"b", "pick"}}, "main")


@pytest.mark.parametrize("way", ["commit", "continue"])
def test_edge_12_cherry_pick_with_a_conflict(clash: Desk, way: str) -> None:
    assert clash.run_git("cherry-pick", "topic~1") == 1
    clash.git.write({"b": "both\n"})
    clash.git("add", "b")
    command = ["commit", "--no-edit"] if way == "commit" else ["cherry-pick", "--continue"]
    assert clash.run_git(*command, env={"GIT_EDITOR": "true"}) == 0
    clash.check({"b": {"b"}}, "main")


@pytest.mark.parametrize("day", [1, 3], ids=["before", "later"])
def test_edge_12_cherry_pick_of_a_squashed_commit(desk: Desk, day: int) -> None:
    """The pick is of the original ``a``: ``b``, squashed into it before or since, is not in the pick."""
    desk.git("branch", "other")
    for name, text in {"a": "a\n" * 3, "b": "a\n" * 3 + "b\n"}.items():
        desk.commit(name, text, path="f")
    desk.git("branch", "kept", "HEAD~1")
    desk.git("checkout", "-q", "other")
    desk.git.commit({"f": "theirs\n"}, "theirs")
    assert desk.run_git("cherry-pick", "kept") == 1
    desk.git.write({"f": "theirs\na\na\na\n"})
    desk.git("add", "f")
    assert desk.run_git("commit", "--no-edit") == 0
    desk.git("checkout", "-q", "main")
    dates = {"GIT_COMMITTER_DATE": f"2026-01-0{day}T03:04:05Z"}
    squash = {"GIT_SEQUENCE_EDITOR": "sed -i '2s/^pick/fixup/'", **dates}
    assert desk.run_git("rebase", "--interactive", "HEAD~2", env=squash) == 0
    desk.check({"a": {"a"}}, "other")
    desk.check({"a": {"a", "b"}}, "main")


def test_edge_12_cherry_pick_of_a_copied_commit(each_desk: Desk) -> None:
    """Two branches have a copy each of one original commit, which is picked."""
    each_desk.branch_off("a")
    each_desk.git("branch", "two")
    first = each_desk.git.head()
    for day, name in enumerate(("topic", "two"), 3):
        dates = {"GIT_COMMITTER_DATE": f"2026-01-0{day}T03:04:05Z"}
        assert each_desk.run_git("rebase", "main", name, env=dates) == 0
        each_desk.git("checkout", "-q", "main")
        each_desk.git.commit({name: "theirs\n"}, f"theirs {day}")
    each_desk.git("checkout", "-q", "-b", "three", "main~3")
    each_desk.git.commit({"mine": "mine\n"}, "mine")
    assert each_desk.run_git("cherry-pick", first, env={"GIT_COMMITTER_DATE": "2026-01-05T03:04:05Z"}) == 0
    each_desk.check({each_desk.git("rev-parse", name): {"a"} for name in ("topic", "two", "three")})


def test_edge_12_cherry_pick_without_commit(topic: Desk) -> None:
    assert topic.run_git("cherry-pick", "--no-commit", "topic~1") == 0
    assert topic.run_git("commit", "--message", "picked") == 0
    topic.check({"picked": {"b"}}, "main")


def test_edge_12_cherry_pick_of_several_without_commit(topic: Desk) -> None:
    assert topic.run_git("cherry-pick", "--no-commit", "main..topic") == 0
    assert topic.run_git("commit", "--message", "picked") == 0
    topic.check({"picked": ALL}, "main")


def test_edge_12_cherry_pick_that_skips(clash: Desk) -> None:
    assert clash.run_git("cherry-pick", "topic~2..topic") == 1
    assert clash.run_git("cherry-pick", "--skip") == 0
    clash.check({"c": {"c"}}, "main")


def test_edge_12_cherry_pick_that_is_aborted(clash: Desk) -> None:
    """The next commit is other work; also if the pick's own commit had failed before."""
    (hook := clash.git.root / ".git" / "hooks" / "commit-msg").write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    assert clash.run_git("cherry-pick", "topic~1") == 1
    clash.git.write({"b": "both\n"})
    clash.git("add", "b")
    assert clash.run_git("commit", "--no-edit") == 1
    hook.unlink()
    assert clash.run_git("cherry-pick", "--abort") == 0
    clash.git.commit({"mine": "mine\n"}, "mine")
    clash.check({}, "main")


def test_edge_12_cherry_pick_that_becomes_empty(topic: Desk) -> None:
    assert topic.run_git("cherry-pick", "topic~2") == 0
    assert topic.run_git("cherry-pick", "topic~2") == 1
    assert topic.run_git("cherry-pick", "--skip") == 0
    topic.git.commit({"mine": "mine\n"}, "mine")
    topic.check({"a": {"a"}}, "main")


def test_edge_12_cherry_pick_of_a_commit_without_its_notes(topic: Desk, tmp_path: Path) -> None:
    """A commit that was fetched by URL, without notes, has no record here until records are fetched."""
    there = topic.git
    here = Desk(Git.init(tmp_path / "here"))
    here.git.commit({"base": "1\n"}, "base")
    here.install()
    here.commit("own", by="two")
    here.git("fetch", "-q", str(there.root), "topic")
    assert here.run_git("cherry-pick", "FETCH_HEAD") == 0
    here.check({"own": {"own"}})
    here.git("remote", "add", "there", str(there.root))
    traj(here.git, "fetch", "there")
    assert here.repair() == 1
    sessions = {"own": here.sessions["two"], "c": topic.sessions["one"]}
    assert recorded(here.git) == {subject: {made.session} for subject, made in sessions.items()}


def test_edge_12_revert(topic: Desk) -> None:
    """A revert does not count as a copy of the work that it reverts."""
    topic.git("checkout", "-q", "topic")
    assert topic.run_git("revert", "--no-edit", "HEAD~1") == 0
    topic.check(EACH)


def test_edge_12_an_agent_reverts(topic: Desk) -> None:
    topic.git("checkout", "-q", "topic")
    topic.work("take back", Shell("git revert --no-edit HEAD~1"))
    topic.check({**EACH, 'Revert "b"': {"take back"}})


# ---------------------------------------------------------------- stash, reset, squash, mail


def test_edge_12_stash_across_branches(topic: Desk) -> None:
    topic.git("checkout", "-q", "topic")
    topic.work("stashed", Write("s", "s\n" * 3))
    assert topic.run_git("stash", "--include-untracked") == 0
    topic.git("checkout", "-q", "main")
    assert topic.run_git("stash", "pop") == 0
    topic.git("add", "s")
    assert topic.run_git("commit", "--message", "mine") == 0
    topic.check({"mine": {"stashed"}}, "main")


@pytest.mark.parametrize("mode", ["--soft", "--mixed"])
def test_edge_12_reset_and_one_commit(each_desk: Desk, mode: str) -> None:
    each_desk.branch_off("a", "b", "c")
    assert each_desk.run_git("reset", mode, "topic~3") == 0
    each_desk.git("add", "--all")
    assert each_desk.run_git("commit", "--message", "all") == 0
    each_desk.check({"all": ALL})


def test_edge_12_an_agent_resets_and_makes_one_commit(each_desk: Desk) -> None:
    each_desk.branch_off("a", "b", "c")
    each_desk.work("again", Shell("git reset -q --soft HEAD~3 && git commit -q -m all"))
    each_desk.check({"all": {*ALL, "again"}})


def test_edge_12_reset_and_one_commit_while_a_branch_has_the_commits(each_desk: Desk) -> None:
    """Another branch still has the commits, and the last of them has no record."""
    each_desk.branch_off("a", "b")
    each_desk.git.commit({"mine": "mine\n"}, "mine")
    each_desk.git("checkout", "-q", "-b", "kept")
    each_desk.git.commit({"more": "more\n"}, "more")
    each_desk.git("checkout", "-q", "topic")
    assert each_desk.run_git("reset", "--soft", "HEAD~3") == 0
    assert each_desk.run_git("commit", "--message", "all") == 0
    each_desk.check({"a": {"a"}, "b": {"b"}, "all": {"a", "b"}})


@pytest.mark.parametrize("way", ["amended", "as it was"])
def test_edge_12_reset_of_a_reset_commit(each_desk: Desk, way: str) -> None:
    """A commit is reset and made again twice, without a drain in between."""
    each_desk.commit("a")
    assert each_desk.run_git("reset", "--soft", "HEAD~1") == 0
    assert each_desk.run_git("commit", "--message", "again") == 0
    if way == "amended":
        each_desk.git.write({"a": "a\na\na\nmine\n"})
        assert each_desk.run_git("commit", "--all", "--amend", "--no-edit") == 0
    each_desk.git.commit({"mine": "mine\n"}, "mine")
    assert each_desk.run_git("reset", "--soft", "HEAD~2") == 0
    assert each_desk.run_git("commit", "--message", "all") == 0
    each_desk.check({"all": {"a"}})


def test_edge_12_reset_twice_and_rebase(desk: Desk) -> None:
    """A branch has the first reset's commit; the second one's commit is rebased before a drain."""
    desk.commit("a")
    desk.git.commit({"mine": "mine\n"}, "mine")
    desk.commit("b")
    for day, name in enumerate(("again", "once more"), 3):
        dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"2026-01-0{day}T03:04:05Z")
        assert desk.run_git("reset", "--soft", "HEAD~1") == 0
        assert desk.run_git("commit", "--message", name, env=dates) == 0
        if name == "again":
            desk.git("branch", "kept")
            desk.drain()
    reorder = {"GIT_SEQUENCE_EDITOR": "sed -i '1{h;d};2{G}'", "GIT_COMMITTER_DATE": "2026-01-05T03:04:05Z"}
    assert desk.run_git("rebase", "--interactive", "HEAD~2", env=reorder) == 0
    desk.check({"a": {"a"}, "again": {"b"}, "once more": {"b"}})


def test_edge_12_reset_of_partly_reverted_work(each_desk: Desk) -> None:
    """A person's file went into ``a``; only this file, and nothing of the agent's work, is committed
    again."""
    each_desk.commit("a")
    each_desk.git.write({"mine": "mine\n"})
    each_desk.git("add", "mine")
    assert each_desk.run_git("commit", "--amend", "--no-edit") == 0
    each_desk.git("rm", "-q", "a")
    assert each_desk.run_git("commit", "--message", "taken back") == 0
    each_desk.commit("b")
    assert each_desk.run_git("reset", "--soft", "HEAD~3") == 0
    assert each_desk.run_git("commit", "--message", "all") == 0
    each_desk.check({"all": {"b"}})


def test_edge_12_reset_and_autosquash(each_desk: Desk) -> None:
    """The new commit becomes the base of a fixup before a drain."""
    each_desk.branch_off("a", "b")
    assert each_desk.run_git("reset", "--soft", "HEAD~2") == 0
    assert each_desk.run_git("commit", "--message", "all") == 0
    each_desk.git.write({"mine": "mine\n"})
    each_desk.git("add", "mine")
    assert each_desk.run_git("commit", "--fixup", "HEAD") == 0
    quiet = {"GIT_SEQUENCE_EDITOR": "true"}
    assert each_desk.run_git("rebase", "--interactive", "--autosquash", "HEAD~2", env=quiet) == 0
    each_desk.check({"all": {"a", "b"}})


def test_edge_12_reset_twice_while_a_branch_has_the_commits(desk: Desk) -> None:
    """``main`` has ``a``; the drained commit that is gone is not the source of ``a``."""
    desk.commit("a")
    desk.git("checkout", "-q", "-b", "topic")
    for name in ("again", "once more"):
        assert desk.run_git("reset", "--soft", "HEAD~1") == 0
        assert desk.run_git("commit", "--message", name) == 0
        if name == "again":
            desk.drain()
    desk.git.write({"mine": "mine\n"})
    desk.git("add", "mine")
    assert desk.run_git("commit", "--amend", "--no-edit") == 0
    desk.check({"a": {"a"}, "once more": {"a"}})


def test_edge_12_reset_and_split(each_desk: Desk) -> None:
    """The new commit is split before a drain; one fragment equals the commit from before an amend."""
    each_desk.git.commit({"mine": "mine\n"}, "mine")
    each_desk.commit("a")
    each_desk.work("b", Write("b", "b\n" * 3), Shell("git add b && git commit --amend --no-edit"))
    assert each_desk.run_git("reset", "--soft", "HEAD~2") == 0
    assert each_desk.run_git("commit", "--message", "all") == 0
    assert each_desk.run_git("reset", "--mixed", "HEAD~1") == 0
    for name in ("mine", "b", "a"):
        each_desk.git("add", name)
        assert each_desk.run_git("commit", "--message", f"{name} alone") == 0
    each_desk.check({"a alone": {"a"}, "b alone": {"b"}})


def test_edge_12_split_of_an_amended_commit(each_desk: Desk) -> None:
    """Another branch has the commit from before the amend, and gets the rest: two fragments of the amended
    one. The commit's agent wrote to the other fragment's file, too, and reverted that."""
    each_desk.commit("a")
    each_desk.git("checkout", "-q", "-b", "two")
    assert each_desk.run_git("commit", "--amend", "--message", "a, too") == 0
    each_desk.git("checkout", "-q", "main")
    tried = Edit("a", "a\na\na\n", "tried\n"), Shell("git checkout -q a")
    each_desk.work("b", *tried, Write("b", "b\n" * 3), Shell("git add b && git commit -q --amend --no-edit"))
    each_desk.git("checkout", "-q", "two")
    each_desk.git("checkout", "-q", "main", "--", "b")
    assert each_desk.run_git("commit", "--message", "b alone") == 0
    each_desk.git("branch", "-q", "--force", "main", "main~1")
    each_desk.check({"a, too": {"a"}, "b alone": {"b"}})


def test_edge_12_reset_and_amend_while_a_branch_has_the_commit(each_desk: Desk) -> None:
    """Another branch has the combined commit, which was made from the others: it was not split."""
    each_desk.commit("a")
    assert each_desk.run_git("commit", "--amend", "--message", "again") == 0
    each_desk.git.commit({"a": "a\na\na\nmine\n"}, "mine")
    each_desk.git("branch", "kept")
    later = {"GIT_COMMITTER_DATE": "2026-01-03T03:04:05Z"}
    assert each_desk.run_git("reset", "--soft", "HEAD~2") == 0
    assert each_desk.run_git("commit", "--message", "all", env=later) == 0
    each_desk.drain()
    assert each_desk.run_git("commit", "--amend", "--message", "all, later", env=later) == 0
    each_desk.check({"again": {"a"}, "all, later": {"a"}})


def test_edge_12_reset_next_to_another_agents_commit(each_desk: Desk) -> None:
    """Another agent's commit of the same second takes the place of the commit that is gone, with a later date
    and the same file: it does not count as that commit, amended."""
    each_desk.git("checkout", "-q", "-b", "topic")
    each_desk.commit("b", path="f", by="two")
    each_desk.git("checkout", "-q", "main")
    each_desk.commit("a", path="f")
    later = {"GIT_COMMITTER_DATE": "2026-01-03T03:04:05Z"}
    assert each_desk.run_git("commit", "--amend", "--message", "a, later", env=later) == 0
    each_desk.git("branch", "-q", "-D", "topic")
    each_desk.check({"a, later": {"a"}})


def test_edge_12_reset_and_other_commits(topic: Desk) -> None:
    topic.git("checkout", "-q", "topic")
    assert topic.run_git("reset", "--mixed", "HEAD~3") == 0
    for name in ("c", "b"):
        topic.git("add", name)
        assert topic.run_git("commit", "--message", f"{name} again") == 0
    topic.check({"b again": {"b"}, "c again": {"c"}})


def test_edge_12_reset_that_keeps_uncommitted_changes(topic: Desk) -> None:
    topic.git("checkout", "-q", "topic")
    topic.work("kept", Edit("a", "a\na\na\n", "a\nkept\nkept too\n"))
    assert topic.run_git("reset", "--keep", "HEAD~1") == 0
    assert topic.run_git("commit", "--all", "--message", "mine") == 0
    topic.check({"a": {"a"}, "b": {"b"}, "mine": {"kept"}})


def test_edge_12_merge_squash(each_desk: Desk) -> None:
    each_desk.branch_off("a", "b", "c")
    each_desk.git("checkout", "-q", "main")
    assert each_desk.run_git("merge", "--squash", "topic") == 0
    assert each_desk.run_git("commit", "--message", "all") == 0
    each_desk.git("branch", "-q", "-D", "topic")
    each_desk.check({"all": ALL})


def test_edge_12_merge_squash_of_partly_merged_work(each_desk: Desk) -> None:
    """``b`` went into a pick of ``a``; the target of the squash has ``a`` already."""
    each_desk.commit("a")
    each_desk.git("checkout", "-q", "-b", "topic", "HEAD~1")
    assert each_desk.run_git("cherry-pick", "main") == 0
    each_desk.work("b", Write("b", "b\n" * 3), Shell("git add b && git commit -q --amend --no-edit"))
    each_desk.git("checkout", "-q", "main")
    assert each_desk.run_git("merge", "--squash", "topic") == 0
    assert each_desk.run_git("commit", "--message", "squashed") == 0
    each_desk.check({"a": {"a"}, "squashed": {"b"}}, "main")


@pytest.mark.parametrize("more", ["", "mine\n"], ids=["alone", "with another's file"])
def test_edge_12_merge_squash_that_is_split_and_then_amended(each_desk: Desk, more: str) -> None:
    """The amended commit is one of three fragments, although the others were drained before; also if it adds
    a line to the file of another fragment."""
    each_desk.branch_off("a", "b", "c")
    each_desk.git("checkout", "-q", "main")
    assert each_desk.run_git("merge", "--squash", "topic") == 0
    assert each_desk.run_git("commit", "--message", "all") == 0
    each_desk.git("branch", "-q", "-D", "topic")
    assert each_desk.run_git("reset", "--quiet", "HEAD^") == 0
    for name in ("a", "b", "c"):
        each_desk.git("add", name)
        assert each_desk.run_git("commit", "--quiet", "--message", f"{name} alone") == 0
    each_desk.drain()
    each_desk.git.write({"a": "a\na\na\n" + more})
    assert each_desk.run_git("commit", "--quiet", "--all", "--amend", "--message", "c at last") == 0
    each_desk.check({"a alone": {"a"}, "b alone": {"b"}, "c at last": {"c"}})


def test_edge_12_merge_squash_that_is_given_up(topic: Desk) -> None:
    """The squash's commit fails, and another commit is made instead."""
    (hook := topic.git.root / ".git" / "hooks" / "commit-msg").write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    assert topic.run_git("merge", "--squash", "topic") == 0
    assert topic.run_git("commit", "--message", "all") == 1
    hook.unlink()
    assert topic.run_git("reset", "--hard") == 0
    topic.git.commit({"mine": "mine\n"}, "mine")
    topic.check({}, "main")


def test_edge_12_mail(topic: Desk) -> None:
    mails = topic.git("format-patch", "--stdout", "main..topic")
    topic.git("am", "--quiet", input=mails)
    topic.check(EACH, "main")


# ---------------------------------------------------------------- without hooks


def test_edge_12_commit_tree_and_update_ref(topic: Desk) -> None:
    """Tools for stacked branches recreate the commits of the branch that is checked out in this way."""
    topic.git("checkout", "-q", "topic")
    plumb(topic.git)
    topic.check(EACH, "topic")


@pytest.fixture
def history(topic: Desk) -> Callable[..., str]:
    """A function that runs ``git history`` on ``topic``, later than all its commits."""
    if "git history" not in usage(topic.git, "history"):
        pytest.skip("git history came with git 2.54")
    topic.git("checkout", "-q", "topic")
    later = {"GIT_COMMITTER_DATE": "2026-02-02T03:04:05Z"}
    return lambda *args, editor="true", **more: topic.git(
        "history", *args, env={**later, "GIT_EDITOR": editor}, **more
    )


def test_edge_12_history_reword(topic: Desk, history: Callable[..., str]) -> None:
    history("reword", "HEAD~1", editor="sed -i 1s/^/new-/")
    topic.check({"a": {"a"}, "new-b": {"b"}, "c": {"c"}})


def test_edge_12_history_split(topic: Desk, history: Callable[..., str]) -> None:
    files = Write("p", "p\n" * 3), Write("q", "q\n" * 3)
    topic.work("both", *files, Shell("git add . && git commit -m both"))
    topic.commit("d")
    history("split", "HEAD~1", input="y\nn\n", editor="sed -i 1s/^/half-of-/")
    first, second = topic.git("log", "-2", "--skip=1", "--format=%H").splitlines()
    expected: dict[str, set[str]] = {**EACH, "d": {"d"}, first: {"both"}, second: {"both"}}
    topic.check(expected)


def test_edge_12_history_fixup(topic: Desk, history: Callable[..., str]) -> None:
    topic.git.write({"b": "b\nmine\n"})
    topic.git("add", "b")
    history("fixup", "HEAD~1")
    topic.check(EACH)


def usage(git: Git, command: str) -> str:
    done = subprocess.run(["git", command, "-h"], cwd=git.root, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_edge_12_replay(topic: Desk) -> None:
    """``git replay`` moves a branch that is not checked out, and calls no hook."""
    git = topic.git
    if "--onto" not in usage(git, "replay"):
        pytest.skip("git replay came with git 2.44")
    updates = git("replay", "--onto", "main", "main..topic")
    if updates:  # before git 2.52 it only prints which refs to update
        git("update-ref", "--stdin", input=updates + "\n")
    topic.check(EACH, "topic", repaired=True)


def test_edge_12_the_map_of_filter_repo(topic: Desk) -> None:
    """Every path was moved, so all patches differ; filter-repo's map says what each commit became, and which
    was left out."""
    git = topic.git
    git("checkout", "-q", "topic")
    rows, parent = ["old                                      new"], git("rev-parse", "main")
    for old in git("rev-list", "--reverse", "main..topic").splitlines():
        blobs = git("ls-tree", "-r", old).replace("\t", "\tmoved/")
        git("read-tree", "--empty")
        git("update-index", "--index-info", input=blobs + "\n")
        message = "new-" + git("log", "-1", "--format=%s", old)
        new = git("commit-tree", git("write-tree"), "-p", parent, "-m", message)
        rows.append(f"{old} {new}")
        parent = new
    rows.append(f"{'1' * 40} {'0' * 40}")
    git("update-ref", "refs/heads/topic", parent)
    git("reset", "-q", "--hard")
    (git.root / ".git/filter-repo").mkdir()
    (git.root / ".git/filter-repo/commit-map").write_text("\n".join(rows) + "\n")
    topic.check({f"new-{name}": {name} for name in "abc"}, "topic")


def test_edge_12_filter_repo(topic: Desk) -> None:
    """``git filter-repo`` does not change the notes; the records follow by the commits' patches."""
    git = topic.git
    script = Path(sys.prefix) / "bin" / "git-filter-repo"
    own = ["git", "filter-repo"] if git.succeeds("filter-repo", "--version") else []
    command = own or ([sys.executable, str(script)] if script.exists() else [])
    if not command:
        pytest.skip("git-filter-repo is not installed")
    git("checkout", "-q", "topic")
    renamed = ("--commit-callback", "commit.message = b'new-' + commit.message")
    subprocess.run(
        [*command, "--force", "--refs", "topic", *renamed], cwd=git.root, check=True, capture_output=True
    )
    topic.check({f"new-{name}": {name} for name in "abc"}, "topic")
