"""What rewritten commits became, for every way in which git rewrites, with its reflogs and without.

All commits have one author and one date, so that no result depends on times.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gittraj.history.find import find_rewrites
from tests.conftest import SHARING
from tests.integration.repository import Git
from tests.integration.todo import edit_todo
from tests.sizes import size

Expected = Mapping[str, Collection[str]]
LATER = {"GIT_COMMITTER_DATE": "2026-02-02T03:04:05Z"}


def find(git: Git, olds: Collection[str], taken: Collection[str] = ()) -> dict[str, set[str]]:
    with git.open() as repository:
        found = find_rewrites(repository, olds, taken=taken)
    assert len({(r.old, r.new) for r in found}) == len(found)
    return {old: {r.new for r in found if r.old == old} for old in olds}


def expire_reflogs(git: Git) -> None:
    git("reflog", "expire", "--expire=now", "--all")


def check(
    git: Git,
    expected: Expected,
    *,
    taken: Collection[str] = (),
    without_reflogs: Expected | None = None,
) -> None:
    """Check that the old commits became those of ``expected`` with the reflogs, and of ``without_reflogs``
    (None: the same) without them; ``taken`` are commits of new work."""
    assert find(git, [*expected], taken) == {old: {*new} for old, new in expected.items()}
    expire_reflogs(git)
    rest = expected if without_reflogs is None else {**dict.fromkeys(expected, ()), **without_reflogs}
    assert find(git, [*expected], taken) == {old: {*new} for old, new in rest.items()}


def names(git: Git, *revisions: str) -> dict[str, str]:
    """Return the commits of a range, by their subjects."""
    pairs = (line.partition(" ") for line in git("log", "--format=%H %s", *revisions).splitlines())
    return {subject: commit for commit, _, subject in pairs}


def files(git: Git, *subjects: str) -> list[str]:
    """Make a commit for each subject, with a file of its own."""
    return [git.commit({f"{s}.txt": f"{s}\n" * 3}, s) for s in subjects]


@pytest.fixture
def topic(git: Git) -> list[str]:
    """main has ``base`` and ``upstream``; ``topic``, which is checked out, branches off base: a b c d."""
    files(git, "base")
    git("checkout", "--quiet", "-b", "topic")
    made = files(git, "a", "b", "c", "d")
    git("checkout", "--quiet", "main")
    files(git, "upstream")
    git("checkout", "--quiet", "topic")
    return made


def test_an_amend_of_an_amend(git: Git) -> None:
    files(git, "base")
    old = git.commit({"f": "1\n"}, "one")
    git("commit", "--quiet", "--amend", "--message", "two")
    git.write({"f": "2\n"})
    git("commit", "--quiet", "--all", "--amend", "--message", "three")
    check(git, {old: [git.head()]}, without_reflogs={})


def test_an_amended_message_is_found_without_a_reflog(git: Git) -> None:
    root, old = files(git, "base", "one")
    git("commit", "--quiet", "--amend", "--message", "two")
    check(git, {old: [git.head()], root: []})


def test_an_amended_root(git: Git) -> None:
    (old,) = files(git, "base")
    git("commit", "--quiet", "--amend", "--message", "again")
    check(git, {old: [git.head()]})


@pytest.mark.parametrize("option", ["--merge", "--apply", "--rebase-merges"])
def test_a_rebase(git: Git, topic: list[str], option: str) -> None:
    git("rebase", "--quiet", option, "main")
    new = names(git, "main..")
    check(git, dict(zip(topic, ([new[s]] for s in "abcd"), strict=True)))


def test_a_rebase_of_a_branch_that_was_not_checked_out(git: Git, topic: list[str]) -> None:
    git("checkout", "--quiet", "main")
    git("rebase", "--quiet", "main", "topic")
    new = names(git, "main..")
    check(git, dict(zip(topic, ([new[s]] for s in "abcd"), strict=True)))


def test_a_rebase_in_a_worktree_that_is_gone(git: Git, topic: list[str], tmp_path: Path) -> None:
    git("checkout", "--quiet", "main")
    git("worktree", "add", "--quiet", str(tmp_path / "tree"), "topic")
    Git(tmp_path / "tree")("rebase", "--quiet", "main")
    git("worktree", "remove", str(tmp_path / "tree"))
    new = names(git, "main..topic")
    check(git, dict(zip(topic, ([new[s]] for s in "abcd"), strict=True)))


def test_a_rebase_onto_elsewhere(git: Git, topic: list[str]) -> None:
    git("rebase", "--quiet", "--onto", "main", topic[1])
    new = names(git, "main..")
    check(git, {topic[0]: [], topic[1]: [], topic[2]: [new["c"]], topic[3]: [new["d"]]})


def test_pull_rebase(git: Git, topic: list[str]) -> None:
    git("remote", "add", "origin", str(git.root))
    git("pull", "--quiet", "--rebase", "origin", "main")
    new = names(git, "main..")
    check(git, dict(zip(topic, ([new[s]] for s in "abcd"), strict=True)))


def test_reordered_squashed_and_dropped(git: Git, topic: list[str]) -> None:
    edit_todo(git, "main", "pick c,fixup a,pick d")
    a, b, c, d = topic
    new = names(git, "main..")
    check(git, {a: [new["c"]], b: [], c: [new["c"]], d: [new["d"]]}, without_reflogs={d: [new["d"]]})


def test_squashed_neighbours(git: Git, topic: list[str]) -> None:
    edit_todo(git, "main", "pick a,pick b,squash c,squash d")
    a, b, c, d = topic
    new = names(git, "main..")
    check(git, {a: [new["a"]], b: [new["b"]], c: [new["b"]], d: [new["b"]]})


def test_reworded_and_stopped(git: Git, topic: list[str]) -> None:
    edit_todo(git, "main", "reword a,exec true,edit b,pick c,pick d", GIT_EDITOR="sed -i 1s/^/new-/")
    git.write({"b.txt": "changed\n"})
    git("commit", "--quiet", "--all", "--amend", "--message", "changed")
    git("rebase", "--continue")
    a, b, c, d = topic
    new = names(git, "main..")
    expected = {a: [new["new-a"]], b: [new["changed"]], c: [new["c"]], d: [new["d"]]}
    check(git, expected, without_reflogs={**expected, b: []})


def test_a_stop_for_an_edit_then_continued(git: Git, topic: list[str]) -> None:
    edit_todo(git, "main~1", "edit a,pick b,drop c,pick d")
    git.write({"a.txt": "changed\n"})
    git("add", "--all")
    git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    a, b, c, d = topic
    new = names(git, "main~1..")
    expected = {a: [new["a"]], b: [new["b"]], c: [], d: [new["d"]]}
    check(git, expected, without_reflogs={**expected, a: []})


def test_autosquash(git: Git, topic: list[str]) -> None:
    git.write({"a.txt": "a, better\n"})
    git("commit", "--quiet", "--all", "--fixup", topic[0])
    fix = git.head()
    git(
        *("rebase", "--quiet", "--interactive", "--autosquash", "main"),
        env={"GIT_SEQUENCE_EDITOR": "true", "GIT_EDITOR": "true"},
    )
    a, b, c, d = topic
    new = names(git, "main..")
    expected = {a: [new["a"]], fix: [new["a"]], b: [new["b"]], c: [new["c"]], d: [new["d"]]}
    check(git, expected, without_reflogs={**expected, a: [], fix: []})


def resolve(git: Git, text: str) -> None:
    git.write({"f": text})
    git("add", "--all")
    git("rebase", "--continue", env={"GIT_EDITOR": "true"})


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_resolved_conflicts(git: Git, backend: str) -> None:
    git.commit({"f": "0\n"}, "base")
    git("checkout", "--quiet", "-b", "topic")
    one, two = git.commit({"f": "1\n"}, "one"), git.commit({"g": "2\n"}, "two")
    git("checkout", "--quiet", "main")
    git.commit({"f": "9\n"}, "upstream")
    git("checkout", "--quiet", "topic")
    assert not git.succeeds("rebase", backend, "main")
    resolve(git, "91\n")
    new = names(git, "main..")
    check(git, {one: [new["one"]], two: [new["two"]]}, without_reflogs={two: [new["two"]]})


def test_a_conflict_resolved_by_a_commit(git: Git) -> None:
    git.commit({"f": "0\n"}, "base")
    git("checkout", "--quiet", "-b", "topic")
    one = git.commit({"f": "1\n"}, "one")
    git("checkout", "--quiet", "main")
    git.commit({"f": "9\n"}, "upstream")
    git("checkout", "--quiet", "topic")
    assert not git.succeeds("rebase", "main")
    git.write({"f": "91\n"})
    git("commit", "--quiet", "--all", "--no-edit")
    git("rebase", "--continue")
    check(git, {one: [git.head()]}, without_reflogs={})


def test_two_conflicts_one_of_them_resolved_by_a_later_commit(git: Git) -> None:
    """A plain commit in a rebase takes the message of the applied commit, and the current date."""
    git.commit({"f": "0\n"}, "base")
    git("checkout", "--quiet", "-b", "topic")
    one, two = git.commit({"f": "1\n"}, "one"), git.commit({"f": "2\n"}, "two")
    git("checkout", "--quiet", "main")
    git.commit({"f": "9\n"}, "upstream")
    git("checkout", "--quiet", "topic")
    assert not git.succeeds("rebase", "main")
    git.write({"f": "91\n"})
    later = {"GIT_AUTHOR_DATE": LATER["GIT_COMMITTER_DATE"], **LATER}
    git("commit", "--quiet", "--all", "--no-edit", env=later)
    assert not git.succeeds("rebase", "--continue")
    resolve(git, "912\n")
    new = names(git, "main..")
    check(git, {one: [new["one"]], two: [new["two"]]}, without_reflogs={})


def test_a_resolved_fixup(git: Git) -> None:
    git.commit({"f": "0\n"}, "base")
    git("checkout", "--quiet", "-b", "topic")
    one = git.commit({"f": "1\n"}, "one")
    other, fix = git.commit({"g": "2\n"}, "other"), git.commit({"f": "3\n"}, "fixup! one")
    git("checkout", "--quiet", "main")
    git.commit({"f": "9\n"}, "upstream")
    git("checkout", "--quiet", "topic")
    quiet = {"GIT_SEQUENCE_EDITOR": "true", "GIT_EDITOR": "true", **os.environ}
    command = ["git", "rebase", "--interactive", "--autosquash", "main"]
    assert subprocess.run(command, cwd=git.root, env=quiet, capture_output=True, check=False).returncode
    git.write({"f": "91\n"})
    git("add", "--all")
    assert not git.succeeds("-c", "core.editor=true", "rebase", "--continue")
    resolve(git, "93\n")
    new = names(git, "main..")
    expected = {one: [new["one"]], fix: [new["one"]], other: [new["other"]]}
    check(git, expected, without_reflogs={other: [new["other"]]})


def test_merges_are_rebased_too(git: Git, topic: list[str]) -> None:
    git("checkout", "--quiet", "-b", "side", topic[0])
    (s,) = files(git, "s")
    git("checkout", "--quiet", "topic")
    git("merge", "--quiet", "--no-ff", "--message", "merge side", "side")
    merge = git.head()
    git("branch", "--quiet", "--delete", "--force", "side")
    git("rebase", "--quiet", "--rebase-merges", "main")
    new = names(git, "main..")
    expected = {c: [new[n]] for c, n in zip([*topic, s], "abcds", strict=True)}
    check(git, {**expected, merge: [new["merge side"]]}, without_reflogs=expected)


def test_a_merge_with_another_message(git: Git, topic: list[str]) -> None:
    git("merge", "--quiet", "--message", "merge main", "main")
    merge = git.head()
    git("commit", "--quiet", "--amend", "--message", "merged")
    check(git, {merge: [git.head()]})


def test_rebased_then_amended_then_rebased(git: Git, topic: list[str]) -> None:
    git("rebase", "--quiet", "main")
    git.write({"d.txt": "better\n"})
    git("commit", "--quiet", "--all", "--amend", "--message", "better")
    git("checkout", "--quiet", "main")
    files(git, "more")
    git("checkout", "--quiet", "topic")
    git("rebase", "--quiet", "main")
    new = names(git, "main..")
    expected = dict(zip(topic, ([new[s]] for s in ["a", "b", "c", "better"]), strict=True))
    check(git, expected, without_reflogs={**expected, topic[3]: []})


def test_an_aborted_rebase_moves_nothing(git: Git) -> None:
    git.commit({"f": "0\n"}, "base")
    git("checkout", "--quiet", "-b", "topic")
    olds = [*files(git, "a"), git.commit({"f": "1\n"}, "one")]
    git("checkout", "--quiet", "main")
    git.commit({"f": "9\n"}, "upstream")
    git("checkout", "--quiet", "topic")
    assert not git.succeeds("rebase", "main")
    git("rebase", "--abort")
    check(git, dict.fromkeys(olds, ()))


def test_split_in_a_rebase(git: Git) -> None:
    files(git, "base")
    old, last = git.commit({"p": "1\n2\n", "q": "3\n"}, "both"), *files(git, "last")
    git("checkout", "--quiet", "-b", "main-moves", "HEAD~2")
    files(git, "upstream")
    git("checkout", "--quiet", "main")
    edit_todo(git, "main-moves", "edit both,pick last")
    git("reset", "--quiet", "HEAD^")
    for path in ("p", "q"):
        git("add", path)
        git("commit", "--quiet", "--message", path)
    git("rebase", "--continue")
    new = names(git, "main-moves..")
    check(
        git,
        {old: [new["p"], new["q"]], last: [new["last"]]},
        without_reflogs={last: [new["last"]]},
    )


def test_split_by_a_reset(git: Git) -> None:
    files(git, "base")
    old = git.commit({"p": "1\n2\n", "q": "3\n"}, "both")
    git("reset", "--quiet", "HEAD^")
    (git.root / "q").unlink()
    first = git.commit({"p": "1\n"}, "first")
    second = git.commit({"p": "1\n2\n", "q": "3\n"}, "second")
    check(git, {old: [first, second]})


def test_a_detour_to_the_same_tree_does_not_count_as_a_split(git: Git) -> None:
    files(git, "base")
    old = git.commit({"p": "1\n2\n"}, "whole")
    git("reset", "--quiet", "--hard", "HEAD^")
    git.commit({"p": "mine\n"}, "mine")
    git.commit({"p": "1\n2\n"}, "whole, by hand")
    check(git, {old: []})


def test_cherry_pick(git: Git, topic: list[str]) -> None:
    git("checkout", "--quiet", "main")
    git("cherry-pick", topic[1], topic[3])
    new = names(git, "topic..main")
    check(git, {topic[0]: [], topic[1]: [new["b"]], topic[2]: [], topic[3]: [new["d"]]})


def test_cherry_pick_without_commit(git: Git, topic: list[str]) -> None:
    git("checkout", "--quiet", "main")
    git("cherry-pick", "--no-commit", topic[1])
    git("commit", "--quiet", "--message", "picked by hand")
    check(git, {topic[0]: [], topic[1]: [git.head()]})


def test_cherry_pick_with_a_conflict(git: Git) -> None:
    git.commit({"f": "0\n"}, "base")
    git("checkout", "--quiet", "-b", "topic")
    one = git.commit({"f": "1\n"}, "one")
    git("checkout", "--quiet", "main")
    git.commit({"f": "9\n"}, "upstream")
    assert not git.succeeds("cherry-pick", one)
    git.write({"f": "91\n"})
    git("commit", "--quiet", "--all", "--no-edit")
    check(git, {one: [git.head()]}, without_reflogs={})


def test_cherry_pick_that_says_its_source(git: Git) -> None:
    git.commit({"f": "0\n"}, "base")
    git("checkout", "--quiet", "-b", "topic")
    one = git.commit({"f": "1\n"}, "one")
    git("checkout", "--quiet", "main")
    git.commit({"f": "9\n"}, "upstream")
    assert not git.succeeds("cherry-pick", "-x", one)
    git.write({"f": "91\n"})
    git("commit", "--quiet", "--all", "--no-edit", "--cleanup=strip")
    check(git, {one: [git.head()]})


def test_picked_to_two_branches(git: Git, topic: list[str]) -> None:
    made = []
    for branch in ("one", "two"):
        git("checkout", "--quiet", "-b", branch, "main")
        files(git, branch)
        git("cherry-pick", topic[1], env=LATER)
        made.append(git.head())
    check(git, {topic[1]: made})


def test_a_pick_of_a_pick(git: Git, topic: list[str]) -> None:
    git("checkout", "--quiet", "-b", "release", "main")
    git("cherry-pick", topic[1], env=LATER)
    first = git.head()
    git("checkout", "--quiet", "main")
    files(git, "more")
    git("cherry-pick", first, env=LATER)
    check(git, {topic[1]: [first, git.head()]})


def test_picked_with_a_conflict_then_rebased(git: Git) -> None:
    """The rebased copy has the same subject and author as the copy, but is not its source."""
    git.commit({"f": "0\n"}, "base")
    git("checkout", "--quiet", "-b", "topic")
    one = git.commit({"f": "1\n"}, "one")
    git("checkout", "--quiet", "-b", "release", "main")
    git.commit({"f": "9\n"}, "release")
    assert not git.succeeds("cherry-pick", one)
    git.write({"f": "91\n"})
    git("commit", "--quiet", "--all", "--no-edit")
    git("checkout", "--quiet", "main")
    files(git, "more")
    git("checkout", "--quiet", "release")
    git("rebase", "--quiet", "main")
    check(git, {one: [git.head()]}, without_reflogs={})


def test_a_pick_of_a_commit_that_was_amended_and_thrown_away(git: Git, topic: list[str]) -> None:
    """The original commit is picked, not the amended one."""
    git.write({"d.txt": "more\n" * 3})
    git("commit", "--quiet", "--all", "--amend", "--no-edit")
    amended = git.head()
    git("reset", "--quiet", "--hard", "HEAD^")
    git("checkout", "--quiet", "main")
    git("cherry-pick", topic[3])
    check(git, {topic[3]: [git.head()], amended: []})


def test_a_conflicting_pick_of_a_commit_that_was_amended_later(git: Git) -> None:
    git.commit({"f": "0\n"}, "base")
    git("checkout", "--quiet", "-b", "topic")
    one = git.commit({"f": "1\n"}, "one")
    git.write({"g": "1\n"})
    git("add", "--all")
    git("commit", "--quiet", "--amend", "--no-edit")
    amended = git.head()
    git("checkout", "--quiet", "main")
    git.commit({"f": "9\n"}, "upstream")
    assert not git.succeeds("cherry-pick", one)
    git.write({"f": "91\n"})
    git("commit", "--quiet", "--all", "--no-edit")
    check(git, {one: [git.head(), amended], amended: []}, without_reflogs={})


def test_mailed_patches(git: Git, topic: list[str]) -> None:
    patches = git.raw("format-patch", "--stdout", "main..topic")
    git("checkout", "--quiet", "main")
    git("am", "--quiet", input=patches)
    new = names(git, "topic..")
    check(git, dict(zip(topic, ([new[s]] for s in "abcd"), strict=True)))


def test_merge_squash(git: Git, topic: list[str]) -> None:
    git("checkout", "--quiet", "main")
    git("merge", "--quiet", "--squash", "topic")
    git("commit", "--quiet", "--no-edit")
    git("branch", "--quiet", "--delete", "--force", "topic")
    check(git, {c: [git.head()] for c in topic})


@pytest.mark.parametrize("keep", [True, False])
def test_a_servers_squash(git: Git, topic: list[str], keep: bool) -> None:
    git("checkout", "--quiet", "main")
    git("merge", "--quiet", "--squash", "topic")
    git("commit", "--quiet", "--message", "Add letters (#12)")
    new = git.head()
    files(git, "after")
    if not keep:
        git("branch", "--quiet", "--delete", "--force", "topic")
    check(git, {c: [new] for c in topic})


def test_a_squash_of_a_branch_that_merged_main(git: Git, topic: list[str]) -> None:
    git("merge", "--quiet", "--message", "update", "main")
    update = git.head()
    (e,) = files(git, "e")
    git("checkout", "--quiet", "main")
    git("merge", "--quiet", "--squash", "topic")
    git("commit", "--quiet", "--message", "Add letters (#12)")
    check(git, {c: [git.head()] for c in [*topic, update, e]})


def test_rebased_then_squashed_on_a_server(git: Git, topic: list[str]) -> None:
    git("rebase", "--quiet", "main")
    middle = names(git, "main..")
    git("checkout", "--quiet", "main")
    files(git, "more")
    git("merge", "--quiet", "--squash", "topic")
    git("commit", "--quiet", "--message", "Add letters (#12)")
    squash = git.head()
    check(git, {old: [middle[n], squash] for old, n in zip(topic, "abcd", strict=True)})


def test_a_server_rebases_each_commit(git: Git, topic: list[str]) -> None:
    """The rebase is found only by its objects: no reflog of this repository mentions it."""
    git("checkout", "--quiet", "--detach", "main")
    git("cherry-pick", "main..topic")
    new = names(git, "main..HEAD")
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    git("checkout", "--quiet", "main")
    git("branch", "--quiet", "--delete", "--force", "topic")
    expire_reflogs(git)
    check(git, dict(zip(topic, ([new[s]] for s in "abcd"), strict=True)))


@pytest.mark.parametrize("own", [False, True], ids=["a person", "a session"])
def test_reset_soft_and_commit(git: Git, topic: list[str], own: bool) -> None:
    git("reset", "--quiet", "--soft", "HEAD~3")
    git("commit", "--quiet", "--message", "all in one")
    taken = [git.head()] if own else []
    check(git, {topic[0]: [], **{c: [git.head()] for c in topic[1:]}}, taken=taken)


def test_new_work_on_the_base_of_what_a_reset_left(git: Git, topic: list[str]) -> None:
    git("reset", "--quiet", "--soft", "HEAD~3")
    mine = git.commit({"b.txt": "mine\n"}, "all in one")
    check(git, {c: [] for c in topic[1:]}, taken=[mine])


@pytest.mark.parametrize("some", [1, 4])
@pytest.mark.parametrize("kept", [False, True], ids=["gone", "kept"])
def test_commits_that_were_squashed_by_a_reset_and_then_rewritten(
    git: Git, topic: list[str], some: int, kept: bool
) -> None:
    """Nothing was drained while the commit in between existed."""
    if kept:
        git("branch", "--quiet", "copy")
    git("reset", "--quiet", "--soft", f"HEAD~{some}")
    git("commit", "--quiet", "--message", "again")
    git.write({"more": "1\n"})
    git("add", "--all")
    git("commit", "--quiet", "--amend", "--no-edit")
    git("rebase", "--quiet", "main")
    last = git.head()
    git("commit", "--quiet", "--amend", "--message", "said better")
    assert last != git.head()
    check(git, {c: [git.head()] for c in topic[-some:]}, without_reflogs={})


def test_a_squash_that_lists_a_reverted_commit(git: Git) -> None:
    files(git, "base")
    git("checkout", "--quiet", "-b", "topic")
    one, two = files(git, "one", "two")
    git("revert", "--no-edit", one)
    git("checkout", "--quiet", "main")
    git("merge", "--quiet", "--squash", "topic")
    git("commit", "--quiet", "--no-edit")
    check(git, {one: [], two: [git.head()]})


@pytest.mark.parametrize("own", [False, True], ids=["a person", "a session"])
def test_a_reset_squash_that_leaves_one_commit_s_work(git: Git, own: bool) -> None:
    files(git, "base")
    (one,) = files(git, "one")
    git("revert", "--no-edit", one)
    (two,) = files(git, "two")
    git("reset", "--quiet", "--soft", "HEAD~3")
    git("commit", "--quiet", "--message", "together")
    check(git, {one: [], two: [git.head()]}, taken=[git.head()] if own else [])


def test_a_reset_squash_of_a_commit_and_its_revert(git: Git) -> None:
    files(git, "base")
    one, two = files(git, "one", "two")
    git("revert", "--no-edit", one)
    git.commit({"more": "1\n"}, "more")
    git("reset", "--quiet", "--soft", "HEAD~4")
    git("commit", "--quiet", "--message", "together")
    check(git, {one: [], two: [git.head()]}, without_reflogs={})


def test_committed_again_with_another_s_work_on_top(git: Git) -> None:
    """Only the reset shows that there was a last commit, which has no record."""
    files(git, "base")
    old = git.commit({"f": "1\n"}, "an agent's")
    git.commit({"g": "2\n"}, "a person's")
    git("reset", "--quiet", "--soft", "HEAD~2")
    git("commit", "--quiet", "--message", "both")
    check(git, {old: [git.head()]}, without_reflogs={})


def test_a_squash_counts_what_is_left(git: Git, topic: list[str]) -> None:
    """Work that was reverted on its branch, and an empty commit, are not in the squash."""
    (x,) = files(git, "x")
    git("revert", "--no-edit", "HEAD")
    empty = git.commit(None, "empty")
    git("checkout", "--quiet", "main")
    git("merge", "--quiet", "--squash", "topic")
    git("commit", "--quiet", "--message", "Add letters (#12)")
    check(git, {**dict.fromkeys(topic, (git.head(),)), x: [], empty: []})


def test_filter_branch(git: Git, topic: list[str]) -> None:
    env = {"FILTER_BRANCH_SQUELCH_WARNING": "1"}
    git("filter-branch", "--force", "--env-filter", "GIT_AUTHOR_NAME=Else", "main..topic", env=env)
    new = names(git, "main..topic")
    check(git, dict(zip(topic, ([new[s]] for s in "abcd"), strict=True)))


# ------------------------------------------------------------ what is not a rewrite


def test_a_person_writes_the_same_subject(git: Git, topic: list[str]) -> None:
    git("reset", "--quiet", "--hard", "main")
    git.commit({"a.txt": "something else\n"}, "a")
    check(git, dict.fromkeys(topic, ()))


def test_empty_commits_are_all_alike(git: Git) -> None:
    files(git, "base")
    old = git.commit(None, "empty")
    git("reset", "--quiet", "--hard", "HEAD^")
    git.commit(None, "empty")
    check(git, {old: []})


def test_the_same_patch_on_two_branches(git: Git, topic: list[str]) -> None:
    for branch in ("one", "two"):
        git("checkout", "--quiet", "-b", branch, "main")
        files(git, branch)
        files(git, "b")
    check(git, dict.fromkeys(topic, ()))


def test_two_commits_with_the_same_patch_and_one_copy(git: Git, topic: list[str]) -> None:
    git("checkout", "--quiet", "-b", "other", "main")
    (again,) = files(git, "b")
    git("checkout", "--quiet", "main")
    files(git, "more", "b")
    check(git, {topic[1]: [], again: []})


def test_new_work_does_not_count_as_a_copy(git: Git, topic: list[str]) -> None:
    git("checkout", "--quiet", "main")
    (mine,) = files(git, "b")
    check(git, {topic[1]: []}, taken=[mine])


def test_a_revert_and_its_revert(git: Git, topic: list[str]) -> None:
    git("revert", "--no-edit", "HEAD")
    git("revert", "--no-edit", "HEAD")
    check(git, dict.fromkeys(topic, ()))


def test_moved_then_reverted(git: Git, topic: list[str]) -> None:
    git("rebase", "--quiet", "main")
    new = names(git, "main..")
    git("revert", "--no-edit", "HEAD")
    git("revert", "--no-edit", "HEAD")
    check(git, dict(zip(topic, ([new[s]] for s in "abcd"), strict=True)))


def test_a_dropped_commit_that_is_written_again(git: Git, topic: list[str]) -> None:
    edit_todo(git, "main", "pick a,pick d")
    new = names(git, "main..")
    git.commit({"b.txt": "another b\n"}, "b")
    check(git, {topic[0]: [new["a"]], topic[1]: [], topic[2]: [], topic[3]: [new["d"]]})


def test_upstream_commits_are_no_copies(git: Git, topic: list[str]) -> None:
    upstream = git("rev-parse", "main")
    git("rebase", "--quiet", "main")
    assert find(git, [upstream]) == {upstream: set()}


# ------------------------------------------------------------ unusual repositories


def test_unusual_repositories(git: Git) -> None:
    assert find(git, []) == {}
    assert find(git, ["0" * 40, "1" * 40]) == {"0" * 40: set(), "1" * 40: set()}
    (root,) = files(git, "base")
    git("tag", "a-tree", "HEAD^{tree}")
    git("tag", "a-blob", "HEAD:base.txt")
    assert find(git, [root, "no id"]) == {root: set(), "no id": set()}


def test_without_reflogs_from_the_start(tmp_path: Path) -> None:
    git = Git.init(tmp_path / "repo", "--object-format=sha256")
    git("config", "core.logAllRefUpdates", "false")
    olds = files(git, "base", "a", "b")
    git("checkout", "--quiet", "--orphan", "other")
    git("rm", "-r", "-f", "--quiet", ".")
    files(git, "elsewhere")
    git("cherry-pick", f"{olds[0]}..{olds[2]}")
    new = names(git, "other")
    assert find(git, olds) == {olds[0]: set(), olds[1]: {new["a"]}, olds[2]: {new["b"]}}


def test_a_shallow_clone(git: Git, topic: list[str], tmp_path: Path) -> None:
    git("checkout", "--quiet", "main")
    git("cherry-pick", topic[3])
    git("clone", "--quiet", "--depth=2", "--no-single-branch", f"file://{git.root}", str(tmp_path / "clone"))
    clone = Git(tmp_path / "clone")
    assert find(clone, topic) == {**{c: set() for c in topic}, topic[3]: {git.head()}}


def test_an_old_commit_whose_parents_are_gone(git: Git, topic: list[str]) -> None:
    git("rebase", "--quiet", "main")
    new = names(git, "main..")
    expire_reflogs(git)
    lost = git.root / ".git" / "objects" / topic[1][:2] / topic[1][2:]
    lost.unlink()
    assert find(git, [topic[0], topic[2], topic[3]]) == {
        topic[0]: {new["a"]},
        topic[2]: set(),
        topic[3]: {new["d"]},
    }


# ------------------------------------------------------------ whatever people do

PLANS = st.lists(
    st.lists(st.sampled_from(["pick", "drop", "squash", "fixup"]), min_size=5, max_size=5).flatmap(
        lambda verbs: st.tuples(st.just(verbs), st.permutations(range(5)))
    ),
    min_size=1,
    max_size=2,
)


@settings(SHARING, max_examples=size(8, 40))
@given(plans=PLANS)
def test_any_rebases_of_disjoint_work(
    tmp_path_factory: pytest.TempPathFactory, plans: list[tuple[list[str], list[int]]]
) -> None:
    git = Git.init(tmp_path_factory.mktemp("any") / "repo")
    files(git, "base")
    git("checkout", "--quiet", "-b", "topic")
    olds = files(git, "0", "1", "2", "3", "4")
    truth: dict[str, set[str]] = {name: {name} for name in "01234"}  # by commit subject, the originals in it
    for number, (verbs, order) in enumerate(plans):
        git("checkout", "--quiet", "main")
        files(git, f"upstream{number}")
        git("checkout", "--quiet", "topic")
        rows: list[str] = []
        after: dict[str, set[str]] = {}
        for name, verb in zip([str(i) for i in order if str(i) in truth], verbs, strict=False):
            if verb == "drop":
                continue
            if verb == "pick" or not after:
                after[name] = set(truth[name])
                rows.append(f"pick {name}")
            else:
                after[[*after][-1]] |= truth[name]
                rows.append(f"{verb} {name}")
        if not after:
            return
        edit_todo(git, "main", ",".join(rows))
        truth = after
    new = names(git, "main..")
    expected = {
        old: {new[s] for s, inside in truth.items() if str(i) in inside} for i, old in enumerate(olds)
    }
    assert find(git, olds) == expected
    expire_reflogs(git)
    for old, found in find(git, olds).items():
        assert found <= expected[old]
